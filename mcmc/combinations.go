package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/collapsed"
)

// Combinations adds two or three other columns to a column at once, each with a sign,
// where the result or its negative is a set of items, though stopping on the way gives
// none: b + c - d, say, of columns b and c that overlap and d, their intersection. Such
// columns can span what fewer span, with loadings that are sums and differences of each
// other, and neither flips nor Sums find out, since all that lies between is worse.
//
// The column and all others but the last are drawn uniformly, with signs; the last is
// drawn among those that fit. As many as fit on the way back enter the ratio by which
// Metropolis accepts.
//
// Nothing is proposed while the Cache is not Steady, which the move does not change.
type Combinations struct {
	tries     int
	terms     []collapsed.Term
	sum       []counts // of the column and the terms so far, by words
	in, out   []uint64 // items that the last term must have, and must not
	fit, back []last
	column    []uint64
}

// counts are the items of one word by their number in a sum of columns; those in 0 are
// left out.
type counts struct{ plus2, plus1, minus1, minus2 uint64 }

// last is the last term of a combination; turned, the negative of the sum is the set.
type last struct {
	collapsed.Term
	turned bool
}

// mostTerms is the number of columns that are added at once, at most. To draw all but
// one of more blindly would hardly ever fit.
const mostTerms = 3

// NewCombinations returns the kernel that makes the given number of proposals. It panics
// if tries < 1.
func NewCombinations(tries int) *Combinations {
	if tries < 1 {
		panic(fmt.Sprintf("mcmc: %d proposals of combinations", tries))
	}
	return &Combinations{tries: tries}
}

// Name returns "combinations".
func (k *Combinations) Name() string { return "combinations" }

// Step makes the proposals. Info counts those that nothing fits as rejected.
func (k *Combinations) Step(rng *rand.Rand, s *State) Info {
	s.catchUp()
	if s.Z.K() < 3 || !s.cache.Steady() {
		return Info{}
	}
	most := math.Log(s.tracker.TotalIntensity())
	info := Info{Proposed: k.tries}
	for range k.tries {
		a, ok := k.draw(rng, s.Z)
		if !ok {
			continue
		}
		column := s.Z.Column(a)
		if k.fit = k.fits(k.fit, s.Z, a, column); len(k.fit) == 0 {
			continue
		}
		end := k.fit[rng.IntN(len(k.fit))]
		k.terms = append(k.terms, end.Term)
		k.add(s.Z, column)
		if !k.accepted(s, a, end.turned, most, rng.ExpFloat64()) {
			continue
		}
		info.Accepted++
		s.combine(a, k.terms, end.turned, k.column)
	}
	if info.Accepted > 0 {
		s.settle()
	}
	return info
}

// accepted reports whether k.column takes the place of column a: if the ratio is above
// exp(-e). most is log H.
func (k *Combinations) accepted(s *State, a int, turned bool, most, e float64) bool {
	// nu of the new column is at most H, and one combination leads back at least.
	log := e - s.tracker.LogIntensity(s.Z.Column(a)) + s.cache.LogCombine(a, k.terms) + math.Log(float64(len(k.fit)))
	if !(log+most > 0) {
		return false
	}
	log += s.tracker.LogIntensity(k.column)
	return log > 0 && log > math.Log(float64(k.ways(s.Z, a, turned)))
}

// draw draws the column a and all terms but the last. It reports whether there are
// columns enough.
func (k *Combinations) draw(rng *rand.Rand, z *feature.Allocation) (a int, ok bool) {
	n, terms := z.K(), 2+rng.IntN(mostTerms-1)
	a = rng.IntN(n)
	k.terms = k.terms[:0]
	for len(k.terms) < terms-1 && terms < n {
		if t := (collapsed.Term{Column: rng.IntN(n), Sign: float64(1 - 2*rng.IntN(2))}); !k.has(a, t.Column) {
			k.terms = append(k.terms, t)
		}
	}
	return a, terms < n
}

// has reports whether a column is a or one of the terms.
func (k *Combinations) has(a, column int) bool {
	if column == a {
		return true
	}
	for _, t := range k.terms {
		if t.Column == column {
			return true
		}
	}
	return false
}

// add puts the sum of a column and all terms, of which it is known that it or its
// negative is a set, into k.column.
func (k *Combinations) add(z *feature.Allocation, column []uint64) {
	k.column = append(k.column[:0], column...)
	for w := range k.column {
		for _, t := range k.terms {
			k.column[w] ^= z.Column(t.Column)[w]
		}
	}
}

// ways returns how many last terms fit the combination that leads back from k.column, in
// the place of column a, after the same other terms: from a' = a + v to a = a' - v, or
// from a' = -(a + v) to -a = a' + v.
func (k *Combinations) ways(z *feature.Allocation, a int, turned bool) int {
	all := k.terms
	k.terms = k.terms[:len(all)-1]
	if !turned {
		k.negate()
	}
	k.back = k.fits(k.back, z, a, k.column)
	if !turned {
		k.negate()
	}
	k.terms = all
	return len(k.back)
}

func (k *Combinations) negate() {
	for i := range k.terms {
		k.terms[i].Sign *= -1
	}
}

// fits fills dst with the last terms that make a set, or its negative, of the sum of the
// other terms and a column, which is column a or is to take its place. There are none if
// that sum is one already; and those are left out whose sum with the column alone is
// one, which Sums finds. The sets are never empty: of what is in the sum but once, either
// all stays or what has the other sign does.
func (k *Combinations) fits(dst []last, z *feature.Allocation, a int, column []uint64) []last {
	dst = dst[:0]
	if !k.count(z, column) {
		return dst
	}
	var any counts
	for _, c := range k.sum {
		any.plus2 |= c.plus2
		any.plus1 |= c.plus1
		any.minus1 |= c.minus1
		any.minus2 |= c.minus2
	}
	switch plus, minus := any.plus1|any.plus2, any.minus1|any.minus2; {
	case any.plus2|any.minus2 == 0 && plus != 0 && minus != 0:
		dst = k.fitting(dst, z, a, column, last{collapsed.Term{Sign: 1}, false}, func(c counts) (in, out uint64) { return c.minus1, c.plus1 })
		dst = k.fitting(dst, z, a, column, last{collapsed.Term{Sign: -1}, true}, func(c counts) (in, out uint64) { return c.plus1, c.minus1 })
	case any.plus2 != 0 && minus == 0:
		dst = k.fitting(dst, z, a, column, last{collapsed.Term{Sign: -1}, false}, func(c counts) (in, out uint64) { return c.plus2, ^(c.plus1 | c.plus2) })
	case any.minus2 != 0 && plus == 0:
		dst = k.fitting(dst, z, a, column, last{collapsed.Term{Sign: 1}, true}, func(c counts) (in, out uint64) { return c.minus2, ^(c.minus1 | c.minus2) })
	}
	return dst
}

// count counts how often the items are in a column and the terms. It reports whether all
// counts lie between -2 and 2.
func (k *Combinations) count(z *feature.Allocation, column []uint64) bool {
	k.sum = k.sum[:0]
	for _, x := range column {
		k.sum = append(k.sum, counts{plus1: x})
	}
	beyond := uint64(0)
	for _, t := range k.terms {
		for w, x := range z.Column(t.Column) {
			c := k.sum[w]
			zero := ^(c.plus2 | c.plus1 | c.minus1 | c.minus2)
			if t.Sign > 0 {
				beyond |= c.plus2 & x
				c = counts{c.plus2&^x | c.plus1&x, c.plus1&^x | zero&x, c.minus1&^x | c.minus2&x, c.minus2 &^ x}
			} else {
				beyond |= c.minus2 & x
				c = counts{c.plus2 &^ x, c.plus1&^x | c.plus2&x, c.minus1&^x | zero&x, c.minus2&^x | c.minus1&x}
			}
			k.sum[w] = c
		}
	}
	return beyond == 0
}

// fitting appends the terms like that of kind whose columns have all items that must be
// in, and none that must be out.
func (k *Combinations) fitting(dst []last, z *feature.Allocation, a int, column []uint64, kind last, bounds func(counts) (in, out uint64)) []last {
	k.in, k.out = k.in[:0], k.out[:0]
	for _, c := range k.sum {
		in, out := bounds(c)
		k.in, k.out = append(k.in, in), append(k.out, out)
	}
	for c := range z.K() {
		members := z.Column(c)
		if fits(members, k.in, k.out) && !k.has(a, c) && !adds(column, members, kind.Sign) {
			kind.Column = c
			dst = append(dst, kind)
		}
	}
	return dst
}

// fits reports whether a column has all items of one set and none of another.
func fits(column, in, out []uint64) bool {
	for w, x := range column {
		if in[w]&^x|out[w]&x != 0 {
			return false
		}
	}
	return true
}

// adds reports whether the sum of two columns (sign 1) or their difference (sign -1), or
// its negative, is a set.
func adds(a, b []uint64, sign float64) bool {
	both, onlyA, onlyB := compare(a, b)
	if sign > 0 {
		return !both
	}
	return !onlyA || !onlyB
}
