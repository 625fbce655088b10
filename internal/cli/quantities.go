package cli

// The scalar quantities that aibd summary prints.

import (
	"aibd/internal/runs"
	"aibd/internal/spec"
)

// quantity is a scalar of the draws: chains[c][t] is draw t of chain c.
type quantity struct {
	key      string // in JSON; the column of the draws if there is one
	name     string // in text
	unit     string // may be empty
	chains   [][]float64
	fixed    bool // not sampled: all draws are equal
	discrete bool // may be constant though sampled
}

// label returns the name with the unit.
func (q quantity) label() string {
	if q.unit == "" {
		return q.name
	}
	return q.name + " (" + q.unit + ")"
}

// quantitiesOf returns the quantities of the draws of all chains. They depend on the law.
func quantitiesOf(traces []runs.Trace, spec spec.Spec, distanceUnit string) []quantity {
	of := func(key, name string, fixed, discrete bool, column func(t runs.Trace) []float64) quantity {
		q := quantity{key: key, name: name, fixed: fixed, discrete: discrete}
		for _, t := range traces {
			q.chains = append(q.chains, column(t))
		}
		return q
	}
	p := spec.Prior
	scalesFixed := p.SigmaX.Fixed && p.SigmaA.Fixed
	allFixed := scalesFixed && p.Mass.Fixed && (p.Temperature.Fixed || !p.HasTemperature())
	all := []quantity{of("mass", "mass", p.Mass.Fixed, false, func(t runs.Trace) []float64 { return t.Mass })}
	if p.HasTemperature() {
		q := of("temperature", "temperature", p.Temperature.Fixed, false, func(t runs.Trace) []float64 { return t.Temperature })
		q.unit = temperatureUnit(p, distanceUnit)
		all = append(all, q)
	}
	all = append(all,
		of("sigma_x", "SigmaX", p.SigmaX.Fixed, false, func(t runs.Trace) []float64 { return t.SigmaX }),
		of("sigma_a", "SigmaA", p.SigmaA.Fixed, false, func(t runs.Trace) []float64 { return t.SigmaA }),
		of("n_features", "number of features", false, true, runs.Trace.Features),
		of("items_per_feature", "items per feature", false, true, runs.Trace.ItemsPerFeature),
		of("log_lik", "log likelihood", false, scalesFixed, func(t runs.Trace) []float64 { return t.LogLik }),
		of("log_joint", "log joint", false, allFixed, runs.Trace.LogJoint),
	)
	if p.HasPermutation() {
		// The paper's two diagnostics of the permutation.
		fixed := p.Permutation.Kind != "random"
		all = append(all,
			of("position_first_half", "mean position, first half", fixed, true, func(t runs.Trace) []float64 { return t.FirstHalf }),
			of("position_odd", "mean position, odd items", fixed, true, func(t runs.Trace) []float64 { return t.Odd }),
		)
	}
	return all
}
