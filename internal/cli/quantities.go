package cli

// The scalar quantities that aibd summary prints.

import (
	"math"

	"aibd/internal/runs"
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
func quantitiesOf(traces []runs.Trace, spec runs.Spec, distanceUnit string) []quantity {
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
		of("n_features", "number of features", false, true, func(t runs.Trace) []float64 { return floats(t.NFeatures) }),
		of("items_per_feature", "items per feature", false, true, itemsPerFeature),
		of("log_lik", "log likelihood", false, scalesFixed, func(t runs.Trace) []float64 { return t.LogLik }),
		of("log_joint", "log joint", false, allFixed, logJoint),
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

func floats(x []int) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// itemsPerFeature returns the mean number of items of the features, 0 without features.
func itemsPerFeature(t runs.Trace) []float64 {
	y := make([]float64, len(t.NOnes))
	for i, ones := range t.NOnes {
		y[i] = float64(ones) / math.Max(float64(t.NFeatures[i]), 1)
	}
	return y
}

// logJoint returns the log density of the data and of everything random.
func logJoint(t runs.Trace) []float64 {
	y := make([]float64, len(t.LogLik))
	for i := range y {
		y[i] = t.LogLik[i] + t.LogPrior[i]
	}
	return y
}
