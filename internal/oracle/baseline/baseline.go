// Package baseline has a Gaussian process for each column, to compare with. Like all oracles it serves
// tests only.
package baseline

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// GaussianProcess returns the log density of each entry of X, row after row, given the other
// entries of its column that are not hidden. Columns are independent with covariance
// s^2 (exp(-d/length) + rho I) over the distances d. The posterior of s, length and rho of a
// column is taken on a grid, uniform in their logarithms, also without the entry, so that the
// densities are exact for this grid.
func GaussianProcess(x [][]float64, hidden []int, distance [][]float64) []float64 {
	n, d := len(x), len(x[0])
	var distances []float64
	for i, row := range distance {
		distances = append(distances, row[:i]...)
	}
	slices.Sort(distances)
	middle := distances[len(distances)/2]
	densities := make([]float64, n*d)
	for v := range d {
		var seen, unseen []int
		square := 0.0 // mean over what is seen
		for i, row := range x {
			if slices.Contains(hidden, i*d+v) {
				unseen = append(unseen, i)
				continue
			}
			seen = append(seen, i)
			square += row[v] * row[v]
		}
		square /= float64(len(seen))
		// Of each entry, log sums over the grid: the density of the entry is the ratio.
		above := slices.Repeat([]float64{math.Inf(-1)}, n)
		below := slices.Clone(above)
		for _, length := range floats.LogSpan(make([]float64, 12), middle/16, middle*16) {
			for _, rho := range floats.LogSpan(make([]float64, 13), 1e-3, 1e3) {
				column(x, v, seen, unseen, distance, length, rho, square, above, below)
			}
		}
		for i := range above {
			densities[i*d+v] = above[i] - below[i]
		}
	}
	return densities
}

// column adds the terms of a length and a ratio rho, for a grid of s, to the log sums of column v.
func column(x [][]float64, v int, seen, unseen []int, distance [][]float64, length, rho, square float64, above, below []float64) {
	m := len(seen)
	c, y := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for a, i := range seen {
		y.SetVec(a, x[i][v])
		for b, j := range seen[:a] {
			c.SetSym(a, b, math.Exp(-distance[i][j]/length))
		}
		c.SetSym(a, a, 1+rho)
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return
	}
	var inverse mat.SymDense
	_ = chol.InverseTo(&inverse)
	var s mat.VecDense
	s.MulVec(&inverse, y)
	fit := mat.Dot(&s, y)
	means, variances := make([]float64, len(unseen)), make([]float64, len(unseen))
	for h, i := range unseen {
		cross := mat.NewVecDense(m, nil)
		for a, j := range seen {
			cross.SetVec(a, math.Exp(-distance[i][j]/length))
		}
		means[h], variances[h] = mat.Dot(cross, &s), 1+rho-mat.Inner(cross, &inverse, cross)
	}
	for _, total := range floats.LogSpan(make([]float64, 17), square/16, square*16) {
		variance := total / (1 + rho)
		all := -(float64(m)*math.Log(2*math.Pi*variance) + chol.LogDet() + fit/variance) / 2
		for a, i := range seen {
			precision := inverse.At(a, a)
			entry := distuv.Normal{Sigma: math.Sqrt(variance / precision)}.LogProb(s.AtVec(a) / precision)
			above[i], below[i] = logAdd(above[i], all), logAdd(below[i], all-entry)
		}
		for h, i := range unseen {
			entry := distuv.Normal{Mu: means[h], Sigma: math.Sqrt(variance * variances[h])}.LogProb(x[i][v])
			above[i], below[i] = logAdd(above[i], all+entry), logAdd(below[i], all)
		}
	}
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
