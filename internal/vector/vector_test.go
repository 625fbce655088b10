package vector

import (
	"slices"
	"testing"
)

// TestByHand compares the functions with values computed by hand.
func TestByHand(t *testing.T) {
	y := []float64{1, 2}
	Axpy(y, 2, []float64{10, 20})
	if y[0] != 21 || y[1] != 42 {
		t.Error("Axpy:", y)
	}
	y = []float64{1, 2}
	AddRows(y, 2, []float64{2, 0, 3}, 2, []float64{1, 10, 0, 100, 1000}, 3)
	if y[0] != 1+2+300 || y[1] != 2+20+3000 {
		t.Error("AddRows:", y)
	}
	SubRows(y, 2, []float64{2, 0, 3}, 2, []float64{1, 10, 0, 100, 1000}, 3)
	if y[0] != 1 || y[1] != 2 {
		t.Error("SubRows:", y)
	}
	m := []float64{1, 2, -1, 3, 4}
	AddOuter(m, 3, 2, 10, []float64{1, 2}, 1, []float64{5, 6})
	if !slices.Equal(m, []float64{51, 62, -1, 103, 124}) {
		t.Error("AddOuter:", m)
	}
	if x := Dot([]float64{1, 2, 3}, []float64{4, 5, 6}); x != 32 {
		t.Error("Dot:", x)
	}
}
