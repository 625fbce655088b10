package links

// The law of the allocation, by brute force over all links.

import (
	"fmt"
	"math"
)

// maxItems bounds the enumeration of the N^N link vectors of a dish.
const maxItems = 5

// HolderProbabilities returns the probability that a dish of the given owner
// has each of the 2^N sets of items as its holders, the sum over all link
// vectors with these holders. It panics for more than 5 items.
func HolderProbabilities(p [][]float64, owner int) []float64 {
	n := len(p)
	if n > maxItems {
		panic(fmt.Sprintf("links: %d items, at most %d can be enumerated", n, maxItems))
	}
	_, a := linkProbabilities(p)
	prob := make([]float64, 1<<n)
	dish := Dish{owner, make([]int, n)}
	// visit adds up all link vectors that agree with dish before item j, which
	// have that much probability in total.
	var visit func(j int, probability float64)
	visit = func(j int, probability float64) {
		if j == n {
			set := 0
			for i, h := range dish.Holders() {
				if h {
					set |= 1 << i
				}
			}
			prob[set] += probability
			return
		}
		for m, v := range a[j] {
			if v > 0 {
				dish.Links[j] = m
				visit(j+1, probability*v)
			}
		}
	}
	visit(0, 1)
	return prob
}

// Intensities returns for each of the 2^N sets z of items the expected number
// nu(z) of dishes with the holders z, at mass 1: the sum over the owners o in z
// of 1/h_o times the probability of z given o. The numbers of dishes of the
// different sets are independent and Poisson. It panics for more than 5 items.
func Intensities(p [][]float64) []float64 {
	h, _ := linkProbabilities(p)
	nu := make([]float64, 1<<len(p))
	for owner := range p {
		for z, v := range HolderProbabilities(p, owner) {
			nu[z] += v / h[owner]
		}
	}
	return nu
}

// LogPMF returns the log probability of the allocation z, as a class of
// matrices equal up to the order of their columns:
//
//	-mass H + K log mass + sum_k log nu(z_k) - sum_z log n_z!
//
// with H = sum_i 1/h_i, nu the intensities and n_z the number of columns equal
// to z. It is -Inf for an impossible allocation, as one with a zero column. It
// panics for more than 5 items.
func LogPMF(z [][]int, mass float64, p [][]float64) float64 {
	h, _ := linkProbabilities(p)
	nu := Intensities(p)
	columns := len(z[0])
	lp := -mass*totalIntensity(h) + float64(columns)*math.Log(mass)
	count := make([]float64, len(nu))
	for k := range columns {
		set := 0
		for i, row := range z {
			set |= row[k] << i
		}
		count[set]++
		lp += math.Log(nu[set]) - math.Log(count[set])
	}
	return lp
}
