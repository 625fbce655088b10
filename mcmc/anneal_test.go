package mcmc

import (
	"math"
	"reflect"
	"testing"

	"aibd/draws"
	"aibd/lglfm"
)

// annealed returns a chain that anneals over 20 scans.
func annealed(t *testing.T, cfg Config) *Chain {
	t.Helper()
	post := twin(12, 6).posterior(t)
	o := DefaultOptions()
	o.Anneal = 20
	c, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, o, cfg, NewStream(7, "chain-1"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAnneal: the power grows through warmup to 1, also where warmup is shorter than the
// annealing. The history has the log likelihood at power 1.
func TestAnneal(t *testing.T) {
	for _, warmup := range []int{30, 20, 5, 0} {
		c, last := annealed(t, Config{Warmup: warmup, Draws: 3, Thin: 1}), 0.0
		for done := range c.cfg.Scans() {
			c.step()
			c.count()
			power, want := c.target.Power(), 1.0
			if done < min(20, warmup) {
				want = max(0.01, float64(done)/20)
			}
			if math.Abs(power-want) > 1e-12 || power < last {
				t.Errorf("warmup %d: power %v in scan %d, want %v", warmup, power, done, want)
			}
			logLik := lglfm.LogLik(c.target.post.Data, c.target.Z().Clone(), c.target.Scales())
			for got, want := range map[float64]float64{c.target.LogLik(): power * logLik, c.history.Values[draws.KeyLogLik][done]: logLik} {
				if math.Abs(got-want) > 1e-9*math.Abs(want) {
					t.Errorf("warmup %d: log likelihood %v in scan %d, want %v", warmup, got, done, want)
				}
			}
			last = power
		}
	}
}

// TestAnnealResume: a chain that is resumed during annealing makes the draws of one
// that was not stopped.
func TestAnnealResume(t *testing.T) {
	cfg := Config{Warmup: 25, Draws: 5, Thin: 1}
	var whole, pieces tape
	if err := annealed(t, cfg).Run(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	c := annealed(t, cfg)
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
