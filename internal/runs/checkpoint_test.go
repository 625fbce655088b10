package runs

import (
	"testing"

	"aibd/internal/spec"
)

// TestFingerprintOfDistances: the prior that a distance has of its own determines the draws, also in
// a run of one distance; its name does not.
func TestFingerprintOfDistances(t *testing.T) {
	with := func(change func(first, second *spec.Distance)) string {
		r := Run{record: record{Spec: spec.Default().Complete()}}
		r.Spec.Distance.FurtherDistances = []spec.Distance{{Kind: "same"}}
		change(&r.Spec.Distance, &r.Spec.Distance.FurtherDistances[0])
		return r.fingerprint()
	}
	plain := with(func(_, _ *spec.Distance) {})
	seen := map[string]string{plain: "nothing of its own"}
	for name, change := range map[string]func(first, second *spec.Distance){
		"rate":            func(first, _ *spec.Distance) { first.Temperature.Rate = 3 },
		"second is fixed": func(_, second *spec.Distance) { second.Temperature.Value, second.Temperature.Fixed = new(1.0), true },
	} {
		got := with(change)
		if other, ok := seen[got]; ok {
			t.Errorf("%s: found the fingerprint of %s", name, other)
		}
		seen[got] = name
	}
	if with(func(_, second *spec.Distance) { second.Name = "firm" }) != plain {
		t.Error("the name of a distance changes the fingerprint")
	}
}
