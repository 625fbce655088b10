package mcmc

import (
	"math"
	"reflect"
	"testing"

	"aibd/draws"
	"aibd/lglfm"
)

// annealed returns a chain that anneals over 20 scans up to a power.
func annealed(t *testing.T, power float64, cfg Config) *Chain {
	t.Helper()
	post := twin(12, 6).posterior(t)
	post.Power = power
	o := DefaultOptions()
	o.Anneal = 20
	c, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, o, cfg, NewStream(7, "chain-1"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAnneal: the power grows through warmup, and afterwards it is that of the posterior, also
// where warmup is shorter than the annealing. The history has the log likelihood to that power.
func TestAnneal(t *testing.T) {
	for _, warmup := range []int{30, 20, 5, 0} {
		testAnneal(t, 1, warmup)
		testAnneal(t, 0.3, warmup)
	}
}

func testAnneal(t *testing.T, final float64, warmup int) {
	c := annealed(t, final, Config{Warmup: warmup, Draws: 3, Thin: 1})
	last := 0.0
	for done := range c.cfg.Scans() {
		c.step()
		c.count()
		power, want := c.target.Power(), final
		if done < min(20, warmup) {
			want *= max(0.01, float64(done)/20)
		}
		if math.Abs(power-want) > 1e-12 || power < last {
			t.Errorf("warmup %d: power %v in scan %d, want %v", warmup, power, done, want)
		}
		logLik := lglfm.LogLik(c.target.post.Data, c.target.Z().Clone(), c.target.Scales())
		for got, want := range map[float64]float64{c.target.LogLik(): power * logLik, c.history.Values[draws.KeyLogLik][done]: final * logLik} {
			if math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Errorf("warmup %d: log likelihood %v in scan %d, want %v", warmup, got, done, want)
			}
		}
		last = power
	}
}

// TestAnnealResume: a chain that is resumed during annealing makes the draws of one
// that was not stopped.
func TestAnnealResume(t *testing.T) {
	for _, power := range []float64{1, 0.3} {
		testAnnealResume(t, power)
	}
}

func testAnnealResume(t *testing.T, power float64) {
	cfg := Config{Warmup: 25, Draws: 5, Thin: 1}
	var whole, pieces tape
	if err := annealed(t, power, cfg).Run(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	c := annealed(t, power, cfg)
	post := c.target.post
	for range 13 {
		c.step()
		c.count()
	}
	p, err := c.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if c, err = Resume(post, c.options, cfg, p); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), &pieces); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(whole.lines, pieces.lines) {
		t.Error("a chain resumed during annealing gives other draws")
	}
}
