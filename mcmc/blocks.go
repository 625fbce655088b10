package mcmc

import (
	"math/rand/v2"

	"aibd/internal/collapsed"
)

// blocks draws the entries of a row in a block of columns from their joint
// conditional, by the weights of all 2^size assignments (Gibbs). Entries that compensate
// each other change together, where single flips would have to pass states that the
// likelihood forbids. Each row has a block in every second step, at random: a block of each
// row in every step takes more time and gains nothing that was measured.
//
// The columns of a block are drawn uniformly among those that other items have.
type blocks struct {
	size    int // columns, at most collapsed.MaxBlock
	block   collapsed.Block
	columns []int
	priors  []float64
	w       weights
}

func (k *blocks) Name() string { return "blocks" }

// Step draws one block of each row with probability 1/2. Info counts a block as accepted if it changed.
func (k *blocks) Step(rng *rand.Rand, s *target) Info {
	var info Info
	var chosen uint64 // of 64 rows
	for i := range s.N() {
		if i%64 == 0 {
			chosen = rng.Uint64()
		}
		if chosen>>(i%64)&1 == 0 {
			continue
		}
		s.Open(i)
		k.choose(rng, s)
		info.add(k.draw(rng, s, i))
		s.Close(rng)
	}
	return info
}

// draw draws the entries of the open row of item i in the chosen columns.
func (k *blocks) draw(rng *rand.Rand, s *target, i int) Info {
	if len(k.columns) == 0 {
		return Info{}
	}
	return k.flip(rng, s, i, s.Weigh(&k.block, k.columns))
}

// flip draws an assignment of the chosen columns, whose log likelihoods are given.
func (k *blocks) flip(rng *rand.Rand, s *target, i int, logs []float64) Info {
	k.priors = append(k.priors[:0], 0)
	for _, a := range k.columns {
		flip := s.Law().LogFlip(i, a)
		for _, log := range k.priors {
			k.priors = append(k.priors, log+flip)
		}
	}
	k.w.reset()
	for p, log := range logs {
		k.w.add(log + k.priors[p])
	}
	index := k.w.pick(rng)
	if index == 0 {
		return Info{1, 0}
	}
	for j, a := range k.columns {
		if index>>j&1 != 0 {
			s.Flip(a)
		}
	}
	return Info{1, 1}
}

// choose draws the columns of a block for the open row.
func (k *blocks) choose(rng *rand.Rand, s *target) {
	k.columns = k.columns[:0]
	for a := range s.K() {
		if s.Shared(a) {
			k.columns = append(k.columns, a)
		}
	}
	size := min(k.size, len(k.columns))
	for m := range size {
		j := m + rng.IntN(len(k.columns)-m)
		k.columns[m], k.columns[j] = k.columns[j], k.columns[m]
	}
	k.columns = k.columns[:size]
}
