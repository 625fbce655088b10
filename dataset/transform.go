package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
)

// Transform changes columns in this order: it takes natural logarithms of the columns
// that Log selects, and of one more than those that Log1p selects, and square roots of those that Root selects,
// subtracts the mean of each column if Center, and divides each by
// its sample standard deviation (denominator N-1) if Scale, with or without Center.
type Transform struct {
	Log    []string // names or shell patterns of columns, as in Table.Select
	Log1p  []string // the same of columns of which the logarithm of 1 + x is taken
	Root   []string // the same of columns of which the square root is taken
	Center bool
	Scale  bool
}

// CellError is an error of a transformation about a cell, or about a row if Column is "".
type CellError struct {
	Item   int // from 0
	Column string
	Err    error
}

func (e *CellError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("item %d: %v", e.Item+1, e.Err)
	}
	return fmt.Sprintf("item %d, column %s: %v", e.Item+1, hint.Quoted(e.Column), e.Err)
}

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// Apply transforms x in place: N items by the D named columns, all finite or NaN for
// missing cells, which stay so and do not count in means and standard deviations. It returns
// an error and leaves x unchanged if a pattern of Log, Log1p or Root
// matches no column, two of them match one, a column has no value, a value has no finite logarithm or
// root, a column to scale is constant, or a result exceeds the range of a float64.
// Errors count items from one.
func (t Transform) Apply(columns []string, x [][]float64) error {
	_, err := t.Fit(columns, x)
	return err
}

// Fit is Apply, and returns the units of the result.
func (t Transform) Fit(columns []string, x [][]float64) (Units, error) {
	curves := make([]curve, len(columns))
	for _, choice := range []struct {
		curve    curve
		patterns []string
	}{{logCurve, t.Log}, {log1pCurve, t.Log1p}, {rootCurve, t.Root}} {
		picked, err := match(columns, choice.patterns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", choice.curve, err)
		}
		for j, chosen := range picked {
			switch {
			case chosen && curves[j] != "":
				return nil, fmt.Errorf("column %s: found it in %s and in %s, expected it in one of them", hint.Quoted(columns[j]), curves[j], choice.curve)
			case chosen:
				curves[j] = choice.curve
			}
		}
	}
	// First everything that may fail, then the changes.
	units := make(Units, len(columns))
	y := make([]float64, 0, len(x))
	for j, name := range columns {
		y = y[:0]
		for i, row := range x {
			v := row[j]
			if math.IsNaN(v) {
				continue
			}
			if err := curves[j].check(v); err != nil {
				return nil, &CellError{i, name, err}
			}
			y = append(y, v)
		}
		if len(y) == 0 {
			return nil, fmt.Errorf("column %s: found only missing values, expected a number", hint.Quoted(name))
		}
		c := t.change(y, curves[j])
		if !(c.sd > 0) {
			return nil, fmt.Errorf("column %s: found standard deviation 0, expected a finite number above 0 to scale by", hint.Quoted(name))
		}
		for i, row := range x {
			if math.IsInf(c.value(row[j]), 0) {
				return nil, &CellError{i, name, fmt.Errorf("found %v, which is too large once centered and scaled", row[j])}
			}
		}
		units[j] = c
	}
	for _, row := range x {
		for j, v := range row {
			row[j] = units[j].value(v)
		}
	}
	return units, nil
}

// Units are what a Transform made of the columns of X, so as to transform other values in
// the same way, and back.
type Units []change

// Identity are the units of a column that no Transform changed.
var Identity = change{sd: 1}

// Log reports whether column j holds logarithms.
func (u Units) Log(j int) bool { return u[j].curve == logCurve || u[j].curve == log1pCurve }

// Curve returns what was taken of column j: log, log1p, sqrt, or "" for nothing.
func (u Units) Curve(j int) string { return string(u[j].curve) }

// Plus returns what was added to column j before its logarithm was taken: 1 if Log1p selects it, else 0.
func (u Units) Plus(j int) float64 {
	if u[j].curve == log1pCurve {
		return 1
	}
	return 0
}

// Named returns the name of what column j holds: log NAME, log(1 + NAME), sqrt NAME or NAME.
func (u Units) Named(j int, name string) string {
	switch u[j].curve {
	case logCurve, rootCurve:
		return string(u[j].curve) + " " + name
	case log1pCurve:
		return "log(1 + " + name + ")"
	}
	return name
}

// Check returns an error if column j holds logarithms or roots and a value has none. A NaN has.
func (u Units) Check(j int, v float64) error { return u[j].curve.check(v) }

// Do returns the transformed value of column j.
func (u Units) Do(j int, v float64) float64 { return u[j].value(v) }

// Undo returns a value that Do transforms to v. Several may round to the same v; Undo prefers one with
// at most six decimals, so that values of a file come back as they were.
func (u Units) Undo(j int, v float64) float64 {
	raw := u[j].curve.inverse(u.Linear(j, v))
	if r := math.Round(raw*1e6) / 1e6; u.Do(j, r) == v {
		return r
	}
	return raw
}

// Linear returns what Undo does, or its root or logarithm (that of Plus more) if column j holds them.
func (u Units) Linear(j int, v float64) float64 {
	c := u[j]
	return math.Ldexp(math.Ldexp(v, -c.back)*c.sd+c.mean, c.exponent)
}

// Scale returns the standard deviation, in the unit of Linear, of what has standard deviation
// 1 after the transformation.
func (u Units) Scale(j int) float64 { return math.Ldexp(u[j].sd, u[j].exponent-u[j].back) }

// LogSlope returns the log of the derivative of Do at v, which the log density of a transformed value gains
// in the units of v.
func (u Units) LogSlope(j int, v float64) float64 {
	return u[j].curve.logSlope(v) - math.Log(u.Scale(j))
}

// Then returns the units of two transformations, u first, of which at most u takes
// logarithms and roots, and only v centres or scales.
func (u Units) Then(v Units) Units {
	both := slices.Clone(v)
	for j := range both {
		both[j].curve = u[j].curve
	}
	return both
}

// change is what a Transform does to one column: v becomes
// (g(v) 2^-exponent - mean) / sd * 2^back, g being the curve.
type change struct {
	curve          curve
	exponent, back int
	mean, sd       float64
}

func (c change) value(v float64) float64 {
	v = c.curve.value(v)
	if c.exponent != 0 {
		v = math.Ldexp(v, -c.exponent)
	}
	v = (v - c.mean) / c.sd
	if c.back != 0 {
		v = math.Ldexp(v, c.back)
	}
	return v
}

// change returns the change of the column y with a curve. Its sd is 0 if the column
// has to be scaled but is constant.
func (t Transform) change(y []float64, curve curve) change {
	c := change{curve: curve, sd: 1}
	if !t.Center && !t.Scale {
		return c
	}
	y = slices.Clone(y)
	largest := 0.0
	for i, v := range y {
		y[i] = curve.value(v)
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

// Hellinger replaces each row of x, in the columns that are picked, by the square roots of the shares of its sum: Euclidean
// distances of rows are then Hellinger distances. The cells must be at least 0, and the sum of a row above 0.
// Errors count items from one.
func Hellinger(columns []string, x [][]float64, picked []int) error {
	for i, row := range x {
		sum := 0.0
		for _, j := range picked {
			switch v := row[j]; {
			case math.IsNaN(v):
				return &CellError{i, columns[j], errors.New("found a missing value, expected a number: the sum of a row needs all its cells")}
			case v < 0 || math.IsInf(v, 0):
				return &CellError{i, columns[j], fmt.Errorf("found %v, expected a finite number of at least 0", v)}
			}
			sum += row[j]
		}
		if !(sum > 0) || math.IsInf(sum, 0) {
			return &CellError{i, "", fmt.Errorf("found the sum %v of %d columns, expected a finite one above 0 to take shares", sum, len(picked))}
		}
		for _, j := range picked {
			row[j] = math.Sqrt(row[j] / sum)
		}
	}
	return nil
}
