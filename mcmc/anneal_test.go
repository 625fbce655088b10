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
	s, err := NewState(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChain(cfg, annealedScan(t, post), s, NewStream(7, "chain-1"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func annealedScan(t *testing.T, post *Posterior) *Cycle {
	t.Helper()
	o := DefaultOptions()
	o.Anneal = 20
	cycle, err := NewScan(post, o)
	if err != nil {
		t.Fatal(err)
	}
	return cycle
}

// TestAnneal: the power grows through warmup, and afterwards the posterior is that of
// the chain, also where warmup is shorter than the annealing.
func TestAnneal(t *testing.T) {
	for _, warmup := range []int{30, 20, 5, 0} {
		c := annealed(t, Config{Warmup: warmup, Draws: 3, Thin: 1})
		full := c.state.post
		last := 0.0
		for done := range c.cfg.Scans() {
			c.step(done)
			power := c.state.post.Data.Variables() / float64(c.state.post.Data.D())
			if done >= min(20, warmup) {
				if c.state.post != full || c.state.cache.Data() != full.Data.Collapsed() {
					t.Errorf("warmup %d: scan %d is not of the posterior", warmup, done)
				}
			} else if want := max(0.01, float64(done)/20); math.Abs(power-want) > 1e-12 || power < last {
				t.Errorf("warmup %d: power %v in scan %d, want %v", warmup, power, done, want)
			}
			last = power
		}
	}
}

// TestAnnealResume: a chain that is resumed amid annealing goes on as if it had not
// been stopped.
func TestAnnealResume(t *testing.T) {
	cfg := Config{Warmup: 25, Draws: 5, Thin: 1}
	var whole, pieces tape
	if err := annealed(t, cfg).Run(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	c := annealed(t, cfg)
	post := c.state.post
	for range 13 {
		c.step(c.Done())
		c.done.Add(1)
	}
	p, err := c.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if c, err = Resume(post, cfg, annealedScan(t, post), p); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), &pieces); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(whole.lines, pieces.lines) {
		t.Error("a chain resumed amid annealing gives other draws")
	}
}
