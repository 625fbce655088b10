package predict

import (
	"math"
	"testing"
)

// TestStand: differences are paired, in nats of all cells, and their errors are the larger of those over
// cells and over items.
func TestStand(t *testing.T) {
	cells := func(densities ...float64) (all []Scored) {
		for c, x := range densities {
			all = append(all, Scored{Item: c / 2, Variable: c % 2, LogDensity: x, ByChain: []float64{x - 0.1, x + 0.1}})
		}
		return all
	}
	all := Stand([][]Scored{cells(-3, -2, -4, -5), cells(-1, -1, -2, -2), cells(-1, -1, -2, -3)})
	if all[0].Model != 1 || all[1].Model != 2 || all[2].Model != 0 || all[0].Difference != 0 {
		t.Fatalf("found %+v", all)
	}
	// Differences -2, -1, -2, -3 by cell and -3, -5 by item: variances 2/3 and 2, so errors sqrt(8/3) and 2.
	if last := all[2]; last.Difference != -8 || math.Abs(last.SE-2) > 1e-12 || math.Abs(last.MCSE-math.Hypot(4*last.Score.MCSE, 4*all[0].Score.MCSE)) > 1e-12 {
		t.Errorf("found %+v", last)
	}
	defer func() {
		if recover() == nil {
			t.Error("other cells: found no panic")
		}
	}()
	other := cells(-1, -1, -2, -2)
	other[1].Variable = 0
	Stand([][]Scored{cells(-1, -1, -2, -2), other})
}
