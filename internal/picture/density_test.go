package picture

import (
	"math"
	"testing"
)

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
