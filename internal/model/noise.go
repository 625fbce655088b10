package model

import (
	"math"

	"aibd/internal/spec"
)

// fillNoise fills in whether the columns have noise scales: by default at least two columns of
// numbers do, unless there is a preset, SigmaX is fixed, or a column is constant. A constant column
// fits exactly whatever SigmaX is, so that with noise scales SigmaX would tend to 0.
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
	if s.Data.Preset == "" && !s.Prior.SigmaX.Fixed && numbers > 1 && !math.IsInf(o.Spread, 1) {
		s.Data.Noise = spec.NoiseColumns
	}
}
