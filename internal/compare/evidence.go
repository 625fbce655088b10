package compare

// The log evidence of priors.

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/posterior"
)

// Size is how much work an estimate of the log evidence is.
type Size struct {
	Populations int // at least 2
	mcmc.PopulationConfig
}

// Usual returns the usual number of stages of a population of p, and how many populations there
// are with a pilot.
func (size Size) Usual(p *model.Problem) (stages, populations int) {
	if p.HoldsSigmaX() {
		return 70, size.Populations + 1
	}
	return 25, size.Populations
}

// Evidence is the log evidence of a prior. Its JSON has no clock: the same spec and seed give the same bytes.
type Evidence struct {
	Name        string // in sentences, as "the AIBD"
	Prior       spec.Prior
	Distance    spec.Distance
	Temperature string // its prior or value in words, if the prior has one
	Noise       string // common or columns, as in the spec
	Intercept   bool
	Logs        []float64 // by population
	Log, Spread float64   // combined; standard deviation over populations
	Features    float64   // posterior mean
	Seconds     float64   // of wall time
}

// MarshalJSON returns what scripts see.
func (e *Evidence) MarshalJSON() ([]byte, error) {
	j := struct {
		Law         string           `json:"law"`
		Proximity   string           `json:"proximity,omitempty"`   // of the law ddibp
		Decay       string           `json:"decay,omitempty"`       // of a law with distances
		Temperature string           `json:"temperature,omitempty"` // its prior or value
		Log         results.Number   `json:"log_evidence"`
		Error       results.Number   `json:"error"`
		Spread      results.Number   `json:"spread"`
		Populations []results.Number `json:"populations"`
		Features    results.Number   `json:"features"`
	}{
		Law: e.Prior.Law, Temperature: e.Temperature, Log: results.Number(e.Log), Error: results.Number(e.StdErr()), Spread: results.Number(e.Spread),
		Populations: results.Numbers(e.Logs), Features: results.Number(e.Features),
	}
	if e.Prior.Law == "ddibp" {
		j.Proximity = e.Prior.Proximity
	}
	if e.Prior.HasDistances() {
		j.Decay = e.Prior.Decay
	}
	return json.Marshal(j)
}

// Spec returns the part of the spec that has the prior of Z.
func (e *Evidence) Spec() spec.Spec { return spec.Spec{Prior: e.Prior, Distance: e.Distance} }

// Estimate runs the populations of a problem, one after the other. If they hold SigmaX, a
// pilot runs before each and finds its posterior mean and those of the noise of columns. If they need a
// schedule, the pilot has it. Pilots are
// not shared: populations that hold the same values miss the same particles, and their spread is too
// small. Estimate calls watch after each stage of a population, counted from 0, and of its
// pilot. The estimate does not depend on the number of cores. When ctx is done it returns what the
// complete populations give, and ctx.Err().
func Estimate(ctx context.Context, p *model.Problem, size Size, watch func(population int, pilot bool, at *mcmc.Population)) (*Evidence, error) {
	e := &Evidence{Name: "the " + p.Spec.LawName(), Prior: p.Spec.Prior, Distance: p.Spec.Distance, Noise: p.Spec.Data.Noise, Intercept: p.Spec.Data.HasIntercept()}
	if p.Spec.HasTemperature() {
		e.Temperature = describe.Temperatures(p.Spec)
	}
	began := time.Now()
	defer func() { e.Seconds = time.Since(began).Seconds() }()
	run := func(cfg mcmc.PopulationConfig, i int, pilot bool, record func(d *draws.Draw)) (*mcmc.Population, error) {
		pop, err := p.NewPopulation(cfg, i, pilot)
		if err != nil {
			return nil, err
		}
		for !pop.Done() {
			if err := pop.Next(ctx); err != nil {
				return nil, err
			}
			watch(i, pilot, pop)
		}
		return pop, pop.Record(draws.RecorderFunc(func(d *draws.Draw) error {
			record(d)
			return nil
		}))
	}
	for i := range size.Populations {
		cfg := size.PopulationConfig
		switch {
		case p.NeedsSchedule():
			pilot, err := run(cfg, i, true, func(*draws.Draw) {})
			if err != nil {
				return e, err
			}
			cfg.Schedule = pilot.Schedule()
		case p.HoldsSigmaX():
			sum, noise := 0.0, make([]float64, p.Posterior.Data.D())
			if _, err := run(cfg, i, true, func(d *draws.Draw) {
				sum += d.SigmaX
				for j, s := range d.NoiseScales {
					noise[j] += d.SigmaX * s
				}
			}); err != nil {
				return e, err
			}
			cfg.SigmaX = sum / float64(size.Members*size.Scans)
			if p.Posterior.Data.HasNoiseScales() {
				for j := range noise {
					noise[j] /= sum // exactly 1 where the scale is 1
				}
				cfg.NoiseScales = noise
			}
		}
		features := 0
		pop, err := run(cfg, i, false, func(d *draws.Draw) { features += d.Z.K() })
		if err != nil {
			return e, err
		}
		e.Logs = append(e.Logs, pop.LogEvidence())
		e.Features += (float64(features)/float64(size.Members*size.Scans) - e.Features) / float64(len(e.Logs))
		e.Log, e.Spread = posterior.Evidence(e.Logs)
	}
	return e, nil
}

// StdErr returns the standard error of the combined log evidence.
func (e *Evidence) StdErr() float64 { return e.Spread / math.Sqrt(float64(len(e.Logs))) }

// IntervalErrors returns by how many standard errors a 90% interval of the log evidence extends to
// both sides: a quantile of Student's t, since few populations tell their spread.
func (e *Evidence) IntervalErrors() float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(len(e.Logs) - 1)}.Quantile(0.95)
}

// Disagree reports whether the populations disagree too much for the estimate to be reliable.
func (e *Evidence) Disagree() bool { return e.Spread > posterior.MaxEvidenceSpread }
