package mcmc

import (
	"math"
	"math/rand/v2"

	"aibd/internal/intensity"
)

// Insert draws the position of one item in the permutation from its full
// conditional, the others keeping their order (Gibbs). The posterior's
// Permutation must be true and its law's tracker an intensity.Inserter with the same
// total intensity for every permutation.
type Insert struct {
	logs []float64
	perm []int
	w    weights
}

// NewInsert returns the kernel.
func NewInsert() *Insert { return &Insert{} }

// Name returns "insert".
func (k *Insert) Name() string { return "insert" }

// Step draws the position of an item chosen at random. Info counts it as accepted
// if the item moved.
func (k *Insert) Step(rng *rand.Rand, s *State) Info {
	n := len(s.Permutation)
	if cap(k.logs) < n {
		k.logs = make([]float64, n)
	}
	i := rng.IntN(n)
	s.tracker.(intensity.Inserter).Insertions(i, k.logs[:n])
	k.w.reset()
	for _, l := range k.logs[:n] {
		if math.IsNaN(l) {
			l = math.Inf(-1)
		}
		k.w.add(l)
	}
	to := k.w.pick(rng)
	k.perm = k.perm[:0]
	from := 0
	for p, j := range s.Permutation {
		if j == i {
			from = p
			continue
		}
		k.perm = append(k.perm, j)
	}
	if to == from {
		return Info{1, 0}
	}
	k.perm = append(k.perm, 0)
	copy(k.perm[to+1:], k.perm[to:])
	k.perm[to] = i
	s.tracker.Propose(s.Temperature, k.perm)
	s.tracker.Accept()
	copy(s.Permutation, k.perm)
	return Info{1, 1}
}
