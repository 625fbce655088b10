package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/collapsed"
	"aibd/internal/state"
	"aibd/internal/weighted"
)

// The kernels of this file move features with weights. Each draws the loadings before it
// uses them, if they are stale.

// deviations draws the standard deviations of noise and loadings of weighted features, which are the scales and the
// noise scales, with the loadings integrated out.
// A random walk moves the scales with the noise scales integrated out too. Then it draws the noise
// scales, and factors that SigmaX and SigmaA exchange with them. It begins a scan and derives everything
// afresh from the unknowns.
type deviations struct {
	tuner *tuner
	noise noise
}

// walks is the number of proposals of the scales in a scan.
const walks = 3

func (deviations) Name() string { return "deviations" }

func (k deviations) Step(rng *rand.Rand, s *target) (info Info) {
	s.Refresh()
	w, p := s.Weighted(), s.post
	if p.SigmaX.Random() || p.SigmaA.Random() {
		current := s.Scales()
		log := w.LogFreeAt(current) + s.LogCutpoints(current)
		for range walks {
			u, v, e := rng.NormFloat64(), rng.NormFloat64(), rng.ExpFloat64()
			proposal, ratio := k.tuner.proposeScales(p, current, u, v)
			proposalLog := 0.0
			switch {
			case math.IsInf(ratio, -1):
			case p.Data.Check(proposal) != nil: // there is no likelihood
				ratio = math.Inf(-1)
			default:
				proposalLog = w.LogFreeAt(proposal) + s.LogCutpoints(proposal)
				ratio += proposalLog - log
			}
			k.tuner.learnScales(p, u, v, ratio)
			info.Proposed++
			if ratio+e > 0 {
				current, log = proposal, proposalLog
				info.Accepted++
			}
		}
		s.SetScales(current)
	}
	if p.Data.HasNoiseScales() {
		w.DrawNoise(rng)
		if k.noise.exchanges {
			before := s.Scales()
			scales, _ := k.noise.exchange(rng, s, w.Noise(), before)
			s.SetScales(scales)
			w.ScaleOrdinal(scales.SigmaX / before.SigmaX)
		}
	}
	return info
}

// drawShares draws the shares of the variance of the weights, the rates and SigmaA. One of its moves has the loadings and the
// noise scales integrated out.
var drawShares = simple{"shares", func(rng *rand.Rand, s *target) Info {
	w := s.Weighted()
	var prior weighted.ScalePrior
	if p := &s.post.SigmaA; p.Random() {
		prior = p
	}
	proposed, accepted := w.DrawShares(rng, prior)
	if s.post.Data.HasNoiseScales() {
		w.DrawNoise(rng) // they were integrated out
	}
	return Info{proposed, accepted}
}}

// drawSingletons draws the features of one item, with the loadings and the mass integrated out, and then the mass.
var drawSingletons = simple{"singletons", func(rng *rand.Rand, s *target) Info {
	return bear(rng, s, func(births weighted.Births) (int, int) { return s.Weighted().DrawSingletons(rng, births) })
}}

// proposeShared proposes births and deaths of features of several items, with their loadings and the mass integrated
// out, and then draws the mass.
func proposeShared(tries int) kernel {
	return simple{"columns", func(rng *rand.Rand, s *target) Info {
		return bear(rng, s, func(births weighted.Births) (int, int) { return s.Weighted().DrawFeatures(rng, tries, births) })
	}}
}

// bear makes births and deaths, and draws the mass, which they integrate out.
func bear(rng *rand.Rand, s *target, step func(births weighted.Births) (proposed, accepted int)) Info {
	births := weighted.Births{Mass: s.Mass}
	if p := s.post.Mass; p != nil {
		births.Shape, births.Rate = p.Shape, p.Rate
	}
	proposed, accepted := step(births)
	if s.post.Mass != nil {
		mass.Step(rng, s)
	}
	if w := s.Weighted(); w.Limited {
		s.Limited, w.Limited = true, false
	}
	return Info{proposed, accepted}
}

// rescale exchanges factors between the weights and the loadings of each feature.
var rescale = simple{"rescale", func(rng *rand.Rand, s *target) Info {
	s.Weighted().Rescale(rng)
	return Info{1, 1}
}}

// shear exchanges parts of the loadings of nested features.
var shear = simple{"shear", func(rng *rand.Rand, s *target) Info {
	s.Weighted().Shear(rng)
	return Info{1, 1}
}}

// updateWeights updates Z and the weights row by row given the loadings, with the missing cells.
var updateWeights = simple{"weights", func(rng *rand.Rand, s *target) Info {
	proposed, accepted := s.Weighted().DrawRows(rng)
	return Info{proposed, accepted}
}}

// weightKernels returns the kernels that begin a scan of features with weights.
func (o Options) weightKernels(post *Posterior, t *tuner) []kernel {
	kernels := []kernel{deviations{t, newNoise(post)}}
	if post.Weights != nil {
		kernels = append(kernels, drawShares)
	}
	kernels = append(kernels, drawSingletons, rescale, shear, updateWeights)
	if collapsed.Unwrap(post.Data).HasOrdinal() {
		kernels = append(kernels, cutpoints)
	}
	if o.Births > 0 {
		kernels = append(kernels, proposeShared(o.Births))
	}
	return kernels
}

// weigh sets the weights of the unknowns at a start.
func (p *Posterior) weigh(u *state.Unknowns, start Start) error {
	if !p.Features.weights() {
		if start.Weights != nil || start.Shares != nil || start.Rates != nil {
			return fmt.Errorf("found weights or shares, expected neither with %s features", Binary)
		}
		return nil
	}
	prior := p.weights().Prior
	u.Shares = prior.Start()
	if start.Shares != nil {
		u.Shares.Shares = slices.Clone(start.Shares)
	}
	if start.Rates != nil {
		u.Shares.Rates = slices.Clone(start.Rates)
	}
	if !prior.Valid(u.Shares) {
		return fmt.Errorf("found shares %v and rates %v of the weights, expected positive shares below 1 and rates within their bounds", u.Shares.Shares, u.Shares.Rates)
	}
	if u.Weights = start.Weights; u.Weights == nil {
		u.Weights = slices.Repeat([]float64{1}, u.Z.Ones())
	}
	if count, want := len(u.Weights), u.Z.Ones(); count != want {
		return fmt.Errorf("found %d weights, expected %d, one for each one of Z", count, want)
	}
	for _, w := range u.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("found weight %v, expected a finite number", w)
		}
	}
	return nil
}
