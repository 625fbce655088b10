package mcmc

import (
	"cmp"
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

// levels draws the scales and the noise scales of weighted features with the loadings integrated out.
// A random walk moves the scales with the noise scales integrated out too. Then it draws the noise
// scales, and factors that SigmaX and SigmaA exchange with them. It begins a scan and derives everything
// afresh from the unknowns.
type levels struct {
	tuner *tuner
	noise noise
}

// walks is the number of proposals of the scales in a scan.
const walks = 3

func (levels) Name() string { return "levels" }

func (k levels) Step(rng *rand.Rand, s *target) (info Info) {
	s.Refresh()
	w, p := s.Weighted(), s.post
	if p.SigmaX.Random() || p.SigmaA.Random() {
		now := s.Scales()
		log := w.LogFreeAt(now, 1) + s.LogCutpoints(now)
		for range walks {
			u, v, e := rng.NormFloat64(), rng.NormFloat64(), rng.ExpFloat64()
			next, ratio := k.tuner.proposeScales(p, now, u, v)
			there := 0.0
			if !math.IsInf(ratio, -1) {
				there = w.LogFreeAt(next, 1) + s.LogCutpoints(next)
				ratio += there - log
			}
			k.tuner.learnScales(p, u, v, ratio)
			info.Proposed++
			if ratio+e > 0 {
				now, log = next, there
				info.Accepted++
			}
		}
		s.SetScales(now)
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

// sigmaW draws the standard deviation of the weights of graded features, first given the weights, then
// together with their distances from 1, which it scales, with the loadings integrated out. The prior
// is half-normal with scale 1.
var sigmaW = simple{"SigmaW", func(rng *rand.Rand, s *target) (info Info) {
	w := s.Weighted()
	squares, count := w.Spread()
	if squares > 0 || count == 0 { // weights that are all 1, as at a start, would pull SigmaW towards 0
		w.SetSD(math.Exp(collapsed.Slice(rng, math.Log(w.SD()), math.Inf(-1), math.Inf(1), 0.5, func(l float64) float64 {
			v := math.Exp(2 * l)
			return -float64(count-1)*l - squares/(2*v) - v/2
		})))
	}
	log := w.LogFreeAt(s.Scales(), 1)
	for _, step := range [...]float64{0.05, 0.3, 1} {
		info.Proposed++
		factor := math.Exp(step * rng.NormFloat64())
		sd, next := w.SD(), w.SD()*factor
		there := w.LogFreeAt(s.Scales(), factor)
		if there-log+(sd*sd-next*next)/2+math.Log(factor)+rng.ExpFloat64() > 0 {
			w.Stretch(factor)
			log = there
			info.Accepted++
		}
	}
	if s.post.Data.HasNoiseScales() {
		w.DrawNoise(rng) // they were integrated out
	}
	return info
}}

// own draws the features that only one item has, with the loadings and the mass integrated out, and
// then the mass.
var own = simple{"own", func(rng *rand.Rand, s *target) Info {
	births := weighted.Births{Mass: s.Mass}
	if p := s.post.Mass; p != nil {
		births.Shape, births.Rate = p.Shape, p.Rate
	}
	w := s.Weighted()
	proposed, accepted := w.DrawSingletons(rng, births)
	if s.post.Mass != nil {
		mass.Step(rng, s)
	}
	if w.Limited {
		s.Limited, w.Limited = true, false
	}
	return Info{proposed, accepted}
}}

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

// degrees updates Z and the weights row by row given the loadings, with the missing cells.
var degrees = simple{"degrees", func(rng *rand.Rand, s *target) Info {
	proposed, accepted := s.Weighted().DrawRows(rng)
	return Info{proposed, accepted}
}}

// weightKernels returns the kernels that begin a scan of features with weights.
func weightKernels(post *Posterior, t *tuner) []kernel {
	kernels := []kernel{levels{t, newNoise(post)}}
	if post.Features == Graded {
		kernels = append(kernels, sigmaW)
	}
	kernels = append(kernels, own, rescale, shear, degrees)
	if collapsed.Of(post.Data).HasOrdinal() {
		kernels = append(kernels, cutpoints)
	}
	return kernels
}

// minSigmaW is the least SigmaW at which a chain may start. Below it, rounding decides flips of rows.
const minSigmaW = 1e-6

// weigh sets the weights of the unknowns at a start.
func (p *Posterior) weigh(u *state.Unknowns, start Start) error {
	if !p.Features.weights() {
		if start.Weights != nil || start.SigmaW != 0 {
			return fmt.Errorf("found weights or SigmaW, expected neither with %s features", Binary)
		}
		return nil
	}
	u.Weighting = state.Weighting{SD: 1}
	if p.Features == Graded {
		u.Weighting = state.Weighting{Mean: 1, SD: cmp.Or(start.SigmaW, 0.5)}
	}
	if sd := u.Weighting.SD; !(sd >= minSigmaW) || math.IsInf(sd, 1) {
		return fmt.Errorf("found SigmaW %g, expected a finite number of at least %g", sd, minSigmaW)
	}
	if p.Features == Weighted && start.SigmaW != 0 {
		return fmt.Errorf("found SigmaW %g of %s features, which have none", start.SigmaW, Weighted)
	}
	if u.Weights = start.Weights; u.Weights == nil {
		u.Weights = slices.Repeat([]float64{1}, u.Z.Ones())
	}
	if found, want := len(u.Weights), u.Z.Ones(); found != want {
		return fmt.Errorf("found %d weights, expected %d, one for each one of Z", found, want)
	}
	for _, w := range u.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("found weight %v, expected a finite number", w)
		}
	}
	return nil
}
