package dense

// The attraction Indian buffet distribution: its probability mass function,
// given a permutation and averaged over all of them, and draws from it.

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// LogAIBD returns the log probability of the allocation z (its equivalence
// class under reordering of columns) under the attraction Indian buffet
// distribution with mass > 0, N x N similarities f >= 0 and the permutation
// perm: paper (7), dish by dish in the order of arrival. It is -Inf where z
// cannot arise, and it panics if z has a zero column.
//
// The x_p new dishes of the customer at position p contribute their Poisson
// probability; its x_p! cancels against the number of orders in which
// the generative process can produce the same class, which leaves
// 1 / prod_h K_h!.
func LogAIBD(z [][]int, mass float64, f [][]float64, perm []int) float64 {
	lp := -logMultiplicities(z)
	for p, item := range perm {
		newDishes := mass / float64(p+1)
		lp -= newDishes
		for k, taken := range z[item] {
			b, onMenu := attraction(z, k, f, perm, p)
			switch {
			case onMenu && taken == 1:
				lp += math.Log(b)
			case onMenu:
				lp += math.Log(1 - b)
			case taken == 1:
				lp += math.Log(newDishes)
			}
		}
	}
	return lp
}

// attraction returns the probability that the customer at position p takes dish
// k, and whether an earlier customer has taken it, without which it is not on
// the menu yet. With positions counted from one as in the paper,
//
//	b = (p-1)/p * sum_{q<p} f z / sum_{q<p} f
//
// If all similarities to the earlier customers are 0, each of these counts for
// 1/p: the limit as the similarities tend to 0 together.
func attraction(z [][]int, k int, f [][]float64, perm []int, p int) (b float64, onMenu bool) {
	item := perm[p]
	var sum, total float64
	takers := 0
	for _, earlier := range perm[:p] {
		total += f[item][earlier]
		if z[earlier][k] == 1 {
			sum += f[item][earlier]
			takers++
		}
	}
	if total == 0 {
		return float64(takers) / float64(p+1), takers > 0
	}
	return float64(p) / float64(p+1) * sum / total, takers > 0
}

// LogAIBDAveraged returns the log of the mean of exp(LogAIBD) over all N!
// permutations: the pmf under a uniform permutation. It takes N! evaluations
// and so serves for N up to about 8.
func LogAIBDAveraged(z [][]int, mass float64, f [][]float64) float64 {
	var lps []float64
	perm := make([]int, len(z))
	for i := range perm {
		perm[i] = i
	}
	var visit func(p int)
	visit = func(p int) {
		if p == len(perm) {
			lps = append(lps, LogAIBD(z, mass, f, perm))
			return
		}
		for q := p; q < len(perm); q++ {
			perm[p], perm[q] = perm[q], perm[p]
			visit(p + 1)
			perm[p], perm[q] = perm[q], perm[p]
		}
	}
	visit(0)
	return floats.LogSumExp(lps) - math.Log(float64(len(lps)))
}

// Rand draws an allocation from the attraction Indian buffet distribution by
// its generative process: customers arrive in the order of perm, each takes
// the dishes on the menu with the probabilities of attraction and then
// Poisson(mass/p) new ones. It returns N = len(perm) rows.
func Rand(mass float64, f [][]float64, perm []int, rng *rand.Rand) [][]int {
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
