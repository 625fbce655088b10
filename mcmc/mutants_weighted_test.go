package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/weighted"
	"aibd/similarity"
)

// Models of features with weights: one with all parameters of the law random, one with missing cells and
// noise scales, one with more variables than items, an intercept and noise scales.
var (
	ofWeighted     = withFeatures(ofAIBD, Weighted)
	ofWeightedGaps = withFeatures(ofNoise, Weighted)
	ofWeightedWide = withFeatures(ofNoiseWide, Weighted)
	ofWeightedMany = withFeatures(ofMany, Weighted)
	// Weights that depend on each other: without distances, and by one or two.
	ofCommon       = withWeights(ofIntercept, "common part")
	ofCommonGaps   = withWeights(withIntercept(ofNoise), "common part")
	ofCommonLimits = withWeights(ofNoiseLimits, "common part")
	ofNear         = withWeights(ofAIBD, "near weights", byPlace)
	ofNearGaps     = withWeights(withIntercept(ofNoise), "near weights", byPlace)
	ofNearMany     = withWeights(ofMany, "near weights", byFourPlaces)
	ofNearTwo      = withWeights(ofIntercept, "near weights by two distances", byPlace, byLabel)
	ofLinked       = withNeighbors(ofNear)
	ofLinkedGaps   = withNeighbors(ofNearGaps)
	ofLinkedMany   = withNeighbors(ofNearMany)
	// An ordinal column, whose latent values move with SigmaX, beside missing cells; limits.
	ofWeightedOrdinal = withFeatures(ofNoiseOrdinal, Weighted)
	ofWeightedCounts  = withFeatures(ofCounts, Weighted)
	weightedModels    = []model{ofWeightedCounts, ofWeighted, ofWeightedGaps, ofWeightedWide, ofCommon, ofCommonGaps, ofNear, ofNearGaps, ofNearTwo, ofLinked, ofLinkedGaps, ofWeightedOrdinal, ofCommonLimits}
)

// byPlace and byFourPlaces have a rate, byLabel holds correlations.
var (
	byPlace      = Nearness{Distances: similarity.AbsDifference(places), MinRate: 0.3, MaxRate: 5}
	byFourPlaces = Nearness{Distances: similarity.AbsDifference(places[:4]), MinRate: 0.3, MaxRate: 5}
	byLabel      = Nearness{Distances: must(similarity.NewMatrix([][]float64{
		{0, 0, 1, 0, 1, 0}, {0, 0, 0, 1, 0, 1}, {1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 1}, {1, 0, 1, 0, 0, 0}, {0, 1, 0, 1, 0, 0}}))}
)

var weightedSubjects = []subject{
	{kernel: "deviations", what: "walk, noise scales and factors", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofCommonGaps, ofWeightedOrdinal},
		make: func(post *Posterior) kernel { return walkDeviations(post) }},
	{kernel: "shares", what: "given weights, and with them", on: []model{ofCommon, ofCommonGaps, ofNear, ofNearGaps, ofNearTwo, ofLinked, ofLinkedGaps},
		make: func(*Posterior) kernel { return drawShares }},
	{kernel: "singletons", what: "births, deaths and weights", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofWeightedMany, ofCommon, ofCommonGaps, ofNear, ofNearGaps, ofLinked, ofLinkedGaps},
		make: func(*Posterior) kernel { return drawSingletons }},
	{kernel: "columns", what: "births and deaths, with weights", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofWeightedMany, ofCommon, ofCommonGaps, ofNear, ofNearGaps, ofNearMany, ofNearTwo, ofLinked, ofLinkedGaps, ofLinkedMany},
		make: func(*Posterior) kernel { return proposeShared(8) }},
	{kernel: "rescale", what: "slices", on: []model{ofWeighted, ofWeightedGaps, ofCommon, ofNear, ofNearTwo, ofLinked, ofLinkedGaps},
		make: func(*Posterior) kernel { return rescale }},
	{kernel: "shear", what: "Gibbs", on: []model{ofWeightedMany, ofWeightedGaps, ofCommon, ofNearMany, ofNearGaps, ofLinkedMany},
		make: func(*Posterior) kernel { return shear }},
	{kernel: "weights", what: "weights integrated out", on: []model{ofWeighted, ofWeightedGaps, ofWeightedWide, ofWeightedMany, ofCommon, ofCommonGaps, ofCommonLimits, ofWeightedCounts, ofNear, ofNearGaps, ofNearMany, ofNearTwo, ofLinked, ofLinkedGaps, ofLinkedMany},
		make: func(*Posterior) kernel { return updateWeights }},
	{kernel: "cutpoints", what: "given loadings, factors", on: []model{ofWeightedOrdinal},
		make: func(*Posterior) kernel { return cutpoints }},
}

func walkDeviations(post *Posterior) kernel {
	o := DefaultOptions()
	o.StepX, o.StepA = stepScale, stepScale
	return deviations{&tuner{Tuning: newTuning(o)}, newNoise(post)}
}

var weightedMutants = []mutant{
	{"weights", "stale loadings, 0 for features that were born", ofWeightedWide, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			w := s.Weighted()
			w.DrawLoadings(rng)
			drawSingletons.Step(rng, s)
			mu, a := w.Loadings()
			for k, d := 0, s.post.Data.D(); k < s.K(); k++ {
				if s.Z().Size(k) == 1 {
					clear(a[k*d : (k+1)*d])
				}
			}
			w.SetLoadings(mu, a)
			return updateWeights.Step(rng, s)
		})
	}},
	{"deviations", "noise scales left as they were", ofWeightedGaps, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			noise := slices.Clone(s.NoiseScales())
			walkDeviations(s.post).Step(rng, s)
			s.Weighted().SetNoise(noise)
			return Info{1, 1}
		})
	}},
	{"deviations", "bounds that truncate the noise scales given SigmaX", ofWeightedGaps, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			k := walkDeviations(s.post).(deviations)
			k.noise.prior = collapsed.Unwrap(s.post.Data).NoisePrior()
			return k.Step(rng, s)
		})
	}},
	{"shares", "given weights, without the determinant", ofNear, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			return walkShares(rng, s, func(w *weighted.Model) float64 {
				return w.LogWeights() + logDets(s)/2
			})
		})
	}},
	{"shares", "variances with a density of SigmaA in place of its logarithm", ofCommon, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			proposed, accepted := s.Weighted().DrawShares(rng, flatter{s.post.SigmaA})
			return Info{proposed, accepted}
		})
	}},
	{"singletons", "twice the mass", ofWeighted, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			s.Weighted().DrawSingletons(rng, weighted.Births{Mass: 2 * s.Mass})
			return Info{1, 1}
		})
	}},
	{"columns", "with weights, twice the mass", ofWeighted, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			s.Weighted().DrawFeatures(rng, 20, weighted.Births{Mass: 2 * s.Mass})
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
			return updateWeights.Step(rng, s)
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
			w.SetZ(weights, w.SharesNow())
			return Info{1, 1}
		})
	}},
	{"weights", "cells nearer to their limits", ofCommonLimits, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			updateWeights.Step(rng, s)
			w, data := s.Weighted(), collapsed.Unwrap(s.post.Data)
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

// flatter is a prior of SigmaA, divided by SigmaA.
type flatter struct{ ScalePrior }

func (p flatter) LogDensity(sigmaA float64) float64 {
	return p.ScalePrior.LogDensity(sigmaA) - math.Log(sigmaA)
}

// walkShares moves the shares to a draw of their prior, by a ratio of densities of the weights.
func walkShares(rng *rand.Rand, s *target, log func(*weighted.Model) float64) Info {
	w := s.Weighted()
	now, before, weights := w.SharesNow().Clone(), log(w), w.Weights(nil)
	next, _ := s.post.weights().Prior.Rand(rng, feature.New(s.N()))
	w.SetZ(weights, next)
	if !accept(rng, log(w)-before) {
		w.SetZ(weights, now)
	}
	return Info{1, 1}
}

// logDets returns the sum of log |C| over features, each for its members.
func logDets(s *target) (sum float64) {
	u := s.Unknowns()
	for k := range u.Z.K() {
		sum += mustLogDet(covarianceOf(s.post.Weights, u.Shares.Shares, u.Shares.Rates, feature.Members(nil, u.Z.Column(k))))
	}
	return sum
}
