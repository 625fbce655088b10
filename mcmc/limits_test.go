package mcmc

import (
	"testing"

	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// TestResumeFarFromStart: a chain whose temperature is far below that of the posterior's
// law, where a large mass gives few features, can be resumed. A mass under which no chain
// could continue is refused.
func TestResumeFarFromStart(t *testing.T) {
	const n = 120
	place := make([]float64, n)
	for i := range place {
		place[i] = float64(i)
	}
	law := must(prior.NewDDIBP(prior.NewAffinity(similarity.AbsDifference(place), similarity.Exponential{}), 0.1, 50))
	post := &Posterior{
		Data: must(lglfm.NewData(twin(n, 3).x)), Law: law,
		Mass: &Gamma{0.01, 0.01}, Temperature: &Gamma{0.01, 0.01}, SigmaX: ScalePrior{Max: 2}, SigmaA: ScalePrior{Max: 2},
	}
	o, cfg := DefaultOptions(), Config{Warmup: 1, Draws: 1, Thin: 1}
	start := Start{Mass: 60, Temperature: 1e-4, Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}
	if h, farTotal := law.TotalIntensity(), law.With(start.Temperature, nil).TotalIntensity(); h < 50*farTotal {
		t.Fatalf("H is %v at the start and %v at the checkpoint, too near", h, farTotal)
	}
	p, err := must(NewChain(post, start, o, cfg, NewStream(1, "far"))).Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(post, o, cfg, p); err != nil {
		t.Error(err)
	}
	p.Mass = 1e5
	if _, err := Resume(post, o, cfg, p); err == nil {
		t.Error("a mass of 1e5 without features is accepted")
	}
}

// TestLimited: a chain counts the scans in which the maximum number of features bound,
// through checkpoints, and does not count others.
func TestLimited(t *testing.T) {
	post := &Posterior{Data: must(lglfm.NewData([][]float64{{9, 0}, {0, 9}, {9, -9}, {-9, -9}})), Law: must(prior.NewIBP(4, 3))}
	start := Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 1}}
	cfg := Config{Warmup: 5, Draws: 20, Thin: 1}
	for _, o := range []Options{DefaultOptions(), {Births: 3, Truncation: 1000, StepTemperature: 1, StepX: 1, StepA: 1}} {
		for limit, want := range map[int]bool{4: true, 1000: false} {
			c := must(newChain(must(newTarget(post, start, true, limit)), o, cfg, NewStream(1, "limited")))
			if err := c.Run(t.Context(), averager{}); err != nil {
				t.Fatal(err)
			}
			if n := c.Limited(); n > 0 != want || n > cfg.Scans() || c.target.K() > limit {
				t.Errorf("limit %d: it bound in %d of %d scans, with %d features at the end", limit, n, cfg.Scans(), c.target.K())
			}
			p, err := c.Checkpoint()
			if err != nil {
				t.Fatal(err)
			}
			if again := must(Resume(post, o, cfg, p)); again.Limited() != c.Limited() {
				t.Errorf("%d scans after resuming, expected %d", again.Limited(), c.Limited())
			}
		}
	}
}
