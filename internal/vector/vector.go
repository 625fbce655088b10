// Package vector has the sums of products of the hot loops, by gonum's kernels.
//
// A matrix is a slice with a leading dimension: row i begins at i*ld.
package vector

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Dot returns the sum of the products of x and y. y is at least as long as x.
func Dot(x, y []float64) float64 { return floats.Dot(x, y[:len(x)]) }

// Axpy adds a times x to y. x is at least as long as y.
func Axpy(y []float64, a float64, x []float64) { floats.AddScaled(y, a, x[:len(y)]) }

// AddRows adds to y the rows of m, which has leading dimension ld, each times its
// weight: row i times x[i*inc]. Their number is rows.
func AddRows(y []float64, rows int, x []float64, inc int, m []float64, ld int) {
	addRows(y, rows, 1, x, inc, m, ld)
}

// SubRows subtracts from y the sum that AddRows adds.
func SubRows(y []float64, rows int, x []float64, inc int, m []float64, ld int) {
	addRows(y, rows, -1, x, inc, m, ld)
}

// addRows is AddRows with weights times a.
func addRows(y []float64, rows int, a float64, x []float64, inc int, m []float64, ld int) {
	if n := len(y); n > 0 && rows > 0 {
		blas64.Gemv(blas.Trans, a, matrix(m, rows, n, ld), strided(x, rows, inc), 1, strided(y, n, 1))
	}
}

// AddOuter adds to each of the rows of m, which has leading dimension ld, a multiple
// of y: (a x[i*inc]) y to row i.
func AddOuter(m []float64, ld, rows int, a float64, x []float64, inc int, y []float64) {
	if n := len(y); n > 0 && rows > 0 {
		blas64.Ger(a, strided(x, rows, inc), strided(y, n, 1), matrix(m, rows, n, ld))
	}
}

func matrix(m []float64, rows, columns, ld int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: ld, Data: m}
}

func strided(x []float64, n, inc int) blas64.Vector { return blas64.Vector{N: n, Inc: inc, Data: x} }

// Cholesky replaces the lower triangle of a positive definite matrix of k x k, with leading dimension
// ld, by its factor, and returns the log of the determinant of the factor: NaN if the matrix is not
// positive definite, or not beyond rounding.
func Cholesky(m []float64, k, ld int) (logDet float64) {
	for a := range k {
		row := m[a*ld : a*ld+a+1]
		for b := range a {
			row[b] = (row[b] - Dot(row[:b], m[b*ld:])) / m[b*ld+b]
		}
		square := row[a] - Dot(row[:a], row)
		if !(square > 0) {
			square = math.NaN()
		}
		row[a] = math.Sqrt(square)
		logDet += math.Log(row[a])
	}
	return logDet
}

// Extend returns s with length n, growing its capacity by half at least.
func Extend[T any](s []T, n int) []T {
	if n > cap(s) {
		grown := make([]T, n, max(n, cap(s)+cap(s)/2))
		copy(grown, s[:cap(s)])
		return grown
	}
	return s[:n]
}

// Fill sets all elements of s.
func Fill[T any](s []T, value T) {
	for i := range s {
		s[i] = value
	}
}
