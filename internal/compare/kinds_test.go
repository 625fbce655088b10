package compare

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"aibd/internal/input"
	"aibd/internal/oracle/fixture"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/mcmc"
)

// Weighted features predict items that have features or not clearly worse than another kind. They do not
// predict items that have features by degrees worse.
func TestRank(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, degrees := range []bool{false, true} {
		if degrees && !*fixture.Long {
			continue
		}
		rng := rand.New(rand.NewPCG(4, 1))
		var loadings [3][12]float64
		for k := range loadings {
			for j := range loadings[k] {
				loadings[k][j] = 3 * rng.NormFloat64()
			}
		}
		text := "id"
		for j := range loadings[0] {
			text += fmt.Sprintf(",v%d", j)
		}
		for i := range 60 {
			var row [12]float64
			for k := range loadings {
				weight := float64(rng.IntN(2))
				if degrees {
					weight *= rng.NormFloat64()
				}
				for j, a := range loadings[k] {
					row[j] += weight * a
				}
			}
			text += fmt.Sprintf("\ni%d", i)
			for _, x := range row {
				text += fmt.Sprintf(",%.4f", x+0.5*rng.NormFloat64())
			}
		}
		if err := os.WriteFile("x.csv", []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := spec.ParseTOML([]byte("[data]\nfile = 'x.csv'\n[likelihood]\nfeatures = 'weighted'\n[prior]\nlaw = 'ibp'\n"), "spec.toml")
		if err != nil {
			t.Fatal(err)
		}
		p, err := input.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		run, err := runs.Create(fmt.Sprintf("run-%v", degrees), p, "test")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), run, "test")
		if err != nil {
			t.Fatal(err)
		}
		if got.Cells != 72 || (got.Better != "") == degrees {
			t.Errorf("degrees %v: found %+v, expected 72 cells and a better kind only without degrees", degrees, got)
		}
		if err := run.WriteKinds(*got); err != nil {
			t.Fatal(err)
		}
		if sentence, err := run.BetterKind(); err != nil || (sentence != "") == degrees {
			t.Errorf("degrees %v: found the sentence %q and error %v", degrees, sentence, err)
		}
		run.Close()
	}
}

// Kinds with weights have the default bound on noise beside a run of binary features, whose spec has none, and
// otherwise the bound of the run.
func TestRankSpec(t *testing.T) {
	for _, c := range []struct {
		features, preset string
		score, want      float64
	}{
		{"binary", "", mcmc.DefaultMinNoise, mcmc.DefaultMinNoise},
		{"binary", "alzheimers", 0, 0},
		{"weighted", "", 0.25, 0.25},
		{"graded", "", 0, 0},
	} {
		s := spec.Default()
		s.Data.File, s.Data.Preset, s.Data.MinNoise, s.Likelihood.Features = "x.csv", c.preset, &c.score, c.features
		s = rankSpec(s, s.Complete().Data)
		s.Likelihood.Features = "weighted"
		if got := *s.Complete().Data.MinNoise; got != c.want {
			t.Errorf("%s features, preset %q: found the bound %v, expected %v", c.features, c.preset, got, c.want)
		}
	}
}
