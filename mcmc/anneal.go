package mcmc

import (
	"fmt"
	"math/rand/v2"
)

// Anneal raises the likelihood to a power that grows from nearly 0 to 1 over the
// first scans of warmup, in a hundred steps: a chain forgets where it started while
// little speaks against it, and then lets features in as the data ask for them. It
// stands first in a scan and changes nothing after warmup. How far it is counts as
// tuning, so that a checkpoint has it.
type Anneal struct {
	scans int
	done  float64
	on    bool
	step  int        // of annealSteps: the power
	full  *Posterior // of the chain
	part  Posterior  // with the likelihood to a power
}

const annealSteps = 100

// NewAnneal returns the kernel that takes the given number of scans. It panics if
// scans < 1.
func NewAnneal(scans int) *Anneal {
	if scans < 1 {
		panic(fmt.Sprintf("mcmc: annealing over %d scans", scans))
	}
	return &Anneal{scans: scans}
}

// Name returns "anneal".
func (k *Anneal) Name() string { return "anneal" }

// Step sets the power of the next scan.
func (k *Anneal) Step(_ *rand.Rand, s *State) Info {
	if k.full == nil {
		k.full = s.post
	}
	post := k.full
	if k.on && int(k.done) < k.scans {
		step := max(1, annealSteps*int(k.done)/k.scans)
		k.done++
		if s.post != k.full && step == k.step {
			return Info{}
		}
		k.step = step
		k.part = *k.full
		k.part.Data = k.full.Data.Power(float64(step) / annealSteps)
		post = &k.part
	}
	if s.post != post || post == &k.part {
		s.post = post
		s.reload()
	}
	return Info{}
}

// Adapt turns annealing on or off.
func (k *Anneal) Adapt(on bool) { k.on = on }

// Tuning returns the number of scans made.
func (k *Anneal) Tuning() []float64 { return []float64{k.done} }

// SetTuning puts back what Tuning returned.
func (k *Anneal) SetTuning(t []float64) { k.done = t[0] }
