package dataset

// What is done to columns before an analysis: logarithms, centring, scaling.

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
)

// Transform changes columns in this order: natural logarithms of those that Log
// selects, then Center subtracts the mean of each column, then Scale divides it
// by its sample standard deviation (denominator N-1), with or without Center.
type Transform struct {
	Log    []string // names or shell patterns of columns, as in Table.Select
	Center bool
	Scale  bool
}

// Apply transforms x in place: N items by the D named columns, all finite. It
// reports an error, counting items from one, and leaves x as it was, if a
// pattern of Log matches nothing, a value to take the log of is not above 0, or
// a column to scale is constant.
func (t Transform) Apply(columns []string, x [][]float64) error {
	logs, err := match(columns, t.Log)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	// First all that may fail, then the changes.
	means, sds := make([]float64, len(columns)), make([]float64, len(columns))
	y := make([]float64, len(x))
	for j, name := range columns {
		for i := range x {
			y[i] = x[i][j]
			if logs[j] {
				if !(y[i] > 0) {
					return fmt.Errorf("item %d, column %s: found %v, expected a value above 0 to take its log", i+1, hint.Quoted(name), y[i])
				}
				y[i] = math.Log(y[i])
			}
		}
		mean, sd := stat.MeanStdDev(y, nil)
		if !slices.ContainsFunc(y, func(v float64) bool { return v != y[0] }) {
			sd = 0 // without rounding errors, and for a single item
		}
		if t.Center && !(math.Abs(mean) <= math.MaxFloat64) {
			return fmt.Errorf("column %s: found values with mean %v, expected a finite one to centre by", hint.Quoted(name), mean)
		}
		if t.Scale && (!(sd > 0) || math.IsInf(sd, 1)) {
			return fmt.Errorf("column %s: found standard deviation %v, expected a finite number above 0 to scale by", hint.Quoted(name), sd)
		}
		if !t.Center {
			mean = 0
		}
		if !t.Scale {
			sd = 1
		}
		for i, v := range y {
			if math.IsInf((v-mean)/sd, 0) {
				return fmt.Errorf("item %d, column %s: found %v, which is too large once centred and scaled", i+1, hint.Quoted(name), v)
			}
		}
		means[j], sds[j] = mean, sd
	}
	for _, row := range x {
		for j := range row {
			if logs[j] {
				row[j] = math.Log(row[j])
			}
			row[j] = (row[j] - means[j]) / sds[j]
		}
	}
	return nil
}
