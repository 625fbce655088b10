package exhibits

import (
	"math"
	"testing"
)

// The distances of the hypotheses, for scans of persons a, a, b, b, c at some ages.
func TestHypotheses(t *testing.T) {
	a := &patients{age: []float64{60, 61, 70, 60, 80}, group: []string{"a", "a", "b", "b", "c"}}
	sd := math.Sqrt((38.44 + 27.04 + 14.44 + 38.44 + 190.44) / 4) // about the mean 66.2
	byYears := func(years float64) float64 { return years/sd + 0.00001 }
	// Between people the differences are 10, 0, 9, 1, 20, 19, 10 and 20 years, with the median 10.
	want := map[string][3]float64{ // one person; other people, 1 and 10 years apart
		byAge:         {byYears(1), byYears(1), byYears(10)},
		byPerson:      {0, 1, 1},
		byAgeOfOthers: {byYears(10), byYears(1), byYears(10)},
		byBoth:        {byYears(1), 1 + byYears(1), 1 + byYears(10)},
	}
	for _, h := range a.hypotheses() {
		if h.of == nil {
			continue
		}
		found := [3]float64{h.of(0, 1), h.of(1, 3), h.of(2, 4)}
		for i, x := range found {
			if math.Abs(x-want[h.distance][i]) > 1e-12 {
				t.Errorf("%s: found the distances %v, want %v", h.distance, found, want[h.distance])
				break
			}
		}
		if h.of(1, 0) != h.of(0, 1) || h.of(4, 2) != h.of(2, 4) {
			t.Errorf("%s: not symmetric", h.distance)
		}
	}
}
