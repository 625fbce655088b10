package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every stratified training set is as likely as every other: of 4 x 3 = 12 sets, in
// 12,000 draws; chi-square with 11 degrees of freedom is above 50.3 once in 1.8
// million seeds.
func TestStratified(t *testing.T) {
	y := []bool{true, false, true, false, false, true, false}
	rng := rand.New(rand.NewPCG(1, 1))
	counts := map[string]int{}
	for range 12_000 {
		train, err := Stratified(rng, y, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		positive := 0
		for _, i := range train {
			if y[i] {
				positive++
			}
		}
		if len(train) != 4 || positive != 1 || !slices.IsSorted(train) {
			t.Fatalf("training set %v", train)
		}
		counts[fmt.Sprint(train)]++
	}
	chi := 0.0
	for _, n := range counts {
		chi += math.Pow(float64(n)-1000, 2) / 1000
	}
	if len(counts) != 12 || chi > 50.3 {
		t.Errorf("%d sets, chi-square %v", len(counts), chi)
	}
	for _, c := range []struct {
		negative, positive int
		want               string
	}{
		{4, 1, "training set: found a size of 4 negative labels, expected 1 to 3 of the 4"},
		{1, 0, "training set: found a size of 0 positive labels, expected 1 to 2 of the 3"},
	} {
		if _, err := Stratified(rng, y, c.negative, c.positive); err == nil || err.Error() != c.want {
			t.Errorf("error %v, expected %s", err, c.want)
		}
	}
}

// A group is on one side, and both labels are on both.
func TestGrouped(t *testing.T) {
	groups := []string{"a", "a", "b", "b", "c", "d", "d", "e"}
	y := []bool{true, true, false, false, true, false, true, false}
	rng := rand.New(rand.NewPCG(2, 1))
	seen := map[string]int{}
	for range 500 {
		train, err := Grouped(rng, y, groups, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		in := map[string]bool{}
		var labels [2][2]bool
		for _, i := range train {
			in[groups[i]] = true
		}
		for i, g := range groups {
			if in[g] != slices.Contains(train, i) {
				t.Fatalf("training set %v cuts group %s", train, g)
			}
			side, label := 0, 0
			if in[g] {
				side = 1
			}
			if y[i] {
				label = 1
			}
			labels[side][label] = true
		}
		if len(in) != 3 || labels != [2][2]bool{{true, true}, {true, true}} {
			t.Fatalf("training set %v", train)
		}
		seen[fmt.Sprint(train)]++
	}
	// Of the 10 sets of 3 groups, those without a label on a side do not occur.
	if len(seen) < 6 || len(seen) > 10 {
		t.Errorf("%d sets", len(seen))
	}
	if _, err := Grouped(rng, y, groups, 0.01); err == nil || err.Error() != "training set: found a share of 0.01 of 5 groups, expected at least one group in it and one outside" {
		t.Errorf("error %v", err)
	}
	if _, err := Grouped(rng, []bool{true, false}, []string{"a", "b"}, 0.5); err == nil {
		t.Error("a set without both labels is no error")
	}
}
