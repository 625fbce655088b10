// Package similarity has the pairwise information about items: matrices of distances
// (or of given similarities), and the decays that turn a distance into a similarity at
// a temperature.
package similarity

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/lists"
)

// Distances are a *Matrix, or Several of them. There are no other ones.
type Distances interface {
	N() int // number of items

	distances()
}

// Matrix holds one value for each ordered pair of N items: row i, column j is
// how far the arriving item i is from the earlier item j (or how similar it is
// to it, with the decay Given). It need not be symmetric. Off the diagonal every
// value is at least 0; +Inf is allowed, and as a distance it never attracts. The
// diagonal has no meaning and is 0. A Matrix is immutable. A symmetric one takes N²/2
// numbers.
type Matrix struct {
	n         int
	symmetric bool
	ignored   int // see IgnoredDiagonal
	diagonal  float64
	values    []float64 // row after row; of a symmetric one up to the diagonal
}

// NewMatrix returns the matrix with the given rows, which it copies. The entries
// on the diagonal are ignored and may be anything. It returns an error, counting
// rows and columns from one, if the matrix is not square or an entry off the
// diagonal is negative or NaN.
func NewMatrix(rows [][]float64) (*Matrix, error) {
	n, symmetric := len(rows), true
	for i, row := range rows {
		if len(row) != n {
			return nil, fmt.Errorf("row %d: found %d entries, expected %d as there are %d rows", i+1, len(row), n, n)
		}
		for j, v := range row {
			if i == j {
				continue
			}
			if !(v >= 0) {
				return nil, fmt.Errorf("row %d, column %d: found %v, expected a number of at least 0", i+1, j+1, v)
			}
			symmetric = symmetric && (j > i || v == rows[j][i])
		}
	}
	m := zero(n, symmetric)
	for i, row := range rows {
		for j, v := range row {
			if i != j {
				m.values[m.index(i, j)] = v
			} else if v != 0 && m.diagonal == 0 {
				m.ignored, m.diagonal = i, v
			}
		}
	}
	return m, nil
}

func zero(n int, symmetric bool) *Matrix {
	size := n * n
	if symmetric {
		size = n * (n + 1) / 2
	}
	return &Matrix{n: n, symmetric: symmetric, values: make([]float64, size)}
}

// index returns the index of the value of a pair.
func (m *Matrix) index(i, j int) int {
	if !m.symmetric {
		return i*m.n + j
	}
	i, j = max(i, j), min(i, j)
	return i*(i+1)/2 + j
}

// N returns the number of items.
func (m *Matrix) N() int { return m.n }

// At returns the value of the arriving item i and the earlier item j; 0 if they
// are the same.
func (m *Matrix) At(i, j int) float64 { return m.values[m.index(i, j)] }

// Row returns the N values of the arriving item i. Callers must not write to it.
func (m *Matrix) Row(i int) []float64 {
	if !m.symmetric {
		return m.values[i*m.n : (i+1)*m.n : (i+1)*m.n]
	}
	return lists.Make(m.n, func(j int) float64 { return m.At(i, j) })
}

// Before returns the entries of row i before the diagonal. They must not be changed.
func (m *Matrix) Before(i int) []float64 {
	start := m.index(i, 0)
	return m.values[start : start+i : start+i]
}

// Symmetric reports whether both orders of each pair have exactly the same
// value.
func (m *Matrix) Symmetric() bool { return m.symmetric }

// IgnoredDiagonal returns the first nonzero entry on the diagonal of the rows given to NewMatrix, and its item.
// The value is 0 if there is none.
func (m *Matrix) IgnoredDiagonal() (item int, value float64) { return m.ignored, m.diagonal }

// Shift returns the matrix with c added to every entry off the diagonal. The
// paper adds 0.00001, which keeps the reciprocal decay finite where two items do
// not differ. It panics unless c is finite and at least 0.
func (m *Matrix) Shift(c float64) *Matrix {
	if !(c >= 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("similarity: shift by %v, expected a finite number of at least 0", c))
	}
	s := zero(m.n, m.symmetric)
	for k, v := range m.values {
		s.values[k] = v + c
	}
	for i := range m.n {
		s.values[s.index(i, i)] = 0
	}
	return s
}

// Per returns the distances in another unit: every entry divided by it. It returns
// an error if a finite entry becomes infinite, and panics unless unit is above 0.
func (m *Matrix) Per(unit float64) (*Matrix, error) {
	if !(unit > 0) {
		panic(fmt.Sprintf("similarity: a unit of %v, expected a number above 0", unit))
	}
	divided := zero(m.n, m.symmetric)
	for k, v := range m.values {
		if divided.values[k] = v / unit; math.IsInf(divided.values[k], 1) && !math.IsInf(v, 1) {
			return nil, fmt.Errorf("found %v, by which a distance of %v cannot be divided", unit, v)
		}
	}
	return divided, nil
}

// Median returns the median of the distances that are above 0 and finite, over all pairs
// of different items; 0 if there is none. It is proportional to the unit of distance.
func (m *Matrix) Median() float64 {
	values := slices.DeleteFunc(slices.Clone(m.values), func(v float64) bool { return v == 0 || math.IsInf(v, 1) })
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return low + (high-low)/2
}

func (m *Matrix) distances() {}
func (s Several) distances() {}
