package intensity

import (
	"aibd/feature"
	"aibd/internal/vector"
)

// rotation is a proposal in which one item changes its place and the others keep
// their order. It takes O(N), and O(N) for each column of the item. The similarities
// change when it is accepted.
type rotation struct {
	source, target int       // position of the item before and after
	takes          []float64 // by position: similarity of the item to earlier ones after it
	fresh          []float64 // of the items that change places with the item, see pass
	saved          []float64
}

// matches reports whether a permutation is a rotation, given the previous position of the
// item at each position and the places where it differs.
func (m *rotation) matches(sources, places []int) bool {
	first, last := places[0], places[len(places)-1]
	if len(places) != last-first+1 {
		return false
	}
	step := 1
	m.source, m.target = first, last
	if sources[last] != first {
		step = -1
		m.source, m.target = last, first
	}
	for _, p := range places {
		if p != m.target && sources[p] != p+step {
			return false
		}
	}
	return sources[m.target] == m.source
}

// lies returns the new position of the item that was at position p.
func (m *rotation) lies(p int) int {
	switch {
	case p == m.source:
		return m.target
	case m.source < p && p <= m.target:
		return p - 1
	case m.target <= p && p < m.source:
		return p + 1
	}
	return p
}

// passed returns the items that the item moves past, by new position.
func (m *rotation) passed(perm []int) []int {
	if m.source < m.target {
		return perm[m.source:m.target]
	}
	return perm[m.target+1 : m.source+1]
}

// propose computes next except for its similarities.
func (m *rotation) propose(t *arrivalTracker) {
	t.fresh()
	now, next, n := t.now, t.next, t.now.n
	item, passed := next.perm[m.target], m.passed(next.perm)
	m.fresh, m.takes = vector.Extend(m.fresh, len(passed)), vector.Extend(m.takes, n)
	if m.source < m.target {
		now.decayed.taken(m.fresh, item, passed)
	} else {
		now.decayed.given(m.fresh, item, passed)
	}
	for q := range min(m.source, m.target) {
		m.takes[q] = now.given(q, m.source)
	}
	if m.source < m.target {
		copy(m.takes[m.source:m.target], m.fresh)
	}
	m.pass(next.total, now.total, t, nil, true)
	for k := range t.k {
		before, after := t.has(k), t.membersNext[k*t.words:(k+1)*t.words]
		clear(after)
		for i := range feature.Items(before) {
			setBit(after, m.lies(i))
		}
		m.pass(t.uNext[k*n:(k+1)*n], t.column(k), t, after, hasBit(before, m.source))
	}
}

// pass sets out to the new sums of similarities to the given members, all if nil, from
// the sums before. member says that the item is a member.
func (m *rotation) pass(out, before []float64, t *arrivalTracker, members []uint64, member bool) {
	source, target := m.source, m.target
	copy(out, before)
	if source < target {
		copy(out[source:target], before[source+1:])
		if member && shrink(out[source:target], t.now.row(source), cancels) {
			m.anew(out, t.now, members)
		}
	} else {
		copy(out[target+1:source+1], before[target:])
		if member {
			vector.Axpy(out[target+1:source+1], 1, m.fresh)
		}
	}
	sum := 0.0
	for q := next(members, 0, target); q < target; q = next(members, q+1, target) {
		sum += m.takes[q]
	}
	out[target] = sum
}

// anew computes the sums of the items that the item has moved past to the end.
func (m *rotation) anew(out []float64, now *arrival, members []uint64) {
	clear(out[m.source:m.target])
	for q := next(members, 0, m.target); q < m.target; q = next(members, q+1, m.target) {
		if q < m.source {
			vector.Axpy(out[m.source:m.target], 1, now.row(q)[m.source-q:])
		} else {
			vector.Axpy(out[q+1:m.target], 1, now.row(q+1))
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
	n, source, target, fresh := t.now.n, m.source, m.target, m.fresh
	sim, starts := t.now.sim, t.now.starts
	row := func(q int) []float64 { return sim[starts[q] : starts[q]+n] } // from the diagonal on
	m.saved = vector.Extend(m.saved, n)
	saved := m.saved
	last := max(source, target)
	copy(saved[last+1:], row(source)[last+1:])
	for q := range min(source, target) {
		r := row(q)
		x := r[source]
		if source < target {
			copy(r[source:target], r[source+1:])
		} else {
			copy(r[target+1:source+1], r[target:])
		}
		r[target] = x
	}
	if source < target {
		for q := source; q < target; q++ {
			r, s := row(q), row(q+1)
			copy(r[q+1:target], s[q+2:])
			r[target] = fresh[q-source]
			copy(r[target+1:], s[target+1:])
		}
		copy(row(target)[target+1:], saved[target+1:])
		return
	}
	for q := source; q > target; q-- {
		r, s := row(q), row(q-1)
		copy(r[q+1:source+1], s[q:])
		copy(r[source+1:], s[source+1:])
	}
	r := row(target)
	copy(r[target+1:source+1], fresh)
	copy(r[source+1:], saved[source+1:])
}
