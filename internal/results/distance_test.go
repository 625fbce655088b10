package results

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Bins are as equal as ties allow. They never split a tie, and are small only if a tie leaves no
// other bins.
func TestBins(t *testing.T) {
	between := func(points []float64) (distances []float64) {
		for i := range points {
			for j := range i {
				distances = append(distances, math.Abs(points[i]-points[j]))
			}
		}
		return distances
	}
	// The other items of 50 are at distances that all differ.
	tied := func(items int) []float64 {
		points := make([]float64, items)
		for i := range 50 - items {
			points = append(points, math.Sqrt(float64(i*i*i)+2))
		}
		return between(points)
	}
	var integers []float64
	for i := range 49 {
		integers = append(integers, float64(i%4))
	}
	for _, test := range []struct {
		what      string
		distances []float64
		sizes     string
	}{
		{"no ties", tied(0), "[122 122 122 122 122 123 123 123 123 123]"},
		{"few pairs", []float64{3, 1, 2}, "[1 1 1]"},
		{"one distance", []float64{1, 1}, "[2]"},
		{"distances that differ by rounding", []float64{0.1, 0.10000000000000009, 0.2, 0.1, 0.30000000000000004, 0.3}, "[3 1 2]"},
		{"items at 0 to 3 and 40", between(append(integers, 40)), "[276 444 300 205]"},
		{"25 of 50 items at one place", tied(25), "[300 92 104 100 108 99 106 116 107 93]"},
		{"30 of 50 items at one place", tied(30), "[435 96 86 86 87 87 87 85 76 100]"},
		{"49 of 50 items at one place", tied(49), "[1176 49]"},
		{"few pairs before a tie", append(slices.Repeat([]float64{1}, 90), 0, 0, 0), "[3 90]"},
		{"few pairs before two ties", append(slices.Repeat([]float64{1, 2}, 90), 0, 0, 0), "[93 90]"},
		{"few pairs on both sides of a tie", append(slices.Repeat([]float64{5}, 94), 1, 2, 3, 7, 8, 9), "[3 94 3]"},
	} {
		var pairs []pair
		for _, distance := range test.distances {
			pairs = append(pairs, pair{distance: distance})
		}
		var sizes []int
		all := bins(pairs)
		for i, b := range all {
			sizes = append(sizes, b.Pairs)
			if i > 0 && b.From <= all[i-1].To {
				t.Errorf("%s: a bin ends at %v, the next starts at %v", test.what, all[i-1].To, b.From)
			}
		}
		if got := fmt.Sprint(sizes); got != test.sizes {
			t.Errorf("%s: found %s, expected %s", test.what, got, test.sizes)
		}
	}
}
