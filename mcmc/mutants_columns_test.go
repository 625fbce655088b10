package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/intensity"
	"aibd/prior"
)

// columnsCopy is Columns with places for faults.
type columnsCopy struct {
	draw   func(rng *rand.Rand, s *target, column []uint64) // nil: from nu/H
	factor func(s *target) float64                          // of births, for k columns before; nil: mass*H/(k+1)
	death  func(s *target) float64                          // nil: k/(mass*H)
	pick   func(rng *rand.Rand, s *target) int              // which column may die; nil: any
	remove func(s *target, a int) int                       // which one is removed; nil: that one
	ratio  func(likelihood, factor float64) float64         // nil: their sum
	always bool                                             // births only
}

func (*columnsCopy) Name() string { return "mutant" }

func (k *columnsCopy) Step(rng *rand.Rand, s *target) Info {
	expected, n := s.Mass*s.Law().TotalIntensity(), float64(s.Z().K())
	log := func(likelihood, factor float64) float64 {
		if k.ratio != nil {
			return k.ratio(likelihood, math.Log(factor))
		}
		return likelihood + math.Log(factor)
	}
	if k.always || rng.IntN(2) == 0 {
		column := newColumn(s)
		if k.draw != nil {
			k.draw(rng, s, column)
		} else {
			s.DrawColumn(rng, column)
		}
		factor := expected / (n + 1)
		if k.factor != nil {
			factor = k.factor(s)
		}
		if !accept(rng, log(s.LogAppend(column), factor)) {
			return Info{1, 0}
		}
		s.Append(column)
	} else {
		if s.Z().K() == 0 {
			return Info{1, 0}
		}
		a := rng.IntN(s.Z().K())
		if k.pick != nil {
			a = k.pick(rng, s)
		}
		factor := n / expected
		if k.death != nil {
			factor = k.death(s)
		}
		if !accept(rng, log(s.LogRemove(a), factor)) {
			return Info{1, 0}
		}
		if k.remove != nil {
			a = k.remove(s, a)
		}
		s.Remove(a)
	}
	return Info{1, 1}
}

var columnControls = []mutant{
	{"columns", "a copy without a fault", ofSequential, func() kernel { return &columnsCopy{} }},
}

var columnMutants = []mutant{
	{"columns", "births and deaths without the factors of K", ofIBP, func() kernel {
		return &columnsCopy{
			factor: func(s *target) float64 { return s.Mass * s.Law().TotalIntensity() },
			death:  func(s *target) float64 { return 1 / (s.Mass * s.Law().TotalIntensity()) },
		}
	}},
	{"columns", "deaths with the factor of K after, not before", ofIBP, func() kernel {
		return &columnsCopy{death: func(s *target) float64 {
			return math.Max(0.5, float64(s.Z().K()-1)) / (s.Mass * s.Law().TotalIntensity())
		}}
	}},
	{"columns", "H of temperature 0 at every temperature", ofSymmetric, func() kernel {
		return &columnsCopy{
			factor: func(s *target) float64 { return s.Mass / float64(s.Z().K()+1) },
			death:  func(s *target) float64 { return float64(s.Z().K()) / s.Mass },
		}
	}},
	{"columns", "births from all columns alike, accepted as if from nu", ofAIBD, func() kernel {
		return &columnsCopy{draw: func(rng *rand.Rand, s *target, column []uint64) {
			column[0] = 1 + rng.Uint64N(1<<s.Z().N()-1)
		}}
	}},
	{"columns", "births from the law of another permutation", ofSequential, fourTimes(&columnsCopy{
		draw: func(rng *rand.Rand, s *target, column []uint64) {
			other := slices.Clone(s.Permutation())
			slices.Reverse(other)
			intensity.Unwrap(s.post.Law.(prior.Attraction).With(s.Temperature(), other)).Tracker().DrawColumn(rng, column)
		},
	})},
	{"columns", "wrong sign of the likelihood's change", ofIBP, func() kernel {
		return &columnsCopy{ratio: func(l, f float64) float64 { return f - l }}
	}},
	{"columns", "a death weighed for one column removes the last", ofBusy, fourTimes(&columnsCopy{
		remove: func(s *target, _ int) int { return s.Z().K() - 1 },
	})},
	{"columns", "the smallest column dies, as if any", ofAIBD, func() kernel {
		return &columnsCopy{pick: func(_ *rand.Rand, s *target) int {
			best := 0
			for a := range s.Z().K() {
				if s.Z().Size(a) < s.Z().Size(best) {
					best = a
				}
			}
			return best
		}}
	}},
}

// fourTimes makes four steps of a kernel instead of one. The kernel must not
// remember anything.
func fourTimes(k kernel) func() kernel { return func() kernel { return newCycle(k, k, k, k) } }
