package intensity

import (
	"math/bits"

	"aibd/internal/vector"
)

// moves is a proposal in which few items change places: what it changes is
// computed in O(N) for each of them and for each column that one of them has, and the
// tables of the law stay as they are until it is accepted.
type moves struct {
	places []int     // positions with another item than before, ascending
	gives  []float64 // by place, N each: what its new item gives to later positions, 0 up to it
	takes  []float64 // by place, N each: what its new item takes from earlier positions, 0 from it on
	gave   []float64 // by place, N each: what its new item gave from its position before on, if that was earlier
}

// few reports whether a proposal with these many items out of place is worth a
// moves.
func few(places, n int) bool { return places <= min(n/4, 32) }

// set prepares for the places at which from[p] != p: from is the position in now of
// the item at p. next has its order.
func (m *moves) set(t *arrivalTracker) {
	n, perm, e, size := t.now.n, t.next.perm, t.aff.exponents, len(m.places)*t.now.n
	m.gives, m.takes, m.gave = extend(m.gives, size), extend(m.takes, size), extend(m.gave, size)
	least, _ := t.aff.spread(t.tau, t.now.self)
	for j, p := range m.places {
		gives, takes := m.gives[j*n:(j+1)*n], m.takes[j*n:(j+1)*n]
		clear(gives[:p+1])
		clear(takes[p:])
		e.given(gives[p+1:], perm[p], perm[p+1:])
		similarities(gives[p+1:], gives[p+1:], t.tau, least)
		e.taken(takes[:p], perm[p], perm[:p])
		similarities(takes[:p], takes[:p], t.tau, least)
		if s := t.proposal.from[p]; s < p {
			gave := m.gave[j*n+s+1 : j*n+p]
			if t.stale {
				t.pairs.later(gave, s)
				similarities(gave, gave, t.tau, least)
			} else {
				copy(gave, t.now.row(s))
			}
		}
	}
}

// shift makes u, a sum of similarities to the items in members before, what it is
// after the moves; up to the places themselves, which are left to receive. It reports
// false if digits were lost.
func (m *moves) shift(u []float64, t *arrivalTracker, members []uint64) bool {
	n, safe := t.now.n, true
	for j, p := range m.places {
		if s := t.proposal.from[p]; p < s && (members == nil || hasBit(members, s)) {
			vector.Axpy(u[p+1:s], 1, m.gives[j*n+p+1:])
		}
	}
	for j, p := range m.places {
		if s := t.proposal.from[p]; s < p && (members == nil || hasBit(members, s)) {
			safe = !vector.Shrink(u[s+1:p], m.gave[j*n+s+1:], cancels) && safe
		}
	}
	return safe
}

// add adds to u what the item at position q gives to later ones after the moves, up
// to the places.
func (m *moves) add(u []float64, t *arrivalTracker, q int) {
	t.fresh()
	row := t.now.row(q)
	if t.proposal.from[q] != q {
		for j, p := range m.places {
			if p == q {
				row = m.gives[j*t.now.n+q+1 : (j+1)*t.now.n]
			}
		}
	}
	vector.Axpy(u[q+1:], 1, row)
}

// propose computes next and everything that belongs to it but its similarities.
func (m *moves) propose(t *arrivalTracker) {
	m.set(t)
	now, next, n := t.now, t.next, t.now.n
	copy(next.total, now.total)
	if !m.shift(next.total, t, nil) {
		clear(next.total)
		for q := range n {
			m.add(next.total, t, q)
		}
	}
	for j, p := range m.places {
		next.total[p] = 0
		for _, x := range m.takes[j*n : j*n+p] {
			next.total[p] += x
		}
	}
	next.aff, next.temperature = now.aff, now.temperature
	copy(t.uNext, t.u)
	copy(t.membersNext, t.members)
	for k := range t.k {
		before, after := t.has(k), t.membersNext[k*t.words:(k+1)*t.words]
		u := t.uNext[k*n : (k+1)*n]
		moved := false
		for _, p := range m.places {
			after[p>>6] &^= 1 << (uint(p) & 63)
			if hasBit(before, t.proposal.from[p]) {
				setBit(after, p)
				moved = true
			}
		}
		if moved && !m.shift(u, t, before) {
			clear(u)
			for q := nextBit(after, 0, n); q < n; q = nextBit(after, q+1, n) {
				m.add(u, t, q)
			}
		}
		m.receive(u, after, n)
	}
}

// receive computes u at the places for a column with the given members after the
// moves.
func (m *moves) receive(u []float64, members []uint64, n int) {
	for _, p := range m.places {
		u[p] = 0
	}
	for w, word := range members {
		for ; word != 0; word &= word - 1 {
			q := w<<6 + bits.TrailingZeros64(word)
			for j, p := range m.places {
				u[p] += m.takes[j*n+q]
			}
		}
	}
}

// accept makes the similarities and the exponents of now those of next.
func (m *moves) accept(t *arrivalTracker) {
	now, n := t.now, t.now.n
	for j, p := range m.places {
		t.pairs.place(t.next.perm, p)
		if t.stale {
			continue
		}
		for q, x := range m.takes[j*n : j*n+p] {
			now.sim[now.starts[q]+p] = x
		}
		copy(now.row(p), m.gives[j*n+p+1:(j+1)*n])
	}
}
