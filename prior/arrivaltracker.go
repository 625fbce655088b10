package prior

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

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

	tau            float64   // temperature of now
	safe, safeNext bool      // as Affinity.spread says, of now and next
	pairs          *pairs    // in the order of now, nil for decays without exponents
	pairsNext      *pairs    // in the order of next, if that is another
	arranged       bool      // it is
	f              []float64 // similarities by item, where they are not safe
	from           []int     // position in now of the item at each position in next
	moves          moves     // how next differs from now, if moved
	moved          bool
	drifted        bool // sums of similarities in now come from others by moves

	k, words             int
	members, membersNext []uint64  // by position, words a column
	u, uNext             []float64 // u_p, N a column
	sum, sumNext         float64   // sum of log nu; sum only if known
	known                bool
	most, caps           []float64 // by position and by column, see capAll; if capped
	join                 float64   // the most that the factor of a new member can be
	capped               bool
	singles              []float64 // log nu of a singleton by position, NaN if not known
	b                    []float64 // working memory of DrawColumn
	list                 []int     // members of one column
	trial                *column   // working memory of LogIntensity
}

func newArrivalTracker(aff *Affinity, law *arrival) *arrivalTracker {
	n := law.n
	t := &arrivalTracker{
		aff: aff, now: newArrival(n), next: newArrival(n), tau: law.temperature,
		words: (n + 63) / 64, singles: make([]float64, n), b: make([]float64, n),
		from: make([]int, n), list: make([]int, 0, n), trial: newColumn(n),
	}
	t.now.self, t.next.self = law.self, law.self
	t.next.sim = nil // made when needed: it is large
	t.now.order(law.perm)
	if aff.exponents != nil {
		t.pairs = newPairs(aff, law.perm)
	}
	t.safe = t.attract(t.now, t.pairs, t.tau)
	t.forgetSingles()
	return t
}

// attract fills the tables of a, whose order p is of, and reports whether they are
// safe.
func (t *arrivalTracker) attract(a *arrival, p *pairs, temperature float64) bool {
	least, safe := t.aff.spread(temperature, a.self)
	if !safe {
		t.f = extend(t.f, a.n*a.n)
		t.aff.rows(t.f, temperature, a.self, nil)
		a.attract(t.aff, temperature, t.f, false)
		return false
	}
	p.fill(a, temperature, least)
	a.aff, a.temperature = t.aff, temperature
	a.addUp()
	a.normalizeSafe(least)
	return true
}

// normalizeSafe is normalize where similarities are safe.
func (a *arrival) normalizeSafe(least float64) {
	own := 0.0
	if a.self {
		own = ownSimilarity(a.temperature, least)
	}
	a.normalize(func(int) float64 { return own }, true)
}

func (t *arrivalTracker) forgetSingles() {
	for p := range t.singles {
		t.singles[p] = math.NaN()
	}
}

func (t *arrivalTracker) Reset(z *feature.Allocation) {
	if t.drifted {
		t.drifted = false
		t.now.addUp()
		least, _ := t.aff.spread(t.tau, t.now.self)
		t.now.normalizeSafe(least)
		t.forgetSingles()
	}
	t.k, t.known, t.capped = 0, false, false
	t.members, t.u = t.members[:0], t.u[:0]
	for k := range z.K() {
		t.AppendColumn(z.Column(k))
	}
}

func (t *arrivalTracker) AppendColumn(column []uint64) {
	t.known, t.capped = false, false
	t.addColumn()
	mem := t.has(t.k - 1)
	for w, word := range column {
		for ; word != 0; word &= word - 1 {
			setBit(mem, t.now.pos[w<<6+bits.TrailingZeros64(word)])
		}
	}
	t.list = t.now.fill(t.column(t.k-1), mem, t.list)
}

func (t *arrivalTracker) DrawColumn(rng *rand.Rand, column []uint64) {
	t.now.drawColumn(rng, column, t.b)
}

// addColumn appends an empty column.
func (t *arrivalTracker) addColumn() {
	t.k++
	t.members = extend(t.members, t.k*t.words)
	t.u = extend(t.u, t.k*t.now.n)
	clear(t.has(t.k - 1))
}

// extend returns s with length n, growing its capacity by half at a time.
func extend[T any](s []T, n int) []T {
	if n > cap(s) {
		s = slices.Grow(s, n+n/2-len(s))
	}
	return s[:n]
}

// has returns the members of column k by position.
func (t *arrivalTracker) has(k int) []uint64 { return t.members[k*t.words : (k+1)*t.words] }

// column returns u of column k.
func (t *arrivalTracker) column(k int) []float64 { return t.u[k*t.now.n : (k+1)*t.now.n] }

func (t *arrivalTracker) TotalIntensity() float64 { return t.now.h }

func (t *arrivalTracker) SumLogIntensity() float64 {
	if !t.known {
		t.sum, t.known = t.now.sumLogNu(t.u, t.members, t.k, t.words), true
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

func (t *arrivalTracker) LogSingleton(i int) float64 {
	p := t.now.pos[i]
	if math.IsNaN(t.singles[p]) {
		prod := newProduct()
		prod.mulOneMinus(t.now.row(p), t.now.scale[p+1:])
		t.singles[p] = math.Log(t.now.w[p]) + prod.logValue()
	}
	return t.singles[p]
}

func (t *arrivalTracker) LogFlip(i, k int) float64 {
	p := t.now.pos[i]
	if hasBit(t.has(k), p) {
		return t.logRemove(p, k)
	}
	return t.logAdd(p, k)
}

func (t *arrivalTracker) FlipBound(i, k int, x float64) float64 {
	p := t.now.pos[i]
	if hasBit(t.has(k), p) {
		return t.boundRemove(p, k)
	}
	if !t.capped {
		t.capAll()
	}
	if t.caps[k] <= x {
		return t.caps[k]
	}
	return t.boundAdd(p, k)
}

// capAll bounds boundAdd for each column over all items that may join.
func (t *arrivalTracker) capAll() {
	t.capped = true
	t.join = 1 / slices.Min(t.now.w)
	t.most, t.caps = extend(t.most, t.now.n), extend(t.caps, t.k)
	clear(t.most)
	for q := range t.now.n {
		most := t.most[q+1:]
		for p, x := range t.now.row(q) {
			if x > most[p] {
				most[p] = x
			}
		}
	}
	for k := range t.caps {
		t.caps[k] = t.cap(k)
	}
}

// cap returns what capAll does for one column: the factor of the item that joins is
// at most its position, as that of a new first owner is, and it brings a later member
// no more than the earlier item most similar to that one would.
func (t *arrivalTracker) cap(k int) float64 {
	a, mem, u := t.now, t.has(k), t.column(k)
	bound := t.join
	for l := nextBit(mem, nextBit(mem, 0, a.n)+1, a.n); l < a.n; l = nextBit(mem, l+1, a.n) {
		if u[l]*a.scale[l] < tiny {
			return math.Inf(1)
		}
		bound *= 1 + t.most[l]/u[l]
	}
	return logAbove(bound)
}

// boundAdd bounds logAdd: later items that are not members only lower the ratio, so
// that the factor of p itself, or of p as the first owner, and those of the later
// members bound it.
func (t *arrivalTracker) boundAdd(p, k int) float64 {
	a, mem := t.now, t.has(k)
	u, sim := t.column(k), a.sim[p*a.n:(p+1)*a.n]
	u = u[:len(sim)]
	bound, next := 0.0, p+1
	if first := nextBit(mem, 0, a.n); p > first {
		b := u[p] * a.scale[p]
		bound = b / (1 - b)
	} else {
		bound, next = a.w[p]/a.w[first]*a.take(first, p), first+1
	}
	if !(bound > tiny) {
		return math.Inf(1)
	}
	for w := next >> 6; w < len(mem); w++ {
		word := mem[w]
		if w == next>>6 {
			word = word >> (uint(next) & 63) << (uint(next) & 63)
		}
		for ; word != 0; word &= word - 1 {
			l := w<<6 + bits.TrailingZeros64(word)
			if u[l]*a.scale[l] < tiny { // too few digits for a bound
				return math.Inf(1)
			}
			bound *= 1 + sim[l]/u[l]
		}
	}
	return logAbove(bound)
}

// boundRemove bounds logRemove: later members only lower the ratio.
func (t *arrivalTracker) boundRemove(p, k int) float64 {
	a, mem := t.now, t.has(k)
	u := t.column(k)
	bound := 0.0
	if b := u[p] * a.scale[p]; nextBit(mem, 0, a.n) < p {
		bound = (1 - b) / b
	} else {
		l := nextBit(mem, p+1, a.n)
		b = a.take(l, p)
		bound = a.w[l] / a.w[p] * (1 - b) / b
	}
	rest := u[p+1:]
	num, den := vector.FlipProducts(rest, a.row(p), a.scale[p+1:], -1)
	if !(den > tiny) {
		return math.Inf(1)
	}
	return logAbove(bound * num / den)
}

// logAbove returns a bound of log x from above that is within 0.06 of it, for x of
// which log x has an error below 1e-9; +Inf if x is 0, infinite or none.
func logAbove(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1023
	if uint(exponent+1022) > 2044 { // negative, subnormal, infinite, none
		return math.Inf(1)
	}
	// log m <= (m - 1/m)/2 for m >= 1.
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	return float64(exponent)*math.Ln2 + (m-1/m)/2 + 1e-9
}

// logNonMembers returns log prod over l from p+1 on of (1 - n_l - s a_lp) / (1 - n_l),
// members included, for s = +1 or -1.
func (a *arrival) logNonMembers(u []float64, p int, s float64) float64 {
	prod := newProduct()
	sim, r := a.row(p), a.scale[p+1:]
	for u = u[p+1:]; len(u) > 0; {
		m := min(block, len(u))
		num, den := vector.FlipProducts(u[:m], sim[:m], r[:m], s)
		for m > 1 && (num < tiny || den < tiny) {
			m /= 2
			num, den = vector.FlipProducts(u[:m], sim[:m], r[:m], s)
		}
		prod.mul(num / den)
		u, sim, r = u[m:], sim[m:], r[m:]
	}
	return prod.logValue()
}

// logAdd returns log nu(z')/nu(z) when the item at position p joins column k.
func (t *arrivalTracker) logAdd(p, k int) float64 {
	a := t.now
	u, mem, sim := t.column(k), t.has(k), a.sim[p*a.n:(p+1)*a.n]
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
		before, after := u[l]*a.scale[l], (u[l]+sim[l])*a.scale[l]
		// Undo what logNonMembers took this member for.
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

// cancels is how little of a sum may be left by a subtraction before it is summed
// anew.
const cancels = 1e-3

// without returns u_l of column k after the item at position p has left, summing
// anew where the difference would cancel.
func (t *arrivalTracker) without(p, l, k int) float64 {
	a := t.now
	before := t.column(k)[l]
	if after := before - a.sim[p*a.n+l]; after > cancels*before {
		return after
	}
	mem, sum := t.has(k), 0.0
	for q := nextBit(mem, 0, l); q < l; q = nextBit(mem, q+1, l) {
		if q != p {
			sum += a.sim[q*a.n+l]
		}
	}
	return sum
}

func (t *arrivalTracker) Flip(i, k int) {
	t.known = false
	a := t.now
	p := a.pos[i]
	mem, u := t.has(k), t.column(k)
	if !hasBit(mem, p) {
		setBit(mem, p)
		vector.Axpy(u[p+1:], 1, a.row(p))
	} else {
		mem[p>>6] &^= 1 << (uint(p) & 63)
		if vector.Shrink(u[p+1:], a.row(p), cancels) {
			t.list = a.fill(u, mem, t.list)
		}
	}
	if t.capped {
		t.caps[k] = t.cap(k)
	}
}

func (t *arrivalTracker) Append(i int) {
	t.known = false
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
	t.known = false
	last := t.k - 1
	copy(t.has(k), t.has(last))
	copy(t.column(k), t.column(last))
	t.members, t.u, t.k = t.members[:last*t.words], t.u[:last*t.now.n], last
	if t.capped {
		t.caps[k] = t.caps[last]
		t.caps = t.caps[:last]
	}
}

func (t *arrivalTracker) Propose(temperature float64, perm []int) (float64, float64) {
	a := t.next
	a.order(perm)
	t.moves.places = t.moves.places[:0]
	for p, i := range perm {
		if t.from[p] = t.now.pos[i]; t.from[p] != p {
			t.moves.places = append(t.moves.places, p)
		}
	}
	t.arranged = len(t.moves.places) > 0
	t.moved = t.arranged && t.safe && temperature == t.tau && few(len(t.moves.places), a.n)
	t.membersNext = extend(t.membersNext, len(t.members))
	t.uNext = extend(t.uNext, len(t.u))
	if t.moved {
		t.safeNext = true
		t.moves.propose(t)
		least, _ := t.aff.spread(temperature, a.self)
		a.normalizeSafe(least)
	} else {
		t.proposeAll(temperature)
	}
	t.sumNext = a.sumLogNu(t.uNext, t.membersNext, t.k, t.words)
	return t.sumNext, a.h
}

// proposeAll computes everything that belongs to next but the sum of log nu.
func (t *arrivalTracker) proposeAll(temperature float64) {
	a, order := t.next, t.pairs
	if a.sim == nil {
		a.sim = make([]float64, a.n*a.n)
	}
	if t.arranged && order != nil {
		if t.pairsNext == nil {
			t.pairsNext = allocPairs(t.aff)
		}
		order = t.pairsNext
		t.pairs.arrange(order, t.from)
	}
	t.safeNext = t.attract(a, order, temperature)
	if !t.arranged {
		copy(t.membersNext, t.members)
	} else {
		clear(t.membersNext)
	}
	for k := range t.k {
		mem := t.membersNext[k*t.words : (k+1)*t.words]
		if t.arranged {
			for w, word := range t.has(k) {
				for ; word != 0; word &= word - 1 {
					setBit(mem, a.pos[t.now.perm[w<<6+bits.TrailingZeros64(word)]])
				}
			}
		}
		t.list = a.fill(t.uNext[k*a.n:(k+1)*a.n], mem, t.list)
	}
}

func (t *arrivalTracker) Accept() {
	switch {
	case t.moved:
		t.moves.accept(t)
	case t.arranged:
		t.pairs, t.pairsNext = t.pairsNext, t.pairs
	}
	t.drifted = t.moved
	t.now, t.next = t.next, t.now
	t.u, t.uNext = t.uNext, t.u
	t.members, t.membersNext = t.membersNext, t.members
	t.safe, t.tau = t.safeNext, t.now.temperature
	t.sum, t.known, t.capped = t.sumNext, true, false
	t.forgetSingles()
}
