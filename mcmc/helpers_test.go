package mcmc

import (
	"math"

	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/state"
	"aibd/prior"
)

// Helpers of tests for chains and kernels.

// newState returns the target at a fresh start.
func newState(post *Posterior, start Start) (*target, error) {
	return newTarget(post, start, true, MaxFeatures)
}

// start returns a Start at this state.
func (s *target) start() Start {
	u := s.Unknowns()
	start := Start{Z: u.Z, Mass: u.Mass, Permutation: u.Permutation, Scales: u.Scales, Cells: u.Cells, Cutpoints: u.Cutpoints, NoiseScales: u.NoiseScales, Weights: u.Weights, Shares: u.Shares.Shares, Rates: u.Shares.Rates}
	if !math.IsNaN(u.Temperature) {
		start.Temperature = u.Temperature
	}
	return start
}

// law returns the law of the target at its temperature and permutation.
func (s *target) law() prior.Law {
	if a, ok := s.post.Law.(prior.Attraction); ok {
		return a.WithFurtherTemperatures(s.Temperatures().Tail).With(s.Temperature(), s.Permutation())
	}
	return s.post.Law
}

// move puts the target at other unknowns, at which the tracker of the law must be.
func (s *target) move(law prior.Law, u state.Unknowns) {
	s.State = state.New(collapsed.Unwrap(s.post.Data), intensity.Unwrap(law).Tracker(), u, s.post.weights(), MaxFeatures)
}

// under puts the target under another tracker instead of its law's.
func (s *target) under(wrap func(intensity.Tracker) intensity.Tracker) {
	s.State = state.New(collapsed.Unwrap(s.post.Data), wrap(intensity.Unwrap(s.law()).Tracker()), s.Unknowns(), s.post.weights(), MaxFeatures)
}

// scanOf returns the scan with steps that are not tuned.
func scanOf(post *Posterior, o Options) *cycle {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	return o.scan(post, &tuner{Tuning: newTuning(o).under(post)})
}

// Name makes a cycle a kernel.
func (c *cycle) Name() string { return "cycle" }

func walkTemperature(step float64) *temperature {
	return &temperature{tuner: &tuner{Tuning: Tuning{Temperature: TemperatureWalk{Step: step}}}}
}

// walkTemperatures moves two temperatures one after the other.
func walkTemperatures(step float64) kernel {
	t := &tuner{Tuning: Tuning{Temperature: TemperatureWalk{Step: step}, FurtherWalks: []TemperatureWalk{{Step: 2 * step}}}}
	return newCycle(&temperature{tuner: t}, &temperature{tuner: t, distance: 1})
}

func walkScales(stepX, stepA, correlation float64) scales {
	return scales{&tuner{Tuning: newTuning(Options{StepX: stepX, StepA: stepA, Correlation: correlation})}}
}

func exactRows() *rows { return &rows{singletons: new(exactSingletons)} }
