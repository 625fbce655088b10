package results

// The log evidence of priors.

import (
	"context"
	"math"
	"time"

	"aibd/draws"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/posterior"
)

// EvidenceSize is how much work an estimate of the log evidence is.
type EvidenceSize struct {
	Populations int // at least 2
	mcmc.PopulationConfig
}

// Evidence is the log evidence of a prior.
type Evidence struct {
	Name        string // in sentences, as "the AIBD"
	Prior       spec.Prior
	Noise       string    // common or columns, as in the spec
	Logs        []float64 // by population
	Log, Spread float64   // combined; standard deviation over populations
	Features    float64   // posterior mean
	Seconds     float64   // of wall time
}

// EstimateEvidence runs the populations of a problem, one after the other. If they hold SigmaX, a
// pilot, population -1, runs before them and finds its posterior mean and those of the noise of
// columns. EstimateEvidence calls watch after each stage of a population, counted from 0. The
// estimate does not depend on the number of cores. When ctx is done it returns what the complete
// populations give, and ctx.Err().
func EstimateEvidence(ctx context.Context, p *model.Problem, size EvidenceSize, cores int, watch func(population int, at *mcmc.Population)) (*Evidence, error) {
	e := &Evidence{Name: "the " + p.Spec.Prior.LawName(), Prior: p.Spec.Prior, Noise: p.Spec.Data.Noise}
	began := time.Now()
	run := func(i int, record func(d *draws.Draw)) (*mcmc.Population, error) {
		pop, err := p.NewPopulation(size.PopulationConfig, i)
		if err != nil {
			return nil, err
		}
		for !pop.Done() {
			if err := pop.Next(ctx, cores); err != nil {
				return nil, err
			}
			watch(i, pop)
		}
		return pop, pop.Record(draws.RecorderFunc(func(d *draws.Draw) error {
			record(d)
			return nil
		}))
	}
	if p.HoldsSigmaX() {
		sum, noise := 0.0, make([]float64, p.Posterior.Data.D())
		if _, err := run(-1, func(d *draws.Draw) {
			sum += d.SigmaX
			for j, s := range d.NoiseScales {
				noise[j] += d.SigmaX * s
			}
		}); err != nil {
			return e, err
		}
		size.SigmaX = sum / float64(size.Members*size.Scans)
		if p.Posterior.Data.HasNoiseScales() {
			for j := range noise {
				noise[j] /= sum // exactly 1 where the scale is 1
			}
			size.NoiseScales = noise
		}
	}
	for i := range size.Populations {
		features := 0
		pop, err := run(i, func(d *draws.Draw) { features += d.Z.K() })
		if err != nil {
			return e, err
		}
		e.Logs = append(e.Logs, pop.LogEvidence())
		e.Features += (float64(features)/float64(size.Members*size.Scans) - e.Features) / float64(len(e.Logs))
		e.Log, e.Spread = posterior.Evidence(e.Logs)
	}
	e.Seconds = time.Since(began).Seconds()
	return e, nil
}

// StdErr returns the standard error of the combined log evidence.
func (e *Evidence) StdErr() float64 { return e.Spread / math.Sqrt(float64(len(e.Logs))) }

// Disagree reports whether the populations disagree too much for the estimate to be reliable.
func (e *Evidence) Disagree() bool { return e.Spread > posterior.MaxEvidenceSpread }
