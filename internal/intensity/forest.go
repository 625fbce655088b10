package intensity

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
//
// The item that is left most easily goes first. Those that are hard to leave then
// come last, where their logs, which may be of any size, do not enter both the trees
// and the items relative to the first, to cancel.
func logForest(a, inv []float64) (log float64) {
	m := len(inv)
	a, inv = slices.Clone(a), slices.Clone(inv)
	sums := make([]float64, m)
	trees := 0.0
	for n := m - 1; n > 0; n-- {
		easiest, highest := 0, math.Inf(-1)
		for i := range n + 1 {
			sum := math.Inf(-1)
			for j, x := range a[i*m : i*m+n+1] {
				if j != i {
					sum = logSumExp(sum, x)
				}
			}
			if sum > highest {
				easiest, highest = i, sum
			}
		}
		if math.IsInf(highest, -1) {
			return highest // several items of which none leads to another
		}
		inv[n], inv[easiest] = inv[easiest], inv[n]
		for j := range m {
			a[n*m+j], a[easiest*m+j] = a[easiest*m+j], a[n*m+j]
		}
		for i := range m {
			a[i*m+n], a[i*m+easiest] = a[i*m+easiest], a[i*m+n]
		}
		sums[n] = highest
		trees += highest
		row := a[n*m : n*m+n]
		for i := range n {
			for j := range n {
				if i != j {
					a[i*m+j] = logSumExp(a[i*m+j], a[i*m+n]-highest+row[j])
				}
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
	return trees + total
}
