package intensity

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// arrivalTracker is the Tracker of an arrival law. For every column it keeps,
// by position, u_p = sum over q < p of sim_qp z_q; with the scale of p it is n_p, the
// probability with which the item at p takes the column. Flipping the item at
// position q changes u_p for later p only, by sim_qp.
type arrivalTracker struct {
	aff       *Affinity
	now, next *arrival // next is what was proposed last
	// The two share their similarities, which are large. These are stale while they are
	// those of a proposal that is not accepted; see fresh.
	stale bool

	drifted  bool // sums of similarities in now come from others by changes
	proposal proposal

	k, words             int
	members, membersNext []uint64  // by position, words a column
	u, uNext             []float64 // u_p, N a column
	sum, sumNext         float64   // sum of log nu; sum only if valid
	valid                bool
	highest              []float64 // by position, the greatest similarity to an earlier item; if capped
	caps                 []caps    // by column; if capped
	capped               bool
	singles              []float64 // log nu of a singleton by position, NaN before it is computed
	b                    []float64 // working memory of DrawColumn
	list                 []int     // members of one column
	trial                *column   // working memory of LogIntensity
}

// newArrivalTracker returns the tracker of the law that arrival would be, with its
// items in the order of perm.
func newArrivalTracker(aff *Affinity, temperatures Temperatures, perm []int, self bool) *arrivalTracker {
	n := len(perm)
	t := &arrivalTracker{
		aff: aff, now: newArrival(perm, self),
		words: (n + 63) / 64, singles: make([]float64, n), b: make([]float64, n),
		list: make([]int, 0, n), trial: newColumn(n),
	}
	t.next = t.now.twin()
	t.proposal.sources = make([]int, n)
	t.now.attract(aff, temperatures, &t.proposal.attraction)
	vector.Fill(t.singles, math.NaN())
	return t
}

// fresh restores the similarities of now.
func (t *arrivalTracker) fresh() {
	if t.stale {
		t.restore()
	}
}

func (t *arrivalTracker) restore() {
	t.stale = false
	if t.now.safe {
		t.now.similarities(nil)
	} else {
		t.now.attract(t.aff, t.now.temperatures, &t.proposal.attraction)
	}
}

func (t *arrivalTracker) Reset(z *feature.Allocation) {
	t.fresh()
	if t.drifted {
		t.drifted = false
		t.now.addUp()
		t.now.normalize(nil)
		vector.Fill(t.singles, math.NaN())
	}
	t.k, t.valid, t.capped = 0, false, false
	t.members, t.u = t.members[:0], t.u[:0]
	for k := range z.K() {
		t.AppendColumn(z.Column(k))
	}
}

func (t *arrivalTracker) AppendColumn(column []uint64) {
	t.fresh()
	t.valid, t.capped = false, false
	t.addColumn()
	mem := t.has(t.k - 1)
	for i := range feature.Items(column) {
		setBit(mem, t.now.pos[i])
	}
	t.list = t.now.fill(t.column(t.k-1), mem, t.list)
}

func (t *arrivalTracker) DrawColumn(rng *rand.Rand, column []uint64) {
	t.fresh()
	t.now.drawColumn(rng, column, t.b)
}

// addColumn appends an empty column.
func (t *arrivalTracker) addColumn() {
	t.k++
	t.members = vector.Extend(t.members, t.k*t.words)
	t.u = vector.Extend(t.u, t.k*t.now.n)
	clear(t.has(t.k - 1))
}

// has returns the members of column k by position.
func (t *arrivalTracker) has(k int) []uint64 { return t.members[k*t.words : (k+1)*t.words] }

// column returns u of column k.
func (t *arrivalTracker) column(k int) []float64 { return t.u[k*t.now.n : (k+1)*t.now.n] }

func (t *arrivalTracker) TotalIntensity() float64 { return t.now.h }

func (t *arrivalTracker) SumLogIntensity() float64 {
	if !t.valid {
		t.sum, t.valid = t.now.sumLogNu(t.u, t.members, t.k, t.words), true
	}
	return t.sum
}

func (a *arrival) sumLogNu(u []float64, members []uint64, k, words int) float64 {
	prod := newProduct()
	for c := range k {
		a.addLogNu(&prod, u[c*a.n:(c+1)*a.n], members[c*words:(c+1)*words])
	}
	return prod.logValue()
}

func (t *arrivalTracker) LogIntensity(column []uint64) float64 {
	t.fresh()
	prod := newProduct()
	t.now.multiply(&prod, column, t.trial)
	return prod.logValue()
}

func (t *arrivalTracker) LogSingleton(i int) float64 {
	t.fresh()
	p := t.now.pos[i]
	if math.IsNaN(t.singles[p]) {
		prod := newProduct()
		prod.mulOneMinus(t.now.row(p), t.now.scale[p+1:])
		t.singles[p] = math.Log(t.now.w[p]) + prod.logValue()
	}
	return t.singles[p]
}

func (t *arrivalTracker) LogFlip(i, k int) float64 {
	t.fresh()
	p := t.now.pos[i]
	if hasBit(t.has(k), p) {
		return t.logRemove(p, k)
	}
	return t.logAdd(p, k)
}

// logNonMembers returns log prod over l from p+1 on of (1 - n_l - s a_lp) / (1 - n_l),
// members included, for s = +1 or -1.
func (a *arrival) logNonMembers(u []float64, p int, s float64) float64 {
	prod := newProduct()
	sim, r := a.row(p), a.scale[p+1:]
	for u = u[p+1:]; len(u) > 0; {
		m := min(block, len(u))
		num, den := flipProducts(u[:m], sim[:m], r[:m], s)
		for m > 1 && (num < tiny || den < tiny) {
			m /= 2
			num, den = flipProducts(u[:m], sim[:m], r[:m], s)
		}
		prod.mul(num / den)
		u, sim, r = u[m:], sim[m:], r[m:]
	}
	return prod.logValue()
}

// logAdd returns log nu(z')/nu(z) when the item at position p joins column k.
func (t *arrivalTracker) logAdd(p, k int) float64 {
	a := t.now
	u, mem, sim := t.column(k), t.has(k), a.row(p)
	first := nextBit(mem, 0, a.n)
	prod := newProduct()
	sum := a.logNonMembers(u, p, 1)
	l := nextBit(mem, p+1, a.n)
	if p > first {
		b := u[p] * a.scale[p]
		if b < tiny {
			sum += a.logTake(p, func(q int) bool { return hasBit(mem, q) })
		} else {
			sum += math.Log(b)
		}
		sum -= math.Log1p(-b)
	} else {
		// p becomes the first owner; the old one takes the dish from p instead.
		sum += math.Log(a.w[p]/a.w[first]) - math.Log1p(-a.take(first, p))
		sum += a.logGive(p, first)
		l = nextBit(mem, first+1, a.n)
	}
	for ; l < a.n; l = nextBit(mem, l+1, a.n) {
		before, after := u[l]*a.scale[l], (u[l]+sim[l-p-1])*a.scale[l]
		// Undo the factor that logNonMembers has for this member.
		r := (1 - before) / (1 - after)
		if before < tiny {
			sum += math.Log(r) + a.logTake(l, func(q int) bool { return q == p || hasBit(mem, q) }) -
				a.logTake(l, func(q int) bool { return hasBit(mem, q) })
			continue
		}
		// Joining raises a later member's probability: the factor may be large.
		if f := r * after / before; f > 1e30 || prod.p > 1e200 {
			sum += math.Log(f)
		} else {
			prod.p *= f
		}
	}
	return sum + prod.logValue()
}

// logGive returns log a_lp, exactly where it underflows.
func (a *arrival) logGive(p, l int) float64 {
	if x := a.take(l, p); x > tiny {
		return math.Log(x)
	}
	return a.logTake(l, func(q int) bool { return q == p })
}

// logRemove returns log nu(z')/nu(z) when the item at position p leaves column
// k, which has other members.
func (t *arrivalTracker) logRemove(p, k int) float64 {
	a := t.now
	u, mem := t.column(k), t.has(k)
	first := nextBit(mem, 0, a.n)
	sum := a.logNonMembers(u, p, -1)
	l := nextBit(mem, p+1, a.n)
	if p > first {
		b := u[p] * a.scale[p]
		if b < tiny {
			sum -= a.logTake(p, func(q int) bool { return hasBit(mem, q) })
		} else {
			sum -= math.Log(b)
		}
		sum += math.Log1p(-b)
	} else {
		// The next member becomes the first owner. It was counted as one that
		// declines: from 1 - a to 1.
		sum += math.Log(a.w[l]/a.w[p]) - a.logGive(p, l) + math.Log1p(-a.take(l, p))
		l = nextBit(mem, l+1, a.n)
	}
	prod := newProduct()
	for ; l < a.n; l = nextBit(mem, l+1, a.n) {
		before := u[l] * a.scale[l]
		after := t.without(p, l, k) * a.scale[l]
		r := (1 - before) / (1 - after)
		if f := r * after / before; before >= tiny && f > 1e-30 {
			prod.mul(f)
			continue
		}
		sum += math.Log(r) + a.logTake(l, func(q int) bool { return q != p && hasBit(mem, q) }) -
			a.logTake(l, func(q int) bool { return hasBit(mem, q) })
	}
	return sum + prod.logValue()
}

// cancels is the fraction of a sum below which a difference is summed from scratch.
const cancels = 1e-3

// without returns u_l of column k after the item at position p has left. It sums from
// scratch if the difference would cancel.
func (t *arrivalTracker) without(p, l, k int) float64 {
	a := t.now
	before := t.column(k)[l]
	if after := before - a.given(p, l); after > cancels*before {
		return after
	}
	mem, sum := t.has(k), 0.0
	for q := nextBit(mem, 0, l); q < l; q = nextBit(mem, q+1, l) {
		if q != p {
			sum += a.given(q, l)
		}
	}
	return sum
}

func (t *arrivalTracker) Flip(i, k int) {
	t.fresh()
	t.valid = false
	a := t.now
	p := a.pos[i]
	mem, u := t.has(k), t.column(k)
	if !hasBit(mem, p) {
		setBit(mem, p)
		vector.Axpy(u[p+1:], 1, a.row(p))
	} else {
		mem[p>>6] &^= 1 << (uint(p) & 63)
		if shrink(u[p+1:], a.row(p), cancels) {
			t.list = a.fill(u, mem, t.list)
		}
	}
	if t.capped {
		t.caps[k] = t.cap(k)
	}
}

func (t *arrivalTracker) Append(i int) {
	t.fresh()
	t.valid = false
	t.addColumn()
	a := t.now
	p, u := a.pos[i], t.column(t.k-1)
	setBit(t.has(t.k-1), p)
	clear(u[:p+1])
	copy(u[p+1:], a.row(p))
	if t.capped {
		t.caps = append(t.caps, t.cap(t.k-1))
	}
}

func (t *arrivalTracker) Remove(k int) {
	t.valid = false
	last := t.k - 1
	copy(t.has(k), t.has(last))
	copy(t.column(k), t.column(last))
	t.members, t.u, t.k = t.members[:last*t.words], t.u[:last*t.now.n], last
	if t.capped {
		t.caps[k] = t.caps[last]
		t.caps = t.caps[:last]
	}
}
