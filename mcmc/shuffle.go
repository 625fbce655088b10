package mcmc

import (
	"fmt"
	"math/rand/v2"
)

// Shuffle proposes to shuffle the items at some positions of the permutation,
// chosen at random, and accepts by Metropolis (the paper's update). The
// posterior's Permutation must be true.
type Shuffle struct {
	size   int
	perm   []int
	places []int
}

// NewShuffle returns the kernel that shuffles the given number of positions, or
// all where there are fewer. It panics if size < 2.
func NewShuffle(size int) *Shuffle {
	if size < 2 {
		panic(fmt.Sprintf("mcmc: a shuffle of %d positions", size))
	}
	return &Shuffle{size: size}
}

// Name returns "shuffle".
func (k *Shuffle) Name() string { return "shuffle" }

// Step makes one proposal.
func (k *Shuffle) Step(rng *rand.Rand, s *State) Info {
	n := len(s.Permutation)
	k.perm = append(k.perm[:0], s.Permutation...)
	// Afresh each time: the order left behind is no part of a checkpoint.
	k.places = k.places[:0]
	for p := range n {
		k.places = append(k.places, p)
	}
	size := min(k.size, n)
	for m := range size {
		j := m + rng.IntN(n-m)
		k.places[m], k.places[j] = k.places[j], k.places[m]
	}
	places := k.places[:size]
	for m := size - 1; m > 0; m-- {
		p, q := places[m], places[rng.IntN(m+1)]
		k.perm[p], k.perm[q] = k.perm[q], k.perm[p]
	}
	u := rng.ExpFloat64()
	sum, h := s.tracker.SumLogIntensity(), s.tracker.TotalIntensity()
	newSum, newH := s.tracker.Propose(s.Temperature, k.perm)
	if !(newSum-sum-s.Mass*(newH-h)+u > 0) {
		return Info{1, 0}
	}
	s.tracker.Accept()
	copy(s.Permutation, k.perm)
	return Info{1, 1}
}
