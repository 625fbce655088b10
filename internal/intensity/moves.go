package intensity

import (
	"aibd/feature"
	"aibd/internal/vector"
)

// moves is a proposal in which few items change places. It takes O(N) for each of them
// and for each column of one of them. The similarities change when it is accepted.
type moves struct {
	places []int     // positions with another item than before, ascending
	gives  []float64 // by place, N each: what its new item gives to later positions, 0 up to it
	takes  []float64 // by place, N each: what its new item takes from earlier positions, 0 from it on
	gave   []float64 // by place, N each: what its new item gave from its position before on, if that was earlier
}

// set prepares for the places at which from[p] != p: from is the position in now of
// the item at p. next has its order.
func (m *moves) set(t *arrivalTracker) {
	n, perm, size := t.now.n, t.next.perm, len(m.places)*t.now.n
	m.gives, m.takes, m.gave = vector.Extend(m.gives, size), vector.Extend(m.takes, size), vector.Extend(m.gave, size)
	for j, p := range m.places {
		gives, takes := m.gives[j*n:(j+1)*n], m.takes[j*n:(j+1)*n]
		clear(gives[:p+1])
		clear(takes[p:])
		t.now.decayed.given(gives[p+1:], perm[p], perm[p+1:])
		t.now.decayed.taken(takes[:p], perm[p], perm[:p])
		if s := t.proposal.sources[p]; s < p {
			gave := m.gave[j*n+s+1 : j*n+p]
			if t.stale {
				t.now.decayed.given(gave, t.now.perm[s], t.now.perm[s+1:p])
			} else {
				copy(gave, t.now.row(s))
			}
		}
	}
}

// shift updates u, the sums of similarities to the items in members, all if nil, for the
// moves. It leaves the sums at the places themselves to receive. It reports false if
// digits were lost.
func (m *moves) shift(u []float64, t *arrivalTracker, members []uint64) bool {
	n, safe := t.now.n, true
	for j, p := range m.places {
		if s := t.proposal.sources[p]; p < s && (members == nil || hasBit(members, s)) {
			vector.Axpy(u[p+1:s], 1, m.gives[j*n+p+1:])
		}
	}
	for j, p := range m.places {
		if s := t.proposal.sources[p]; s < p && (members == nil || hasBit(members, s)) {
			safe = !shrink(u[s+1:p], m.gave[j*n+s+1:], cancels) && safe
		}
	}
	return safe
}

// add adds to u what the item at position q gives to later ones after the moves. It leaves
// the sums at the places to receive.
func (m *moves) add(u []float64, t *arrivalTracker, q int) {
	t.fresh()
	row := t.now.row(q)
	if t.proposal.sources[q] != q {
		for j, p := range m.places {
			if p == q {
				row = m.gives[j*t.now.n+q+1 : (j+1)*t.now.n]
			}
		}
	}
	vector.Axpy(u[q+1:], 1, row)
}

// propose computes next except for its similarities.
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
	copy(t.uNext, t.u)
	copy(t.membersNext, t.members)
	for k := range t.k {
		before, after := t.has(k), t.membersNext[k*t.words:(k+1)*t.words]
		u := t.uNext[k*n : (k+1)*n]
		moved := false
		for _, p := range m.places {
			after[p>>6] &^= 1 << (uint(p) & 63)
			if hasBit(before, t.proposal.sources[p]) {
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
	for q := range feature.Items(members) {
		for j, p := range m.places {
			u[p] += m.takes[j*n+q]
		}
	}
}

// accept makes the similarities of now those of next.
func (m *moves) accept(t *arrivalTracker) {
	if t.stale {
		return
	}
	now, n := t.now, t.now.n
	for j, p := range m.places {
		for q, x := range m.takes[j*n : j*n+p] {
			now.sim[now.starts[q]+p] = x
		}
		copy(now.row(p), m.gives[j*n+p+1:(j+1)*n])
	}
}
