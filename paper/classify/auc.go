package classify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// AUC returns the area under the ROC curve: the probability that a random positive
// label has a higher score than a random negative one, ties counted half (Mann and
// Whitney). It is NaN if all labels are equal or a score is NaN. AUC panics if the
// lengths differ.
func AUC(scores []float64, y []bool) float64 {
	if len(scores) != len(y) {
		panic(fmt.Sprintf("classify: %d scores with %d labels", len(scores), len(y)))
	}
	order := make([]int, len(y))
	positive := 0
	for i := range order {
		order[i] = i
		if math.IsNaN(scores[i]) {
			return math.NaN()
		}
		if y[i] {
			positive++
		}
	}
	negative := len(y) - positive
	if positive == 0 || negative == 0 {
		return math.NaN()
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	// Twice the number of pairs in the right order, plus the number of ties.
	twice, below := 0, 0
	for len(order) > 0 {
		ties, up := 0, 0
		for ties < len(order) && scores[order[ties]] == scores[order[0]] {
			if y[order[ties]] {
				up++
			}
			ties++
		}
		down := ties - up
		twice += up * (2*below + down)
		below += down
		order = order[ties:]
	}
	return float64(twice) / (2 * float64(positive) * float64(negative))
}
