package results

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/fit"
	"aibd/internal/input"
	"aibd/internal/lists"
	"aibd/internal/oracle/fixture"
	"aibd/internal/runs"
	"aibd/internal/spec"
)

// sameDraws reports whether chains have the same draws, with the weights of b as a segment has them.
func sameDraws(a, b []*draws.Draw) bool {
	return slices.EqualFunc(a, b, func(a, b *draws.Draw) bool {
		x, y := *a, *b
		x.Z, y.Z = nil, nil
		y.Weights = lists.Map(b.Weights, func(w float64) float64 { return float64(float32(w)) })
		return a.Z.Equal(b.Z) && fmt.Sprint(x) == fmt.Sprint(y)
	})
}

// A store in memory and a run on disk give the same draws and the same verdict.
func TestStores(t *testing.T) {
	fixture.Put(t, "x.csv", fixture.Ages)
	for _, features := range []string{"binary", "weighted"} {
		s, err := spec.ParseTOML([]byte(`likelihood = { features = "`+features+`" }
[data]
file = "x.csv"
columns = ["a", "b"]
[distance]
kind = "absolute"
columns = ["age"]
[sampler]
chains = 2
warmup = 20
draws = 30
`), "spec.toml")
		if err != nil {
			t.Fatal(err)
		}
		p, err := input.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		run, err := runs.Create(features, p, "v1")
		if err != nil {
			t.Fatal(err)
		}
		budget := fit.Budget{Scans: 200}
		j, disk, err := Fit(t.Context(), &runs.Store{Run: run, NextRound: runs.ResumeOptions{Version: "v1"}, Note: func(...string) {}}, fit.Options{Budget: budget}, nil)
		if err != nil {
			t.Fatal(err)
		}
		scan, round := p.Scan(), p.Spec.Sampler.ThisRound()
		memory, err := fit.Fit(t.Context(), p.Posterior, fit.Options{
			Budget: budget, Seed: p.Spec.Sampler.Seed, Store: fit.NewMemory(round.Chains, round.Length), Scan: &scan, Start: p.Start,
			Names: fit.Names{Items: p.IDs, Columns: p.Columns},
		})
		if err != nil {
			t.Fatal(err)
		}
		if disk.Round != memory.Round || disk.Round.Number < 2 || !slices.EqualFunc(disk.Draws, memory.Draws, sameDraws) {
			t.Errorf("%s: found other draws of round %d on disk than of round %d in memory", features, disk.Round.Number, memory.Round.Number)
		}
		disk.Verdict.Lines, memory.Verdict.Lines = disk.Verdict.Lines[:1], memory.Verdict.Lines[:1] // without commands
		if !reflect.DeepEqual(disk.Verdict, memory.Verdict) || j.Line() != memory.Verdict.Lines[0] || j.Run.Spec.Sampler.Round != memory.Round.Number {
			t.Errorf("%s: found the verdict %+v on disk and %+v in memory", features, disk.Verdict, memory.Verdict)
		}
	}
}
