package mcmc

import (
	"math/rand/v2"

	"aibd/internal/intensity"
	"aibd/prior"
)

// blocksCopy is blocks with places for faults. It weighs each assignment by flips, one
// after the other.
type blocksCopy struct {
	blocks
	off   float64 // what is added to the quadratic term, in units of it
	owned bool    // offers only the columns that the item has
}

func (*blocksCopy) Name() string { return "mutant" }

func (k *blocksCopy) Step(rng *rand.Rand, s *target) Info {
	var info Info
	for i := range s.N() {
		s.Open(i)
		k.choose(rng, s)
		if k.owned {
			n := 0
			for _, a := range k.columns {
				if s.Z().Has(i, a) {
					k.columns[n] = a
					n++
				}
			}
			k.columns = k.columns[:n]
		}
		if len(k.columns) > 0 {
			info.add(k.flip(rng, s, i, k.weigh(s)))
		}
		s.Close(rng)
	}
	return info
}

// weigh returns the change of the log likelihood for each assignment.
func (k *blocksCopy) weigh(s *target) []float64 {
	logs := make([]float64, 1<<len(k.columns))
	for p := range logs {
		var flipped []int
		linear, joint := 0.0, 0.0
		for j, a := range k.columns {
			if p>>j&1 != 0 {
				linear += s.LogFlip(a)
				flipped = append(flipped, a)
			}
		}
		for _, a := range flipped {
			joint += s.LogFlip(a)
			s.Flip(a)
		}
		for _, a := range flipped {
			s.Flip(a)
		}
		logs[p] = joint + k.off*(joint-linear)
	}
	return logs
}

// oddsless is a tracker under which both values of an entry are equally likely.
type oddsless struct{ intensity.Tracker }

func (oddsless) LogFlip(int, int) float64 { return 0 }

var blockControls = []mutant{
	{"blocks", "a copy without a fault", ofBusy, func() kernel { return &blocksCopy{blocks: blocks{size: 3}} }},
}

var blockMutants = []mutant{
	{"blocks", "quadratic term left out", ofBusy, func() kernel {
		return &blocksCopy{blocks: blocks{size: 3}, off: -1}
	}},
	{"blocks", "wrong sign of the quadratic term", ofBusy, func() kernel {
		return &blocksCopy{blocks: blocks{size: 3}, off: -2}
	}},
	{"blocks", "only columns that the item has", ofMany, func() kernel {
		return &blocksCopy{blocks: blocks{size: 3}, owned: true}
	}},
	{"blocks", "no prior odds", ofAIBD, func() kernel {
		return withTracker(&blocks{size: 3}, func(s *target) intensity.Tracker { return oddsless{intensity.Unwrap(s.law()).Tracker()} })
	}},
	{"blocks", "first owner's factor of nu forgotten", ofAIBD, func() kernel {
		return withTracker(&blocks{size: 3}, func(s *target) intensity.Tracker { return noOwner{intensity.Unwrap(s.law()).Tracker(), s} })
	}},
	{"blocks", "sequential nu in the symmetric dd-IBP", ofSymmetric, func() kernel {
		return withTracker(&blocks{size: 3}, lawOf(ofSequential.post.Law.(prior.Attraction)))
	}},
}
