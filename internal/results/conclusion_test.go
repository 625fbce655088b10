package results

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestBetween: the columns are between two groups, half between them, within them, and constant.
func TestBetween(t *testing.T) {
	x := mat.NewDense(4, 4, []float64{
		0, 0, 0, 7,
		0, 2, 2, 7,
		2, 2, 0, 7,
		2, 4, 2, 7,
	})
	groups := []int{0, 0, 1, 1}
	if got, want := between(x, groups), (1+0.5+0)/3.0; math.Abs(got-want) > 1e-12 {
		t.Errorf("found %v, expected %v", got, want)
	}
	if got, want := between(x, []int{0, 1, 0, 1}), (0+0.5+1)/3.0; math.Abs(got-want) > 1e-12 {
		t.Errorf("found %v of other groups, expected %v", got, want)
	}
	var scaled mat.Dense
	scaled.Apply(func(_, v int, value float64) float64 { return value * math.Pow(10, float64(v)) }, x)
	if got, want := between(&scaled, groups), between(x, groups); math.Abs(got-want) > 1e-12 {
		t.Errorf("found %v in other units, expected %v", got, want)
	}
	if got := between(x.Slice(0, 4, 3, 4).(*mat.Dense), groups); got != 0 {
		t.Errorf("found %v of a constant column", got)
	}
}
