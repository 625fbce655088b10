package posterior

import (
	"math"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/permutation"
)

// Match returns, for each feature of est, the matched feature of z, or -1 if none. The matching maximizes the sum of
// the overlaps of matched features, the Jaccard index of their items. Features without a common item are not matched.
// Ties depend on the items of the features, not on the order of the columns of z. Match panics
// if the numbers of items differ.
func Match(z, est *feature.Allocation) []int {
	if z.N() != est.N() {
		panic("posterior: match of allocations of different numbers of items")
	}
	order := permutation.Identity(z.K())
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(z.Column(a), z.Column(b)) })
	matched := matchOverlaps(est.K(), z.K(), func(k, l int) float64 { return jaccard(est.Column(k), z.Column(order[l])) })
	for k, l := range matched {
		if l >= 0 {
			matched[k] = order[l]
		}
	}
	return matched
}

// matchOverlaps returns, for each feature of an estimate, the feature of a draw that is matched to it, or -1, such that
// the sum of overlaps is largest.
func matchOverlaps(features, targets int, overlap func(k, l int) float64) []int {
	n := max(features, targets)
	overlaps := make([]float64, n*n)
	for k := range features {
		for l := range targets {
			overlaps[k*n+l] = overlap(k, l)
		}
	}
	m, s := newAssignment(n), newSearch(n)
	for k := range n {
		m.match(k, s, func(k int, into []float64) {
			for l := range into {
				into[l] = -overlaps[k*n+l]
			}
		})
	}
	return lists.Make(features, func(k int) int {
		if l := m.col[k]; overlaps[k*n+l] > 0 {
			return l
		}
		return -1
	})
}

// MatchWeights is Match for an estimate with weights (Estimate.Weights) and a draw that has them too. It also reports
// whether the sign of the matched feature is turned. With weights the overlap is the sum over items of the smaller
// absolute weight, 0 if the signs differ, over the sum of the larger one, or of both if the signs differ. If all
// weights are 1 it is the Jaccard index.
func MatchWeights(d *draws.Draw, weights [][]float64) (matched []int, turned []bool) {
	columns := weightedColumns(d)
	sizes := lists.Map(weights, func(row []float64) (sum float64) {
		for _, x := range row {
			sum += math.Abs(x)
		}
		return sum
	})
	turn := make([]bool, len(weights)*len(columns))
	matched = matchOverlaps(len(weights), len(columns), func(k, l int) float64 {
		overlap, turned, c := 0.0, 0.0, columns[l]
		for index, i := range c.items {
			x, y := weights[k][i], c.values[index]
			if common := min(math.Abs(x), math.Abs(y)); x*y > 0 {
				overlap += common
			} else {
				turned += common
			}
		}
		turn[k*len(columns)+l] = turned > overlap
		overlap = max(overlap, turned)
		return overlap / (sizes[k] + c.size - overlap)
	})
	return matched, lists.Make(len(weights), func(k int) bool { return matched[k] >= 0 && turn[k*len(columns)+matched[k]] })
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
