package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/draws"
	"aibd/internal/collapsed"
)

// DrawPrior records n independent draws of all unknowns from their priors. Unknowns without a prior
// keep their values in start, which must be a valid start of a chain; the rest of start is ignored.
// Cells of X with bounds stay at fixed values within their bounds, since they have no prior apart from
// the model of X. Like chains, draws have at most MaxFeatures features
// and a likelihood that can be computed; others are rejected. DrawPrior returns an error if start is
// not valid, if almost all draws are rejected, or if rec does.
func (p *Posterior) DrawPrior(rng *rand.Rand, start Start, n int, rec draws.Recorder) error {
	start.Z, start.Weights = nil, nil
	t, err := newTarget(p, start, true, MaxFeatures)
	if err != nil {
		return err
	}
	var d draws.Draw
	for d.Iteration = range n {
		if err := t.drawPrior(rng, start); err != nil {
			return err
		}
		t.Fill(&d)
		d.LogPrior = t.LogPrior()
		if err := rec.Record(&d); err != nil {
			return err
		}
	}
	return nil
}

// drawPrior draws the state from the prior, as DrawPrior does.
func (s *target) drawPrior(rng *rand.Rand, given Start) error {
	p, data := s.post, collapsed.Unwrap(s.post.Data)
	for range maxPriorTries {
		start := given
		if p.Mass != nil {
			start.Mass = p.Mass.rand(rng)
		}
		p.drawTemperatures(rng, &start, true)
		if p.Permutation {
			start.Permutation = rng.Perm(p.Law.N())
		}
		start.Scales.SigmaX = p.SigmaX.rand(rng, start.Scales.SigmaX)
		start.Scales.SigmaA = p.SigmaA.rand(rng, start.Scales.SigmaA)
		if p.SigmaX.Random() && p.Features.weights() && !(p.noisePrior().LogShare(start.Scales)+rng.ExpFloat64() > 0) {
			continue // the bounds on noise truncate the joint prior
		}
		u, law, err := p.unknowns(start)
		// Far above, the probability of MaxFeatures or fewer is 0 in doubles.
		if err != nil || !(u.Mass*law.TotalIntensity() < 2*MaxFeatures) {
			continue
		}
		if u.Z = law.Rand(rng); u.Z.K() > MaxFeatures {
			continue
		}
		if p.Features.weights() {
			u.Shares, u.Weights = p.weights().Prior.Rand(rng, u.Z)
		}
		u.Cutpoints = data.DrawPriorCutpoints(rng, u.Scales)
		u.Cells, u.NoiseScales = nil, data.DrawPriorNoiseScales(rng, u.Scales)
		if s.Load(u); !math.IsNaN(s.LogLik()) {
			return nil
		}
	}
	return fmt.Errorf("no draw of the prior in %d has at most %d features and a likelihood that can be computed: change the priors of the mass and of SigmaX", maxPriorTries, MaxFeatures)
}

// maxPriorTries is the max number of draws of the prior until one is not rejected.
const maxPriorTries = 1000

// rand draws a scale; a fixed one has its value.
func (p ScalePrior) rand(rng *rand.Rand, value float64) float64 {
	switch {
	case p.Max != 0:
		return p.Max * (1 - rng.Float64())
	case p.Mean != 0:
		return p.Mean * rng.ExpFloat64()
	case p.Gamma != nil:
		return p.Gamma.rand(rng)
	}
	return value
}
