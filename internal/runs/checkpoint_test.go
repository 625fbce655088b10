package runs

import (
	"os"
	"path/filepath"
	"testing"

	"aibd/internal/spec"
)

// TestFingerprintOfFormat10: runs made before the intercept was part of the fingerprint keep
// theirs, so that their draws stay readable.
func TestFingerprintOfFormat10(t *testing.T) {
	content, err := os.ReadFile("testdata/format10.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, recordFile), content, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = "04c3b538035192b32c1cea17c08a1f46f62bd95b175b211bced466ccdfe737e1"
	if got := r.fingerprint(); got != want {
		t.Errorf("found the fingerprint %s, expected %s", got, want)
	}
}

// TestFingerprintOfDistances: the decay and the prior that a distance has of its own determine the draws, also in
// a run of one distance; its name does not.
func TestFingerprintOfDistances(t *testing.T) {
	with := func(change func(first, second *spec.Distance)) string {
		r := Run{record: record{Spec: spec.Default().Complete()}}
		r.Spec.Distance.Further = []spec.Distance{{Kind: "same"}}
		change(&r.Spec.Distance, &r.Spec.Distance.Further[0])
		return r.fingerprint()
	}
	plain := with(func(_, _ *spec.Distance) {})
	seen := map[string]string{plain: "nothing of its own"}
	for name, change := range map[string]func(first, second *spec.Distance){
		"decay":           func(first, _ *spec.Distance) { first.Decay = "window" },
		"second decay":    func(_, second *spec.Distance) { second.Decay = "window" },
		"width":           func(_, second *spec.Distance) { second.Decay, second.WindowWidth = "window", 3 },
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
