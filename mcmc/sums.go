package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/internal/collapsed"
)

// Sums replaces a column by its sum with another where the two have no item in
// common, and by their difference where one holds the other: in each case by the set
// of items that are in one of the two only, so that the same proposal leads back. The
// columns span what they spanned before, with loadings that are sums and differences
// of the old ones, and a proposal costs O(1). Both columns are drawn uniformly; the
// new one is accepted by Metropolis.
//
// Nothing is proposed while the Cache is not Steady, which the move does not change.
type Sums struct {
	tries  int
	column []uint64
	term   [1]collapsed.Term
	logNu  []float64 // of the columns
}

// NewSums returns the kernel that makes the given number of proposals. It panics if
// tries < 1.
func NewSums(tries int) *Sums {
	if tries < 1 {
		panic(fmt.Sprintf("mcmc: %d proposals of sums", tries))
	}
	return &Sums{tries: tries}
}

// Name returns "sums".
func (k *Sums) Name() string { return "sums" }

// Step makes the proposals. Info counts pairs of columns that overlap, and cannot be
// combined, as rejected.
func (k *Sums) Step(rng *rand.Rand, s *State) Info {
	s.catchUp()
	n := s.Z.K()
	if n < 2 || !s.cache.Steady() {
		return Info{}
	}
	k.logNu = k.logNu[:0]
	for a := range n {
		k.logNu = append(k.logNu, s.tracker.LogIntensity(s.Z.Column(a)))
	}
	most := math.Log(s.tracker.TotalIntensity())
	info := Info{Proposed: k.tries}
	for range k.tries {
		a, b := rng.IntN(n), rng.IntN(n-1)
		if b >= a {
			b++
		}
		u := rng.ExpFloat64()
		sign, turned := k.combine(s.Z.Column(a), s.Z.Column(b))
		if sign == 0 {
			continue
		}
		k.term[0] = collapsed.Term{Column: b, Sign: sign}
		log := u - k.logNu[a] + s.cache.LogCombine(a, k.term[:])
		if !(log+most > 0) { // nu of the new column is at most H
			continue
		}
		nu := s.tracker.LogIntensity(k.column)
		if !(log+nu > 0) {
			continue
		}
		info.Accepted++
		k.logNu[a] = nu
		s.combine(a, k.term[:], turned, k.column)
	}
	if info.Accepted > 0 {
		s.settle()
	}
	return info
}

// combine puts the items that are in one of two columns only into k.column. sign is 1
// if they are a + b, -1 if they are a - b or, turned, b - a, and 0 if they are
// neither, or none.
func (k *Sums) combine(a, b []uint64) (sign float64, turned bool) {
	both, onlyA, onlyB := compare(a, b)
	k.column = k.column[:0]
	for w, x := range a {
		k.column = append(k.column, x^b[w])
	}
	switch {
	case !both:
		return 1, false
	case onlyA == onlyB:
		return 0, false
	}
	return -1, !onlyA
}

// compare reports whether two columns have items in common, and whether either has items
// that the other has not.
func compare(a, b []uint64) (both, onlyA, onlyB bool) {
	var x, y, z uint64
	for w := range a {
		x |= a[w] & b[w]
		y |= a[w] &^ b[w]
		z |= b[w] &^ a[w]
	}
	return x != 0, y != 0, z != 0
}
