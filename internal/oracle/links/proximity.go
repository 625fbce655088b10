package links

// Proximities, and the probabilities of links that they give.

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Proximity returns the N x N matrix P_ij = exp(-temperature d_ij), with
// P_ii = 1, for finite distances d_ij >= 0. In sequential mode P_ij = 0 for
// every j that arrives after i; perm[p] is the item that arrives at position p.
// Otherwise perm is not read.
func Proximity(temperature float64, distance [][]float64, sequential bool, perm []int) [][]float64 {
	p := make([][]float64, len(distance))
	for i, row := range distance {
		p[i] = make([]float64, len(row))
		for j, d := range row {
			p[i][j] = math.Exp(-temperature * d)
		}
		p[i][i] = 1
	}
	if sequential {
		for position, i := range perm {
			for _, later := range perm[position+1:] {
				p[i][later] = 0
			}
		}
	}
	return p
}

// linkProbabilities returns h, the row sums of p, and A = P/h.
func linkProbabilities(p [][]float64) (h []float64, a [][]float64) {
	h, a = make([]float64, len(p)), make([][]float64, len(p))
	for i, row := range p {
		h[i] = floats.Sum(row)
		a[i] = floats.ScaleTo(make([]float64, len(row)), 1/h[i], row)
	}
	return h, a
}

// totalIntensity returns H, the sum of 1/h_i: mass times H dishes are expected.
func totalIntensity(h []float64) float64 {
	sum := 0.0
	for _, v := range h {
		sum += 1 / v
	}
	return sum
}
