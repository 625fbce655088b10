package model

import "aibd/internal/spec"

// fillNoise fills in whether the columns have noise scales: by default at least two columns of
// numbers do, unless there is a preset or SigmaX is fixed.
func (o *Observed) fillNoise(s *spec.Spec) {
	if s.Data.Noise != "" {
		return
	}
	numbers := 0
	for _, r := range o.MinNoise {
		if r > 0 {
			numbers++
		}
	}
	s.Data.Noise = spec.NoiseCommon
	if s.Data.Preset == "" && !s.Prior.SigmaX.Fixed && numbers > 1 {
		s.Data.Noise = spec.NoiseColumns
	}
}
