package intensity

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// sparseTracker is the Tracker of an AIBD with a sparse matrix of similarities. It keeps b of
// every item and column. A flip of item i changes b of the takers of i only.
//
// Columns have slots that they keep until they are removed, so that a removal touches its own
// members and their takers only. Arrays by item have a row of slots for each.
type sparseTracker struct {
	*sparse
	room, words int       // slots, and words of a set of slots
	has         []uint64  // sets of slots by item
	b           []float64 // by item and slot; 0 in slots that are free

	slots []int32  // by column
	free  []int32  // the one to use next last
	first []int32  // by slot: the first member
	sets  []uint64 // by slot: members

	itemWords int // words of a set of items
	sum       float64
	known     bool // sum is the sum of the columns
	ratio     []float64
	bWith     []float64 // b of one item by slot, of a proposal
	owned     []uint64  // see gather
	next      sparseProposal
	insertion sparseInsertion
}

func newSparseTracker(l *links, temperatures Temperatures, perm []int) *sparseTracker {
	return &sparseTracker{
		sparse: newSparse(l, temperatures, perm), itemWords: (l.n + 63) / 64,
		next: sparseProposal{pos: make([]int32, l.n), marked: make([]uint64, (l.n+63)/64), number: make([]int32, l.n)},
	}
}

// reserve makes room for slots. Their number is a multiple of 16.
func (t *sparseTracker) reserve(slots int) {
	if slots <= t.room {
		return
	}
	room := (slots + slots/4 + 15) &^ 15
	words := (room + 63) / 64
	has, b := make([]uint64, t.n*words), make([]float64, t.n*room)
	for i := range t.n {
		copy(has[i*words:], t.has[i*t.words:(i+1)*t.words])
		copy(b[i*room:], t.b[i*t.room:(i+1)*t.room])
	}
	for s := room - 1; s >= t.room; s-- {
		t.free = append(t.free, int32(s))
	}
	t.has, t.b, t.room, t.words = has, b, room, words
	t.first = append(t.first, make([]int32, room-len(t.first))...)
	t.sets = append(t.sets, make([]uint64, room*t.itemWords-len(t.sets))...)
	t.ratio, t.bWith = make([]float64, room), make([]float64, room)
}

// row returns b of item i by slot.
func (t *sparseTracker) row(i int) []float64 { return t.b[i*t.room : (i+1)*t.room] }

// columns returns the slots of item i.
func (t *sparseTracker) columns(i int) []uint64 { return t.has[i*t.words : (i+1)*t.words] }

// members returns the members of a slot.
func (t *sparseTracker) members(s int) []uint64 {
	return t.sets[s*t.itemWords : (s+1)*t.itemWords]
}

func (t *sparseTracker) Reset(z *feature.Allocation) {
	clear(t.has)
	clear(t.b)
	clear(t.sets)
	t.slots, t.free = t.slots[:0], t.free[:0]
	for s := t.room - 1; s >= 0; s-- {
		t.free = append(t.free, int32(s))
	}
	t.reserve(z.K())
	for k := range z.K() {
		t.set(z.Column(k))
	}
	for i := range t.n {
		t.receive(t.row(i), t.attending(i))
	}
	t.known = false
}

// slot takes a slot for a further column.
func (t *sparseTracker) slot() int {
	t.reserve(len(t.slots) + 1)
	t.known = false
	s := t.free[len(t.free)-1]
	t.free, t.slots = t.free[:len(t.free)-1], append(t.slots, s)
	return int(s)
}

// set gives a column a slot, and leaves b to the caller.
func (t *sparseTracker) set(column []uint64) int {
	s := t.slot()
	copy(t.members(s), column)
	for i := range feature.Items(column) {
		setBit(t.columns(i), s)
	}
	t.first[s] = t.earliest(s, t.pos)
	return s
}

// earliest returns the first member of a slot under an order, -1 if it has none.
func (t *sparseTracker) earliest(s int, pos []int32) int32 {
	first := int32(-1)
	for w, word := range t.members(s) {
		for ; word != 0; word &= word - 1 {
			if i := int32(w<<6 + bits.TrailingZeros64(word)); first < 0 || pos[i] < pos[first] {
				first = i
			}
		}
	}
	return first
}

// receive sets b of an item by slot.
func (t *sparseTracker) receive(b []float64, g *givers) {
	clear(b)
	owned := t.gather(g.items)
	for m, share := range g.share {
		add(b, owned[m*t.words:(m+1)*t.words], share)
	}
}

// gather copies the columns of items that lie far apart, so that no read of memory waits for what is
// done with another.
func (t *sparseTracker) gather(items []int32) []uint64 {
	t.owned = vector.Extend(t.owned, len(items)*t.words)
	at := 0
	for _, j := range items {
		for w := int(j) * t.words; w < (int(j)+1)*t.words; w++ {
			t.owned[at] = t.has[w]
			at++
		}
	}
	return t.owned
}

// add adds the share of an item to b of its columns.
func add(b []float64, columns []uint64, share float64) {
	for w, word := range columns {
		for ; word != 0; word &= word - 1 {
			b[w<<6+bits.TrailingZeros64(word)] += share
		}
	}
}

func (t *sparseTracker) AppendColumn(column []uint64) {
	s := t.set(column)
	for j := range feature.Items(column) {
		takers := t.taking(j)
		for e, l := range takers.items {
			t.b[int(l)*t.room+s] += takers.share[e]
		}
	}
}

func (t *sparseTracker) Append(i int) {
	s := t.slot()
	setBit(t.members(s), i)
	setBit(t.columns(i), s)
	t.first[s] = int32(i)
	takers := t.taking(i)
	for e, l := range takers.items {
		t.b[int(l)*t.room+s] = takers.share[e]
	}
}

func (t *sparseTracker) Remove(k int) {
	t.known = false
	s, last := int(t.slots[k]), len(t.slots)-1
	for j := range feature.Items(t.members(s)) {
		t.columns(j)[s>>6] &^= 1 << (uint(s) & 63)
		for _, l := range t.taking(j).items {
			t.b[int(l)*t.room+s] = 0
		}
	}
	clear(t.members(s))
	t.free = append(t.free, int32(s))
	t.slots[k] = t.slots[last]
	t.slots = t.slots[:last]
}

func (t *sparseTracker) Flip(i, k int) {
	t.known = false
	s := int(t.slots[k])
	members, takers := t.members(s), t.taking(i)
	joins := !hasBit(members, i)
	members[i>>6] ^= 1 << (uint(i) & 63)
	t.columns(i)[s>>6] ^= 1 << (uint(s) & 63)
	for e, l := range takers.items {
		b := &t.b[int(l)*t.room+s]
		if joins {
			*b += takers.share[e]
			continue
		}
		if after := *b - takers.share[e]; after > cancels**b {
			*b = after
		} else {
			*b = t.sparse.b(int(l), members, i)
		}
	}
	switch {
	case joins && t.pos[i] < t.pos[t.first[s]]:
		t.first[s] = int32(i)
	case !joins && t.first[s] == int32(i):
		t.first[s] = t.earliest(s, t.pos)
	}
}

func (t *sparseTracker) TotalIntensity() float64 { return t.h }

func (t *sparseTracker) SumLogIntensity() float64 {
	if !t.known {
		prod := newProduct()
		for i := range t.n {
			t.factors(&prod, i, t.row(i), t.pos[i], t.first)
		}
		t.sum, t.known = prod.logValue(), true
	}
	return t.sum
}

// lanes is the number of factors between checks of the size of a product: those of items that
// decline are above 1e-9.
const lanes = 16

// factors multiplies prod by the factors of an item at position p in nu of all columns, given
// its b and the first member by slot.
func (t *sparseTracker) factors(prod *product, i int, b []float64, p int32, first []int32) {
	for from := 0; from < len(b); from += lanes {
		v := (*[lanes]float64)(b[from:])
		x := (1 - v[0]) * (1 - v[1]) * (1 - v[2]) * (1 - v[3])
		y := (1 - v[4]) * (1 - v[5]) * (1 - v[6]) * (1 - v[7])
		x *= (1 - v[8]) * (1 - v[9]) * (1 - v[10]) * (1 - v[11])
		y *= (1 - v[12]) * (1 - v[13]) * (1 - v[14]) * (1 - v[15])
		prod.mul(x * y)
	}
	for w, word := range t.columns(i) {
		for ; word != 0; word &= word - 1 {
			s := w<<6 + bits.TrailingZeros64(word)
			if first[s] == int32(i) {
				prod.mul(1 / float64(p+1))
			} else {
				prod.divide(b[s], 1-b[s])
			}
		}
	}
}

func (t *sparseTracker) LogIntensity(column []uint64) float64 { return t.logIntensity(column) }

func (t *sparseTracker) IntensityBound(column []uint64, enough float64) float64 {
	return t.intensityBound(column, enough)
}

func (t *sparseTracker) DrawColumn(rng *rand.Rand, column []uint64) { t.drawColumn(rng, column) }

func (t *sparseTracker) LogSingleton(i int) float64 {
	prod := newProduct()
	prod.mul(t.newFor(i))
	for _, x := range t.taking(i).share {
		prod.mul(1 - x)
	}
	return prod.logValue()
}

func (t *sparseTracker) LogFlip(i, k int) float64 {
	s := int(t.slots[k])
	if hasBit(t.members(s), i) {
		return t.logLeave(i, s)
	}
	return t.logJoin(i, s)
}

// logJoin returns log nu(z')/nu(z) when item i joins a column.
func (t *sparseTracker) logJoin(i, s int) float64 {
	takers, members, first := t.taking(i), t.members(s), int(t.first[s])
	prod, opens := newProduct(), t.pos[i] < t.pos[first]
	missing := opens
	if opens {
		// The old first member takes the dish from i instead, if it can.
		prod.divide(t.newFor(i), t.newFor(first))
	} else {
		b := t.b[i*t.room+s]
		prod.divide(b, 1-b)
	}
	for e, l := range takers.items {
		x, b := takers.share[e], t.b[int(l)*t.room+s]
		switch {
		case opens && int(l) == first:
			missing = false
			prod.divide(x, 1)
		case hasBit(members, int(l)):
			prod.divide(b+x, b)
		default:
			prod.divide(1-b-x, 1-b)
		}
	}
	if missing {
		return math.Inf(-1)
	}
	return prod.logValue()
}

// logLeave returns log nu(z')/nu(z) when item i leaves a column that has other members.
func (t *sparseTracker) logLeave(i, s int) float64 {
	takers, members, next := t.taking(i), t.members(s), -1
	prod := newProduct()
	if int(t.first[s]) == i {
		members[i>>6] &^= 1 << (uint(i) & 63)
		next = int(t.earliest(s, t.pos))
		setBit(members, i)
		prod.divide(t.newFor(next), t.newFor(i))
		prod.divide(1, t.b[next*t.room+s])
	} else {
		b := t.b[i*t.room+s]
		prod.divide(1-b, b)
	}
	for e, l := range takers.items {
		x, b := takers.share[e], t.b[int(l)*t.room+s]
		switch {
		case int(l) == next:
		case hasBit(members, int(l)):
			after := b - x
			if !(after > cancels*b) {
				after = t.sparse.b(int(l), members, i)
			}
			prod.divide(after, b)
		default:
			prod.divide(1-b+x, 1-b)
		}
	}
	return prod.logValue()
}

// FlipBound returns +Inf: FlipBounds are close to the ratios.
func (t *sparseTracker) FlipBound(_, _ int) float64 { return math.Inf(1) }

// FlipBounds leaves out the items that decline the column before and after the flip, and
// bounds what cancels.
func (t *sparseTracker) FlipBounds(i int, bounds []float64) {
	takers, mine, ratio := t.taking(i), t.columns(i), t.ratio
	for _, s := range t.slots {
		first := int(t.first[s])
		switch b := t.b[i*t.room+int(s)]; {
		case first == i: // the next member is not looked for
			ratio[s] = math.Inf(1)
		case hasBit(mine, int(s)):
			ratio[s] = (1 - b) / b
		case t.pos[first] < t.pos[i]:
			ratio[s] = b / (1 - b)
		default: // 0 unless the first member is a taker
			ratio[s] = t.newFor(i) / t.newFor(first)
			if !t.attends(first, i) {
				ratio[s] = 0
			}
		}
	}
	owned := t.gather(takers.items)
	for e, l := range takers.items {
		x, b := takers.share[e], t.row(int(l))
		for w, theirs := range owned[e*t.words : (e+1)*t.words] {
			for word := theirs; word != 0; word &= word - 1 {
				s := w<<6 + bits.TrailingZeros64(word)
				switch {
				case hasBit(mine, s):
					ratio[s] *= max(b[s]-x, 0)/b[s] + 1e-9 // more than rounding takes from the difference
				case t.first[s] == l:
					ratio[s] *= x
				default:
					ratio[s] *= 1 + x/b[s]
				}
			}
			for word := mine[w] &^ theirs; word != 0; word &= word - 1 {
				s := w<<6 + bits.TrailingZeros64(word)
				ratio[s] *= 1 + x/(1-b[s])
			}
		}
	}
	for k, s := range t.slots {
		bounds[k] = ratio[s] * (1 + 1e-9)
	}
}

// attends reports whether an item has an entry for an earlier one, or is one that nothing
// attracts.
func (t *sparseTracker) attends(i, j int) bool {
	if hasBit(t.alone, int(t.pos[i])) {
		return t.pos[i]-t.pos[j] <= int32(t.near)
	}
	_, ok := t.entry(i, j)
	return ok
}
