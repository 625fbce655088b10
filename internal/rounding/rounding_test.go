package rounding

import (
	"math"
	"testing"
)

func TestSame(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b, about float64
		want        bool
	}{
		{0.1, 0.10000000000000009, 0, true},
		{-100.71522732975436, -100.71522732975552, 0, true},
		{1e300, 1e300 * (1 + 1e-13), 0, true},
		{math.MaxFloat64, -math.MaxFloat64, 0, false},
		{1, 1 + 1e-9, 0, false},
		{0, -6.57e-14, 0, false},
		{0, -6.57e-14, 1, true},
		{1e-20, 2e-20, 0, false},
		{0, 0, 0, true},
		{inf, inf, 0, true}, {inf, -inf, 0, false}, {inf, 1, 0, false}, {1, -inf, 1, false},
		{nan, nan, 0, false}, {nan, 1, 0, false},
	} {
		if Same(c.a, c.b, c.about) != c.want || Same(c.b, c.a, c.about) != c.want {
			t.Errorf("Same(%v, %v, %v) is not %v", c.a, c.b, c.about, c.want)
		}
	}
}
