package mcmc

import (
	"math"
	"math/rand/v2"

	"aibd/internal/collapsed"
)

// sums replaces a column by its sum with another where the two have no item in common,
// and by their difference where one holds the other: in each case by the set of items
// that are in one of the two only, so that the same proposal leads back. The columns span
// what they spanned before, with loadings that are sums and differences of the old ones,
// and a proposal costs O(1). Both columns are drawn uniformly; the new one is accepted by
// Metropolis.
//
// Nothing is proposed while the state is not Steady, which the move does not change.
type sums struct {
	tries  int // proposals of a step, at most
	column []uint64
	term   [1]collapsed.Term
	logNu  []float64 // of the columns
}

func (k *sums) Name() string { return "sums" }

// Step makes the proposals: as many as there are pairs of columns, at most tries. Info
// counts pairs of columns that overlap, and cannot be combined, as rejected.
func (k *sums) Step(rng *rand.Rand, s *target) Info {
	n := s.K()
	if n < 2 || !s.Steady() {
		return Info{}
	}
	law := s.Law()
	k.logNu = k.logNu[:0]
	for a := range n {
		k.logNu = append(k.logNu, law.LogIntensity(s.Column(a)))
	}
	maxNu := math.Log(law.TotalIntensity())
	info := Info{Proposed: min(k.tries, n*(n-1)/2)}
	for range info.Proposed {
		a, b := rng.IntN(n), rng.IntN(n-1)
		if b >= a {
			b++
		}
		u := rng.ExpFloat64()
		sign := k.combine(s.Column(a), s.Column(b))
		if sign == 0 {
			continue
		}
		k.term[0] = collapsed.Term{Column: b, Sign: sign}
		log := u - k.logNu[a] + s.LogCombine(a, k.term[:])
		if !(log+maxNu > 0 && log+law.IntensityBound(k.column, -log) > 0) { // nu is at most H
			continue
		}
		nu := law.LogIntensity(k.column)
		if !(log+nu > 0) {
			continue
		}
		info.Accepted++
		k.logNu[a] = nu
		s.Combine(a, k.term[:])
	}
	return info
}

// combine puts the items that are in one of two columns only into k.column. It returns 1
// if they are a + b, -1 if they are a - b or b - a, and 0 if they are neither, or none.
func (k *sums) combine(a, b []uint64) (sign float64) {
	both, onlyA, onlyB := compare(a, b)
	k.column = k.column[:0]
	for w, x := range a {
		k.column = append(k.column, x^b[w])
	}
	switch {
	case !both:
		return 1
	case onlyA == onlyB:
		return 0
	}
	return -1
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
