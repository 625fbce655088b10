package model

// Where a chain starts.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/prior"
)

// maxFeatures bounds the expected features of a start drawn from the prior.
const maxFeatures = 1000

// maxExpected bounds the expected features of any prior: a larger number can only be a
// mistake, and a scan would not end.
const maxExpected = 10_000

// Start returns the start of a chain, numbered from zero. It draws the unknowns without a
// value in the spec from their priors, in this order: mass, temperature, permutation,
// SigmaX, SigmaA, and then Z from its law at these. SigmaX and SigmaA are drawn from the
// part of the prior above its mean. The chain has its own stream for these draws, labelled
// "chain-1/init" for the first.
//
// With init "data" the features are distinct clusters of the tree over the rows of X that
// the law allows, as many as the law draws.
//
// With init "empty" there are no features, and a SigmaX with a uniform prior starts between
// 0.9 and 0.99 of its maximum: all of X is noise (see docs/decisions/start.md).
//
// Start returns an error if a draw from the prior would have more than 1000 features, or if
// the mass or its prior expects more than 10000.
func (p *Problem) Start(chain int) (mcmc.Start, error) {
	rng := mcmc.NewStream(p.Spec.Sampler.Seed, ChainName(chain)+"/init").Rand
	priors := p.Spec.Prior
	s := mcmc.Start{Mass: startOf(priors.Mass, rng)}
	law := p.Posterior.Law.WithMass(s.Mass)
	if a, ok := law.(prior.Attraction); ok {
		s.Temperature = startOf(priors.Temperature, rng)
		s.Permutation = a.Permutation()
		if p.Posterior.Permutation && len(priors.Permutation.Order) == 0 {
			rng.Shuffle(len(s.Permutation), func(i, j int) {
				s.Permutation[i], s.Permutation[j] = s.Permutation[j], s.Permutation[i]
			})
		}
		law = a.With(s.Temperature, s.Permutation)
	}
	if err := p.plausible(s.Mass, law.TotalIntensity()); err != nil {
		return mcmc.Start{}, fmt.Errorf("%s: %w", ChainName(chain), err)
	}
	s.Scales.SigmaX = startOfScale(priors.SigmaX, rng)
	if p.Spec.Sampler.Init == "empty" && priors.SigmaX.Value == nil && priors.SigmaX.Uniform() {
		s.Scales.SigmaX = priors.SigmaX.Max * (0.9 + 0.09*rng.Float64())
	}
	s.Scales.SigmaA = startOfScale(priors.SigmaA, rng)
	if p.init != nil {
		s.Z = p.init
		return s, nil
	}
	if p.Spec.Sampler.Init == "data" {
		s.Z = clusters(rng, p.Posterior.Data.Linkage(), law)
		return s, nil
	}
	if mean := s.Mass * law.TotalIntensity(); mean > maxFeatures {
		return mcmc.Start{}, fmt.Errorf("%s: the start drawn from the prior has mass %.3g and would have about %.3g features, expected at most %d: give prior.mass.value, or sampler.init", ChainName(chain), s.Mass, mean, maxFeatures)
	}
	s.Z = law.Rand(rng)
	return s, nil
}

// clusters draws features among the nodes of a tree.
func clusters(rng *rand.Rand, tree *collapsed.Tree, law prior.Law) *feature.Allocation {
	z := feature.New(law.N())
	tracker := law.Tracker()
	tracker.Reset(z)
	left := int(distuv.Poisson{Lambda: law.Mass() * law.TotalIntensity(), Src: rng}.Rand())
	for _, v := range rng.Perm(tree.Nodes()) {
		if left > 0 && !math.IsInf(tracker.LogIntensity(tree.Node(v)), -1) {
			z.AppendColumn(tree.Node(v))
			left--
		}
	}
	return z
}

// plausible reports a mass, or a prior of it, that expects too many features. h is the
// total intensity of the law.
func (p *Problem) plausible(mass, h float64) error {
	if prior := p.Posterior.Mass; prior != nil {
		// A scan would draw this mass given no features.
		mass = max(mass, prior.Shape/(prior.Rate+h))
	}
	if mean := mass * h; !(mean <= maxExpected) {
		return spec.Errorf("prior.mass", "found a mass of %.3g, under which %.3g features are expected, expected at most %d", mass, mean, maxExpected)
	}
	return nil
}

func startOf(p spec.Parameter, rng *rand.Rand) float64 {
	if p.Value != nil {
		return *p.Value
	}
	return drawGamma(rng, p.Shape, p.Rate)
}

// startOfScale returns the value of a scale, or a draw of its prior above the prior's mean:
// a chain that starts with too little noise explains it by up to thousands of features, and
// is slow to remove them.
func startOfScale(c spec.Scale, rng *rand.Rand) float64 {
	switch {
	case c.Value != nil:
		return *c.Value
	case c.Uniform():
		return c.Max * (1 + rng.Float64()) / 2
	}
	mean := c.Shape / c.Rate
	for range 100 {
		if x := drawGamma(rng, c.Shape, c.Rate); x >= mean {
			return x
		}
	}
	return mean // of a prior that is nearly all at 0
}

// drawGamma returns a draw of the gamma distribution, or its mean if the draw underflows.
func drawGamma(rng *rand.Rand, shape, rate float64) float64 {
	if x := (distuv.Gamma{Alpha: shape, Beta: rate, Src: rng}).Rand(); x > 0 {
		return x
	}
	return shape / rate
}

// ChainName returns the name of a chain, numbered from zero.
func ChainName(chain int) string { return fmt.Sprintf("chain-%d", chain+1) }
