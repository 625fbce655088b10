package posterior

import (
	"slices"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/internal/permutation"
)

// Sharing returns, for each pair of items, the posterior mean number of features that they
// share. The diagonal holds the number of features of the item. chains[c][t] is draw t of
// chain c. Sharing uses a core and a matrix for each chain. It panics if chains differ in length or draws in the
// number of items.
func Sharing(chains [][]*feature.Allocation) [][]float64 {
	n, draws := chains[0][0].N(), len(chains[0])
	for _, chain := range chains {
		check(chain, n, draws)
	}
	counts := make([][][]float64, len(chains))
	parallel.Do(len(chains), func(c int) {
		counts[c] = lists.Square(n)
		for _, z := range chains[c] {
			rows := z.ByItem()
			for i, row := range rows {
				sums := counts[c][i][i:]
				for j, other := range rows[i:] {
					sums[j] += float64(feature.Common(row, other))
				}
			}
		}
	})
	mean := counts[0]
	for i := range mean {
		for j := i; j < n; j++ {
			for _, matrix := range counts[1:] {
				mean[i][j] += matrix[i][j]
			}
			mean[i][j] /= float64(len(chains) * draws)
			mean[j][i] = mean[i][j]
		}
	}
	return mean
}

// check panics unless a chain has the given number of draws, each of n items.
func check(chain []*feature.Allocation, n, draws int) {
	if len(chain) != draws {
		panic("posterior: chains of different lengths")
	}
	for _, z := range chain {
		if z.N() != n {
			panic("posterior: draws with different numbers of items")
		}
	}
}

// SharingMCSE returns the Monte Carlo standard errors of Sharing for some pairs of items, by
// MCSEMean. An error is NaN if the pair shares the same number in every draw. It takes a
// hundred times as long as a mean.
func SharingMCSE(chains [][]*feature.Allocation, pairs [][2]int) []float64 {
	count := counter(chains)
	return lists.Map(pairs, func(pair [2]int) float64 { return MCSEMean(count(pair[0], pair[1])) })
}

// counter returns a function that counts the features that items i and j share, by chain and
// draw. Its result holds until the next call.
func counter(chains [][]*feature.Allocation) func(i, j int) [][]float64 {
	n := chains[0][0].N()
	rows := make([][][][]uint64, len(chains)) // by chain, draw and item: features as bits
	counts := make([][]float64, len(chains))
	for c, draws := range chains {
		check(draws, n, len(chains[0]))
		counts[c] = make([]float64, len(draws))
		for _, z := range draws {
			rows[c] = append(rows[c], z.ByItem())
		}
	}
	return func(i, j int) [][]float64 {
		for c := range rows {
			for t, features := range rows[c] {
				counts[c][t] = float64(feature.Common(features[i], features[j]))
			}
		}
		return counts
	}
}

// MeanSharing returns, for each group of pairs of items, the mean number of features of z
// that a pair shares; NaN for an empty group.
func MeanSharing(z *feature.Allocation, groups [][][2]int) []float64 {
	features := z.ByItem()
	means := make([]float64, len(groups))
	for g, pairs := range groups {
		shared := 0
		for _, p := range pairs {
			shared += feature.Common(features[p[0]], features[p[1]])
		}
		means[g] = float64(shared) / float64(len(pairs))
	}
	return means
}

// ByLikeness returns an order of the items in which items that share many features are near each
// other. Sharing is a symmetric matrix of nonnegative numbers, whose diagonal holds the number of features of
// each item. The likeness of two items is the number of features that they share over the number that either
// has. Average linkage joins clusters, which begin with one item each, and puts their most alike ends together.
// It takes O(N^3).
func ByLikeness(sharing [][]float64) []int {
	n := len(sharing)
	alike, between := lists.Square(n), lists.Square(n) // of items, and the mean of clusters
	for i := range n {
		for j := range n {
			if either := sharing[i][i] + sharing[j][j] - sharing[i][j]; either > 0 {
				alike[i][j] = sharing[i][j] / either
			}
		}
		copy(between[i], alike[i])
	}
	clusters := lists.Make(n, func(i int) []int { return []int{i} })
	for remaining := permutation.Identity(n); len(remaining) > 1; {
		a, b := remaining[0], remaining[1]
		for p, c := range remaining {
			for _, d := range remaining[p+1:] {
				if between[c][d] > between[a][b] {
					a, b = c, d
				}
			}
		}
		x, y := clusters[a], clusters[b]
		first, last := alike[x[0]], alike[x[len(x)-1]]
		if max(first[y[0]], first[y[len(y)-1]]) > max(last[y[0]], last[y[len(y)-1]]) {
			slices.Reverse(x)
			last = first
		}
		if last[y[len(y)-1]] > last[y[0]] {
			slices.Reverse(y)
		}
		for _, c := range remaining {
			mean := (between[a][c]*float64(len(x)) + between[b][c]*float64(len(y))) / float64(len(x)+len(y))
			between[a][c], between[c][a] = mean, mean
		}
		clusters[a], clusters[b] = slices.Concat(x, y), nil
		remaining = slices.DeleteFunc(remaining, func(c int) bool { return c == b })
	}
	order := slices.Concat(clusters...)
	if n > 0 && order[0] > order[n-1] { // the direction is arbitrary
		slices.Reverse(order)
	}
	return order
}
