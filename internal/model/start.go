package model

// Where a chain starts.

import (
	"context"
	"fmt"

	"aibd/feature"
	"aibd/internal/spec"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

// maxExpected bounds the expected features of any prior: a larger number can only be a
// mistake, and a scan would not end.
const maxExpected = 10_000

// Start returns the start of a chain, numbered from zero. mcmc.Posterior.DrawStart draws
// what has no value in the spec, from the chain's own stream, labelled
// "chain-1/init" for the first.
//
// Start returns an error if a draw from the prior would have more than 1000 features, or if
// the mass or its prior expects more than 10000. It returns the error of ctx if that is done first:
// a start by a subsample takes a while.
func (p *Problem) Start(ctx context.Context, chain int) (mcmc.Start, error) {
	name, given := ChainName(chain), p.given()
	if given.Z, given.Weights = p.init.Z, p.init.Weights; p.Spec.Sampler.Init == spec.InitSubsample {
		start, err := p.subsampleStart(ctx, name)
		if err != nil {
			return mcmc.Start{}, fmt.Errorf("%s: subsample: %w", name, err)
		}
		s, err := p.start(name, start, mcmc.InitEmpty)
		if err != nil {
			return mcmc.Start{}, err
		}
		z := p.supported(s)
		if z.Equal(s.Z) {
			return s, nil
		}
		// With the small SigmaX of the subsample, items that lost features would all get new ones.
		s.Z, s.Scales = z, p.given().Scales
		return p.start(name, s, mcmc.InitEmpty)
	}
	init := mcmc.Init(p.Spec.Sampler.Init)
	if p.Spec.Sampler.Init == spec.InitMixed {
		init = p.Posterior.InitOf(chain)
	}
	return p.start(name, given, init)
}

// supported returns the features of a start without entries that have probability 0 under the law.
func (p *Problem) supported(s mcmc.Start) *feature.Allocation {
	law, z := p.Posterior.Law, feature.New(s.Z.N())
	if a, ok := law.(prior.Attraction); ok {
		law = startLaw(a, s)
	}
	for k := range s.Z.K() {
		if column := mcmc.Supported(law, s.Z.Column(k)); column != nil {
			z.AppendColumn(column)
		}
	}
	return z
}

// given returns the values of mass and scales in the spec.
func (p *Problem) given() mcmc.Start {
	priors := p.Spec.Prior
	return mcmc.Start{
		Mass:   valueOf(priors.Mass.Value),
		Scales: lglfm.Scales{SigmaX: valueOf(priors.SigmaX.Value), SigmaA: valueOf(priors.SigmaA.Value)},
	}
}

// start returns the start of a chain of the given name. What is not given is
// drawn, Z as init says.
func (p *Problem) start(name string, given mcmc.Start, init mcmc.Init) (mcmc.Start, error) {
	rng := mcmc.NewStream(p.Spec.Sampler.Seed, name+"/init").Rand
	priors, law := p.Spec.Prior, p.Posterior.Law
	a, attracts := law.(prior.Attraction)
	if attracts {
		for m, d := range p.Spec.Distances()[:len(p.Distances())] {
			if value := valueOf(d.Temperature.Value); m == 0 {
				given.Temperature = value
			} else {
				given.FurtherTemperatures = append(given.FurtherTemperatures, value)
			}
		}
		if !p.Posterior.Permutation || len(priors.Permutation.Order) > 0 {
			given.Permutation = a.Permutation()
		}
	}
	s, err := p.Posterior.DrawStart(rng, given, init)
	if attracts {
		law = startLaw(a, s)
	}
	if err := p.plausible(s.Mass, law.TotalIntensity()); err != nil {
		return mcmc.Start{}, fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		return mcmc.Start{}, fmt.Errorf("%s: %w: give prior.mass.value, or sampler.init", name, err)
	}
	return s, nil
}

// valueOf returns *v, or 0 if v is nil.
func valueOf(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
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

// ChainName returns the name of a chain, numbered from zero.
func ChainName(chain int) string { return fmt.Sprintf("chain-%d", chain+1) }
