package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/collapsed"
	"aibd/internal/intensity"
)

// passage offers a flip to each shared entry of a row, in random order, without a look
// at most of them.
//
// An entry flips if u < ratio, with u uniform of its own. Bounds q of all ratios cost
// little, and u is below them seldom. One uniform number v finds the next column where
// it is, a candidate: the first one at which the product s of 1-q, the probability that
// there was none so far, falls to v or below. The u of that column is then uniform below
// q, as is 1-v/s with s before it.
//
// For the random order think of each column as having a time, uniform in (0, 1).
// Candidates draw theirs and are tried by it. A flip changes the ratios of the columns
// whose time is still to come: these are offered theirs anew, with other u and times.
// The u that they had has played no part yet.
type passage struct {
	columns       []int // those to come
	others        []int // those of them that are no candidates
	candidates    []candidate
	prior, bounds []float64 // of the prior's ratios of flips and of the whole ones, by column
}

// candidate is a column in which a flip is to be weighed.
type candidate struct {
	column  int
	time, u float64
}

// run takes the open row of item i through its k columns.
func (p *passage) run(rng *rand.Rand, c *collapsed.Cache, t intensity.Tracker, i, k int) Info {
	p.prior, p.bounds = slices.Grow(p.prior[:0], k)[:k], slices.Grow(p.bounds[:0], k)[:k]
	t.FlipBounds(i, p.prior) // a flip changes that of its own column only
	p.columns = p.columns[:0]
	for a := range k {
		if c.Shared(a) {
			p.columns = append(p.columns, a)
		}
	}
	info := Info{Proposed: len(p.columns)}
	for p.flip(rng, c, t, i) {
		info.Accepted++
	}
	return info
}

// flip makes the next flip and leaves the columns that come after it. It reports false
// if there is none.
func (p *passage) flip(rng *rand.Rand, c *collapsed.Cache, t intensity.Tracker, i int) bool {
	if len(p.columns) == 0 {
		return false
	}
	c.FlipBounds(p.bounds, p.prior)
	p.draw(rng)
	for len(p.candidates) > 0 {
		x := p.next()
		if flips(c, t, i, x.column, -math.Log(x.u)) {
			c.Flip(x.column)
			t.Flip(i, x.column)
			p.proceed(rng, x.time)
			return true
		}
	}
	return false
}

// draw draws the candidates among the columns.
func (p *passage) draw(rng *rand.Rand) {
	p.candidates, p.others = p.candidates[:0], p.others[:0]
	v, s := rng.Float64(), 1.0
	for _, a := range p.columns {
		next := 0.0
		if q := p.bounds[a]; q < 1 {
			next = s * (1 - q)
		}
		if v < next {
			s = next
			p.others = append(p.others, a)
			continue
		}
		p.candidates = append(p.candidates, candidate{a, rng.Float64(), (s - v) / s})
		v, s = rng.Float64(), 1
	}
}

// next takes the earliest of the candidates, which are few.
func (p *passage) next() candidate {
	first, last := 0, len(p.candidates)-1
	for m, x := range p.candidates {
		if x.time < p.candidates[first].time {
			first = m
		}
	}
	x := p.candidates[first]
	p.candidates[first] = p.candidates[last]
	p.candidates = p.candidates[:last]
	return x
}

// proceed leaves the columns whose time is after that of a flip.
func (p *passage) proceed(rng *rand.Rand, time float64) {
	p.columns = p.columns[:0]
	var passed uint64
	for j, a := range p.others {
		if j%64 == 0 {
			passed = ones(rng, time)
		}
		if passed&1 == 0 {
			p.columns = append(p.columns, a)
		}
		passed >>= 1
	}
	for _, x := range p.candidates {
		p.columns = append(p.columns, x.column)
	}
}

// ones returns 64 bits, each of which is 1 with probability p in [0, 1): if a uniform
// number is below p. Those numbers are compared with p binary digit by binary digit, all
// 64 at a time, until they differ from it.
func ones(rng *rand.Rand, p float64) uint64 {
	below, same := uint64(0), ^uint64(0)
	for same != 0 && p != 0 {
		digits := rng.Uint64()
		if p *= 2; p >= 1 {
			p--
			below |= same &^ digits
			same &= digits
		} else {
			same &^= digits
		}
	}
	return below
}
