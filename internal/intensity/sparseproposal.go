package intensity

import (
	"math"
	"math/bits"
)

// sparseProposal says what the last proposal changes.
type sparseProposal struct {
	local        bool // few items change places at the same temperatures
	temperatures Temperatures
	perm         []int
	pos          []int32 // of a proposal that is not local
	sum          float64

	places    []int   // positions with another item than before
	movers    []int   // by place: its item
	from      []int32 // by place: the position before of its item
	items     []int32 // with other factors than before
	marked    []uint64
	number    []int32 // by item: its number among items
	past      []int32 // by number: the last crossing past the item, or none or afresh
	crossings []crossing
	first     []int32 // by slot
}

// What else sparseProposal.past says: b of the item stays, or is computed from scratch.
const none, afresh = -1, -2

// crossing is a move of an item past an arriving one, which stays and attends to it.
type crossing struct {
	item  int32
	last  int32   // crossing past the same item, or none
	share float64 // that the item gains of the attraction before the proposal; negative if it leaves
}

// maxMoved is the max number of items that change places in a local proposal.
const maxMoved = 64

func (t *sparseTracker) Propose(temperatures Temperatures, perm []int) (float64, float64) {
	c := &t.next
	t.prepare(temperatures)
	for p, i := range perm {
		t.move(p, i)
	}
	if c.local = temperatures.Equal(t.temperatures) && t.few(); c.local {
		t.proposeLocally()
	} else {
		c.perm = append(c.perm[:0], perm...)
		t.proposeAll()
	}
	return c.sum, t.h
}

func (t *sparseTracker) ProposeShuffle(places, items []int) (float64, float64) {
	c := &t.next
	t.prepare(t.temperatures)
	for m, p := range places {
		t.move(p, items[m])
	}
	if c.local = t.few(); !c.local {
		c.perm = append(c.perm[:0], t.perm...)
		for m, p := range places {
			c.perm[p] = items[m]
		}
		return t.Propose(t.temperatures, c.perm)
	}
	t.proposeLocally()
	return c.sum, t.h
}

// prepare begins a proposal in which no item moves.
func (t *sparseTracker) prepare(temperatures Temperatures) {
	c := &t.next
	c.temperatures.Set(temperatures)
	c.places, c.movers, c.from = c.places[:0], c.movers[:0], c.from[:0]
	c.first = append(c.first[:0], t.first...)
}

// move proposes an item at a place.
func (t *sparseTracker) move(p, i int) {
	if c := &t.next; t.perm[p] != i {
		c.places, c.movers, c.from = append(c.places, p), append(c.movers, i), append(c.from, t.pos[i])
	}
}

// few reports whether a proposal at the same temperatures can be local.
func (t *sparseTracker) few() bool {
	return len(t.next.places) <= maxMoved && !math.IsInf(t.SumLogIntensity(), -1)
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
		t.factorsAnew(&prod, i, c.perm, c.pos)
	}
	c.sum = prod.logValue()
}

// factorsAnew is factors under the proposal, which has an order. It reports whether anything
// attracts the item.
func (t *sparseTracker) factorsAnew(prod *product, i int, perm []int, pos []int32) (attracted bool) {
	attracted = t.receiveAnew(t.bWith, i, perm, pos)
	t.factors(prod, i, t.bWith, pos[i], t.next.first)
	return attracted
}

// receiveAnew is receive under the proposal.
func (t *sparseTracker) receiveAnew(b []float64, i int, perm []int, pos []int32) (attracted bool) {
	c, g := &t.next, &t.givers
	if attracted = t.arrive(g, i, pos, c.temperatures); !attracted {
		t.follow(g, int(pos[i]), perm)
	}
	t.receive(b, g)
	return attracted
}

// proposeLocally computes the sum of log nu from its change: only few items have other factors.
func (t *sparseTracker) proposeLocally() {
	c := &t.next
	t.unmark()
	for m, p := range c.places {
		t.touch(c.movers[m], c.from[m], int32(p))
	}
	t.place(true)
	for _, i := range c.movers {
		t.begin(i)
	}
	t.place(false)
	before, after := newProduct(), newProduct()
	for _, i := range c.items {
		t.factors(&before, int(i), t.row(int(i)), t.pos[i], t.first)
	}
	t.place(true)
	for m, i := range c.items {
		switch past := c.past[m]; {
		case past == none:
			t.factors(&after, int(i), t.row(int(i)), t.pos[i], c.first)
		case past != afresh && t.cross(int(i), past):
			t.factors(&after, int(i), t.bWith, t.pos[i], c.first)
		default:
			t.factorsAnew(&after, int(i), t.perm, t.pos)
		}
	}
	t.place(false)
	c.sum = t.SumLogIntensity() + (after.logValue() - before.logValue())
}

// place moves the items of a local proposal to their new places, or back.
func (t *sparseTracker) place(proposed bool) {
	c := &t.next
	for m, i := range c.movers {
		p := c.from[m]
		if proposed {
			p = int32(c.places[m])
		}
		t.perm[p], t.pos[i] = i, p
	}
}

// touch marks an item that moves, and those whose shares change because it does.
func (t *sparseTracker) touch(i int, from, to int32) {
	c := &t.next
	c.past[t.mark(int32(i))] = afresh
	for at := t.back[i]; at < t.back[i+1]; at++ {
		l := t.from[at]
		p := t.pos[l]
		if (from < p) == (to < p) {
			continue
		}
		share, m := -t.given[at], t.mark(l)
		if c.past[m] == afresh || hasBit(t.alone, int(p)) {
			c.past[m] = afresh
			continue
		}
		if to < p {
			share = t.gain(int(l), i)
		}
		c.crossings = append(c.crossings, crossing{int32(i), c.past[m], share})
		c.past[m] = int32(len(c.crossings) - 1)
	}
	p := int(to)
	for q := nextBit(t.alone, p+1, t.n); q <= p+t.near && q < t.n; q = nextBit(t.alone, q+1, t.n) {
		c.past[t.mark(int32(t.perm[q]))] = afresh
	}
}

// gain returns what item i would have of the attraction on item l, which something attracts.
func (t *sparseTracker) gain(l, i int) float64 {
	e, _ := t.entry(l, i)
	x := math.Exp(t.logSimilarity(t.temperatures, e)-t.norm[l]) * (1 - t.newFor(l))
	if t.weight != nil {
		x *= t.weight[e]
	}
	return x
}

// cross sets bWith to b of an item after crossings. It reports whether it has all digits.
func (t *sparseTracker) cross(i int, past int32) bool {
	c, before, b := &t.next, t.row(i), t.bWith
	copy(b, before)
	all := 1 - t.newFor(i)
	rest := all
	for ; past != none; past = c.crossings[past].last {
		x := &c.crossings[past]
		rest += x.share
		add(b, t.columns(int(x.item)), x.share)
	}
	scale := all / rest
	if !(scale > 0.1 && scale < 10) {
		return false
	}
	for s := range b {
		b[s] *= scale
	}
	for w, word := range t.columns(i) {
		for ; word != 0; word &= word - 1 {
			s := w<<6 + bits.TrailingZeros64(word)
			if c.first[s] != int32(i) && !(b[s] > max(tiny, cancels*before[s])) {
				return false
			}
		}
	}
	return true
}

// begin finds the first members of the columns of an item that moves, and marks them and those
// before. The items are at their new positions.
func (t *sparseTracker) begin(i int) {
	c := &t.next
	for w, word := range t.columns(i) {
		for ; word != 0; word &= word - 1 {
			s := w<<6 + bits.TrailingZeros64(word)
			switch f := t.first[s]; {
			case hasBit(c.marked, int(f)) && c.past[c.number[f]] == afresh: // it may have moved
				c.first[s] = t.earliest(s, t.pos)
			case t.pos[i] < t.pos[c.first[s]]:
				c.first[s] = int32(i)
			}
			t.mark(t.first[s])
			t.mark(c.first[s])
		}
	}
}

// mark lists an item whose factors may change, and returns its number.
func (t *sparseTracker) mark(i int32) int32 {
	c := &t.next
	if !hasBit(c.marked, int(i)) {
		setBit(c.marked, int(i))
		c.number[i] = int32(len(c.items))
		c.items, c.past = append(c.items, i), append(c.past, none)
	}
	return c.number[i]
}

// unmark clears the list of marked items.
func (t *sparseTracker) unmark() {
	c := &t.next
	for _, i := range c.items {
		c.marked[i>>6] &^= 1 << (uint(i) & 63)
	}
	c.items, c.past, c.crossings = c.items[:0], c.past[:0], c.crossings[:0]
}

func (t *sparseTracker) Accept() {
	c := &t.next
	t.temperatures.Set(c.temperatures)
	copy(t.first, c.first)
	if c.local {
		t.place(true)
		for m, i := range c.items {
			if c.past[m] != none {
				t.attend(int(i))
				t.receive(t.row(int(i)), t.attending(int(i)))
			}
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
