package model

// Columns with a long tail: whose logarithms are taken although the spec does not say so.

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/spec"
)

// Logarithms take the place of a column by default if it has at least minLogged observed numbers and a skewness of
// at least minSkew, its logarithms have at most maxSkewLeft of that, and a normal distribution of the logarithms makes a
// number more likely than one of the numbers by at least minGain nats. See docs/theory/decisions/units.md.
const (
	minLogged   = 10
	minSkew     = 1
	maxSkewLeft = 0.5
	minGain     = 0.3
	// Columns that rise and fall together, with at least this rank correlation, are judged together, if they have
	// a tail: half the skewness, and a standard deviation of minSpread of the mean, below which logarithms are nearly linear.
	minSister = 0.8
	minSpread = 0.25
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
// limits stay. Columns that are judged together are
// by the means of what the rule asks of each: none loses its numbers if one has a number without a logarithm, be it hidden.
func (in *Input) longTails(d *spec.Data, columns []string, values []int, o *Observed, limits []dataset.Interval) ([]string, error) {
	stay := map[string]bool{spec.NoLog: true, spec.AutoLog: true} // columns whose names are words of the setting
	for _, group := range transformed(d) {
		names, err := in.selected(group.key, group.patterns, columns)
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
	var open []int // columns that are judged
	for _, j := range values {
		if !stay[columns[j]] {
			open = append(open, j)
		}
	}
	x := lists.Transposed(lists.Map(o.X, func(row []float64) []float64 { return lists.Pick(row, open) }))
	tails := lists.Map(x, func(column []float64) tail {
		return tailOf(slices.DeleteFunc(slices.Clone(column), math.IsNaN))
	})
	for k, j := range open {
		hidden := slices.ContainsFunc(o.Held, func(c Held) bool { return c.Variable == j && c.Value <= 0 })
		tails[k].open = tails[k].open && !hidden && in.positive(columns[j])
	}
	long := map[int]bool{}
	for _, group := range sisters(x, tails) {
		if mean := together(lists.Pick(tails, group)); mean.long() {
			for _, k := range group {
				long[open[k]] = true
			}
		}
	}
	names := []string{}
	for j, column := range columns {
		if long[j] {
			names = append(names, column)
		}
	}
	return names, nil
}

// sisters returns the columns with a long tail in groups, each with the columns that are judged together with one of it. Of many items some are compared.
func sisters(x [][]float64, tails []tail) (groups [][]int) {
	var long []int
	for k, t := range tails {
		if t.long() {
			long = append(long, k)
		}
	}
	if len(long) == 0 {
		return nil
	}
	step := max(1, len(x[0])/max(50, maxScreened/(len(long)*len(x))))
	ranks := lists.Map(x, func(column []float64) []float64 { return ranksOf(column, step) })
	group := permutation.Identity(len(x)) // the first column of the group of each
	for _, k := range long {
		for other := range x {
			if one, two := group[k], group[other]; one != two && tails[other].sister && rankCorrelation(ranks[k], ranks[other]) >= minSister {
				for c, g := range group {
					if g == max(one, two) {
						group[c] = min(one, two)
					}
				}
			}
		}
	}
	for _, first := range slices.Compact(slices.Sorted(slices.Values(lists.Pick(group, long)))) {
		var members []int
		for c, g := range group {
			if g == first {
				members = append(members, c)
			}
		}
		groups = append(groups, members)
	}
	return groups
}

// ranksOf returns the ranks of every step-th number of a column, NaN where it is NaN, equal ones in the order of the rows.
func ranksOf(column []float64, step int) []float64 {
	var some []float64
	for i := 0; i < len(column); i += step {
		some = append(some, column[i])
	}
	order := permutation.Identity(len(some))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(some[a], some[b]) })
	ranks := make([]float64, len(some))
	for r, i := range order {
		if ranks[i] = float64(r); math.IsNaN(some[i]) {
			ranks[i] = math.NaN()
		}
	}
	return ranks
}

// rankCorrelation returns the correlation of ranks of the pairs without NaN, 0 for fewer than minLogged.
func rankCorrelation(a, b []float64) float64 {
	var x, y []float64
	for i := range a {
		if !math.IsNaN(a[i] + b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	if len(x) < minLogged {
		return 0
	}
	return stat.Correlation(x, y, nil)
}

// positive reports whether a column has logarithms in the rest of the data file too, if the items are a sample.
func (in *Input) positive(column string) bool {
	if in.Whole == nil {
		return true
	}
	x, limits, err := in.Whole.Limited([]string{column})
	return err == nil && len(limits) == 0 && !slices.ContainsFunc(x, func(row []float64) bool { return row[0] <= 0 })
}

// A tail says what logarithms do to the numbers of a column.
type tail struct {
	open    bool // they have logarithms, and are neither few different values, which may be categories, nor counts
	skew    float64
	skewLog float64 // skewness of the logarithms, without its sign
	gain    float64 // of the maximized log density of a number

	sister bool // judged together with a column with which it rises and falls
}

// tailOf returns the tail of the numbers of a column.
func tailOf(numbers []float64) tail {
	sorted := slices.Sorted(slices.Values(numbers))
	if len(sorted) < minLogged {
		return tail{}
	}
	mean, sd := stat.MeanStdDev(sorted, nil)
	t := tail{skew: stat.Skew(sorted, nil)}
	t.sister = t.skew >= minSkew/2 && sd >= minSpread*math.Abs(mean)
	if sorted[0] <= 0 || len(slices.Compact(slices.Clone(sorted))) <= maxFewValues ||
		sorted[0] < smallCount && !slices.ContainsFunc(sorted, func(v float64) bool { return v != math.Trunc(v) }) {
		return t
	}
	logs := lists.Map(sorted, math.Log)
	// The maximized log density of normal numbers is a constant less the logarithm of their standard deviation.
	t.gain = math.Log(sd/stat.StdDev(logs, nil)) - stat.Mean(logs, nil)
	t.open, t.skewLog = true, math.Abs(stat.Skew(logs, nil))
	return t
}

// long reports whether logarithms take the place of the numbers by default.
func (t tail) long() bool {
	return t.open && t.skew >= minSkew && t.skewLog <= maxSkewLeft*t.skew && t.gain >= minGain
}

// together returns the mean of tails. It is open if all are.
func together(tails []tail) (mean tail) {
	mean.open = true
	n := float64(len(tails))
	for _, t := range tails {
		mean.open = mean.open && t.open
		mean.skew, mean.skewLog, mean.gain = mean.skew+t.skew/n, mean.skewLog+t.skewLog/n, mean.gain+t.gain/n
	}
	return mean
}
