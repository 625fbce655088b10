package intensity

import (
	"math/bits"

	"aibd/internal/vector"
)

// rotation is a proposal in which one item changes its place and the others keep
// their order: what it changes is computed in O(N) and O(N) for each column that the
// item has, and the tables of the law stay as they are until it is accepted.
type rotation struct {
	from, to int       // position of the item before and after
	takes    []float64 // by position: similarity of the item to earlier ones after it
	fresh    []float64 // of those that the item changes places with, see pass
	expo     []float64 // exponents of these
	number   []int32   // or their numbers
	saved    []float64
	numbers  []int32
}

// is reports whether a permutation is a rotation, given the position before of the
// item at each position and the places at which that is another.
func (m *rotation) is(from, places []int) bool {
	first, last := places[0], places[len(places)-1]
	if len(places) != last-first+1 {
		return false
	}
	step := 1
	m.from, m.to = first, last
	if from[last] != first {
		step = -1
		m.from, m.to = last, first
	}
	for _, p := range places {
		if p != m.to && from[p] != p+step {
			return false
		}
	}
	return from[m.to] == m.from
}

// lies returns the position after of what was at position p.
func (m *rotation) lies(p int) int {
	switch {
	case p == m.from:
		return m.to
	case m.from < p && p <= m.to:
		return p - 1
	case m.to <= p && p < m.from:
		return p + 1
	}
	return p
}

// passed returns the items that the item changes places with, by position after.
func (m *rotation) passed(perm []int) []int {
	if m.from < m.to {
		return perm[m.from:m.to]
	}
	return perm[m.to+1 : m.from+1]
}

// propose computes next and everything that belongs to it but its similarities.
func (m *rotation) propose(t *arrivalTracker) {
	t.fresh()
	now, next, n := t.now, t.next, t.now.n
	item, passed := next.perm[m.to], m.passed(next.perm)
	m.fresh, m.takes = extend(m.fresh, len(passed)), extend(m.takes, n)
	least, _ := t.aff.spread(t.tau, now.self)
	if m.from < m.to {
		t.aff.exponents.taken(m.fresh, item, passed)
	} else {
		t.aff.exponents.given(m.fresh, item, passed)
	}
	similarities(m.fresh, m.fresh, t.tau, least)
	for q := range min(m.from, m.to) {
		m.takes[q] = now.given(q, m.from)
	}
	if m.from < m.to {
		copy(m.takes[m.from:m.to], m.fresh)
	}
	next.aff, next.temperature = now.aff, now.temperature
	m.pass(next.total, now.total, t, nil, true)
	for k := range t.k {
		before, after := t.has(k), t.membersNext[k*t.words:(k+1)*t.words]
		clear(after)
		for w, word := range before {
			for ; word != 0; word &= word - 1 {
				setBit(after, m.lies(w<<6+bits.TrailingZeros64(word)))
			}
		}
		m.pass(t.uNext[k*n:(k+1)*n], t.column(k), t, after, hasBit(before, m.from))
	}
}

// pass makes out, the sums of similarities to the given members, all if nil, of what
// they were before; has says that the item is one of them.
func (m *rotation) pass(out, before []float64, t *arrivalTracker, members []uint64, has bool) {
	from, to := m.from, m.to
	copy(out, before)
	if from < to {
		copy(out[from:to], before[from+1:])
		if has && vector.Shrink(out[from:to], t.now.row(from), cancels) {
			m.anew(out, t.now, members)
		}
	} else {
		copy(out[to+1:from+1], before[to:])
		if has {
			vector.Axpy(out[to+1:from+1], 1, m.fresh)
		}
	}
	sum := 0.0
	for q := next(members, 0, to); q < to; q = next(members, q+1, to) {
		sum += m.takes[q]
	}
	out[to] = sum
}

// anew sums up what those that the item leaves behind have of the members.
func (m *rotation) anew(out []float64, now *arrival, members []uint64) {
	clear(out[m.from:m.to])
	for q := next(members, 0, m.to); q < m.to; q = next(members, q+1, m.to) {
		if q < m.from {
			vector.Axpy(out[m.from:m.to], 1, now.row(q)[m.from-q:])
		} else {
			vector.Axpy(out[q+1:m.to], 1, now.row(q+1))
		}
	}
}

// next is nextBit, of all positions if members is nil.
func next(members []uint64, p, n int) int {
	if members == nil {
		return min(p, n)
	}
	return nextBit(members, p, n)
}

// accept makes the similarities and the exponents of now those of next.
func (m *rotation) accept(t *arrivalTracker) {
	n, e := t.now.n, t.pairs
	item, passed := t.next.perm[m.to], m.passed(t.next.perm)
	m.saved = turn(t.now.sim, t.now.starts, n, m.from, m.to, m.fresh, m.saved)
	if e.number != nil {
		m.number = extend(m.number, len(passed))
		if m.from < m.to {
			e.takenNumbers(m.number, item, passed)
		} else {
			e.givenNumbers(m.number, item, passed)
		}
		m.numbers = turn(e.number, e.starts, n, m.from, m.to, m.number, m.numbers)
		return
	}
	m.expo = extend(m.expo, len(passed))
	if m.from < m.to {
		e.taken(m.expo, item, passed)
	} else {
		e.given(m.expo, item, passed)
	}
	m.saved = turn(e.expo, e.starts, n, m.from, m.to, m.expo, m.saved)
}

// turn moves what belongs to one position of a triangle to another one. fresh is of
// the item and those that it changes places with, by position after. It returns its
// working memory.
func turn[T any](m []T, starts []int, n, from, to int, fresh, saved []T) []T {
	row := func(q int) []T { return m[starts[q] : starts[q]+n] } // from the diagonal on
	saved = extend(saved, n)
	last := max(from, to)
	copy(saved[last+1:], row(from)[last+1:])
	for q := range min(from, to) {
		r := row(q)
		x := r[from]
		if from < to {
			copy(r[from:to], r[from+1:])
		} else {
			copy(r[to+1:from+1], r[to:])
		}
		r[to] = x
	}
	if from < to {
		for q := from; q < to; q++ {
			r, s := row(q), row(q+1)
			copy(r[q+1:to], s[q+2:])
			r[to] = fresh[q-from]
			copy(r[to+1:], s[to+1:])
		}
		copy(row(to)[to+1:], saved[to+1:])
		return saved
	}
	for q := from; q > to; q-- {
		r, s := row(q), row(q-1)
		copy(r[q+1:from+1], s[q:])
		copy(r[from+1:], s[from+1:])
	}
	r := row(to)
	copy(r[to+1:from+1], fresh)
	copy(r[from+1:], saved[from+1:])
	return saved
}
