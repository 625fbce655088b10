package posterior

import (
	"slices"

	"aibd/feature"
)

// Distinct returns z with one feature for each set of items: without copies, which are features with
// the items of an earlier one. For each of its features first is the number of the earliest one in z with
// these items, and count the number of them. Only the sum of the loadings of copies is identified.
func Distinct(z *feature.Allocation) (distinct *feature.Allocation, first, count []int) {
	distinct = feature.NewSized(z.N(), z.K())
	bySize := map[int][]int{} // features of distinct
	for k := range z.K() {
		size := z.Size(k)
		if index := slices.IndexFunc(bySize[size], func(l int) bool { return slices.Equal(distinct.Column(l), z.Column(k)) }); index >= 0 {
			count[bySize[size][index]]++
			continue
		}
		bySize[size] = append(bySize[size], distinct.K())
		distinct.AppendColumn(z.Column(k))
		first, count = append(first, k), append(count, 1)
	}
	return distinct, first, count
}
