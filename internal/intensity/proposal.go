package intensity

import "math/bits"

// proposal says how what was proposed last differs from what is.
type proposal struct {
	kind     change
	arranged bool  // it has another order
	from     []int // the position before of the item at each position
	moves    moves
	rotation rotation
	attraction
}

// change is how next is computed, and accepted.
type change int

const (
	anew    change = iota
	moved          // few items change places
	rotated        // one does, and others make way
)

func (t *arrivalTracker) Propose(temperature float64, perm []int) (float64, float64) {
	a, c := t.next, &t.proposal
	a.order(perm)
	c.moves.places = c.moves.places[:0]
	for p, i := range perm {
		if c.from[p] = t.now.pos[i]; c.from[p] != p {
			c.moves.places = append(c.moves.places, p)
		}
	}
	t.membersNext = extend(t.membersNext, len(t.members))
	t.uNext = extend(t.uNext, len(t.u))
	places := c.moves.places
	c.arranged = len(places) > 0
	least, safe := t.aff.spread(temperature, a.self)
	t.safeNext = safe
	switch same := c.arranged && t.safe && temperature == t.tau; {
	case same && c.rotation.is(c.from, places):
		c.kind = rotated
		c.rotation.propose(t)
	case same && few(len(places), a.n):
		c.kind = moved
		c.moves.propose(t)
	default:
		t.proposeAll(temperature, least)
	}
	if safe {
		a.normalizeSafe(least)
	}
	t.sumNext = a.sumLogNu(t.uNext, t.membersNext, t.k, t.words)
	return t.sumNext, a.h
}

// proposeAll computes everything that belongs to next but the sum of log nu, where
// similarities are safe also but the normalization.
func (t *arrivalTracker) proposeAll(temperature, least float64) {
	if t.proposal.arranged {
		clear(t.membersNext)
		for k := range t.k {
			after := t.membersNext[k*t.words : (k+1)*t.words]
			for w, word := range t.has(k) {
				for ; word != 0; word &= word - 1 {
					setBit(after, t.next.pos[t.now.perm[w<<6+bits.TrailingZeros64(word)]])
				}
			}
		}
	} else {
		copy(t.membersNext, t.members)
	}
	a, c := t.next, &t.proposal
	c.kind, t.stale = anew, true
	if !t.safeNext {
		a.attract(t.aff, temperature, &c.attraction)
	} else {
		a.aff, a.temperature = t.aff, temperature
		c.decayed.at(t.aff.exponents, temperature, least)
		for q, j := range a.perm {
			if c.arranged {
				c.decayed.after(a.row(q), j, a.perm[q+1:])
			} else {
				t.pairs.similarities(a.row(q), q, &c.decayed)
			}
		}
		a.addUp()
	}
	for k := range t.k {
		t.list = a.fill(t.uNext[k*a.n:(k+1)*a.n], t.membersNext[k*t.words:(k+1)*t.words], t.list)
	}
}

func (t *arrivalTracker) Accept() {
	c := &t.proposal
	switch c.kind {
	case moved:
		c.moves.accept(t)
	case rotated:
		c.rotation.accept(t)
	case anew:
		t.stale = false
		if c.arranged && t.pairs != nil {
			t.pairs.arrange(t.next.perm)
		}
	}
	t.drifted = c.kind != anew
	t.now, t.next = t.next, t.now
	t.u, t.uNext = t.uNext, t.u
	t.members, t.membersNext = t.membersNext, t.members
	t.safe, t.tau = t.safeNext, t.now.temperature
	t.sum, t.known, t.capped = t.sumNext, true, false
	t.forgetSingles()
}
