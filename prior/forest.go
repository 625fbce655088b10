package prior

import (
	"math"
	"slices"
)

// forest computes what the pmf of the dd-IBP needs of a set z of m items with
// link probabilities A: sum over o in z of (1/h_o) det(L^(o)), where L = diag(sum
// over l of A_jl) - A and L^(o) is L without row and column o.
//
// By the matrix-tree theorem det(L^(o)) is the sum, over the trees on z in which
// every item but o has one link and all chains end in o, of the product of the
// links' probabilities. The determinants for all o together come from one
// elimination of states in the manner of Grassmann, Taksar and Heyman (1985),
// which adds, multiplies and divides positive numbers only: however small the
// probabilities, nothing cancels.
//
// a holds A among the members in row-major order, m x m, and is overwritten; its
// diagonal is not read. inv holds 1/h. sums has room for m numbers.
func forest(a, inv, sums []float64) (log float64) {
	m := len(inv)
	trees := newProduct() // rooted in the first item
	for n := m - 1; n > 0; n-- {
		row := a[n*m : n*m+n]
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		sums[n] = sum
		trees.mul(sum)
		for i := range n {
			if x := a[i*m+n]; x != 0 {
				x /= sum
				out := a[i*m : i*m+n]
				for j, y := range row {
					out[j] += x * y
				}
			}
		}
	}
	// Trees rooted in item n, relative to those rooted in the first.
	total := inv[0]
	sums[0] = 1
	for n := 1; n < m; n++ {
		rooted := 0.0
		for j := range n {
			rooted += sums[j] * a[j*m+n]
		}
		sums[n] = rooted / sums[n]
		total += inv[n] * sums[n]
	}
	return trees.logValue() + math.Log(total)
}

// logForest is forest with A and 1/h on the log scale, for probabilities that
// underflow or are 0. It does not change its arguments.
func logForest(a, inv []float64) float64 {
	log, stuck := logEliminate(slices.Clone(a), inv)
	if stuck == 0 {
		return log
	}
	// No chain leads from that item to the first: if there are trees at all, then
	// some are rooted in it. With it in the first place the elimination goes
	// through, or there are none.
	m := len(inv)
	a, inv = slices.Clone(a), slices.Clone(inv)
	inv[0], inv[stuck] = inv[stuck], inv[0]
	for i := range m {
		a[i*m], a[i*m+stuck] = a[i*m+stuck], a[i*m]
	}
	for j := range m {
		a[j], a[stuck*m+j] = a[stuck*m+j], a[j]
	}
	if log, stuck = logEliminate(a, inv); stuck != 0 {
		return math.Inf(-1)
	}
	return log
}

// logEliminate eliminates the states of a, which it overwrites. If it comes to one
// that leads nowhere, it returns its number, which is not 0.
func logEliminate(a, inv []float64) (log float64, stuck int) {
	m := len(inv)
	sums := make([]float64, m)
	trees := 0.0
	for n := m - 1; n > 0; n-- {
		row := a[n*m : n*m+n]
		sum := math.Inf(-1)
		for _, x := range row {
			sum = logSumExp(sum, x)
		}
		if math.IsInf(sum, -1) {
			return 0, n
		}
		sums[n] = sum
		trees += sum
		for i := range n {
			for j := range n {
				a[i*m+j] = logSumExp(a[i*m+j], a[i*m+n]-sum+row[j])
			}
		}
	}
	total := inv[0]
	sums[0] = 0
	for n := 1; n < m; n++ {
		rooted := math.Inf(-1)
		for j := range n {
			rooted = logSumExp(rooted, sums[j]+a[j*m+n])
		}
		sums[n] = rooted - sums[n]
		total = logSumExp(total, inv[n]+sums[n])
	}
	return trees + total, 0
}
