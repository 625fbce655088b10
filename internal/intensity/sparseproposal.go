package intensity

import (
	"math"
	"math/bits"
)

// sparseProposal says what the last proposal changes.
type sparseProposal struct {
	local       bool // few items change places at the same temperature
	temperature float64
	perm        []int
	pos         []int32 // of a proposal that is not local
	sum         float64

	places []int   // positions with another item than before
	from   []int32 // by place: the position before of its item
	items  []int32 // with other factors than before
	marked []uint64
	first  []int32 // by slot
}

// maxMoved is the max number of items that change places in a local proposal.
const maxMoved = 64

func (t *sparseTracker) Propose(temperature float64, perm []int) (float64, float64) {
	c := &t.next
	c.places, c.from = c.places[:0], c.from[:0]
	for p, i := range perm {
		if int(t.pos[i]) != p {
			c.places, c.from = append(c.places, p), append(c.from, t.pos[i])
		}
	}
	c.temperature = temperature
	c.perm = append(c.perm[:0], perm...)
	c.first = append(c.first[:0], t.first...)
	c.local = temperature == t.temperature && len(c.places) <= maxMoved && !math.IsInf(t.SumLogIntensity(), -1)
	if c.local {
		t.proposeLocally()
	} else {
		t.proposeAll()
	}
	return c.sum, t.h
}

// proposeAll computes the sum of log nu from scratch.
func (t *sparseTracker) proposeAll() {
	c := &t.next
	copy(c.pos, t.pos)
	if len(c.places) > 0 {
		for p, i := range c.perm {
			c.pos[i] = int32(p)
		}
		for _, s := range t.slots {
			c.first[s] = t.earliest(int(s), c.pos)
		}
	}
	prod := newProduct()
	for i := range t.n {
		t.factorsAnew(&prod, i, c.pos)
	}
	c.sum = prod.logValue()
}

// factorsAnew is factors under the proposal, with its positions. It reports whether anything
// attracts the item.
func (t *sparseTracker) factorsAnew(prod *product, i int, pos []int32) (attracted bool) {
	attracted = t.receiveAnew(t.bWith, i, pos)
	t.factors(prod, i, t.bWith, pos[i], t.next.first)
	return attracted
}

// receiveAnew is receive under the proposal.
func (t *sparseTracker) receiveAnew(b []float64, i int, pos []int32) (attracted bool) {
	c, g := &t.next, &t.givers
	if attracted = t.arrive(g, i, pos, c.temperature); !attracted {
		t.follow(g, int(pos[i]), c.perm)
	}
	t.receive(b, g)
	return attracted
}

// proposeLocally computes the sum of log nu from its change: only few items have other factors.
func (t *sparseTracker) proposeLocally() {
	c := &t.next
	t.unmark()
	for m, p := range c.places {
		t.touch(c.perm[p], c.from[m], int32(p))
	}
	t.place(true)
	for _, p := range c.places {
		t.begin(c.perm[p])
	}
	t.place(false)
	before, after := newProduct(), newProduct()
	for _, i := range c.items {
		t.factors(&before, int(i), t.row(int(i)), t.pos[i], t.first)
	}
	t.place(true)
	for _, i := range c.items {
		t.factorsAnew(&after, int(i), t.pos)
	}
	t.place(false)
	c.sum = t.SumLogIntensity() + (after.logValue() - before.logValue())
}

// place moves the items of a local proposal to their new places, or back.
func (t *sparseTracker) place(proposed bool) {
	c := &t.next
	for m, p := range c.places {
		if i := c.perm[p]; proposed {
			t.pos[i] = int32(p)
		} else {
			t.pos[i] = c.from[m]
		}
	}
}

// touch marks an item that moves, and those whose shares change because it does.
func (t *sparseTracker) touch(i int, from, to int32) {
	t.mark(int32(i))
	low, high := min(from, to), max(from, to)
	for _, items := range [][]int32{t.to[t.start[i]:t.start[i+1]], t.from[t.back[i]:t.back[i+1]]} {
		for _, j := range items {
			if low <= t.pos[j] && t.pos[j] <= high {
				t.mark(j)
			}
		}
	}
	p := int(to)
	for q := nextBit(t.alone, p+1, t.n); q <= p+t.near && q < t.n; q = nextBit(t.alone, q+1, t.n) {
		t.mark(int32(t.perm[q]))
	}
}

// begin finds the first members of the columns of an item that moves, and marks them and those
// before. The items are at their new positions.
func (t *sparseTracker) begin(i int) {
	c := &t.next
	for w, word := range t.columns(i) {
		for ; word != 0; word &= word - 1 {
			s := w<<6 + bits.TrailingZeros64(word)
			switch f := t.first[s]; {
			case t.perm[t.pos[f]] != int(f): // it moves
				c.first[s] = t.earliest(s, t.pos)
			case t.pos[i] < t.pos[c.first[s]]:
				c.first[s] = int32(i)
			}
			t.mark(t.first[s])
			t.mark(c.first[s])
		}
	}
}

// mark lists an item whose factors may change.
func (t *sparseTracker) mark(i int32) {
	if c := &t.next; !hasBit(c.marked, int(i)) {
		setBit(c.marked, int(i))
		c.items = append(c.items, i)
	}
}

// unmark clears the list of marked items.
func (t *sparseTracker) unmark() {
	c := &t.next
	for _, i := range c.items {
		c.marked[i>>6] &^= 1 << (uint(i) & 63)
	}
	c.items = c.items[:0]
}

func (t *sparseTracker) Accept() {
	c := &t.next
	t.temperature = c.temperature
	copy(t.first, c.first)
	if c.local {
		t.place(true)
		for _, p := range c.places {
			t.perm[p] = c.perm[p]
		}
		for _, i := range c.items {
			t.attend(int(i))
		}
		for _, i := range c.items {
			t.receive(t.row(int(i)), t.attending(int(i)))
		}
	} else {
		t.order(c.perm)
		t.attract()
		for i := range t.n {
			t.receive(t.row(i), t.attending(i))
		}
	}
	t.sum, t.known = c.sum, true
}
