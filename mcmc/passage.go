package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
)

// passage offers a flip to each shared entry of a row, in random order, and weighs only
// few of them.
//
// An entry flips if u < ratio, where u is uniform, one for each entry. Bounds q of all
// ratios are cheap, and u is rarely below its bound. The columns where it is are the
// candidates. One uniform number v finds the next candidate: the first column at which
// the product s of 1-q, the probability that there was none so far, falls to v or below.
// The u of that column is then uniform below q, as is 1-v/s with s before it.
//
// For the random order each column has a time, uniform in (0, 1). Candidates draw their
// times and are tried in this order. A flip changes the ratios of the columns with later
// times: these are offered a flip again, with new u and new times. Their old u has
// decided nothing yet.
type passage struct {
	columns       []int // still to be offered a flip
	fixed         []int // those of them that are not candidates
	candidates    []candidate
	prior, bounds []float64 // of the prior's ratios of flips and of the whole ones, by column
}

// candidate is a column in which a flip is to be weighed.
type candidate struct {
	column  int
	time, u float64
}

// run takes the open row of item i through its columns.
func (p *passage) run(rng *rand.Rand, s *target, i int) Info {
	p.begin(s, i)
	info := Info{Proposed: len(p.columns)}
	for p.flip(rng, s, i) {
		info.Accepted++
	}
	return info
}

// begin lists the columns of the open row of item i.
func (p *passage) begin(s *target, i int) {
	k := s.K()
	p.prior, p.bounds = slices.Grow(p.prior[:0], k)[:k], slices.Grow(p.bounds[:0], k)[:k]
	s.Law().FlipBounds(i, p.prior) // a flip changes that of its own column only
	p.columns = p.columns[:0]
	for a := range k {
		if s.Shared(a) {
			p.columns = append(p.columns, a)
		}
	}
}

// flip makes the next flip and leaves the columns that come after it. It reports
// false if there is none.
func (p *passage) flip(rng *rand.Rand, s *target, i int) bool {
	if len(p.columns) == 0 {
		return false
	}
	s.FlipBounds(p.bounds, p.prior)
	p.draw(rng)
	for len(p.candidates) > 0 {
		x := p.next()
		if flips(s, i, x.column, -math.Log(x.u)) {
			s.Flip(x.column)
			p.proceed(rng, x.time)
			return true
		}
	}
	return false
}

// draw draws the candidates among the columns.
func (p *passage) draw(rng *rand.Rand) {
	p.candidates, p.fixed = p.candidates[:0], p.fixed[:0]
	v, s := rng.Float64(), 1.0
	for _, a := range p.columns {
		next := 0.0
		if q := p.bounds[a]; q < 1 {
			next = s * (1 - q)
		}
		if v < next {
			s = next
			p.fixed = append(p.fixed, a)
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
	for j, a := range p.fixed {
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
	below, mask := uint64(0), ^uint64(0)
	for mask != 0 && p != 0 {
		digits := rng.Uint64()
		if p *= 2; p >= 1 {
			p--
			below |= mask &^ digits
			mask &= digits
		} else {
			mask &^= digits
		}
	}
	return below
}
