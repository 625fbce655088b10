package model

// The populations of a problem, and the problem under another law.

import (
	"fmt"
	"slices"

	"aibd/internal/spec"
	"aibd/mcmc"
)

// NewPopulation returns a population, numbered from zero, before its draws of the prior. It
// moves by the exact scans of the spec, without annealing.
func (p *Problem) NewPopulation(cfg mcmc.PopulationConfig, population int) (*mcmc.Population, error) {
	name := fmt.Sprintf("%s/population-%d", p.Spec.Prior.Law, population+1)
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

// Under returns the problem of the same data under another law and proximity. The priors of
// all unknowns stay as they are, those of temperature and permutation where the law has
// them.
func (p *Problem) Under(law, proximity string) (*Problem, error) {
	s := p.Spec
	s.Release(func(prefixes ...string) bool { return slices.Contains(prefixes, "prior.law") })
	s.Prior.Law, s.Prior.Proximity = law, proximity
	s.Data.Hash, s.Sampler.Init = "", "empty"
	if !s.Prior.HasPermutation() {
		s.Prior.Permutation = spec.Permutation{Kind: "random"}
	}
	return Build(s)
}
