package dense

// The attraction Indian buffet distribution averaged over permutations, and draws from it.

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// logAIBDAveraged returns the log of the mean of exp(LogAIBD) over all N!
// permutations: the pmf under a uniform permutation. It takes N! evaluations
// and so serves for N up to about 8.
func logAIBDAveraged(z [][]int, mass float64, f [][]float64) float64 {
	var lps []float64
	for _, perm := range combin.Permutations(len(z), len(z)) {
		lps = append(lps, LogAIBD(z, mass, f, perm))
	}
	return floats.LogSumExp(lps) - math.Log(float64(len(lps)))
}

// randAIBD draws an allocation from the attraction Indian buffet distribution by
// its generative process: customers arrive in the order of perm, each takes
// the dishes on the menu with the probabilities of attraction and then
// Poisson(mass/p) new ones. It returns N = len(perm) rows.
func randAIBD(mass float64, f [][]float64, perm []int, rng *rand.Rand) [][]int {
	z := make([][]int, len(perm))
	for i := range z {
		z[i] = []int{}
	}
	for p, item := range perm {
		for k := range z[item] {
			if b, _ := attraction(z, k, f, perm, p); rng.Float64() < b {
				z[item][k] = 1
			}
		}
		newDishes := distuv.Poisson{Lambda: mass / float64(p+1), Src: rng}.Rand()
		z = withSingletons(z, item, int(newDishes))
	}
	return z
}

// reciprocal returns the matrix d^(-temperature) of the N x N distances d,
// which is infinite for d = 0 unless temperature is 0: distances between
// different items must be positive.
func reciprocal(temperature float64, distance [][]float64) [][]float64 {
	return decayed(distance, func(d float64) float64 { return math.Pow(d, -temperature) })
}

// withSingletons returns a copy of z with j columns appended that only item i
// has.
func withSingletons(z [][]int, i, j int) [][]int {
	out := make([][]int, len(z))
	for l, row := range z {
		out[l] = append(make([]int, 0, len(row)+j), row...)
		for range j {
			if l == i {
				out[l] = append(out[l], 1)
			} else {
				out[l] = append(out[l], 0)
			}
		}
	}
	return out
}
