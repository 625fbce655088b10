package cli

import (
	"math"
	"strings"
	"testing"
)

func TestNiceTicks(t *testing.T) {
	for _, c := range []struct {
		most      int
		low, high float64
		expected  string
	}{
		{4, -0.3, 6.1, "0 2 4 6"},
		{4, -450, -340, "\u2212450 \u2212400 \u2212350"},
		{6, 0, 0.95, "0 0.2 0.4 0.6 0.8"},
		{8, 0, 5, "0 1 2 3 4 5"},
		{4, 0.0001, 0.00061, "0.0002 0.0004 0.0006"},
		{4, 1, 1, ""},
	} {
		var found []string
		for _, tick := range niceTicks(c.most).Ticks(c.low, c.high) {
			found = append(found, tick.Label)
		}
		if strings.Join(found, " ") != c.expected {
			t.Errorf("%d ticks from %v to %v: found %v, expected %s", c.most, c.low, c.high, found, c.expected)
		}
	}
}

// The density of the draws 0 and 1 integrates to 1 and is symmetric.
func TestDensity(t *testing.T) {
	const low, high = -4, 5
	curve := density([]float64{0, 1}, low, high)
	sum := 0.0
	for i, p := range curve {
		sum += p.X * (high - low) / float64(len(curve)-1) / math.Sqrt(2*math.Pi)
		if q := curve[len(curve)-1-i]; math.Abs(p.X-q.X) > 1e-12 {
			t.Errorf("found %v at %v and %v at %v, expected the same", p.X, p.Y, q.X, q.Y)
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("found the integral %v, expected 1", sum)
	}
	if curve := density([]float64{2, 2, 2}, 0, 4); curve != nil {
		t.Errorf("found a curve for equal draws")
	}
}
