package posterior

import (
	"math/bits"
	"slices"

	"aibd/feature"
)

// Match returns, for each feature of est, the feature of z that the FARO loss matches
// to it, or -1 if none. It is the matching under which matched features have most
// items in common, all pairs together, whatever the weight of the loss. Features
// without a common item count as not matched: the loss is the same. Among matchings
// that are equally good it chooses by the items of the features, so that the order of
// the columns of z does not matter. Match panics if the numbers of items differ.
func Match(z, est *feature.Allocation) []int {
	if z.N() != est.N() {
		panic("posterior: match of allocations of different numbers of items")
	}
	order := make([]int, z.K())
	for l := range order {
		order[l] = l
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(z.Column(a), z.Column(b)) })
	sorted := feature.NewSized(z.N(), z.K())
	for _, l := range order {
		sorted.AppendColumn(z.Column(l))
	}
	n := max(z.K(), est.K())
	f, m, s := newFaro(est, n, 1), newMatched(sorted, n), newSearch(n)
	for k := range n {
		m.match(k, s, f.costs(m))
	}
	matched := make([]int, est.K())
	for k := range matched {
		matched[k] = -1
		if l := m.col[k]; common(f.columns[k], m.columns[l]) > 0 {
			matched[k] = order[l]
		}
	}
	return matched
}

// common returns the number of items that two columns have in common.
func common(a, b []uint64) int {
	both := 0
	for w, x := range a {
		both += bits.OnesCount64(x & b[w])
	}
	return both
}

// jaccard returns the share of the items of either column that are in both.
func jaccard(a, b []uint64) float64 {
	both, either := common(a, b), 0
	for w, x := range a {
		either += bits.OnesCount64(x | b[w])
	}
	return float64(both) / float64(either)
}
