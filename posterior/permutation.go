// The two permutation diagnostics of the paper.

package posterior

import "aibd/internal/permutation"

// PermutationMeans returns the two diagnostics of the paper for one draw of the
// permutation, perm[p] being the item that arrives at position p: the mean
// arrival position of the first half of the items (items 0 to N/2-1, N/2 rounded down), and
// that of the items with odd numbers counted from one (items 0, 2, 4, ...). Positions count
// from one: each mean is (N+1)/2 on average under the uniform distribution. A mean over no
// items (N = 0; for firstHalf also N = 1) is NaN. PermutationMeans panics if perm is not a
// permutation of 0 to N-1.
func PermutationMeans(perm []int) (firstHalf, odd float64) {
	n := len(perm)
	if err := permutation.Check(perm, make([]bool, n)); err != nil {
		panic("posterior: permutation: " + err.Error())
	}
	return permutation.Means(perm)
}
