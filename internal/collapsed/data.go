// Package collapsed is the machinery of package lglfm: the likelihood with the loadings
// integrated out, at one allocation, under changes of its entries, rows, columns and
// scales.
//
// # Accuracy
//
// Log likelihoods and changes of them, after no more moves than one row by row update
// of Z, are right to these parts of the larger of 1 and the log likelihoods at both
// ends, for any Z whose singular values that are not 0 are above 3e-6 of the largest:
//
//	SigmaX >= SigmaA/10                             1e-9
//	below, down to SigmaX = SigmaA/316              1e-7
//	SigmaX between 1e-8 and 1e-10 of the largest X  1e-5
//
// Fresh values are good to some 1e-12 in the first two lines. Beyond (Data.Check) every
// answer is NaN.
package collapsed

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"aibd/feature"
	"aibd/internal/vector"
	"aibd/internal/words"
)

//lint:file-ignore ST1005 X is the name of a matrix, a capital at the beginning of an error too

// Data is an N x D matrix of observations, prepared for the likelihood. It is immutable
// and safe for concurrent use.
type Data struct {
	n, d int
	rank int         // columns of rows: min(N, D), with missing cells see unknown.front
	rows [][]float64 // X times a rotation, which does not change X X'
	sq   []float64   // squared norms of the rows of X
	unit int         // rows and sq are in units of 2^unit, about the largest entry of X
	zero bool        // X has no unknown cells and is 0, or has no columns
	ones int         // 1 with an intercept, else 0: columns of ones before the features

	table    *unknown  // X
	unknown  *unknown  // nil if no cell is unknown and all columns share SigmaX; else rows and sq follow its cells and noise scales
	logNoise float64   // sum of the logs of the noise scales
	top      float64   // largest entry of X over its noise scale, at least 1
	over     []float64 // X over its noise scales
	flat     []float64 // memory of rows if they are not those of unknown
	factor   []float64 // memory of triangle
	shift    []float64 // what center subtracted from each column of rows

	half float64 // D/2 times the power of the likelihood, see Power

	tree func() *Tree // computes the tree once
}

// NewData prepares the rows of X, all of one length D >= 0. Without columns the
// likelihood is 1. A cell that is NaN is unknown. NewData returns an error, counting from
// one, if the rows differ in length or an entry is infinite.
func NewData(x [][]float64) (*Data, error) { return NewBounded(x, nil) }

// NewBounded is NewData for X with bounds of some unknown cells, and with ordinal columns. Their
// values follow the bounds, and those of the others are integrated out. It returns an error too for
// a bound that is not of one unknown cell, or empty, and for a category that is.
func NewBounded(x [][]float64, bounds []Bound, ordinal ...Ordinal) (*Data, error) {
	m := &Data{n: len(x)}
	if m.n > 0 {
		m.d = len(x[0])
	}
	largest := 0.0
	for i, row := range x {
		if len(row) != m.d {
			return nil, fmt.Errorf("X row %d has %d entries, expected %d as in row 1", i+1, len(row), m.d)
		}
		for j, v := range row {
			if math.IsInf(v, 0) {
				return nil, fmt.Errorf("X row %d, column %d: found %v, expected a finite number", i+1, j+1, v)
			}
			if a := math.Abs(v); a > largest {
				largest = a
			}
		}
	}
	if err := checkBounds(x, bounds); err != nil {
		return nil, err
	}
	if err := checkOrdinal(x, bounds, ordinal); err != nil {
		return nil, err
	}
	for _, b := range bounds {
		for _, v := range []float64{b.Lower, b.Upper} {
			if a := math.Abs(v); a > largest && !math.IsInf(a, 1) {
				largest = a
			}
		}
	}
	m.half, m.top = float64(m.d)/2, 1
	// A power of two does not change rounding.
	_, m.unit = math.Frexp(largest)
	m.rank = min(m.n, m.d)
	m.rows, m.sq = make([][]float64, m.n), make([]float64, m.n)
	m.tree = sync.OnceValue(m.linkage)
	m.table = newUnknown(x, m.unit, bounds, ordinal...)
	if len(m.table.cells) > 0 {
		m.unknown, m.rank = m.table, m.table.rank()
		m.rotate()
		return m, nil
	}
	m.zero = largest == 0
	for i := range x {
		m.rows[i] = m.table.row(i)
		for _, v := range m.rows[i] {
			m.sq[i] += v * v
		}
	}
	if m.d > m.n {
		m.triangle(slices.Clone(m.table.x), m.d)
	}
	return m, nil
}

// WithIntercept returns the data under the model with an intercept, X = 1 mu' + Z A + E
// with a flat prior of mu: the likelihood is the density of N - 1 orthonormal contrasts of the rows
// of X, and of the observed rows of a column with unknown cells. Every Allocation given with
// such data is [1 Z], see WithOnes. It returns an error for fewer than two items, for a column with
// fewer than two cells that are observed or have bounds, and for one whose cells are all above
// bounds or all below: the posterior of its intercept would be improper.
func (m *Data) WithIntercept() (*Data, error) {
	if m.n < 2 {
		return nil, fmt.Errorf("found %s, expected at least 2 for an intercept", words.Plural(m.n, "item"))
	}
	if m.unknown != nil {
		for _, p := range m.unknown.patterns {
			if observed := m.n - len(p.items); observed < 2 {
				return nil, fmt.Errorf("X column %d: found %s, expected at least 2 for an intercept", p.variables[0]+1, words.Plural(observed, "observed cell"))
			}
		}
		if j := m.unknown.oneSided(); j >= 0 {
			return nil, fmt.Errorf("X column %d: found bounds on one side only, expected an observed cell or a bound on the other side for an intercept", j+1)
		}
		p := *m
		p.ones = 1
		return p.Detach(), nil
	}
	p := m.scaled(1)
	p.ones = 1
	center(p.rows, nil)
	for i, row := range p.rows {
		p.sq[i] = vector.Dot(row, row)
	}
	return p, nil
}

// center subtracts the means of the columns, and puts them into shift unless it is nil: centered
// columns keep their digits.
func center(rows [][]float64, shift []float64) {
	for f := range rows[0] {
		mean := 0.0
		for _, row := range rows {
			mean += row[f] / float64(len(rows))
		}
		for _, row := range rows {
			row[f] -= mean
		}
		if shift != nil {
			shift[f] = mean
		}
	}
}

// Intercept reports whether WithIntercept made the data.
func (m *Data) Intercept() bool { return m.ones == 1 }

// WithOnes returns [1 Z].
func WithOnes(z *feature.Allocation) *feature.Allocation {
	y := feature.NewSized(z.N(), z.K()+1)
	y.Append()
	for i := range z.N() {
		y.Flip(i, 0)
	}
	for k := range z.K() {
		y.AppendColumn(z.Column(k))
	}
	return y
}

// WithOnesWeighted returns [1 Z] and the weights of its ones, given those of Z as in draws.Draw: nil
// if they are nil.
func WithOnesWeighted(z *feature.Allocation, weights []float64) (*feature.Allocation, []float64) {
	if weights != nil {
		weights = append(slices.Repeat([]float64{1}, z.N()), weights...)
	}
	return WithOnes(z), weights
}

// Unwrap returns what an lglfm.Data holds. Package lglfm sets it, and does not export it.
var Unwrap func(data any) *Data

// N returns the number of observations.
func (m *Data) N() int { return m.n }

// D returns the number of variables.
func (m *Data) D() int { return m.d }

// Scales are the standard deviations of the model. The type has no name of its own, so
// that values of lglfm.Scales are values of it.
type Scales = struct {
	SigmaX float64 // of the noise, positive
	SigmaA float64 // of the loadings, positive
}

// ratio returns r = SigmaX^2 / SigmaA^2.
func ratio(s Scales) float64 {
	q := s.SigmaX / s.SigmaA
	return q * q
}

// constant returns the terms of the log likelihood of k features that depend only on the
// sizes and the scales.
func (m *Data) constant(k int, s Scales) float64 {
	n, d := float64(m.n-m.ones), 2*m.half
	sum := -n*d/2*math.Log(2*math.Pi) - (n-float64(k))*d*math.Log(s.SigmaX) - float64(k)*d*math.Log(s.SigmaA)
	if m.logNoise != 0 {
		sum -= n * d / float64(m.d) * m.logNoise // the Jacobian of X over the noise scales
	}
	return sum
}

// noise returns SigmaX in the units of the data, 1 if all data are 0.
func (m *Data) noise(s Scales) float64 {
	if m.zero {
		return 1
	}
	return math.Ldexp(s.SigmaX, -m.unit)
}

// Limits of double precision: the residual of a perfect fit is rounding, about 1e-14 of
// the data, which must be well below SigmaX, and the entries of P are of order 1/r if
// columns are linearly dependent.
const (
	minNoise           = 1e-10       // SigmaX relative to the largest entry of X
	minRatio, maxRatio = 1e-5, 1e200 // r
)

// Check returns an error if the likelihood of the data cannot be computed at scales
// that are valid: SigmaX is below 1e-10 of the largest entry of X, or of X over the noise scales,
// or SigmaX/SigmaA is not between 1/316 and 1e100. Every likelihood is NaN there.
func (m *Data) Check(s Scales) error {
	if lowest := minNoise * m.top; !(m.noise(s) >= lowest) {
		return fmt.Errorf("SigmaX: found %g, expected at least %.3g, below which rounding of X dominates the likelihood", s.SigmaX, math.Ldexp(lowest, m.unit))
	}
	if r := ratio(s); !(r >= minRatio && r <= maxRatio) {
		return fmt.Errorf("SigmaX %g and SigmaA %g: expected a ratio between 1/316 and 1e100", s.SigmaX, s.SigmaA)
	}
	return nil
}
