package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/collapsed"
	"aibd/internal/weighted"
)

// Models of features with weights: one with all parameters of the law random, one with missing cells and
// noise scales, one with more variables than items, an intercept and noise scales.
var (
	ofWeighted     = withFeatures(ofAIBD, Weighted)
	ofWeightedGaps = withFeatures(ofNoise, Weighted)
	ofWeightedWide = withFeatures(ofNoiseWide, Weighted)
	ofWeightedMany = withFeatures(ofMany, Weighted)
	// Sparse distances, of which the law keeps those of neighbours.
	ofWeightedSparse = withFeatures(ofSparse, Weighted)
	ofGraded         = withFeatures(ofIntercept, Graded)
	ofGradedGaps     = withFeatures(withIntercept(ofNoise), Graded)
	// An ordinal column, whose latent values move with SigmaX, beside missing cells; limits.
	ofWeightedOrdinal = withFeatures(ofNoiseOrdinal, Weighted)
	ofGradedLimits    = withFeatures(ofNoiseLimits, Graded)
	ofWeightedCounts  = withFeatures(ofCounts, Weighted)
	weightedModels    = []model{ofWeightedCounts, ofWeighted, ofWeightedGaps, ofWeightedWide, ofWeightedSparse, ofGraded, ofGradedGaps, ofWeightedOrdinal, ofGradedLimits}
)

var weightedSubjects = []subject{
	{kernel: "levels", what: "walk, noise scales and factors", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofGradedGaps, ofWeightedOrdinal},
		make: func(post *Posterior) kernel { return walkLevels(post) }},
	{kernel: "SigmaW", what: "slices and stretches", on: []model{ofGraded, ofGradedGaps},
		make: func(*Posterior) kernel { return sigmaW }},
	{kernel: "own", what: "births, deaths and weights", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofWeightedMany, ofGraded, ofGradedGaps},
		make: func(*Posterior) kernel { return own }},
	{kernel: "rescale", what: "slices", on: []model{ofWeighted, ofWeightedGaps, ofGraded},
		make: func(*Posterior) kernel { return rescale }},
	{kernel: "shear", what: "Gibbs", on: []model{ofWeightedMany, ofWeightedGaps, ofGraded},
		make: func(*Posterior) kernel { return shear }},
	{kernel: "degrees", what: "weights integrated out", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofWeightedMany, ofWeightedSparse, ofGraded, ofGradedGaps, ofGradedLimits, ofWeightedCounts},
		make: func(*Posterior) kernel { return degrees }},
	{kernel: "cutpoints", what: "given loadings, factors", on: []model{ofWeightedOrdinal},
		make: func(*Posterior) kernel { return cutpoints }},
}

func walkLevels(post *Posterior) kernel {
	o := DefaultOptions()
	o.StepX, o.StepA = stepScale, stepScale
	return levels{&tuner{Tuning: newTuning(o)}, newNoise(post)}
}

var weightedMutants = []mutant{
	{"degrees", "stale loadings, 0 for features that were born", ofWeightedWide, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			w := s.Weighted()
			w.DrawLoadings(rng)
			own.Step(rng, s)
			mu, a := w.Loadings()
			for k, d := 0, s.post.Data.D(); k < s.K(); k++ {
				if s.Z().Size(k) == 1 {
					clear(a[k*d : (k+1)*d])
				}
			}
			w.SetLoadings(mu, a)
			return degrees.Step(rng, s)
		})
	}},
	{"levels", "noise scales left as they were", ofWeightedGaps, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			noise := slices.Clone(s.NoiseScales())
			walkLevels(s.post).Step(rng, s)
			s.Weighted().SetNoise(noise)
			return Info{1, 1}
		})
	}},
	{"levels", "bounds that truncate the noise scales given SigmaX", ofWeightedGaps, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			k := walkLevels(s.post).(levels)
			k.noise.law = collapsed.Of(s.post.Data).NoiseLaw()
			return k.Step(rng, s)
		})
	}},
	{"SigmaW", "stretches without their Jacobian", ofGraded, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			w := s.Weighted()
			factor := math.Exp(0.5 * rng.NormFloat64())
			sd := w.SD()
			if accept(rng, w.LogFreeAt(s.Scales(), factor)-w.LogFreeAt(s.Scales(), 1)+sd*sd*(1-factor*factor)/2) {
				w.Stretch(factor)
			}
			return Info{1, 1}
		})
	}},
	{"own", "twice the mass", ofWeighted, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			s.Weighted().DrawSingletons(rng, weighted.Births{Mass: 2 * s.Mass})
			return Info{1, 1}
		})
	}},
	{"rescale", "loadings without weights", ofWeighted, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			w := s.Weighted()
			w.DrawLoadings(rng)
			mu, a := w.Loadings()
			a = slices.Clone(a)
			for e := range a {
				a[e] *= 1.3
			}
			w.SetLoadings(mu, a)
			return degrees.Step(rng, s)
		})
	}},
	{"shear", "weights moved the wrong way", ofWeightedMany, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			w := s.Weighted()
			weights := w.Weights(nil)
			w.Shear(rng)
			for e, moved := range w.Weights(nil) {
				weights[e] += weights[e] - moved
			}
			w.SetZ(weights, w.Mean(), w.SD())
			return Info{1, 1}
		})
	}},
	{"degrees", "cells nearer to their limits", ofGradedLimits, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			degrees.Step(rng, s)
			w, data := s.Weighted(), collapsed.Of(s.post.Data)
			cells := w.Cells(nil)
			for c := range cells {
				switch lower, upper := data.Ends(c); {
				case !math.IsInf(upper, 1):
					cells[c] = (cells[c] + upper) / 2
				case !math.IsInf(lower, -1):
					cells[c] = (cells[c] + lower) / 2
				}
			}
			w.SetCells(cells)
			return Info{1, 1}
		})
	}},
	{"cutpoints", "cells and cutpoints too large", ofWeightedOrdinal, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			cutpoints.Step(rng, s)
			s.Weighted().ScaleOrdinal(1.2)
			return Info{1, 1}
		})
	}},
}
