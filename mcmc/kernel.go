package mcmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// A kernel makes one move of a target and leaves its distribution invariant. On rejection
// the unknowns are unchanged. Kernels hold their own working memory and belong to one
// chain.
type kernel interface {
	// Name is the kernel's name in reports, the same for the same kind of kernel.
	Name() string
	// Step makes one move.
	Step(rng *rand.Rand, s *target) Info
}

// simple is a kernel without memory.
type simple struct {
	name string
	step func(rng *rand.Rand, s *target) Info
}

func (k simple) Name() string { return k.name }

func (k simple) Step(rng *rand.Rand, s *target) Info { return k.step(rng, s) }

// Info counts what a step proposed and what it accepted.
type Info struct{ Proposed, Accepted int }

func (i *Info) add(j Info) {
	i.Proposed += j.Proposed
	i.Accepted += j.Accepted
}

// cycle runs its kernels one after the other, in fixed order. A kernel that is listed
// more than once is run as often.
type cycle struct {
	kernels []kernel
	totals  []Info // of each since reset
}

func newCycle(kernels ...kernel) *cycle {
	return &cycle{kernels: kernels, totals: make([]Info, len(kernels))}
}

func (c *cycle) Step(rng *rand.Rand, s *target) Info {
	var sum Info
	for i, k := range c.kernels {
		if s.stops() {
			break
		}
		info := k.Step(rng, s)
		c.totals[i].add(info)
		sum.add(info)
	}
	return sum
}

// A Total is what the kernels of one name have done since the end of warmup, or since
// the start if warmup has not ended.
type Total struct {
	Name string
	Info
}

// byName returns the totals by name, in the order of the cycle.
func (c *cycle) byName() []Total {
	var totals []Total
	index := map[string]int{}
	for i, k := range c.kernels {
		j, ok := index[k.Name()]
		if !ok {
			j = len(totals)
			index[k.Name()] = j
			totals = append(totals, Total{Name: k.Name()})
		}
		totals[j].add(c.totals[i])
	}
	return totals
}

func (c *cycle) reset() { clear(c.totals) }

// mass draws the mass from its full conditional, gamma(a + K, rate b + H), for a
// gamma(a, rate b) prior. The posterior's Mass must not be nil.
var mass = simple{"mass", func(rng *rand.Rand, s *target) Info {
	p := s.post.Mass
	mass := distuv.Gamma{
		Alpha: p.Shape + float64(s.K()),
		Beta:  p.Rate + s.Law().TotalIntensity(),
		Src:   rng,
	}.Rand()
	if mass > 0 { // a draw may underflow to 0 for a tiny shape
		s.Mass = mass
	}
	return Info{1, 1}
}}

// columns proposes the birth or the death of a whole column, each with probability 1/2. A
// column is born from nu/H, so that the prior cancels and the ratio is the one of the
// likelihood times mass*H/(K+1). One of the K columns, chosen uniformly, dies, with the
// ratio of the likelihood times K/(mass*H).
type columns struct{ column []uint64 }

func (k *columns) Name() string { return "columns" }

func (k *columns) Step(rng *rand.Rand, s *target) Info {
	birth, u := rng.IntN(2) == 0, rng.ExpFloat64()
	expected := s.Mass * s.Law().TotalIntensity()
	if birth {
		if words := (s.N() + 63) / 64; len(k.column) != words {
			k.column = make([]uint64, words)
		}
		s.DrawColumn(rng, k.column)
		if s.Room() == 0 {
			s.Limited = true
			return Info{1, 0}
		}
		if !(s.LogAppend(k.column)+math.Log(expected/float64(s.K()+1))+u > 0) {
			return Info{1, 0}
		}
		s.Append(k.column)
		return Info{1, 1}
	}
	if s.K() == 0 {
		return Info{1, 0}
	}
	a := rng.IntN(s.K())
	if !(s.LogRemove(a)+math.Log(float64(s.K())/expected)+u > 0) {
		return Info{1, 0}
	}
	s.Remove(a)
	return Info{1, 1}
}
