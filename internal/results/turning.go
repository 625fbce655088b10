package results

import (
	"strconv"
	"strings"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/words"
	"aibd/posterior"
)

// Features turn into each other if more than half of the items of either have both, and if the sine of
// the angle (posterior.Turns) is above maxTurn, that of 12 degrees. Features of some ten items, whose
// weights are noisy, come near it without turning.
const maxTurn = 0.2

// turning returns groups of features that turn into each other over the draws: rotations of features
// with the same items have the same likelihood and the same prior.
func (e *Estimate) turning() (groups [][]int) {
	if e.Weights == nil {
		return nil
	}
	turns, first := posterior.Turns(e.Estimate, e.from), permutation.Identity(e.Z.K()) // first: of the group of each feature
	for k := range turns {
		for l := k + 1; l < len(turns); l++ {
			common := feature.Common(e.Z.Column(k), e.Z.Column(l))
			if either := e.Z.Size(k) + e.Z.Size(l) - common; turns[k][l] > maxTurn && 2*common > either && either > 1 {
				one, other := first[k], first[l]
				for m, f := range first {
					if f == max(one, other) {
						first[m] = min(one, other)
					}
				}
			}
		}
	}
	for k := range first {
		var group []int
		for l, f := range first {
			if f == k {
				group = append(group, l)
			}
		}
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// TurningLine says which features turn into each other, "" for none.
func (e *Estimate) TurningLine() string {
	of := lists.Of(e.Turning, func(group []int) string {
		return "features " + words.And(lists.Of(group, func(k int) string { return strconv.Itoa(k + 1) }))
	})
	if len(of) == 0 {
		return ""
	}
	line := strings.Join(of, "; ")
	return strings.ToUpper(line[:1]) + line[1:] + " turn into each other over the draws. The data tell what they add together, not what each adds alone."
}
