package mcmc

import (
	"math/rand/v2"
	"slices"
)

// shuffle proposes to shuffle the items at some positions of the permutation, chosen at
// random, and accepts by Metropolis (the paper's update). The posterior's Permutation
// must be true.
type shuffle struct {
	size          int   // positions, at least 2; all where there are fewer
	order         []int // all positions, ascending between steps
	picked        []int // what order exchanged
	places, items []int
}

func (k *shuffle) Name() string { return "shuffle" }

func (k *shuffle) Step(rng *rand.Rand, s *target) Info {
	perm := s.Permutation()
	n := len(perm)
	for p := len(k.order); p < n; p++ {
		k.order = append(k.order, p)
	}
	size := min(k.size, n)
	k.picked, k.places, k.items = k.picked[:0], k.places[:0], k.items[:0]
	for m := range size {
		k.picked = append(k.picked, m+rng.IntN(n-m))
		swap(k.order, m, k.picked[m])
		k.places, k.items = append(k.places, k.order[m]), append(k.items, perm[k.order[m]])
	}
	for m := size - 1; m > 0; m-- {
		swap(k.items, m, rng.IntN(m+1))
	}
	for m := size - 1; m >= 0; m-- { // checkpoints do not hold the order of an earlier step
		swap(k.order, m, k.picked[m])
	}
	u := rng.ExpFloat64()
	sum, h := s.Law().SumLogIntensity(), s.Law().TotalIntensity()
	newSum, newH := s.ProposeShuffle(k.places, k.items)
	if !(newSum-sum-s.Mass*(newH-h)+u > 0) {
		return Info{1, 0}
	}
	s.Accept()
	return Info{1, 1}
}

func swap(x []int, i, j int) { x[i], x[j] = x[j], x[i] }

// insert draws the position of one item in the permutation from its full conditional; the
// others keep their order (Gibbs). The posterior's Permutation must be true and its law's
// tracker an intensity.Inserter with the same total intensity for every permutation.
type insert struct {
	logs []float64
	perm []int
	w    weights
}

func (k *insert) Name() string { return "insert" }

// Step draws the position of an item chosen at random. Info counts it as accepted if the
// item moved.
func (k *insert) Step(rng *rand.Rand, s *target) Info {
	n := s.N()
	i := rng.IntN(n)
	k.logs = slices.Grow(k.logs[:0], n)[:n]
	s.Insertions(i, k.logs)
	k.w.reset()
	for _, l := range k.logs {
		k.w.add(l)
	}
	position, place := slices.Index(s.Permutation(), i), k.w.pick(rng)
	if place == position {
		return Info{1, 0}
	}
	k.perm = append(k.perm[:0], s.Permutation()...)
	k.perm = slices.Insert(slices.Delete(k.perm, position, position+1), place, i)
	s.Propose(s.Temperature(), k.perm)
	s.Accept()
	return Info{1, 1}
}
