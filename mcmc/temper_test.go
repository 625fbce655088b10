package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// onFirst is a kernel that is made at the first step, for the posterior of the state.
type onFirst struct {
	make func(*Posterior) Kernel
	Kernel
}

func (k *onFirst) Step(rng *rand.Rand, s *State) Info {
	if k.Kernel == nil {
		k.Kernel = k.make(s.post)
	}
	return k.Kernel.Step(rng, s)
}

func rowsAlone(*Posterior) *Cycle { return NewCycle(NewRows(new(ExactSingletons))) }

// withRungs is the cycle of rows and of tempering with powers far apart.
func withRungs(above, below int) Kernel {
	return NewCycle(NewRows(new(ExactSingletons)), &onFirst{make: func(post *Posterior) Kernel {
		k := NewTemper(post, above, below, rowsAlone)
		for i := range k.gaps {
			k.gaps[i] = 0.4
		}
		return k
	}})
}

// As in exact_test.go, whose limit and rate of false alarms hold here.
func TestExactPosteriorTemper(t *testing.T) {
	cases := ddibpTargets(t)
	cases["three items"] = threeItems(t)
	cases["IBP"] = goldenTargets(t)[0]
	for name, c := range cases {
		for _, rungs := range [][2]int{{1, 0}, {1, 2}} {
			if z := c.worst(t, "temper "+name, scans/50, withRungs(rungs[0], rungs[1]), nil); !(z < limit) {
				t.Errorf("%s: %v rungs above and below: |z| = %.2f, want below %v", name, rungs, z, limit)
			}
		}
	}
}

func TestBrokenTemper(t *testing.T) {
	c := threeItems(t)
	rows := NewRows(new(ExactSingletons))
	if z := c.worst(t, "control", scans/50, NewCycle(rows, &temperCopy{power: 0.3}), nil); !(z < limit) {
		t.Errorf("the copy without a fault: |z| = %.2f, want below %v", z, limit)
	}
	for _, m := range temperMutants {
		z := c.worst(t, m.wrong, scans/50, NewCycle(rows, m.make()), nil)
		t.Logf("%s: |z| = %.1f", m.wrong, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", m.wrong, z)
		}
	}
}

// TestTemperTuning: in warmup the powers come to where exchanges are accepted as often
// as is aimed at, and afterwards they stand still.
func TestTemperTuning(t *testing.T) {
	post := twin(20, 10).posterior(t)
	o := DefaultOptions()
	o.Anneal, o.RungsAbove, o.RungsBelow = 50, 1, 2
	s, err := NewState(post, start)
	if err != nil {
		t.Fatal(err)
	}
	cycle, err := NewScan(post, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChain(Config{Warmup: 1000, Draws: 1000, Thin: 1}, cycle, s, NewStream(1, "temper"))
	if err != nil {
		t.Fatal(err)
	}
	temper := cycle.temper()
	var tuned []float64
	for done := range c.cfg.Scans() {
		c.step(done)
		if began := c.Powers() != nil; began != (done >= 50) {
			t.Fatalf("after scan %d of annealing over 50: rungs are there is %v", done, began)
		}
		if done == c.cfg.Warmup-1 {
			tuned = slices.Clone(temper.gaps)
		}
	}
	if !slices.Equal(temper.gaps, tuned) {
		t.Errorf("gaps %v at the end, %v after warmup", temper.gaps, tuned)
	}
	powers := c.Powers()
	if len(powers) != 4 || powers[1] != 1 {
		t.Fatalf("powers %v, want the second of four to be 1", powers)
	}
	powers = slices.Delete(powers, 1, 2)
	above := math.Inf(1)
	for i, r := range temper.rungs {
		power := r.post.Data.Exponent()
		if power != powers[i] || !(power < above) || power > 1 != (i == 0) || r.state.cache.Data() != r.post.Data.Collapsed() {
			t.Errorf("rung %d has power %v, the one above %v", i+1, power, above)
		}
		above = power
		want := r.state.LogLik()
		if r.state.refresh(); !(math.Abs(r.state.LogLik()-want) < 1e-9*math.Abs(want)) {
			t.Errorf("rung %d: log likelihood %v, computed afresh %v", i+1, want, r.state.LogLik())
		}
	}
	for _, total := range c.Totals() {
		if total.Name == "temper" {
			// Ten times the error of the share of as many independent exchanges.
			if rate := float64(total.Accepted) / float64(total.Proposed); math.Abs(rate-temperAim) > 0.25 {
				t.Errorf("%v of %d exchanges accepted, aimed at %v", rate, total.Proposed, temperAim)
			}
		}
	}
}

// TestTemperWithoutData: where every exchange is accepted the gaps grow, and stop
// growing before a power would vanish.
func TestTemperWithoutData(t *testing.T) {
	m := withoutData()[0]
	s := m.draw(NewStream(1, "temper without data").Rand)
	k := NewTemper(s.post, 1, 3, rowsAlone)
	k.Adapt(true)
	rng := NewStream(1, "temper").Rand
	for range 5000 {
		k.Step(rng, s)
	}
	if most, least := k.rungs[0].post.Data.Exponent(), k.rungs[3].post.Data.Exponent(); most != mostPower || least != leastPower {
		t.Errorf("powers %v and %v, want %v and %v", most, least, mostPower, leastPower)
	}
}
