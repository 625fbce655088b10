package intensity

// Upper bounds of the ratios and intensities of an arrivalTracker, rounding errors
// included.

import (
	"math"
	"math/bits"

	"aibd/internal/vector"
)

func (t *arrivalTracker) FlipBound(i, k int) float64 {
	t.fresh()
	p := t.now.pos[i]
	if hasBit(t.has(k), p) {
		return logAbove(t.boundRemove(p, k))
	}
	return logAbove(t.boundAdd(p, k))
}

func (t *arrivalTracker) FlipBounds(i int, bounds []float64) {
	t.fresh()
	if !t.capped {
		t.capAll()
	}
	a := t.now
	p := a.pos[i]
	scale, w := a.scale[p], a.w[p]
	for k, c := range t.caps {
		mem := t.has(k)
		switch b := t.u[k*a.n+p] * scale; {
		case hasBit(mem, p):
			bounds[k] = t.boundRemove(p, k)
		case b > tiny:
			bounds[k] = c.joins * b / (1 - b)
		case p < nextBit(mem, 0, a.n) && c.opens*w > tiny:
			bounds[k] = c.opens * w
		default: // too few digits for a bound
			bounds[k] = math.Inf(1)
		}
	}
}

// caps bounds boundAdd for one column over all items that may join, rounding errors
// included: by joins times the odds with which the item takes the column, by opens
// times w if it arrives before all members.
type caps struct{ joins, opens float64 }

// capAll computes the caps of all columns.
func (t *arrivalTracker) capAll() {
	t.capped = true
	t.highest, t.caps = vector.Extend(t.highest, t.now.n), vector.Extend(t.caps, t.k)
	clear(t.highest)
	for q := range t.now.n {
		highest := t.highest[q+1:]
		for p, x := range t.now.row(q) {
			if x > highest[p] {
				highest[p] = x
			}
		}
	}
	for k := range t.caps {
		t.caps[k] = t.cap(k)
	}
}

// cap returns the caps of a column: an item that joins adds to a member's similarity at
// most that of the earlier item most similar to the member.
func (t *arrivalTracker) cap(k int) caps {
	a, mem, u := t.now, t.has(k), t.column(k)
	first := nextBit(mem, 0, a.n)
	bound := 1 + 1e-9
	for l := nextBit(mem, first+1, a.n); l < a.n; l = nextBit(mem, l+1, a.n) {
		if u[l]*a.scale[l] < tiny {
			return caps{math.Inf(1), math.Inf(1)}
		}
		bound *= 1 + t.highest[l]/u[l]
	}
	joins, before := bound, t.highest[first]*a.scale[first]/a.w[first]
	if !(before > tiny) { // too few digits
		return caps{joins, math.Inf(1)}
	}
	return caps{joins, bound * before}
}

// boundAdd bounds the ratio of logAdd: later items that are not members only lower it,
// so that the factor of p itself, or of p as the first owner, and those of the later
// members bound it; +Inf where there are too few digits for a bound.
func (t *arrivalTracker) boundAdd(p, k int) float64 {
	a, mem := t.now, t.has(k)
	u, sim := t.column(k), a.row(p)
	bound, next := 0.0, p+1
	if first := nextBit(mem, 0, a.n); p > first {
		b := u[p] * a.scale[p]
		bound = b / (1 - b)
	} else {
		bound, next = a.w[p]/a.w[first]*a.take(first, p), first+1
	}
	if !(bound > tiny) {
		return math.Inf(1)
	}
	for w := next >> 6; w < len(mem); w++ {
		word := mem[w]
		if w == next>>6 {
			word = word >> (uint(next) & 63) << (uint(next) & 63)
		}
		for ; word != 0; word &= word - 1 {
			l := w<<6 + bits.TrailingZeros64(word)
			if u[l]*a.scale[l] < tiny {
				return math.Inf(1)
			}
			bound *= 1 + sim[l-p-1]/u[l]
		}
	}
	return bound
}

// boundRemove bounds the ratio of logRemove: later members only lower it; +Inf where
// there are too few digits for a bound, and where there is no other member.
func (t *arrivalTracker) boundRemove(p, k int) float64 {
	a, mem := t.now, t.has(k)
	u := t.column(k)
	bound, b := 0.0, u[p]*a.scale[p]
	if nextBit(mem, 0, a.n) < p {
		bound = (1 - b) / b
	} else {
		l := nextBit(mem, p+1, a.n)
		if l == a.n {
			return math.Inf(1)
		}
		b = a.take(l, p)
		bound = a.w[l] / a.w[p] * (1 - b) / b
	}
	if !(b > tiny) {
		return math.Inf(1)
	}
	later := u[p+1:]
	num, den := flipProducts(later, a.row(p), a.scale[p+1:], -1)
	if !(den > tiny) {
		return math.Inf(1)
	}
	return bound * num / den * (1 + 1e-9)
}

// logAbove returns an upper bound of log x that is within 0.06 of it, if the error of
// log x is below 1e-9; +Inf if x is 0, infinite or NaN.
func logAbove(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1023
	if uint(exponent+1022) > 2044 { // negative, denormal, infinite, NaN
		return math.Inf(1)
	}
	// log m <= (m - 1/m)/2 for m >= 1.
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	return float64(exponent)*math.Ln2 + (m-1/m)/2 + 1e-9
}

// maxSummed is the max number of members that IntensityBound uses.
const maxSummed = 32

func (t *arrivalTracker) IntensityBound(items []uint64, enough float64) float64 {
	t.fresh()
	a, c := t.now, t.trial
	a.arrange(c.members, items)
	// The factors of items that decline, and of members beyond maxSummed, are at most 1.
	l := nextBit(c.members, 0, a.n)
	bound, floor := a.w[l], 0.9*math.Exp(enough) // see logAbove
	list := append(c.list[:0], l)
	for l = nextBit(c.members, l+1, a.n); l < a.n && len(list) < maxSummed && bound > floor; l = nextBit(c.members, l+1, a.n) {
		u := 0.0
		for _, q := range list {
			u += a.given(q, l)
		}
		b := u * a.scale[l]
		if b < tiny { // too few digits for a bound
			return math.Inf(1)
		}
		bound *= b
		list = append(list, l)
	}
	return logAbove(bound)
}
