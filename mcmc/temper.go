package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Temper is parallel tempering (Geyer, 1991): beside the chain run others, its rungs,
// on the posterior with the likelihood to other powers, and neighbours on the ladder of
// falling powers exchange their states with probability min(1, ratio). Below 1 the data
// say less, and states that they keep apart there meet. Powers above 1 help where two
// regions of the posterior differ much in likelihood and as much, the other way, in
// volume: the one holds the chains above, the other those below, and both pass by the
// chain between.
//
// Pairs of neighbours are offered an exchange in turn, every second one in a scan and
// the others in the next, so that states travel instead of diffusing (Okabe et al.,
// 2001; Syed et al., 2022). The gaps between powers are tuned during warmup, until a
// share temperAim of the exchanges is accepted: how far the powers reach follows from
// the number of rungs.
//
// Rungs start as copies of the chain, once its likelihood is no longer annealed. Temper
// stands last in a scan, where all that is derived from the states is of this scan.
type Temper struct {
	full  *Posterior // of the chain
	scan  func(*Posterior) *Cycle
	above int       // rungs at powers above 1
	rungs []*rung   // by falling power; nil before they start
	gaps  []float64 // of log power, between neighbours on the ladder
	scans float64   // made, whose parity says which pairs are next
	adapt walk
	still bool // the powers are not tuned
}

// rung is one of the other chains.
type rung struct {
	post  Posterior
	state *State
	cycle *Cycle
}

const (
	temperGap             = 0.05    // where tuning starts, if there is any
	temperAim             = 0.4     // shares between 0.2 and 0.6 serve about as well (Atchadé et al., 2011)
	leastPower, mostPower = 1e-4, 2 // where data that say little accept every exchange
)

// NewTemper returns the kernel with the given numbers of rungs at powers above and
// below 1 for a chain whose State was made with this very post, the pointer; scan
// returns what moves a rung, which must begin with Rows and not anneal. It panics
// unless there is a rung.
func NewTemper(post *Posterior, above, below int, scan func(*Posterior) *Cycle) *Temper {
	if above < 0 || below < 0 || above+below == 0 {
		panic(fmt.Sprintf("mcmc: tempering with %d rungs above and %d below", above, below))
	}
	return &Temper{full: post, scan: scan, above: above, gaps: slices.Repeat([]float64{temperGap}, above+below)}
}

// Name returns "temper".
func (k *Temper) Name() string { return "temper" }

// Step makes a scan of each rung and offers exchanges, which Info counts.
func (k *Temper) Step(rng *rand.Rand, s *State) Info {
	if s.post != k.full || math.IsNaN(s.logLik) { // annealed, or at its end
		return Info{}
	}
	if k.rungs == nil {
		k.begin(k.copies(s))
	}
	for _, r := range k.rungs {
		r.cycle.Step(rng, r.state)
	}
	var info Info
	first, weight := int(math.Mod(k.scans, 2)), 0.0
	k.scans++
	tuned := k.adapt.on && !k.still
	if tuned {
		weight = k.adapt.weight(1)
	}
	for i := first; i < len(k.gaps); i += 2 {
		a, b := k.at(i, s), k.at(i+1, s)
		log := logExchange(a, b)
		info.Proposed++
		if log+rng.ExpFloat64() > 0 {
			info.Accepted++
			exchange(a, b)
		}
		k.gaps[i] = math.Min(k.gaps[i]*math.Exp(weight*(accepts(log)-temperAim)), -math.Log(leastPower))
	}
	if tuned {
		k.setPowers()
	}
	return info
}

// at returns the state in a place of the ladder, s being that of the chain.
func (k *Temper) at(place int, s *State) *State {
	switch {
	case place < k.above:
		return k.rungs[place].state
	case place == k.above:
		return s
	}
	return k.rungs[place-1].state
}

// copies returns states like s, one for each rung.
func (k *Temper) copies(s *State) []*State {
	states := make([]*State, len(k.gaps))
	for i := range states {
		var err error
		if states[i], err = newState(k.full, s.start(), false); err != nil {
			panic(fmt.Sprintf("mcmc: a copy of a state: %v", err)) // of one that is in use
		}
	}
	return states
}

// begin makes the rungs at the given states.
func (k *Temper) begin(states []*State) {
	for _, s := range states {
		r := &rung{post: *k.full, state: s}
		s.post, r.cycle = &r.post, k.scan(&r.post)
		k.rungs = append(k.rungs, r)
	}
	k.setPowers()
	k.Adapt(k.adapt.on)
}

// Powers returns the powers of the likelihood on the ladder, falling, among them the 1
// of the chain; nil before the rungs start.
func (k *Temper) Powers() []float64 {
	if k.rungs == nil {
		return nil
	}
	powers := make([]float64, len(k.gaps)+1)
	powers[k.above] = 1
	log := 0.0
	for i := k.above - 1; i >= 0; i-- {
		log += k.gaps[i]
		powers[i] = math.Min(math.Exp(log), mostPower)
	}
	log = 0
	for i := k.above; i < len(k.gaps); i++ {
		log -= k.gaps[i]
		powers[i+1] = math.Max(math.Exp(log), leastPower)
	}
	return powers
}

// setPowers gives the rungs the powers that the gaps stand for.
func (k *Temper) setPowers() {
	powers := slices.Delete(k.Powers(), k.above, k.above+1)
	for i, r := range k.rungs {
		r.setPower(k.full, powers[i])
	}
}

func (r *rung) setPower(full *Posterior, power float64) {
	if power != r.post.Data.Exponent() {
		r.post.Data = full.Data.Power(power)
		r.state.reload()
	}
}

// logExchange returns the log ratio of the exchange of two states whose likelihoods
// have powers p and q: the likelihood itself enters to the power p - q.
func logExchange(a, b *State) float64 {
	p, q := a.post.Data.Exponent(), b.post.Data.Exponent()
	return (p - q) * (b.logLik/q - a.logLik/p)
}

// exchange swaps the unknowns of two states.
func exchange(a, b *State) {
	a.Z, b.Z = b.Z, a.Z
	a.Mass, b.Mass = b.Mass, a.Mass
	a.Temperature, b.Temperature = b.Temperature, a.Temperature
	a.Permutation, b.Permutation = b.Permutation, a.Permutation
	a.Scales, b.Scales = b.Scales, a.Scales
	a.tracker, b.tracker = b.tracker, a.tracker
	a.refresh()
	b.refresh()
}

// Adapt turns tuning on or off, that of what moves the rungs too.
func (k *Temper) Adapt(on bool) {
	k.adapt.on = on
	for _, r := range k.rungs {
		for _, a := range r.cycle.adapters {
			a.Adapt(on)
		}
	}
}

// Tuning returns the gaps, the number of scans made and that of scans learned from.
func (k *Temper) Tuning() []float64 { return append(slices.Clone(k.gaps), k.scans, k.adapt.count) }

// SetTuning puts back what Tuning returned.
func (k *Temper) SetTuning(t []float64) {
	n := copy(k.gaps, t)
	k.scans, k.adapt.count = t[n], t[n+1]
}

// validTuning reports what Tuning would not return.
func (k *Temper) validTuning(t []float64) error {
	for _, gap := range t[:len(k.gaps)] {
		if !(gap > 0 && gap <= -math.Log(leastPower)) {
			return fmt.Errorf("found a gap of %g between powers, expected a number above 0, at most %.3g", gap, -math.Log(leastPower))
		}
	}
	for _, count := range t[len(k.gaps):] {
		if !(count >= 0 && count == math.Trunc(count)) {
			return fmt.Errorf("found %g scans of rungs, expected a whole number", count)
		}
	}
	return nil
}
