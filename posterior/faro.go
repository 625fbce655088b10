package posterior

import (
	"fmt"
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// FARO returns the FARO loss of estimating the allocation z by est (Dahl, Johnson
// and Andros, Comparison and Bayesian estimation of feature allocations, 2023). It is the
// minimum over all matchings of their features of a times the number of entries in z but
// not in est, plus 2-a times the number in est but not in z. Empty features pad the
// smaller allocation. For a = 1 the loss is a metric. FARO panics if the numbers of items
// differ or a is not in [0, 2].
func FARO(z, est *feature.Allocation, a float64) float64 {
	if z.N() != est.N() {
		panic(fmt.Sprintf("posterior: FARO loss of allocations of %d and %d items", z.N(), est.N()))
	}
	checkWeight(a)
	n := max(z.K(), est.K())
	f := newFaro(est, n, a)
	m := newMatched(z, n)
	f.matchAll(m, newSearch(n))
	return f.loss(m)
}

func checkWeight(a float64) {
	if !(a >= 0 && a <= 2) {
		panic(fmt.Sprintf("posterior: weight %g of the FARO loss, expected 0 to 2", a))
	}
}

// faro is an estimate padded to n features, with the weights of its errors.
type faro struct {
	n, words int
	missed   float64 // weight of an entry only in the draw
	extra    float64 // weight of an entry only in the estimate
	columns  [][]uint64
	sizes    []int
}

func newFaro(est *feature.Allocation, n int, a float64) *faro {
	f := &faro{n: n, words: (est.N() + 63) / 64, missed: a, extra: 2 - a}
	f.columns, f.sizes = padded(est, n, f.words)
	return f
}

// padded returns the columns of z and their sizes, padded to n.
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

// matched is a draw padded to n features and matched to an estimate. The rows of the
// assignment are the features of the estimate.
type matched struct {
	*assignment
	columns [][]uint64
	sizes   []int
	both    []int32   // number of common items, by feature of the estimate and feature of the draw
	out     []float64 // least reduced cost of each feature of the estimate and another column than its own, NaN if not computed
}

func newMatched(z *feature.Allocation, n int) *matched {
	m := &matched{assignment: newAssignment(n), both: make([]int32, n*n), out: make([]float64, n)}
	m.forget()
	m.columns, m.sizes = padded(z, n, (z.N()+63)/64)
	return m
}

// forget drops what belongs to the matching.
func (m *matched) forget() { vector.Fill(m.out, math.NaN()) }

// overlap computes the common items of feature k of the estimate and the features of a draw.
func (f *faro) overlap(k int, m *matched) {
	row := m.both[k*f.n : (k+1)*f.n]
	clear(row)
	if f.sizes[k] == 0 {
		return
	}
	for l, size := range m.sizes {
		if size > 0 {
			row[l] = int32(feature.Common(f.columns[k], m.columns[l]))
		}
	}
}

// matchAll matches all features of a draw, which are free.
func (f *faro) matchAll(m *matched, s *search) {
	for k := range f.n {
		f.overlap(k, m)
	}
	for k := range f.n {
		m.match(k, s, f.costs(m))
	}
}

// cost returns the loss between feature k of the estimate and feature l of a draw.
func (f *faro) cost(k, l int, m *matched) float64 {
	both := int(m.both[k*f.n+l])
	return f.missed*float64(m.sizes[l]-both) + f.extra*float64(f.sizes[k]-both)
}

// costs returns a function that sets into to the losses of feature k of the estimate.
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
