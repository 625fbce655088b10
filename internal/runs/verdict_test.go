package runs

import "testing"

// TestCoarser: half the power is proposed, but none below the smallest and none with unknown cells.
func TestCoarser(t *testing.T) {
	for _, c := range []struct {
		power   float64
		unknown int
		want    float64
	}{{1, 0, 0.5}, {0.5, 0, 0.25}, {0.25, 0, 0.125}, {0.2, 0, 0}, {1, 3, 0}} {
		if got := coarser(c.power, c.unknown); got != c.want {
			t.Errorf("power %v with %d unknown cells: found %v, expected %v", c.power, c.unknown, got, c.want)
		}
	}
}
