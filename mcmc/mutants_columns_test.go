package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/prior"
)

// columnsCopy is Columns with places for faults.
type columnsCopy struct {
	draw   func(rng *rand.Rand, s *State, column []uint64) // nil: from nu/H
	factor func(s *State) float64                          // of births, for k columns before; nil: mass*H/(k+1)
	death  func(s *State) float64                          // nil: k/(mass*H)
	pick   func(rng *rand.Rand, s *State) int              // which column may die; nil: any
	remove func(s *State, a int) int                       // which one is removed; nil: that one
	ratio  func(likelihood, factor float64) float64        // nil: their sum
	after  func(s *State)                                  // nil: all is computed afresh
	always bool                                            // births only
}

func (*columnsCopy) Name() string { return "mutant" }

func (k *columnsCopy) Step(rng *rand.Rand, s *State) Info {
	if s.cache.Scales() != s.Scales {
		s.refresh()
	}
	expected, n := s.Mass*s.tracker.TotalIntensity(), float64(s.Z.K())
	log := func(likelihood, factor float64) float64 {
		if k.ratio != nil {
			return k.ratio(likelihood, math.Log(factor))
		}
		return likelihood + math.Log(factor)
	}
	if k.always || rng.IntN(2) == 0 {
		column := make([]uint64, s.Z.Words())
		if k.draw != nil {
			k.draw(rng, s, column)
		} else {
			s.tracker.DrawColumn(rng, column)
		}
		factor := expected / (n + 1)
		if k.factor != nil {
			factor = k.factor(s)
		}
		if !accept(rng, log(s.cache.LogAppend(s.Z, column), factor)) {
			return Info{1, 0}
		}
		s.Z.AppendColumn(column)
		s.tracker.AppendColumn(column)
	} else {
		if s.Z.K() == 0 {
			return Info{1, 0}
		}
		a := rng.IntN(s.Z.K())
		if k.pick != nil {
			a = k.pick(rng, s)
		}
		factor := n / expected
		if k.death != nil {
			factor = k.death(s)
		}
		if !accept(rng, log(s.cache.LogRemove(a), factor)) {
			return Info{1, 0}
		}
		if k.remove != nil {
			a = k.remove(s, a)
		}
		s.Z.Remove(a)
		s.tracker.Remove(a)
	}
	if k.after != nil {
		k.after(s)
		return Info{1, 1}
	}
	s.cache.Refresh(s.Z, s.Scales)
	s.logLik, s.spectral = s.cache.LogLik(), false
	return Info{1, 1}
}

var columnControls = []mutant{
	{"columns", "a copy without a fault", ofSequential, func() Kernel { return &columnsCopy{} }},
}

var columnMutants = []mutant{
	{"columns", "births and deaths without the factors of K", ofIBP, func() Kernel {
		return &columnsCopy{
			factor: func(s *State) float64 { return s.Mass * s.tracker.TotalIntensity() },
			death:  func(s *State) float64 { return 1 / (s.Mass * s.tracker.TotalIntensity()) },
		}
	}},
	{"columns", "deaths with the factor of K after, not before", ofIBP, func() Kernel {
		return &columnsCopy{death: func(s *State) float64 {
			return math.Max(0.5, float64(s.Z.K()-1)) / (s.Mass * s.tracker.TotalIntensity())
		}}
	}},
	{"columns", "H of temperature 0 at every temperature", ofSymmetric, func() Kernel {
		return &columnsCopy{
			factor: func(s *State) float64 { return s.Mass / float64(s.Z.K()+1) },
			death:  func(s *State) float64 { return float64(s.Z.K()) / s.Mass },
		}
	}},
	{"columns", "births from all columns alike, accepted as if from nu", ofAIBD, func() Kernel {
		return &columnsCopy{draw: func(rng *rand.Rand, s *State, column []uint64) {
			column[0] = 1 + rng.Uint64N(1<<s.Z.N()-1)
		}}
	}},
	{"columns", "births from the law of another permutation", ofSequential, fourTimes(&columnsCopy{
		draw: func(rng *rand.Rand, s *State, column []uint64) {
			other := slices.Clone(s.Permutation)
			slices.Reverse(other)
			s.post.Law.(prior.Attraction).With(s.Temperature, other).Tracker().DrawColumn(rng, column)
		},
	})},
	{"columns", "wrong sign of the likelihood's change", ofIBP, func() Kernel {
		return &columnsCopy{ratio: func(l, f float64) float64 { return f - l }}
	}},
	{"columns", "a death weighed for one column removes the last", ofBusy, fourTimes(&columnsCopy{
		remove: func(s *State, _ int) int { return s.Z.K() - 1 },
	})},
	{"columns", "the smallest column dies, as if any", ofAIBD, func() Kernel {
		return &columnsCopy{pick: func(_ *rand.Rand, s *State) int {
			best := 0
			for a := range s.Z.K() {
				if s.Z.Size(a) < s.Z.Size(best) {
					best = a
				}
			}
			return best
		}}
	}},
	{"columns", "likelihood for the scales stale after a birth or death", ofWide, func() Kernel {
		columns := fourTimes(&columnsCopy{after: func(s *State) {
			s.cache.Refresh(s.Z, s.Scales)
			s.logLik = s.cache.LogLik()
		}})()
		scales := NewScales(stepScale, stepScale, 0)
		return NewCycle(columns, scales, columns, scales, columns, scales)
	}},
}

// fourTimes makes four steps of a kernel in the place of one. The kernel must not
// remember anything.
func fourTimes(k Kernel) func() Kernel { return func() Kernel { return NewCycle(k, k, k, k) } }
