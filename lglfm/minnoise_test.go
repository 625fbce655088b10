package lglfm_test

import (
	"math"
	"testing"

	"aibd/lglfm"
)

// The min noise is the smallest difference of two values over sqrt(2 pi), in any order, unit and
// place, apart from differences that come from arithmetic.
func TestMinNoise(t *testing.T) {
	nan := math.NaN()
	got := lglfm.MinNoise([][]float64{
		{1, 0.7, 5, nan, nan, 1e6 + 0.1 + 0.2},
		{0, 0.1, 5, nan, 3, 1e6 + 0.3},
		{1, nan, 5, nan, nan, 1e6 + 0.5},
		{0, 0.3, 5, nan, nan, 1e6},
	})
	for j, unit := range []float64{1, 0.2, 0, 0, 0, 0.2} {
		if want := unit / math.Sqrt(2*math.Pi); !(math.Abs(got[j]-want) <= 1e-9) {
			t.Errorf("column %d: found %v, expected %v", j+1, got[j], want)
		}
	}
	if got := lglfm.MinNoise(nil); got != nil {
		t.Errorf("no rows: found %v", got)
	}
}
