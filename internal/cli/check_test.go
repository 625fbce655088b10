package cli

import (
	"strings"
	"testing"

	"aibd/internal/results"
)

// A kind of quantities with no more extreme p than by chance has no rows among the misfits.
func TestMisfits(t *testing.T) {
	kind := func(name string, checks, extreme int, p results.Number) results.CheckedKind {
		k := results.CheckedKind{Name: name, Checks: make([]results.Check, checks), Extreme: extreme, P: p}
		for i := range k.Checks {
			if k.Checks[i].P = 0.5; i < extreme {
				k.Checks[i].P = 0
			}
		}
		return k
	}
	k := &results.Checks{Replicates: 400, Kinds: []results.CheckedKind{kind("mean", 50, 0, 1), kind("correlation", 1000, 39, 0.05), kind("sd", 50, 8, 0.01)}}
	got, count := misfits(k)
	if len(got) != 6 || count != 3 || !strings.HasPrefix(got[1][0], "sd: ") || !strings.Contains(k.Sentence(), "No misfit: mean and correlation.") {
		t.Errorf("found %v and %d more; %s", got, count, k.Sentence())
	}
}
