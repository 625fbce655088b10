package mcmc

import (
	"math/rand/v2"

	"aibd/lglfm"
)

// Mutants of Temper. It has no line in the table of kernels: rungs start as copies of
// the chain, so that a chain is at its posterior after warmup only. Samplers with
// tempering are under test, and the posteriors of temper_test.go.

// temperCopy is Temper with one rung at a given power, with places for faults.
type temperCopy struct {
	power float64
	ratio func(p, q, a, b float64) float64 // of powers and of log likelihoods to powers 1; nil: the right one
	swap  func(a, b *State)                // nil: the right one
	hot   *Cycle
	post  Posterior
	rung  *State
}

func (*temperCopy) Name() string { return "mutant" }

func (k *temperCopy) Step(rng *rand.Rand, s *State) Info {
	if k.rung == nil {
		k.post = *s.post
		k.post.Data = s.post.Data.Power(k.power)
		k.rung = must(NewState(&k.post, s.start()))
		kernels := []Kernel{NewRows(new(ExactSingletons)), NewColumns()}
		if k.post.Mass != nil {
			kernels = append(kernels, Mass{}, NewScales(stepScale, stepScale, -0.3))
		}
		k.hot = NewCycle(kernels...)
	}
	k.hot.Step(rng, k.rung)
	full := func(of *State) float64 { return lglfm.LogLik(s.post.Data, of.Z, of.Scales) }
	ratio := func(p, q, a, b float64) float64 { return (p - q) * (b - a) }
	if k.ratio != nil {
		ratio = k.ratio
	}
	if !accept(rng, ratio(1, k.power, full(s), full(k.rung))) {
		return Info{1, 0}
	}
	if k.swap == nil {
		exchange(s, k.rung)
	} else {
		k.swap(s, k.rung)
	}
	return Info{1, 1}
}

var temperMutants = []struct {
	wrong string
	make  func() Kernel
}{
	{"exchanges without a ratio", func() Kernel {
		return &temperCopy{power: 0.3, ratio: func(p, q, a, b float64) float64 { return 0 }}
	}},
	{"the likelihoods to their powers", func() Kernel {
		return &temperCopy{power: 0.3, ratio: func(p, q, a, b float64) float64 { return q*b - p*a }}
	}},
	{"the wrong sign", func() Kernel {
		return &temperCopy{power: 0.3, ratio: func(p, q, a, b float64) float64 { return (p - q) * (a - b) }}
	}},
	{"the rung is not exchanged", func() Kernel {
		return &temperCopy{power: 0.3, swap: func(a, b *State) {
			a.Z, a.Mass, a.Scales = b.Z.Clone(), b.Mass, b.Scales
			a.refresh()
		}}
	}},
}
