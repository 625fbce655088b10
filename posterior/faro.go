package posterior

import (
	"fmt"

	"aibd/feature"
)

// FARO returns the FARO loss of estimating the allocation z by est (Dahl, Johnson
// and Andros, Comparison and Bayesian estimation of feature allocations, 2023):
// the least sum, over all matchings of their features, of a for each entry that z
// has and est has not, and of 2-a for each that est has and z has not. The smaller
// allocation is filled up with features without items. With a = 1 it is symmetric
// and a metric. FARO panics if the numbers of items differ or a is not between 0
// and 2.
func FARO(z, est *feature.Allocation, a float64) float64 {
	if z.N() != est.N() {
		panic(fmt.Sprintf("posterior: FARO loss of allocations of %d and %d items", z.N(), est.N()))
	}
	checkWeight(a)
	n := max(z.K(), est.K())
	f := newFaro(est, n, a)
	m := newMatched(z, n)
	s := newSearch(n)
	for k := range n {
		m.match(k, s, f.costs(m))
	}
	return f.loss(m)
}

func checkWeight(a float64) {
	if !(a >= 0 && a <= 2) {
		panic(fmt.Sprintf("posterior: weight %g of the FARO loss, expected 0 to 2", a))
	}
}

// faro is an estimate of n features, some of them without items, with the weights of
// its errors.
type faro struct {
	n, words int
	missed   float64 // an entry of the truth that the estimate has not
	extra    float64 // one of the estimate that the truth has not
	columns  [][]uint64
	sizes    []int
}

func newFaro(est *feature.Allocation, n int, a float64) *faro {
	f := &faro{n: n, words: (est.N() + 63) / 64, missed: a, extra: 2 - a}
	f.columns, f.sizes = padded(est, n, f.words)
	return f
}

// padded returns the columns of z and their sizes, filled up to n.
func padded(z *feature.Allocation, n, words int) ([][]uint64, []int) {
	columns, sizes := make([][]uint64, n), make([]int, n)
	for k := range n {
		columns[k] = make([]uint64, words)
		if k < z.K() {
			copy(columns[k], z.Column(k))
			sizes[k] = z.Size(k)
		}
	}
	return columns, sizes
}

// matched is a draw whose features, filled up to n, are matched to those of an
// estimate: rows of the assignment are features of the estimate.
type matched struct {
	*assignment
	columns [][]uint64
	sizes   []int
}

func newMatched(z *feature.Allocation, n int) *matched {
	m := &matched{assignment: newAssignment(n)}
	m.columns, m.sizes = padded(z, n, (z.N()+63)/64)
	return m
}

// cost returns the loss between feature k of the estimate and feature l of a draw.
func (f *faro) cost(k, l int, m *matched) float64 {
	both := common(f.columns[k], m.columns[l])
	return f.missed*float64(m.sizes[l]-both) + f.extra*float64(f.sizes[k]-both)
}

// costs returns the function that gives the losses of a feature of the estimate.
func (f *faro) costs(m *matched) func(k int, into []float64) {
	return func(k int, into []float64) {
		for l := range into {
			into[l] = f.cost(k, l, m)
		}
	}
}

// loss returns the loss under the matching.
func (f *faro) loss(m *matched) float64 {
	sum := 0.0
	for k, l := range m.col {
		sum += f.cost(k, l, m)
	}
	return sum
}
