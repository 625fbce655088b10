package runs

import (
	"math"
	"testing"

	"aibd/draws"
	"aibd/internal/input"
	"aibd/internal/oracle/fixture"
	"aibd/prior"
	"aibd/similarity"
)

// ageAffinity is the affinity of fixture.ByAge.
func ageAffinity(t *testing.T, decay similarity.Decay) *prior.Affinity {
	t.Helper()
	m, err := similarity.NewMatrix(fixture.AgeDistances())
	if err != nil {
		t.Fatal(err)
	}
	return prior.NewAffinity(m, decay)
}

// The log prior of every draw on disk equals the one of the law at the draw: the chains
// sample the law of the spec. The broken twin is the AIBD.
func TestDDIBPRuns(t *testing.T) {
	const (
		head         = "[data]\nfile = 'x.csv'\n"
		tail         = "mass = { shape = 2, rate = 3 }\ntemperature = { shape = 4, rate = 5 }\nsigma_x = { fixed = true, value = 0.5 }\nsigma_a = { fixed = true, value = 0.75 }\n[sampler]\nchains = 2\nwarmup = 10\ndraws = 50\n"
		similarities = "[distance]\nkind = 'matrix'\nfile = 'd.csv'\n[prior]\nlaw = 'ddibp'\n"
	)
	logGamma := func(x, shape, rate float64) float64 {
		lg, _ := math.Lgamma(shape)
		return shape*math.Log(rate) - lg + (shape-1)*math.Log(x) - rate*x
	}
	aff := ageAffinity(t, similarity.Exponential{})
	for _, c := range []struct {
		text                  string
		temperature, permuted bool
	}{
		{similarities, true, true},
		{similarities + "permutation = { kind = 'fixed' }\n", true, false},
		{similarities + "proximity = 'symmetric'\n", true, false},
		{"[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'\n", false, false},
	} {
		put(t, "x.csv", ages, "d.csv", fixture.ByAge, "p.csv", fixture.Nearness)
		p := build(t, head+c.text+tail)
		run := sampled(t, "run", p, 2)
		again, err := input.Build(run.Spec)
		if err != nil {
			t.Fatal(err)
		}
		sampled(t, "again", again, 1)
		if tree(t, "run/chain-2")["draws-00001.parquet"] != tree(t, "again/chain-2")["draws-00001.parquet"] {
			t.Errorf("%s\nthe same spec gives other draws", c.text)
		}
		twin, highest := 0.0, 0
		temperatures, orders := map[float64]bool{}, map[int]bool{}
		for d, err := range run.Draws(1) {
			if err != nil {
				t.Fatal(err)
			}
			var law, other prior.Law
			perm := d.Permutation
			if perm == nil {
				law, err = prior.NewDDIBP(aff, d.Mass, d.Temperature)
				perm = prior.Identity(3)
			} else {
				law, err = prior.NewSequentialDDIBP(aff, d.Mass, d.Temperature, perm)
			}
			if err == nil {
				other, err = prior.NewAIBD(aff, d.Mass, d.Temperature, perm)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := logGamma(d.Mass, 2, 3)
			if c.temperature {
				want += logGamma(d.Temperature, 4, 5*1.1) // per median distance
			}
			if c.permuted {
				want -= math.Log(6)
			}
			twin = max(twin, math.Abs(want+prior.LogProb(other, d.Z)-d.LogPrior))
			if want += prior.LogProb(law, d.Z); math.Abs(want-d.LogPrior) > 1e-9 {
				t.Fatalf("%s\nlog prior %v, expected %v", c.text, d.LogPrior, want)
			}
			highest = max(highest, d.Z.K())
			temperatures[d.Temperature] = true
			orders[perm[0]] = true
		}
		if twin < 0.01 || highest == 0 {
			t.Errorf("%s\nthe broken twin passes: it is %v away, with up to %d features", c.text, twin, highest)
		}
		if c.temperature != (len(temperatures) > 1) || c.permuted != (len(orders) > 1) {
			t.Errorf("%s\n%d temperatures, %d first items", c.text, len(temperatures), len(orders))
		}
		traces, note, err := run.Scalars()
		if err != nil || note != "" || (traces[0].Values[draws.KeyPositionsOfOdd] != nil) != (c.permuted || len(run.Spec.Prior.Permutation.Order) > 0) {
			t.Errorf("%s\npositions %v, note %q, %v", c.text, traces[0].Values[draws.KeyPositionsOfOdd], note, err)
		}
	}
}
