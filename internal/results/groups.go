package results

// Features that are identified only as a group, up to rotation.

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// Features turn into each other if more than half of the items of either have both, and if the sine of
// the angle (posterior.Turns) is above maxTurn, that of 12 degrees. Features of some ten items, whose
// weights are noisy, come near it without turning.
const maxTurn = 0.2

// groups returns the features of an estimate with weights, in groups that are identified only as a group, up to rotation: features
// that turn into each other over the draws, that verdict.Certain of the items of either share, or that trade places.
// Rotations of features with the same items have the same likelihood and the same prior. Shares are posterior.Part.Share, by
// feature.
func groups(e *posterior.Estimate, ds []*draws.Draw, shares [][]float64) (groups [][]int) {
	turns := posterior.Turns(e, ds)
	groups = lists.Make(e.Z.K(), func(k int) []int { return []int{k} })
	for k := range turns {
		for l := k + 1; l < len(turns); l++ {
			common := float64(feature.Common(e.Z.Column(k), e.Z.Column(l)))
			either := float64(e.Z.Size(k)+e.Z.Size(l)) - common
			if either > 1 && (turns[k][l] > maxTurn && 2*common > either || common >= verdict.Certain*either) {
				groups = merged(groups, []int{indexOf(groups, k), indexOf(groups, l)})
			}
		}
	}
	for {
		trade := trading(e.Z, groups, shares)
		if trade == nil {
			return groups
		}
		groups = merged(groups, trade)
	}
}

// indexOf returns the index of the group that has feature k.
func indexOf(groups [][]int, k int) int {
	return slices.IndexFunc(groups, func(group []int) bool { return slices.Contains(group, k) })
}

// merged makes one group of those with the given indices.
func merged(groups [][]int, indices []int) [][]int {
	var others [][]int
	var group []int
	for g, features := range groups {
		if slices.Contains(indices, g) {
			group = append(group, features...)
		} else {
			others = append(others, features)
		}
	}
	slices.Sort(group)
	others = append(others, group)
	slices.SortFunc(others, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return others
}

// Groups trade places if the data do not determine what one of them adds, and determine what they add together: the 90%
// interval of the widest share is wider than wide, and at least narrowing times as wide as that of their sum. Those that have
// most of their items apart do not trade, nor do those with an interval of at most half of wide. At most maxTraded groups are
// considered, those of the widest intervals.
const (
	wide      = 0.2
	narrowing = 2
	maxTraded = 8
)

// trading returns the indices of the fewest groups that trade places, of as many those whose sum has the narrowest interval,
// or nil.
func trading(z *feature.Allocation, groups [][]int, shares [][]float64) (best []int) {
	sums := lists.Map(groups, func(group []int) []float64 { return total(lists.Pick(shares, group)) })
	widths := lists.Map(sums, width)
	candidates := slices.DeleteFunc(permutation.Identity(len(groups)), func(g int) bool { return 2*widths[g] <= wide })
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(widths[b], widths[a]) })
	candidates = candidates[:min(len(candidates), maxTraded)]
	narrowest := 0.0
	for set := range 1 << len(candidates) {
		var trade []int
		for c, g := range candidates {
			if set>>c&1 == 1 {
				trade = append(trade, g)
			}
		}
		if len(trade) < 2 || best != nil && len(trade) > len(best) || !joined(z, lists.Pick(groups, trade)) {
			continue
		}
		sum, widest := width(total(lists.Pick(sums, trade))), widths[trade[0]]
		if widest > wide && narrowing*sum <= widest && (best == nil || len(trade) < len(best) || sum < narrowest) {
			best, narrowest = trade, sum
		}
	}
	return best
}

// joined reports whether every two groups have more than half of the items in common, of the one with fewer items.
func joined(z *feature.Allocation, groups [][]int) bool {
	members := lists.Map(groups, func(group []int) []uint64 {
		items := slices.Clone(z.Column(group[0]))
		for _, k := range group[1:] {
			for w, word := range z.Column(k) {
				items[w] |= word
			}
		}
		return items
	})
	for a, one := range members {
		for _, other := range members[:a] {
			if 2*feature.Common(one, other) <= min(feature.Ones(one), feature.Ones(other)) {
				return false
			}
		}
	}
	return true
}

func total(rows [][]float64) []float64 {
	sum := slices.Clone(rows[0])
	for _, row := range rows[1:] {
		floats.Add(sum, row)
	}
	return sum
}

// width returns the width of the 90% interval of draws.
func width(x []float64) float64 { return posterior.Quantile(x, 0.95) - posterior.Quantile(x, 0.05) }
