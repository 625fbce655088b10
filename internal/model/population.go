package model

// The populations of a problem, and the problem under another law.

import (
	"fmt"
	"slices"

	"aibd/internal/spec"
	"aibd/mcmc"
)

// minHeld is the number of columns from which populations hold SigmaX. With fewer it takes up to
// five times as long and gains nothing. minHeldRows is the number of rows: with three, the noise of
// a column is so uncertain that particles at a noise held seldom have much weight once it is drawn.
const (
	minHeld     = 21
	minHeldRows = 10
)

// HoldsSigmaX reports whether populations should hold SigmaX while the power of the likelihood
// grows: if it is random and X has many columns, not very few rows, and binary features.
func (p *Problem) HoldsSigmaX() bool {
	data := p.Posterior.Data
	return p.Posterior.SigmaX.Random() && !p.Spec.Likelihood.HasWeights() && data.D() >= minHeld && data.N() >= minHeldRows
}

// NeedsSchedule reports whether populations should have the schedule of a pilot: if unknown cells of X
// have a reference law. The more there are, the more the estimate of a population without one is too low
// (docs/theory/evidence.md).
func (p *Problem) NeedsSchedule() bool {
	data := p.Posterior.Data
	if p.Spec.Likelihood.HasWeights() {
		return data.Bounded() > 0 // weights integrate missing cells out
	}
	return data.Unknown() > 0 && !p.HoldsSigmaX()
}

// NewPopulation returns a population, numbered from zero, before its draws of the prior, or the
// pilot of that population. It moves by the exact scans of the spec, without annealing.
func (p *Problem) NewPopulation(cfg mcmc.PopulationConfig, population int, pilot bool) (*mcmc.Population, error) {
	name := fmt.Sprintf("%s/population-%d", p.Spec.Prior.Law, population+1)
	if pilot {
		name = fmt.Sprintf("%s/pilot-%d", p.Spec.Prior.Law, population+1)
	}
	start, err := p.start(name, p.given(), mcmc.InitEmpty)
	if err != nil {
		return nil, err
	}
	o := options(p.Spec.Sampler)
	o.Anneal, o.Truncation = 0, 0
	pop, err := mcmc.NewPopulation(p.Posterior, start, o, cfg, p.Spec.Sampler.Seed, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return pop, nil
}

// Under returns the spec of the same data under another law and proximity, or with another
// decay; "" keeps that of the spec. The priors of all unknowns stay as they are, those of
// temperature and permutation where the law has them.
func (p *Problem) Under(law, proximity, decay string) (spec.Spec, error) {
	s := p.Spec
	s.Release(func(prefixes ...string) bool {
		return law != "" && slices.Contains(prefixes, "prior.law") || decay != "" && slices.Contains(prefixes, "prior.decay")
	})
	if law != "" {
		s.Prior.Law, s.Prior.Proximity = law, proximity
	}
	if decay != "" {
		if !p.Spec.Prior.HasDistances() || p.Spec.Prior.Decay == "given" {
			return s, fmt.Errorf("found the %s, expected a prior with distances", p.Spec.LawName())
		}
		s.Prior.Decay, s.Distance = decay, s.Distance.WithoutDecays()
	}
	s.Data.Hash, s.Sampler.Init = "", "empty"
	if !s.Prior.HasPermutation() {
		s.Prior.Permutation = spec.Permutation{Kind: "random"}
	}
	return s, nil
}
