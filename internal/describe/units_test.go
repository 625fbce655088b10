package describe

import (
	"testing"

	"aibd/internal/spec"
)

func TestUnitOf(t *testing.T) {
	for unit, want := range map[string]struct {
		per  float64
		name string
	}{
		"1000 km": {1000, "km"}, "age": {1, "units of age"}, "sd of age": {1, "sd of age"}, "10 unit of d.csv": {10, "in the unit of d.csv"},
		"7 km": {1, "units of 7 km"}, // a column
	} {
		if per, name := UnitOf(spec.Distance{Per: want.per}, unit); per != want.per || name != want.name {
			t.Errorf("%s: found %v and %q, expected %v and %q", unit, per, name, want.per, want.name)
		}
	}
}
