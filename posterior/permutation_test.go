// The permutation diagnostics, by hand.

package posterior

import (
	"math"
	"testing"
)

func TestPermutationMeans(t *testing.T) {
	for _, c := range []struct {
		perm           []int
		firstHalf, odd float64
	}{
		{[]int{0, 1, 2, 3}, 1.5, 2},
		{[]int{3, 2, 1, 0}, 3.5, 3},
		{[]int{4, 0, 3, 1, 2}, 3, 8. / 3}, // arrivals of items 0 to 4: 2 4 5 3 1
		{[]int{0}, math.NaN(), 1},
		{nil, math.NaN(), math.NaN()},
	} {
		firstHalf, odd := PermutationMeans(c.perm)
		if !near(firstHalf, c.firstHalf, 0) || !near(odd, c.odd, 0) {
			t.Errorf("%v: %v and %v, want %v and %v", c.perm, firstHalf, odd, c.firstHalf, c.odd)
		}
	}
}
