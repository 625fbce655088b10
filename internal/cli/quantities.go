package cli

// The scalar quantities of a run that summary tells about.

import (
	"math"

	"aibd/internal/runs"
	"aibd/internal/spec"
)

// quantity is a scalar of the draws: chains[c][t] is draw t of chain c.
type quantity struct {
	key    string // for programs, as the columns of draws where it is one of them
	name   string // for people
	unit   string // empty for a pure number
	chains [][]float64
	fixed  bool // not sampled: all draws are equal
}

// label is the name with the unit.
func (q quantity) label() string {
	if q.unit == "" {
		return q.name
	}
	return q.name + " (" + q.unit + ")"
}

// quantitiesOf returns the quantities of the draws of all chains; the law decides
// which there are.
func quantitiesOf(traces []runs.Trace, spec spec.Spec, distanceUnit string) []quantity {
	of := func(key, name string, fixed bool, column func(t runs.Trace) []float64) quantity {
		q := quantity{key: key, name: name, fixed: fixed}
		for _, t := range traces {
			q.chains = append(q.chains, column(t))
		}
		return q
	}
	p := spec.Prior
	all := []quantity{of("mass", "mass", p.Mass.Fixed, func(t runs.Trace) []float64 { return t.Mass })}
	if p.HasTemperature() {
		q := of("temperature", "temperature", p.Temperature.Fixed, func(t runs.Trace) []float64 { return t.Temperature })
		q.unit = temperatureUnit(p, distanceUnit)
		all = append(all, q)
	}
	all = append(all,
		of("sigma_x", "SigmaX", p.SigmaX.Fixed, func(t runs.Trace) []float64 { return t.SigmaX }),
		of("sigma_a", "SigmaA", p.SigmaA.Fixed, func(t runs.Trace) []float64 { return t.SigmaA }),
		of("n_features", "number of features", false, func(t runs.Trace) []float64 { return floats(t.NFeatures) }),
		of("items_per_feature", "items per feature", false, itemsPerFeature),
		of("log_lik", "log likelihood", false, func(t runs.Trace) []float64 { return t.LogLik }),
		of("log_joint", "log joint", false, logJoint),
	)
	if p.HasPermutation() {
		// The paper's two summaries of the permutation.
		fixed := p.Permutation.Kind != "random"
		all = append(all,
			of("position_first_half", "mean position, first half", fixed, func(t runs.Trace) []float64 { return t.FirstHalf }),
			of("position_odd", "mean position, odd items", fixed, func(t runs.Trace) []float64 { return t.Odd }),
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

// itemsPerFeature is the mean size of the features, 0 where there are none.
func itemsPerFeature(t runs.Trace) []float64 {
	y := make([]float64, len(t.NOnes))
	for i, ones := range t.NOnes {
		y[i] = float64(ones) / math.Max(float64(t.NFeatures[i]), 1)
	}
	return y
}

// logJoint is the log density of the data and of everything that is random.
func logJoint(t runs.Trace) []float64 {
	y := make([]float64, len(t.LogLik))
	for i := range y {
		y[i] = t.LogLik[i] + t.LogPrior[i]
	}
	return y
}
