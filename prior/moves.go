package prior

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
	flat   []float64 // working memory
	level  []int32
}

// few reports whether a proposal with these many items out of place is worth a
// moves.
func few(places, n int) bool { return 4*places <= n }

// set prepares for the places at which from[p] != p: from is the position in now of
// the item at p.
func (m *moves) set(t *arrivalTracker) {
	n, from := t.now.n, t.from
	m.gives, m.takes = extend(m.gives, len(m.places)*n), extend(m.takes, len(m.places)*n)
	least, _ := t.aff.spread(t.tau, t.now.self)
	for j, p := range m.places {
		gives, takes := m.gives[j*n:(j+1)*n], m.takes[j*n:(j+1)*n]
		clear(gives[:p+1])
		clear(takes[p:])
		t.pairs.giver(gives, from, p+1, n, from[p], t.tau, least)
		t.pairs.taker(takes, from, 0, p, from[p], t.tau, least)
	}
}

// shift makes u, a sum of similarities to the items in members before, what it is
// after the moves; up to the places themselves, which are left to receive. It reports
// false if digits were lost.
func (m *moves) shift(u []float64, t *arrivalTracker, members []uint64) bool {
	n, safe := t.now.n, true
	for j, p := range m.places {
		if s := t.from[p]; p < s && (members == nil || hasBit(members, s)) {
			vector.Axpy(u[p+1:s], 1, m.gives[j*n+p+1:])
		}
	}
	for _, p := range m.places {
		if s := t.from[p]; s < p && (members == nil || hasBit(members, s)) {
			safe = !vector.Shrink(u[s+1:p], t.now.sim[s*n+s+1:], cancels) && safe
		}
	}
	return safe
}

// add adds to u what the item at position q gives to later ones after the moves, up
// to the places.
func (m *moves) add(u []float64, t *arrivalTracker, q int) {
	row := t.now.row(q)
	if t.from[q] != q {
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
			if hasBit(before, t.from[p]) {
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

// accept makes the similarities of next out of those of now.
func (m *moves) accept(t *arrivalTracker) {
	now, next, n := t.now, t.next, t.now.n
	now.sim, next.sim = next.sim, now.sim
	for j, p := range m.places {
		for q, x := range m.takes[j*n : j*n+p] {
			next.sim[q*n+p] = x
		}
		copy(next.row(p), m.gives[j*n+p+1:(j+1)*n])
	}
	if t.pairs.level != nil {
		m.level = rearrange(t.pairs.level, m.places, t.from, m.level)
	} else {
		m.flat = rearrange(t.pairs.expo, m.places, t.from, m.flat)
	}
}

// rearrange makes entry q, p of a square matrix what from[q], from[p] was, where from
// is the identity but at places. It returns its working memory.
func rearrange[T any](m []T, places, from []int, work []T) []T {
	n := len(from)
	work = extend(work, len(places)*n)
	for j, p := range places {
		copy(work[j*n:(j+1)*n], m[from[p]*n:])
	}
	for j, p := range places {
		copy(m[p*n:(p+1)*n], work[j*n:])
	}
	for q := range n {
		row := m[q*n : (q+1)*n]
		for j, p := range places {
			work[j] = row[from[p]]
		}
		for j, p := range places {
			row[p] = work[j]
		}
	}
	return work
}
