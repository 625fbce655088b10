package dense

// The probability mass function of the attraction Indian buffet distribution.

import "math"

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
