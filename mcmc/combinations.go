package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/collapsed"
)

// combinations adds two or three other columns to a column at once, each with a sign,
// where the result or its negative is a set of items, though stopping on the way gives
// none: b + c - d, say, of columns b and c that overlap and d, their intersection. Such
// columns can span what fewer span, with loadings that are sums and differences of each
// other, and neither flips nor sums find out, since all that lies between is worse.
//
// The column and all others but the last are drawn uniformly, with signs; the last is
// drawn among those that fit. As many as fit on the way back enter the ratio by which
// Metropolis accepts.
//
// Nothing is proposed while the state is not Steady, which the move does not change.
type combinations struct {
	tries     int // proposals of a step, at most
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

// maxTerms is the number of columns that are added at once, at most. To draw all but
// one of more blindly would hardly ever fit.
const maxTerms = 3

func (k *combinations) Name() string { return "combinations" }

// Step makes the proposals: half as many as there are pairs of columns, at most tries.
// Info counts those that nothing fits as rejected.
func (k *combinations) Step(rng *rand.Rand, s *target) Info {
	n := s.K()
	if n < 3 || !s.Steady() {
		return Info{}
	}
	maxNu := math.Log(s.Law().TotalIntensity())
	info := Info{Proposed: min(k.tries, n*(n-1)/4)}
	for range info.Proposed {
		a, ok := k.draw(rng, n)
		if !ok {
			continue
		}
		column := s.Column(a)
		if k.fit = k.fits(k.fit, s, a, column); len(k.fit) == 0 {
			continue
		}
		end := k.fit[rng.IntN(len(k.fit))]
		k.terms = append(k.terms, end.Term)
		k.add(s, column)
		if !k.accepted(s, a, end.turned, maxNu, rng.ExpFloat64()) {
			continue
		}
		info.Accepted++
		s.Combine(a, k.terms)
	}
	return info
}

// accepted reports whether k.column takes the place of column a: if the ratio is above
// exp(-e). maxNu is log H.
func (k *combinations) accepted(s *target, a int, turned bool, maxNu, e float64) bool {
	// nu of the new column is at most H, and one combination leads back at least.
	log := e - s.Law().LogIntensity(s.Column(a)) + s.LogCombine(a, k.terms) + math.Log(float64(len(k.fit)))
	if !(log+maxNu > 0) {
		return false
	}
	log += s.Law().LogIntensity(k.column)
	return log > 0 && log > math.Log(float64(k.ways(s, a, turned)))
}

// draw draws the column a, of n columns, and all terms but the last. It reports whether
// there are enough columns.
func (k *combinations) draw(rng *rand.Rand, n int) (a int, ok bool) {
	terms := 2 + rng.IntN(maxTerms-1)
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
func (k *combinations) has(a, column int) bool {
	return column == a || slices.ContainsFunc(k.terms, func(t collapsed.Term) bool { return t.Column == column })
}

// add puts the sum of a column and all terms into k.column. The sum or its negative must be a set.
func (k *combinations) add(s *target, column []uint64) {
	k.column = append(k.column[:0], column...)
	for w := range k.column {
		for _, t := range k.terms {
			k.column[w] ^= s.Column(t.Column)[w]
		}
	}
}

// ways returns how many last terms fit the combination that leads back from k.column, which
// takes the place of column a. The other terms are the same: from a' = a + v to a = a' - v, or
// from a' = -(a + v) to -a = a' + v.
func (k *combinations) ways(s *target, a int, turned bool) int {
	all := k.terms
	k.terms = k.terms[:len(all)-1]
	if !turned {
		k.negate()
	}
	k.back = k.fits(k.back, s, a, k.column)
	if !turned {
		k.negate()
	}
	k.terms = all
	return len(k.back)
}

func (k *combinations) negate() {
	for i := range k.terms {
		k.terms[i].Sign *= -1
	}
}

// fits fills dst with the last terms that make a set, or its negative, of the sum of the
// other terms and a column, which is column a or is to take its place. There are none if
// that sum is a set already. Terms whose sum with the column alone is a set are left out:
// the kernel sums proposes them. The sets are never empty.
func (k *combinations) fits(dst []last, s *target, a int, column []uint64) []last {
	dst = dst[:0]
	if !k.count(s, column) {
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
		dst = k.fitting(dst, s, a, column, last{collapsed.Term{Sign: 1}, false}, func(c counts) (in, out uint64) { return c.minus1, c.plus1 })
		dst = k.fitting(dst, s, a, column, last{collapsed.Term{Sign: -1}, true}, func(c counts) (in, out uint64) { return c.plus1, c.minus1 })
	case any.plus2 != 0 && minus == 0:
		dst = k.fitting(dst, s, a, column, last{collapsed.Term{Sign: -1}, false}, func(c counts) (in, out uint64) { return c.plus2, ^(c.plus1 | c.plus2) })
	case any.minus2 != 0 && plus == 0:
		dst = k.fitting(dst, s, a, column, last{collapsed.Term{Sign: 1}, true}, func(c counts) (in, out uint64) { return c.minus2, ^(c.minus1 | c.minus2) })
	}
	return dst
}

// count counts how often the items are in a column and the terms. It reports whether all
// counts lie between -2 and 2.
func (k *combinations) count(s *target, column []uint64) bool {
	k.sum = k.sum[:0]
	for _, x := range column {
		k.sum = append(k.sum, counts{plus1: x})
	}
	beyond := uint64(0)
	for _, t := range k.terms {
		for w, x := range s.Column(t.Column) {
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
func (k *combinations) fitting(dst []last, s *target, a int, column []uint64, kind last, bounds func(counts) (in, out uint64)) []last {
	k.in, k.out = k.in[:0], k.out[:0]
	for _, c := range k.sum {
		in, out := bounds(c)
		k.in, k.out = append(k.in, in), append(k.out, out)
	}
	for c := range s.K() {
		members := s.Column(c)
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
