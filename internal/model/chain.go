package model

// The chains of a problem.

import (
	"fmt"

	"aibd/internal/spec"
	"aibd/mcmc"
)

// options returns the settings of the scan.
func options(s spec.Sampler) mcmc.Options {
	return mcmc.Options{
		Anneal: s.Annealed(), Clusters: s.Clusters, Sums: s.Sums, Combinations: s.Combinations, Births: s.Births, Others: s.OtherUpdates,
		ShuffleSize: s.ShuffleSize, Insertions: s.Insertions,
		StepTemperature: s.StepTemperature, StepX: s.StepSigmaX, StepA: s.StepSigmaA,
		Correlation: s.StepCorrelation, Tune: s.Tune, Truncation: s.Truncation,
	}
}

// scan returns the scan of the spec.
func (p *Problem) scan() (*mcmc.Cycle, error) {
	cycle, err := mcmc.NewScan(p.Posterior, options(p.Spec.Sampler))
	if err != nil {
		return nil, fmt.Errorf("sampler: %w", err)
	}
	return cycle, nil
}

// config says how long the chains are.
func config(s spec.Sampler) mcmc.Config {
	return mcmc.Config{Warmup: s.Warmup, Draws: s.Draws, Thin: s.Thin}
}

// startState returns the state in which a chain, numbered from zero, starts.
func (p *Problem) startState(chain int) (*mcmc.State, error) {
	at, err := p.Start(chain)
	if err != nil {
		return nil, err
	}
	state, err := mcmc.NewState(p.Posterior, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ChainName(chain), err)
	}
	return state, nil
}

// NewChain returns a chain, numbered from zero, at its start.
func (p *Problem) NewChain(chain int) (*mcmc.Chain, error) {
	cycle, err := p.scan()
	if err != nil {
		return nil, err
	}
	state, err := p.startState(chain)
	if err != nil {
		return nil, err
	}
	o := p.Spec.Sampler
	return mcmc.NewChain(config(o), cycle, state, mcmc.NewStream(o.Seed, ChainName(chain)))
}

// ResumeChain returns a chain that continues from a checkpoint.
func (p *Problem) ResumeChain(from mcmc.Checkpoint) (*mcmc.Chain, error) {
	cycle, err := p.scan()
	if err != nil {
		return nil, err
	}
	return mcmc.Resume(p.Posterior, config(p.Spec.Sampler), cycle, from)
}

// Check reports an error if the settings of the scan or the start of a chain are
// invalid.
func (p *Problem) Check() error {
	if err := options(p.Spec.Sampler).Validate(); err != nil {
		return fmt.Errorf("sampler: %w", err)
	}
	for c := range p.Spec.Sampler.Chains {
		if _, err := p.startState(c); err != nil {
			return err
		}
	}
	return nil
}
