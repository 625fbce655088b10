package posterior

import (
	"slices"

	"aibd/feature"
	"aibd/internal/permutation"
)

// Match returns, for each feature of est, the matched feature of z, or -1 if none. The
// matching maximizes the total number of common items and thus minimizes the FARO loss for
// any weight. Features without a common item are not matched; the loss is the same. Ties
// depend on the items of the features, not on the order of the columns of z. Match panics
// if the numbers of items differ.
func Match(z, est *feature.Allocation) []int {
	if z.N() != est.N() {
		panic("posterior: match of allocations of different numbers of items")
	}
	order := permutation.Identity(z.K())
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(z.Column(a), z.Column(b)) })
	sorted := feature.NewSized(z.N(), z.K())
	for _, l := range order {
		sorted.AppendColumn(z.Column(l))
	}
	n := max(z.K(), est.K())
	f, m, s := newFaro(est, n, 1), newMatched(sorted, n), newSearch(n)
	f.matchAll(m, s)
	matched := make([]int, est.K())
	for k := range matched {
		matched[k] = -1
		if l := m.col[k]; feature.Common(f.columns[k], m.columns[l]) > 0 {
			matched[k] = order[l]
		}
	}
	return matched
}

// MatchSides is Match up to complements, as under data with an intercept: z is oriented to est
// first (see Orient). It also reports for each feature of est whether the complement of the
// matched feature of z is what matches.
func MatchSides(z, est *feature.Allocation) (matched []int, complement []bool) {
	oriented := orient(z, est)
	matched, complement = Match(oriented, est), make([]bool, est.K())
	for k, l := range matched {
		complement[k] = l >= 0 && oriented.Has(0, l) != z.Has(0, l)
	}
	return matched, complement
}

// jaccard returns the share of items in both columns, of those in either.
func jaccard(a, b []uint64) float64 {
	both := feature.Common(a, b)
	return float64(both) / float64(feature.Ones(a)+feature.Ones(b)-both)
}
