package model

// Columns with a long tail: whose logarithms are taken although the spec does not say so.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/lists"
	"aibd/internal/spec"
)

// Logarithms take the place of a column by default if it has at least minLogged observed numbers and a skewness of
// at least minSkew, its logarithms have at most maxSkewLeft of that, and a normal law of the logarithms makes a
// number more likely than one of the numbers by at least minGain nats. See docs/theory/decisions/units.md.
const (
	minLogged   = 10
	minSkew     = 1
	maxSkewLeft = 0.5
	minGain     = 0.3
)

// openLog clears the word for the default logarithms, and leaves them open for observations, unless there is a
// preset or the spec keeps the zero or the unit of the columns.
func (in *Input) openLog(d *spec.Data) {
	if in.openLogs = slices.Contains(d.Log, spec.AutoLog); in.openLogs {
		d.Log, in.openLogs = []string{}, d.Preset == "" && d.Center && (d.Scale == nil || *d.Scale)
	}
}

// longTails returns those of the columns whose logarithms are taken by default. values are the positions of
// the columns of numbers, whose observed cells are in o.X as in the file. Columns that are transformed or have
// limits stay, and those with a hidden number that has no logarithm.
func (in *Input) longTails(d *spec.Data, columns []string, values []int, o *Observed, limits []dataset.Interval) ([]string, error) {
	stay := map[string]bool{spec.NoLog: true, spec.AutoLog: true} // columns whose names are words of the setting
	for _, of := range transformed(d) {
		names, err := in.selected(of.key, of.patterns, columns)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			stay[name] = true
		}
	}
	for _, limit := range limits {
		stay[columns[values[limit.Column]]] = true
	}
	for _, c := range o.Held {
		if c.Value <= 0 {
			stay[columns[c.Variable]] = true
		}
	}
	found := []string{}
	for j, numbers := range lists.Observed(o.X) {
		if o.Categories[j] == nil && !stay[columns[j]] && hasLongTail(numbers) && in.positive(columns[j]) {
			found = append(found, columns[j])
		}
	}
	return found, nil
}

// positive reports whether a column has logarithms in the rest of the data file too, if the items are a sample.
func (in *Input) positive(column string) bool {
	if in.Whole == nil {
		return true
	}
	x, limits, err := in.Whole.Limited([]string{column})
	return err == nil && len(limits) == 0 && !slices.ContainsFunc(x, func(row []float64) bool { return row[0] <= 0 })
}

// hasLongTail reports whether logarithms take the place of the numbers by default. Numbers of few different
// values may be categories, and whole numbers with a small one counts.
func hasLongTail(numbers []float64) bool {
	sorted := slices.Sorted(slices.Values(numbers))
	if len(sorted) < minLogged || sorted[0] <= 0 || len(slices.Compact(slices.Clone(sorted))) <= maxFewValues ||
		sorted[0] < smallCount && !slices.ContainsFunc(sorted, func(v float64) bool { return v != math.Trunc(v) }) {
		return false
	}
	logs := lists.Of(sorted, math.Log)
	// The maximized log density of normal numbers is a constant less the logarithm of their standard deviation.
	gain := math.Log(stat.StdDev(sorted, nil)/stat.StdDev(logs, nil)) - stat.Mean(logs, nil)
	skew := stat.Skew(sorted, nil)
	return skew >= minSkew && math.Abs(stat.Skew(logs, nil)) <= maxSkewLeft*skew && gain >= minGain
}
