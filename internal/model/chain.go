package model

// The chains of a problem.

import (
	"context"
	"fmt"

	"aibd/internal/spec"
	"aibd/mcmc"
)

// Scan returns the settings of the scan.
func (p *Problem) Scan() mcmc.Options {
	o, s := p.Options, p.Spec.Sampler
	o.Anneal, o.OtherUpdates, o.ShuffleSize, o.Insertions = s.Annealed(), *s.OtherUpdates, s.ShuffleSize, s.Insertions
	o.StepTemperature, o.StepX, o.StepA = s.StepTemperature, s.StepSigmaX, s.StepSigmaA
	o.Correlation, o.Tune = s.StepCorrelation, s.Tune
	return o
}

// NewChain returns a chain, numbered from zero, at its Start.
func (p *Problem) NewChain(ctx context.Context, chain int) (*mcmc.Chain, error) {
	start, err := p.Start(ctx, chain)
	if err != nil {
		return nil, err
	}
	o, name := p.Spec.Sampler, ChainName(chain)
	c, err := mcmc.NewChain(p.Posterior, start, p.Scan(), o.Config(), mcmc.NewStream(o.Seed, name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// checkStart returns an error if a chain, numbered from zero, cannot start. Subsamples and factors are
// slow: such a chain is checked at a start without features.
func (p *Problem) checkStart(chain int) error {
	given := p.given()
	given.Z, given.Weights = p.init.Z, p.init.Weights
	init := mcmc.Init(p.Spec.Sampler.Init)
	switch p.Spec.Sampler.Init {
	case spec.InitSubsample, spec.InitMixed, string(mcmc.InitFactors):
		init = mcmc.InitEmpty
	}
	start, err := p.start(ChainName(chain), given, init)
	if err != nil {
		return err
	}
	if err := p.Posterior.CheckStart(start); err != nil {
		return fmt.Errorf("%s: %w", ChainName(chain), err)
	}
	return nil
}

// Check reports an error if the settings of the scan or the start of a chain are
// invalid.
func (p *Problem) Check() error {
	if err := p.Scan().Validate(); err != nil {
		return fmt.Errorf("sampler: %w", err)
	}
	for c := range p.Spec.Sampler.Chains {
		if err := p.checkStart(c); err != nil {
			return err
		}
	}
	return nil
}
