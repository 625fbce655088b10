package classify

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Stratified returns the items of a random training set, ascending, with the given
// numbers of negative and positive labels. Every such set is equally likely. Stratified
// returns an error if the test set would lack a label.
func Stratified(rng *rand.Rand, y []bool, negative, positive int) ([]int, error) {
	var items [2][]int
	for i, label := range y {
		c := 0
		if label {
			c = 1
		}
		items[c] = append(items[c], i)
	}
	var train []int
	for c, want := range [2]int{negative, positive} {
		name := [2]string{"negative", "positive"}[c]
		if want < 1 || want >= len(items[c]) {
			return nil, fmt.Errorf("training set: found a size of %d %s labels, expected 1 to %d of the %d", want, name, len(items[c])-1, len(items[c]))
		}
		rng.Shuffle(len(items[c]), func(a, b int) { items[c][a], items[c][b] = items[c][b], items[c][a] })
		train = append(train, items[c][:want]...)
	}
	slices.Sort(train)
	return train, nil
}

// maxTries is the max number of sets that Grouped draws.
const maxTries = 1000

// Grouped returns the items, ascending, of a random training set of whole groups:
// it has all items of a group or none. It has the given share of the groups, rounded.
// Grouped draws again until the training and the test set have both labels. It returns an
// error if the share leaves no group in one of them, or after 1000 draws. It panics if the
// lengths differ.
func Grouped(rng *rand.Rand, y []bool, groups []string, share float64) ([]int, error) {
	if len(y) != len(groups) {
		panic(fmt.Sprintf("classify: %d labels with %d groups", len(y), len(groups)))
	}
	names := slices.Compact(slices.Sorted(slices.Values(groups)))
	want := int(share*float64(len(names)) + 0.5)
	if want < 1 || want >= len(names) {
		return nil, fmt.Errorf("training set: found a share of %g of %d groups, expected at least one group in it and one outside", share, len(names))
	}
	for range maxTries {
		rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
		in := map[string]bool{}
		for _, g := range names[:want] {
			in[g] = true
		}
		var train []int
		var seen [2][2]bool // by side and label
		for i, g := range groups {
			side, label := 0, 0
			if in[g] {
				train, side = append(train, i), 1
			}
			if y[i] {
				label = 1
			}
			seen[side][label] = true
		}
		if seen == [2][2]bool{{true, true}, {true, true}} {
			return train, nil
		}
	}
	return nil, fmt.Errorf("training set: found no set with both labels inside and outside in %d draws, expected smaller groups", maxTries)
}
