package picture

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"aibd/internal/results"
)

// All checks are named if there is room, else misfits, the most extreme first, no two on top of each other.
func TestNamedChecks(t *testing.T) {
	var checks []results.Check
	for _, p := range []float64{0.5, 0.005, 0, 0.3, 0.999, 0.5, 1} {
		checks = append(checks, results.Check{P: results.Number(p)})
	}
	for step, want := range map[vg.Length][]int{2: {0, 1, 2, 3, 4, 5, 6}, 1.5: {2, 6, 4}, 0.5: {2, 6}} {
		if got := namedChecks(checks, step*vg.Millimeter); !slices.Equal(got, want) {
			t.Errorf("%v mm apart: found %v, expected %v", step, got, want)
		}
	}
}
