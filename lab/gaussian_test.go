package lab

// A Gaussian process for each column, to compare with.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// gaussianProcess returns the log density of each entry of X, row after row, given the other
// entries of its column that are not hidden. Columns are independent with covariance
// s^2 (exp(-d/length) + rho I) over the distances d. The posterior of s, length and rho of a
// column is taken on a grid, uniform in their logarithms, also without the entry, so that the
// densities are exact for this grid.
func gaussianProcess(x [][]float64, hidden []int, distance [][]float64) []float64 {
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

// A smooth column is predicted from its neighbours, one of noise as well as by its spread.
func TestGaussianProcess(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n = 40
	x, distance := make([][]float64, n), make([][]float64, n)
	walk := 0.0
	for i := range x {
		walk += 0.3 * rng.NormFloat64()
		x[i] = []float64{walk, rng.NormFloat64()}
		for j := range n {
			distance[i] = append(distance[i], math.Abs(float64(i-j)))
		}
	}
	densities := gaussianProcess(x, nil, distance)
	var smooth, noise []float64
	for p, elpd := range densities {
		if p%2 == 0 {
			smooth = append(smooth, elpd)
		} else {
			noise = append(noise, elpd)
		}
	}
	// An inner point of the walk given its neighbours has the variance 0.3^2/2.
	if got, want := stat.Mean(smooth, nil), -0.5*math.Log(2*math.Pi*math.E*0.09/2); math.Abs(got-want) > 0.25 {
		t.Errorf("walk: mean elpd %v, want %v", got, want)
	}
	if got, want := stat.Mean(noise, nil), -0.5*math.Log(2*math.Pi*math.E); math.Abs(got-want) > 0.25 {
		t.Errorf("noise: mean elpd %v, want %v", got, want)
	}
	// Hiding one entry equals leaving it out, except for the grid of s. Its value does not affect the others.
	const p = 2 * 17
	with := gaussianProcess(x, []int{p}, distance)
	if math.Abs(with[p]-densities[p]) > 1e-3 {
		t.Errorf("a hidden entry has the log density %v, left out %v", with[p], densities[p])
	}
	x[17][0] += 5
	if other := gaussianProcess(x, []int{p}, distance); other[p-2] != with[p-2] || other[p] == with[p] {
		t.Errorf("the value of a hidden entry matters to its neighbour, or not to itself: %v, %v", other[p-2]-with[p-2], other[p]-with[p])
	}
}
