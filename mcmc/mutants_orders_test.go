package mcmc

import (
	"math/rand/v2"
	"slices"

	"aibd/internal/intensity"
)

// deafTracker does not take over what was proposed.
type deafTracker struct{ intensity.Tracker }

func (deafTracker) Accept() {}

// moveTo takes over the permutation perm.
func moveTo(s *target, perm []int) {
	s.Propose(s.Temperature(), perm)
	s.Accept()
}

// deaf runs a kernel under a tracker that does not take over proposals.
func deaf(k kernel) func() kernel {
	return func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			s.under(func(t intensity.Tracker) intensity.Tracker { return deafTracker{t} })
			return k.Step(rng, s)
		})
	}
}

// swapCopy proposes to exchange the items at two positions, with places for faults.
type swapCopy struct {
	pick  func(rng *rand.Rand, s *target) (p, q int) // nil: any two
	ratio func(sum, total float64) float64           // nil: their sum
}

func (*swapCopy) Name() string { return "mutant" }

func (k *swapCopy) Step(rng *rand.Rand, s *target) Info {
	n := s.Z().N()
	p, q := rng.IntN(n), rng.IntN(n)
	if k.pick != nil {
		p, q = k.pick(rng, s)
	}
	perm := slices.Clone(s.Permutation())
	perm[p], perm[q] = perm[q], perm[p]
	sum, h := s.Law().SumLogIntensity(), s.Law().TotalIntensity()
	newSum, newH := s.Propose(s.Temperature(), perm)
	log := newSum - sum - s.Mass*(newH-h)
	if k.ratio != nil {
		log = k.ratio(newSum-sum, -s.Mass*(newH-h))
	}
	if !accept(rng, log) {
		return Info{1, 0}
	}
	s.Accept()
	return Info{1, 1}
}

// insertCopy is Insert with places for faults.
type insertCopy struct {
	item   func(rng *rand.Rand, s *target) int // nil: any
	power  float64                             // of the weights; 0: 1
	beside int                                 // by how much the position is missed
}

func (*insertCopy) Name() string { return "mutant" }

func (k *insertCopy) Step(rng *rand.Rand, s *target) Info {
	n := s.Z().N()
	i := rng.IntN(n)
	if k.item != nil {
		i = k.item(rng, s)
	}
	logs := make([]float64, n)
	s.Insertions(i, logs)
	var w weights
	w.reset()
	for _, l := range logs {
		if k.power != 0 {
			l *= k.power
		}
		w.add(l)
	}
	place := min(w.pick(rng)+k.beside, n-1)
	position := slices.Index(s.Permutation(), i)
	perm := slices.Delete(slices.Clone(s.Permutation()), position, position+1)
	moveTo(s, slices.Insert(perm, place, i))
	return Info{1, 1}
}

var permutationControls = []mutant{
	{"shuffle", "a copy without a fault", ofSequential, func() kernel { return &swapCopy{} }},
	{"insert", "a copy without a fault", ofAIBD, func() kernel { return &insertCopy{} }},
}

var permutationMutants = []mutant{
	{"shuffle", "every proposal accepted", ofOrder, func() kernel { return reckless{} }},
	{"shuffle", "H left out in the sequential dd-IBP", ofOrderSequential, func() kernel {
		return &swapCopy{ratio: func(sum, _ float64) float64 { return sum }}
	}},
	{"shuffle", "wrong sign of the ratio", ofOrder, func() kernel {
		return &swapCopy{ratio: func(sum, total float64) float64 { return -sum - total }}
	}},
	{"shuffle", "sorts what it proposes", ofAIBD, func() kernel {
		return &swapCopy{pick: func(rng *rand.Rand, s *target) (int, int) {
			p, q := rng.IntN(s.Z().N()), rng.IntN(s.Z().N())
			if (p < q) == (s.Permutation()[p] < s.Permutation()[q]) && rng.IntN(4) > 0 {
				return p, p
			}
			return p, q
		}}
	}},
	{"shuffle", "law left at the old permutation", ofAIBD, deaf(&shuffle{size: 4})},
	{"insert", "weights taken to the power 1/2", ofOrder, func() kernel { return &insertCopy{power: 0.5} }},
	{"insert", "one position beside", ofOrder, func() kernel { return &insertCopy{beside: 1} }},
	{"insert", "always the item that arrives first", ofOrder, func() kernel {
		return &insertCopy{item: func(_ *rand.Rand, s *target) int { return s.Permutation()[0] }}
	}},
}

// reckless shuffles the permutation without asking.
type reckless struct{}

func (reckless) Name() string { return "reckless" }

func (reckless) Step(rng *rand.Rand, s *target) Info {
	perm := rng.Perm(s.Z().N())
	s.Propose(s.Temperature(), perm)
	s.Accept()
	return Info{1, 1}
}
