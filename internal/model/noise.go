package model

import (
	"math"

	"aibd/internal/spec"
	"aibd/lglfm"
	"aibd/mcmc"
)

// fillNoise fills in whether the columns have noise scales: by default as mcmc.DefaultNoiseScales
// says, unless there is a preset or SigmaX is fixed.
func (o *Observed) fillNoise(s *spec.Spec) {
	if s.Data.Noise != "" {
		return
	}
	s.Data.Noise = spec.NoiseCommon
	if s.Data.Preset == "" && !s.Prior.SigmaX.Fixed && mcmc.DefaultNoiseScales(o.MinNoise, math.IsInf(o.SDRatio, 1)) {
		s.Data.Noise = spec.NoiseColumns
		return
	}
	s.Data.MinNoise = new(0.0) // without noise scales
}

// raiseNoise raises the lower bounds on the noise of columns to a share of the standard deviations that
// the other columns leave of them.
func (o *Observed) raiseNoise(share float64) {
	if share == 0 {
		return
	}
	o.Raised = make([]bool, len(o.MinNoise))
	for j, residual := range lglfm.Unexplained(o.Latent) {
		if least := share * residual; o.MinNoise[j] > 0 && least > o.MinNoise[j] {
			o.MinNoise[j], o.Raised[j] = least, true
		}
	}
}
