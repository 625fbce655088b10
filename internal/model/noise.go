package model

import (
	"math"

	"aibd/internal/spec"
	"aibd/mcmc"
)

// fillNoise fills in whether the columns have noise scales: by default as mcmc.DefaultNoiseScales
// says, unless there is a preset or SigmaX is fixed.
func (o *Observed) fillNoise(s *spec.Spec) {
	if s.Data.Noise != "" {
		return
	}
	s.Data.Noise = spec.NoiseCommon
	if s.Data.Preset == "" && !s.Prior.SigmaX.Fixed && mcmc.DefaultNoiseScales(o.MinNoise, math.IsInf(o.Spread, 1)) {
		s.Data.Noise = spec.NoiseColumns
	}
}
