package describe

import (
	"testing"

	"aibd/internal/spec"
)

func TestUnitOf(t *testing.T) {
	for unit, want := range map[string]struct {
		kind string
		per  float64
		name string
	}{
		"1000 km": {"great-circle", 1000, "km"}, "age": {"", 1, "units of age"}, "sd of age": {"", 1, "sd of age"}, "unit of d.csv": {"matrix", 1, "in the unit of d.csv"},
		"7 km": {"absolute", 1, "units of 7 km"}, // a column
	} {
		if per, name := UnitOf(spec.Distance{Kind: want.kind}, unit); per != want.per || name != want.name {
			t.Errorf("%s: found %v and %q, expected %v and %q", unit, per, name, want.per, want.name)
		}
	}
}
