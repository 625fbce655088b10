package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/lglfm"
)

// Blocks draws the entries of each row in a block of columns from their joint
// conditional, by the weights of all 2^size assignments (Gibbs). Entries that compensate
// each other change together, where single flips would have to pass states that the
// likelihood forbids.
//
// The columns of a block are drawn uniformly among those that other items have. Nothing
// is done where the likelihood cannot weigh a block (lglfm.Cache.Weigh), which depends on
// what the move does not change.
type Blocks struct {
	size    int
	block   lglfm.Block
	columns []int
	priors  []float64
	w       weights
}

// NewBlocks returns the kernel with blocks of the given size. It panics unless size is
// from 1 to lglfm.MaxBlock.
func NewBlocks(size int) *Blocks {
	if size < 1 || size > lglfm.MaxBlock {
		panic(fmt.Sprintf("mcmc: blocks of %d columns", size))
	}
	return &Blocks{size: size}
}

// Name returns "blocks".
func (k *Blocks) Name() string { return "blocks" }

// Step draws one block of each row. Info counts a block as accepted if it changed.
func (k *Blocks) Step(rng *rand.Rand, s *State) Info {
	s.catchUp()
	var info Info
	for i := range s.Z.N() {
		s.cache.Open(s.Z, i)
		k.choose(rng, s)
		info.add(k.draw(rng, s, i))
		s.cache.Close()
	}
	s.logLik = s.cache.LogLik()
	return info
}

// draw draws the entries of the open row of item i in the chosen columns.
func (k *Blocks) draw(rng *rand.Rand, s *State, i int) Info {
	c, t := s.cache, s.tracker
	if len(k.columns) == 0 {
		return Info{}
	}
	logs := c.Weigh(&k.block, k.columns)
	if logs == nil {
		return Info{}
	}
	k.priors = append(k.priors[:0], 0)
	for _, a := range k.columns {
		flip := t.LogFlip(i, a)
		for _, log := range k.priors {
			k.priors = append(k.priors, log+flip)
		}
	}
	k.w.reset()
	for p, log := range logs {
		if log += k.priors[p]; math.IsNaN(log) {
			log = math.Inf(-1)
		}
		k.w.add(log)
	}
	at := k.w.pick(rng)
	if at == 0 {
		return Info{1, 0}
	}
	for j, a := range k.columns {
		if at>>j&1 != 0 {
			c.Flip(a)
			t.Flip(i, a)
		}
	}
	s.spectral = false
	return Info{1, 1}
}

// choose draws the columns of a block for the open row.
func (k *Blocks) choose(rng *rand.Rand, s *State) {
	k.columns = k.columns[:0]
	for a := range s.Z.K() {
		if s.cache.Shared(a) {
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
