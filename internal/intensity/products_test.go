package intensity

import (
	"math"
	"testing"
)

// TestProducts compares the products with values computed by hand.
func TestProducts(t *testing.T) {
	if x := oneMinus([]float64{0.25, 1}, []float64{2, 0.5}); x != 0.25 {
		t.Error("oneMinus:", x)
	}
	if x := oneMinus([]float64{1, 2, 3, 4, 5, 6}, []float64{2, 2, 2, 2, 2, 2}); x != 1*3*5*7*9*11 {
		t.Error("oneMinus:", x)
	}
	if num, den := flipProducts([]float64{0.25}, []float64{0.125}, []float64{2}, 1); num != 0.25 || den != 0.5 {
		t.Error("flipProducts:", num, den)
	}
	if num, den := swapProducts([]float64{2}, []float64{3}, 10, 20, 30, 40); num != 19*59 || den != 59*119 {
		t.Error("swapProducts:", num, den)
	}
	x := []float64{1, 0, -1e300}
	exp(x, 1, 2)
	if x[0] != 1 || x[1] != math.Exp(-2) || x[2] != math.Exp(-708) {
		t.Error("exp:", x)
	}
}

// TestShrinkSees: shrink reports an element that loses nearly all, at any index.
func TestShrinkSees(t *testing.T) {
	const n = 5
	for index := range n {
		y, x := []float64{1, 1, 1, 1, 1}, make([]float64, n)
		if shrink(y, x, 1e-3) {
			t.Fatal("equal elements: seen")
		}
		x[index] = 0.9999
		if !shrink(y, x, 1e-3) || y[index] != 1-x[index] {
			t.Fatalf("element %d: not seen, left %v", index, y)
		}
	}
}
