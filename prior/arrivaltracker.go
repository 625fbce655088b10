package prior

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"aibd/feature"
)

// arrivalTracker is the Tracker of an arrival law. For every column it keeps,
// by position, n_p = sum over q < p of a_pq z_q, the probability with which the
// item at p takes it; flipping the item at position q changes n_p for later p
// only, by a_pq.
type arrivalTracker struct {
	aff       *Affinity
	now, next *arrival // next is what was proposed last

	// Similarities by item at the temperatures tau (of now) and tauNext, as
	// Affinity.rows leaves them.
	f, fNext       []float64
	safe, safeNext bool
	tau, tauNext   float64
	table          []float64

	k, words             int
	members, membersNext []uint64  // by position, words a column
	n, nNext             []float64 // n_p, N a column
	sum, sumNext         float64   // sum of log nu; sum only if known
	known                bool
	singles              []float64 // log nu of a singleton by position, NaN if not known
	b                    []float64 // working memory of DrawColumn
}

func newArrivalTracker(aff *Affinity, law *arrival) *arrivalTracker {
	n := law.n
	t := &arrivalTracker{
		aff: aff, now: newArrival(n), next: newArrival(n),
		f: make([]float64, n*n), fNext: make([]float64, n*n),
		words: (n + 63) / 64, singles: make([]float64, n), b: make([]float64, n),
		tau: law.temperature, tauNext: math.NaN(),
	}
	t.now.self, t.next.self = law.self, law.self
	t.safe = t.aff.rows(t.f, t.tau, law.self, &t.table)
	t.now.order(law.perm)
	t.now.attract(t.aff, t.tau, t.f, t.safe)
	t.forgetSingles()
	return t
}

func (t *arrivalTracker) forgetSingles() {
	for p := range t.singles {
		t.singles[p] = math.NaN()
	}
}

func (t *arrivalTracker) Reset(z *feature.Allocation) {
	t.k, t.known = 0, false
	t.members, t.n = t.members[:0], t.n[:0]
	for k := range z.K() {
		t.AppendColumn(z.Column(k))
	}
}

func (t *arrivalTracker) AppendColumn(column []uint64) {
	t.known = false
	t.addColumn()
	mem := t.column(t.k - 1)
	for w, word := range column {
		for ; word != 0; word &= word - 1 {
			setBit(mem, t.now.pos[w<<6+bits.TrailingZeros64(word)])
		}
	}
	t.now.fill(t.n[(t.k-1)*t.now.n:t.k*t.now.n], mem)
}

func (t *arrivalTracker) DrawColumn(rng *rand.Rand, column []uint64) {
	t.now.drawColumn(rng, column, t.b)
}

// addColumn appends an empty column.
func (t *arrivalTracker) addColumn() {
	t.k++
	t.members = extend(t.members, t.k*t.words)
	t.n = extend(t.n, t.k*t.now.n)
	clear(t.members[(t.k-1)*t.words:])
	clear(t.n[(t.k-1)*t.now.n:])
}

// extend returns s with length n, growing its capacity by half at a time.
func extend[T any](s []T, n int) []T {
	if n > cap(s) {
		s = slices.Grow(s, n+n/2-len(s))
	}
	return s[:n]
}

// column returns the members of column k by position.
func (t *arrivalTracker) column(k int) []uint64 {
	return t.members[k*t.words : (k+1)*t.words]
}

func (t *arrivalTracker) TotalIntensity() float64 { return t.now.h }

func (t *arrivalTracker) SumLogIntensity() float64 {
	if !t.known {
		t.sum, t.known = t.now.sumLogNu(t.n, t.members, t.k, t.words), true
	}
	return t.sum
}

func (a *arrival) sumLogNu(n []float64, members []uint64, k, words int) float64 {
	prod := newProduct()
	for c := range k {
		a.addLogNu(&prod, n[c*a.n:(c+1)*a.n], members[c*words:(c+1)*words])
	}
	return prod.logValue()
}

func (t *arrivalTracker) LogSingleton(i int) float64 {
	p := t.now.pos[i]
	if math.IsNaN(t.singles[p]) {
		prod := newProduct()
		for _, x := range t.now.give[p*t.now.n+p+1 : (p+1)*t.now.n] {
			prod.mul(1 - x)
		}
		t.singles[p] = math.Log(t.now.w[p]) + prod.logValue()
	}
	return t.singles[p]
}

func (t *arrivalTracker) LogFlip(i, k int) float64 {
	p := t.now.pos[i]
	if hasBit(t.column(k), p) {
		return t.logRemove(p, k)
	}
	return t.logAdd(p, k)
}

func (t *arrivalTracker) FlipExceeds(i, k int, x float64) bool {
	p := t.now.pos[i]
	mem := t.column(k)
	if hasBit(mem, p) {
		return t.logRemove(p, k) > x
	}
	a := t.now
	n, give := t.n[k*a.n:(k+1)*a.n], a.give[p*a.n:(p+1)*a.n]
	// Later items that are not members only lower the ratio, so that the factor of
	// p itself, or of p as the first owner, and those of the later members bound it.
	bound, l := 0.0, nextBit(mem, p+1, a.n)
	if first := nextBit(mem, 0, a.n); p > first {
		bound = n[p] / (1 - n[p])
	} else {
		bound, l = a.w[p]/a.w[first]*give[first], nextBit(mem, first+1, a.n)
	}
	if bound > tiny {
		for ; l < a.n; l = nextBit(mem, l+1, a.n) {
			if n[l] < tiny { // too few digits for a bound
				return t.logAdd(p, k) > x
			}
			bound *= 1 + give[l]/n[l]
		}
		if bound-1 <= x || math.Log(bound) <= x {
			return false
		}
	}
	return t.logAdd(p, k) > x
}

// logNonMembers returns log prod over l from p+1 on of (1 - n_l - s a_lp) / (1 - n_l),
// members included, for s = +1 or -1.
func logNonMembers(n, give []float64, p int, s float64) float64 {
	sum, ratio := 0.0, 1.0
	n, give = n[p+1:], give[p+1:]
	for len(n) > 0 {
		m := min(block, len(n))
		a, b := n[:m], give[:m]
		num, den := 1.0, 1.0
		for l, x := range a {
			y := 1 - x
			den *= y
			num *= y - s*b[l]
		}
		ratio *= num / den
		if ratio < tiny || ratio > 1/tiny {
			sum += math.Log(ratio)
			ratio = 1
		}
		n, give = n[m:], give[m:]
	}
	return sum + math.Log(ratio)
}

// logAdd returns log nu(z')/nu(z) when the item at position p joins column k.
func (t *arrivalTracker) logAdd(p, k int) float64 {
	a := t.now
	n, mem, give := t.n[k*a.n:(k+1)*a.n], t.column(k), a.give[p*a.n:(p+1)*a.n]
	first := nextBit(mem, 0, a.n)
	prod := newProduct()
	sum := logNonMembers(n, give, p, 1)
	l := nextBit(mem, p+1, a.n)
	if p > first {
		if n[p] < tiny {
			sum += a.logTake(p, func(q int) bool { return hasBit(mem, q) })
		} else {
			sum += math.Log(n[p])
		}
		sum -= math.Log1p(-n[p])
	} else {
		// p becomes the first owner; the old one takes the dish from p instead.
		sum += math.Log(a.w[p]/a.w[first]) - math.Log1p(-give[first])
		sum += a.logGive(p, first)
		l = nextBit(mem, first+1, a.n)
	}
	for ; l < a.n; l = nextBit(mem, l+1, a.n) {
		before, after := n[l], n[l]+give[l]
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
	if x := a.give[p*a.n+l]; x > tiny {
		return math.Log(x)
	}
	return a.logTake(l, func(q int) bool { return q == p })
}

// logRemove returns log nu(z')/nu(z) when the item at position p leaves column
// k, which has other members.
func (t *arrivalTracker) logRemove(p, k int) float64 {
	a := t.now
	n, mem, give := t.n[k*a.n:(k+1)*a.n], t.column(k), a.give[p*a.n:(p+1)*a.n]
	first := nextBit(mem, 0, a.n)
	sum := logNonMembers(n, give, p, -1)
	l := nextBit(mem, p+1, a.n)
	if p > first {
		if n[p] < tiny {
			sum -= a.logTake(p, func(q int) bool { return hasBit(mem, q) })
		} else {
			sum -= math.Log(n[p])
		}
		sum += math.Log1p(-n[p])
	} else {
		// The next member becomes the first owner. It was counted as one that
		// declines: from 1 - a to 1.
		sum += math.Log(a.w[l]/a.w[p]) - a.logGive(p, l) + math.Log1p(-give[l])
		l = nextBit(mem, l+1, a.n)
	}
	prod := newProduct()
	for ; l < a.n; l = nextBit(mem, l+1, a.n) {
		before := n[l]
		after := t.without(p, l, k)
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

// without returns n_l of column k after the item at position p has left,
// summing anew where the difference would cancel.
func (t *arrivalTracker) without(p, l, k int) float64 {
	a := t.now
	before := t.n[k*a.n+l]
	if after := before - a.give[p*a.n+l]; after > 1e-3*before {
		return after
	}
	mem, sum := t.column(k), 0.0
	for q := nextBit(mem, 0, l); q < l; q = nextBit(mem, q+1, l) {
		if q != p {
			sum += a.give[q*a.n+l]
		}
	}
	return sum
}

func (t *arrivalTracker) Flip(i, k int) {
	t.known = false
	a := t.now
	p := a.pos[i]
	mem := t.column(k)
	n, give := t.n[k*a.n:(k+1)*a.n], a.give[p*a.n:(p+1)*a.n]
	if hasBit(mem, p) {
		for l := p + 1; l < a.n; l++ {
			n[l] = t.without(p, l, k)
		}
		mem[p>>6] &^= 1 << (uint(p) & 63)
		return
	}
	for l := p + 1; l < a.n; l++ {
		n[l] += give[l]
	}
	setBit(mem, p)
}

func (t *arrivalTracker) Append(i int) {
	t.known = false
	t.addColumn()
	a := t.now
	p := a.pos[i]
	setBit(t.column(t.k-1), p)
	copy(t.n[(t.k-1)*a.n+p+1:], a.give[p*a.n+p+1:(p+1)*a.n])
}

func (t *arrivalTracker) Remove(k int) {
	t.known = false
	a, last := t.now, t.k-1
	copy(t.column(k), t.column(last))
	copy(t.n[k*a.n:(k+1)*a.n], t.n[last*a.n:])
	t.members, t.n, t.k = t.members[:last*t.words], t.n[:last*a.n], last
}

func (t *arrivalTracker) Propose(temperature float64, perm []int) (float64, float64) {
	f, safe := t.f, t.safe
	if temperature != t.tau {
		if temperature != t.tauNext {
			t.safeNext = t.aff.rows(t.fNext, temperature, t.now.self, &t.table)
			t.tauNext = temperature
		}
		f, safe = t.fNext, t.safeNext
	}
	a := t.next
	a.order(perm)
	a.attract(t.aff, temperature, f, safe)
	t.membersNext = extend(t.membersNext, len(t.members))
	t.nNext = extend(t.nNext, len(t.n))
	clear(t.membersNext)
	for k := range t.k {
		mem := t.membersNext[k*t.words : (k+1)*t.words]
		for p := nextBit(t.column(k), 0, a.n); p < a.n; p = nextBit(t.column(k), p+1, a.n) {
			setBit(mem, a.pos[t.now.perm[p]])
		}
		a.fill(t.nNext[k*a.n:(k+1)*a.n], mem)
	}
	t.sumNext = a.sumLogNu(t.nNext, t.membersNext, t.k, t.words)
	return t.sumNext, a.h
}

func (t *arrivalTracker) Accept() {
	t.now, t.next = t.next, t.now
	t.n, t.nNext = t.nNext, t.n
	t.members, t.membersNext = t.membersNext, t.members
	if t.now.temperature != t.tau {
		t.f, t.fNext = t.fNext, t.f
		t.safe, t.safeNext = t.safeNext, t.safe
		t.tau, t.tauNext = t.tauNext, t.tau
	}
	t.sum, t.known = t.sumNext, true
	t.forgetSingles()
}
