package intensity

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// proposal says how the last proposal differs from the current state.
type proposal struct {
	kind     change
	arranged bool  // the order differs
	sources  []int // the position before of the item at each position
	moves    moves
	rotation rotation
	attraction
}

// change says how next is computed and accepted.
type change int

const (
	anew    change = iota // from scratch
	moved                 // few items change places
	rotated               // one item changes its place, and those between shift by one
)

func (t *arrivalTracker) Propose(temperatures Temperatures, perm []int) (float64, float64) {
	a, c := t.next, &t.proposal
	a.order(perm)
	c.moves.places = c.moves.places[:0]
	for p, i := range perm {
		if c.sources[p] = t.now.pos[i]; c.sources[p] != p {
			c.moves.places = append(c.moves.places, p)
		}
	}
	t.membersNext = vector.Extend(t.membersNext, len(t.members))
	t.uNext = vector.Extend(t.uNext, len(t.u))
	places := c.moves.places
	c.arranged = len(places) > 0
	a.update(t.aff, temperatures)
	switch unchanged := c.arranged && t.now.safe && temperatures.Equal(t.now.temperatures); {
	case unchanged && c.rotation.matches(c.sources, places):
		c.kind = rotated
		c.rotation.propose(t)
		a.normalize(nil)
	case unchanged && len(places) <= min(a.n/4, 32): // moves of more items take as long as a fresh start
		c.kind = moved
		c.moves.propose(t)
		a.normalize(nil)
	default:
		t.proposeAll()
	}
	t.sumNext = a.sumLogNu(t.uNext, t.membersNext, t.k, t.words)
	return t.sumNext, a.h
}

// proposeAll computes everything of next from its order and temperature except for the
// sum of log nu.
func (t *arrivalTracker) proposeAll() {
	if t.proposal.arranged {
		clear(t.membersNext)
		for k := range t.k {
			after := t.membersNext[k*t.words : (k+1)*t.words]
			for i := range feature.Items(t.has(k)) {
				setBit(after, t.next.pos[t.now.perm[i]])
			}
		}
	} else {
		copy(t.membersNext, t.members)
	}
	a, c := t.next, &t.proposal
	c.kind, t.stale = anew, true
	a.similarities(&c.attraction)
	a.addUp()
	a.normalize(&c.attraction)
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
	}
	t.drifted = c.kind != anew
	t.now, t.next = t.next, t.now
	t.u, t.uNext = t.uNext, t.u
	t.members, t.membersNext = t.membersNext, t.members
	t.sum, t.valid, t.capped = t.sumNext, true, false
	vector.Fill(t.singles, math.NaN())
}
