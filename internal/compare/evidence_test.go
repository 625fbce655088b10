package compare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"aibd/internal/input"
	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
	"aibd/mcmc"
)

// Each population of a wide table has a pilot of its own. Populations of a table with few rows have
// none.
func TestEvidencePilots(t *testing.T) {
	t.Chdir(t.TempDir())
	for rows, want := range map[int][]bool{3: {false, false}, 10: {true, false, true, false}} {
		rng, text := rand.New(rand.NewPCG(1, 2)), "id"
		for j := range 24 {
			text += fmt.Sprintf(",v%d", j)
		}
		for i := range rows {
			text += fmt.Sprintf("\ni%d", i)
			for range 24 {
				text += fmt.Sprintf(",%.3f", rng.NormFloat64())
			}
		}
		if err := os.WriteFile("x.csv", []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := spec.ParseTOML([]byte("[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'\n"), "spec.toml")
		if err != nil {
			t.Fatal(err)
		}
		p, err := input.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		var pilots []bool
		var logs []string
		size := Size{Populations: 2, PopulationConfig: mcmc.PopulationConfig{Members: 2, Scans: 3}}
		if _, err := Estimate(t.Context(), p, size, func(_ int, pilot bool, at *mcmc.Population) {
			if at.Done() {
				pilots, logs = append(pilots, pilot), append(logs, fmt.Sprint(at.LogEvidence()))
			}
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(logs)
		if !slices.Equal(pilots, want) || len(slices.Compact(logs)) != len(want) {
			t.Errorf("%d rows: found pilots %v with log evidence %s, expected %v, all different", rows, pilots, strings.Join(logs, ", "), want)
		}
	}
}

// An estimate that is interrupted has the mean number of features of the complete populations, and its time.
func TestEvidenceInterrupted(t *testing.T) {
	s, err := spec.ParseTOML([]byte(fixture.Small), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := input.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	estimate := func(populations, stopIn int) (*Evidence, error) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		size := Size{Populations: populations, PopulationConfig: mcmc.PopulationConfig{Members: 2, Scans: 10}}
		return Estimate(ctx, p, size, func(population int, _ bool, _ *mcmc.Population) {
			if population == stopIn {
				stop()
			}
		})
	}
	interrupted, err := estimate(3, 2)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	whole, err := estimate(2, -2)
	if err != nil {
		t.Fatal(err)
	}
	if len(interrupted.Logs) != 2 || interrupted.Features != whole.Features || whole.Features < 0.5 || !(interrupted.Seconds > 0) {
		t.Errorf("%d populations with %v features in %v seconds, want 2 with %v in some", len(interrupted.Logs), interrupted.Features, interrupted.Seconds, whole.Features)
	}
}

// TestEvidencePopulations: priors that a budget ends at different numbers of populations have each its own.
func TestEvidencePopulations(t *testing.T) {
	e := &Priors{}
	for _, test := range []struct {
		populations []int
		want        string
	}{
		{[]int{4}, " over 4 populations; a 90% interval extends 2.4 errors "},
		{[]int{4, 4}, " over 4 populations; a 90% interval extends 2.4 errors "},
		{[]int{2, 4}, " over 2 and 4 populations; a 90% interval extends 6.3 and 2.4 errors "},
	} {
		e.Priors = nil
		for _, n := range test.populations {
			e.Priors = append(e.Priors, &Evidence{Prior: spec.Prior{Law: "ibp"}, Logs: make([]float64, n)})
		}
		if got := e.Terms(); !strings.Contains(got, test.want) {
			t.Errorf("%v: found %q, expected %q in it", test.populations, got, test.want)
		}
	}
}
