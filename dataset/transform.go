package dataset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
)

// Transform changes columns in this order: it takes natural logarithms of the columns
// that Log selects, subtracts the mean of each column if Center, and divides each by
// its sample standard deviation (denominator N-1) if Scale, with or without Center.
type Transform struct {
	Log    []string // names or shell patterns of columns, as in Table.Select
	Center bool
	Scale  bool
}

// Apply transforms x in place: N items by the D named columns, all finite. It returns
// an error and leaves x unchanged if a pattern of Log matches no column, a value to
// take the logarithm of is not positive, a column to scale is constant, or a result
// exceeds the range of a float64. Errors count items from one.
func (t Transform) Apply(columns []string, x [][]float64) error {
	logs, err := match(columns, t.Log)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	// First everything that may fail, then the changes.
	changes := make([]change, len(columns))
	y := make([]float64, len(x))
	for j, name := range columns {
		for i, row := range x {
			y[i] = row[j]
			if logs[j] && !(y[i] > 0) {
				return fmt.Errorf("item %d, column %s: found %v, expected a value above 0 to take its log", i+1, hint.Quoted(name), y[i])
			}
		}
		c := t.change(y, logs[j])
		if !(c.sd > 0) {
			return fmt.Errorf("column %s: found standard deviation 0, expected a finite number above 0 to scale by", hint.Quoted(name))
		}
		for i, v := range y {
			if math.IsInf(c.of(v), 0) {
				return fmt.Errorf("item %d, column %s: found %v, which is too large once centred and scaled", i+1, hint.Quoted(name), v)
			}
		}
		changes[j] = c
	}
	for _, row := range x {
		for j, v := range row {
			row[j] = changes[j].of(v)
		}
	}
	return nil
}

// change is what a Transform does to one column: v becomes
// (v 2^-exponent - mean) / sd * 2^back, v being the logarithm if log.
type change struct {
	log            bool
	exponent, back int
	mean, sd       float64
}

func (c change) of(v float64) float64 {
	if c.log {
		v = math.Log(v)
	}
	if c.exponent != 0 {
		v = math.Ldexp(v, -c.exponent)
	}
	v = (v - c.mean) / c.sd
	if c.back != 0 {
		v = math.Ldexp(v, c.back)
	}
	return v
}

// change returns the change of the column y. Its sd is 0 if the column has to be
// scaled but is constant.
func (t Transform) change(y []float64, log bool) change {
	c := change{log: log, sd: 1}
	if !t.Center && !t.Scale {
		return c
	}
	y = slices.Clone(y)
	largest := 0.0
	for i, v := range y {
		if log {
			y[i] = math.Log(v)
		}
		largest = max(largest, math.Abs(y[i]))
	}
	// Squares of numbers of this size would overflow or underflow.
	if _, e := math.Frexp(largest); e > 300 || e < -300 {
		c.exponent, c.back = e, e
		for i, v := range y {
			y[i] = math.Ldexp(v, -e)
		}
	}
	mean, sd := stat.MeanStdDev(y, nil)
	if t.Center {
		c.mean = mean
	}
	if t.Scale {
		c.sd, c.back = sd, 0
		if !slices.ContainsFunc(y, func(v float64) bool { return v != y[0] }) {
			c.sd = 0 // not a rounding error, and not NaN for one item
		}
	}
	return c
}
