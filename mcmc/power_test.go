package mcmc

import (
	"math"
	"reflect"
	"testing"

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

// TestAnneal: the power grows through warmup, and afterwards it is 1, also where
// warmup is shorter than the annealing.
func TestAnneal(t *testing.T) {
	for _, warmup := range []int{30, 20, 5, 0} {
		c := annealed(t, Config{Warmup: warmup, Draws: 3, Thin: 1})
		last := 0.0
		for done := range c.cfg.Scans() {
			c.step()
			c.count()
			power := c.target.Power()
			if done >= min(20, warmup) {
				want := lglfm.LogLik(c.target.post.Data, c.target.Z().Clone(), c.target.Scales())
				if got := c.target.LogLik(); power != 1 || math.Abs(got-want) > 1e-9*math.Abs(want) {
					t.Errorf("warmup %d: scan %d has power %v and log likelihood %v, expected %v", warmup, done, power, got, want)
				}
			} else if want := max(0.01, float64(done)/20); math.Abs(power-want) > 1e-12 || power < last {
				t.Errorf("warmup %d: power %v in scan %d, want %v", warmup, power, done, want)
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
