package collapsed

import (
	"math"
	"testing"
)

// TestFlipBoundsByHand compares flipBounds with values computed by hand.
func TestFlipBoundsByHand(t *testing.T) {
	bounds := make([]float64, 2)
	flipBounds(bounds, []float64{3, 3}, []float64{2, -2}, []float64{0.5, 3}, []float64{1, 1}, []float64{5, 5}, []float64{4, 4}, []float64{6, 6}, 2, 10, 30, 8, 12)
	// one1 = 4 and e1 = 14: t = -1/2.
	want := 3 * math.Pow(1-(30-8*14./4+12*(-0.5-0.125-0.125/3))/64, -64)
	if math.Abs(bounds[0]-want) > 1e-12*want || !math.IsNaN(bounds[1]) {
		t.Error("flipBounds:", bounds, want)
	}
}
