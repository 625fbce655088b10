package picture

import (
	"math"
	"testing"
)

// The density of the draws 0 and 1 integrates to 1 and is symmetric, also reflected.
func TestKernel(t *testing.T) {
	k := newKernel([]float64{0, 1})
	for _, c := range []struct{ lower, upper float64 }{{math.Inf(-1), math.Inf(1)}, {0, 1}, {-0.2, 1.2}} {
		sum := 0.0
		const step = 0.001
		for x := max(c.lower, -4) + step/2; x < min(c.upper, 5); x += step {
			y := k.within(x, c.lower, c.upper)
			sum += y * step
			if other := k.within(1-x, c.lower, c.upper); math.Abs(y-other) > 1e-9 {
				t.Fatalf("found %v at %v and %v at %v, expected the same", y, x, other, 1-x)
			}
		}
		if math.Abs(sum-1) > 2e-3 {
			t.Errorf("from %v to %v: found the integral %v, expected 1", c.lower, c.upper, sum)
		}
	}
	if k := newKernel([]float64{2, 2, 2}); !math.IsNaN(k.within(2, 0, 4)) {
		t.Errorf("found a density of equal draws")
	}
}
