package intensity

import (
	"aibd/feature"
	"aibd/internal/vector"
)

// rotation is a proposal in which one item changes its place and the others keep
// their order. It takes O(N), and O(N) for each column of the item. The similarities
// change when it is accepted.
type rotation struct {
	from, to int       // position of the item before and after
	takes    []float64 // by position: similarity of the item to earlier ones after it
	fresh    []float64 // of those that the item changes places with, see pass
	saved    []float64
}

// is reports whether a permutation is a rotation, given the previous position of the
// item at each position and the places where it differs.
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

// lies returns the new position of the item that was at position p.
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

// passed returns the items that the item moves past, by new position.
func (m *rotation) passed(perm []int) []int {
	if m.from < m.to {
		return perm[m.from:m.to]
	}
	return perm[m.to+1 : m.from+1]
}

// propose computes next except for its similarities.
func (m *rotation) propose(t *arrivalTracker) {
	t.fresh()
	now, next, n := t.now, t.next, t.now.n
	item, passed := next.perm[m.to], m.passed(next.perm)
	m.fresh, m.takes = vector.Extend(m.fresh, len(passed)), vector.Extend(m.takes, n)
	if m.from < m.to {
		now.decayed.taken(m.fresh, item, passed)
	} else {
		now.decayed.given(m.fresh, item, passed)
	}
	for q := range min(m.from, m.to) {
		m.takes[q] = now.given(q, m.from)
	}
	if m.from < m.to {
		copy(m.takes[m.from:m.to], m.fresh)
	}
	m.pass(next.total, now.total, t, nil, true)
	for k := range t.k {
		before, after := t.has(k), t.membersNext[k*t.words:(k+1)*t.words]
		clear(after)
		for i := range feature.Items(before) {
			setBit(after, m.lies(i))
		}
		m.pass(t.uNext[k*n:(k+1)*n], t.column(k), t, after, hasBit(before, m.from))
	}
}

// pass sets out to the new sums of similarities to the given members, all if nil, from
// the sums before. has says that the item is a member.
func (m *rotation) pass(out, before []float64, t *arrivalTracker, members []uint64, has bool) {
	from, to := m.from, m.to
	copy(out, before)
	if from < to {
		copy(out[from:to], before[from+1:])
		if has && shrink(out[from:to], t.now.row(from), cancels) {
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

// anew computes the sums of the items that the item has moved past to the end.
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

// accept makes the similarities of now those of next: it moves what belongs to one
// position of the triangle to another one.
func (m *rotation) accept(t *arrivalTracker) {
	n, from, to, fresh := t.now.n, m.from, m.to, m.fresh
	sim, starts := t.now.sim, t.now.starts
	row := func(q int) []float64 { return sim[starts[q] : starts[q]+n] } // from the diagonal on
	m.saved = vector.Extend(m.saved, n)
	saved := m.saved
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
		return
	}
	for q := from; q > to; q-- {
		r, s := row(q), row(q-1)
		copy(r[q+1:from+1], s[q:])
		copy(r[from+1:], s[from+1:])
	}
	r := row(to)
	copy(r[to+1:from+1], fresh)
	copy(r[from+1:], saved[from+1:])
}
