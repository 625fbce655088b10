package intensity

import (
	"aibd/feature"
	"aibd/internal/vector"
)

// inserter is the arrivalTracker of the AIBD, in which H is the same for every
// permutation and the factors of an arrival depend on the set of earlier items.
type inserter struct {
	*arrivalTracker
	*insertion
}

// insertion is the working memory of Insertions.
type insertion struct {
	columns [][]int   // by position: columns of the item there
	sums    []float64 // by position: similarity to the earlier owners of each column, item i left out; the memory of a proposal
	all     []float64 // by position: similarity to all earlier items, item i left out
	toward  []float64 // by column: similarity of item i to the owners passed
	before  []int     // by column: owners among the items passed
	member  []bool    // by column: item i has it
	gives   []float64 // by position: similarity to item i arriving before
	takes   []float64 // by position: similarity of item i to the one there
	members []uint64
	u       []float64
	perm    []int
}

// Insertions walks item i from the first to the last position by swaps with its
// neighbor: a swap changes the factors of the two positions only, since those
// that come later see the same items before them.
func (t inserter) Insertions(i int, weights []float64) {
	s := t.insertion
	if !t.now.safe {
		t.insertionsExactly(i, weights)
		return
	}
	t.fresh()
	s.collect(t.arrivalTracker, i)
	position := t.now.pos[i]
	weights[0] = 0
	all := 0.0 // similarity of item i to all items passed
	p := 0     // how many those are
	for q := range t.now.n {
		if q == position {
			continue
		}
		weights[p+1] = weights[p] + s.swap(q, p, t.k, all, s.columns[position])
		all += s.takes[q]
		for _, k := range s.columns[q] {
			s.before[k]++
			s.toward[k] += s.takes[q]
		}
		p++
	}
}

// swap returns by how much the sum of log nu grows when item i, at position p, lets
// the next item go first, the one at position q of now. features are the columns
// of item i.
func (s *insertion) swap(q, p, k int, all float64, features []int) float64 {
	// Shares of attraction become probabilities through these: of the two at
	// position p, and of the second of them at position p+1.
	factor, nextFactor := float64(p)/float64(p+1), float64(p+1)/float64(p+2)
	w := swapped{
		jSecond: nextFactor / (s.all[q] + s.gives[q]), iSecond: nextFactor / (all + s.takes[q]),
		fromI: s.gives[q], fromJ: s.takes[q],
		wHere: 1 / float64(p+1), wThere: 1 / float64(p+2),
	}
	if p > 0 {
		w.iFirst, w.jFirst = factor/all, factor/s.all[q]
	}
	// All columns as if neither took them: 1 where nobody has come that has them.
	sums, toward := s.sums[q*k:(q+1)*k], s.toward
	prod := newProduct()
	for len(sums) > 0 {
		m := min(block, len(sums))
		num, den := swapProducts(sums[:m], toward, w.jFirst, w.iSecond, w.jSecond, w.iFirst)
		for m > 1 && (num < tiny || den < tiny) {
			m /= 2
			num, den = swapProducts(sums[:m], toward, w.jFirst, w.iSecond, w.jSecond, w.iFirst)
		}
		prod.mul(num / den)
		sums, toward = sums[m:], toward[m:]
	}
	// Then those that one of them has.
	sums, toward = s.sums[q*k:(q+1)*k], s.toward
	for _, c := range s.columns[q] {
		w.taken(&prod, s.member[c], true, sums[c], toward[c], s.before[c] > 0)
		s.member[c] = false // done, for this step
	}
	for _, c := range features {
		if s.member[c] {
			w.taken(&prod, true, false, sums[c], toward[c], s.before[c] > 0)
		}
		s.member[c] = true
	}
	return prod.logValue()
}

// swapped has the parts of the factors of a swap of i and j: the scales that make
// similarities probabilities for each of them as the first and the second, the
// similarity that each adds to the other's, and the weights of new columns.
type swapped struct {
	iFirst, iSecond, jFirst, jSecond float64
	fromI, fromJ                     float64
	wHere, wThere                    float64
}

// taken multiplies prod by the factor of a column that i has (x), j has (y) or both
// have, over the one of a column that neither has. similarity and toward are the
// similarities of j and i to its owners among the items passed; old says that there
// are any.
func (w *swapped) taken(prod *product, x, y bool, similarity, toward float64, old bool) {
	if old {
		fromI, fromJ := 0.0, 0.0
		if x {
			fromI = w.fromI
		}
		if y {
			fromJ = w.fromJ
		}
		// Of j, and of i: each is the ratio of two similarities.
		prod.mul(take(y, similarity*w.jFirst) * (1 - similarity*w.jSecond) / (take(y, (similarity+fromI)*w.jSecond) * (1 - similarity*w.jFirst)))
		prod.mul(take(x, (toward+fromJ)*w.iSecond) * (1 - toward*w.iFirst) / (take(x, toward*w.iFirst) * (1 - toward*w.iSecond)))
		return
	}
	switch {
	case x && y:
		prod.mul(w.fromJ * w.iSecond / (w.fromI * w.jSecond))
	case x:
		prod.mul(w.wThere / (w.wHere * (1 - w.fromI*w.jSecond)))
	case y:
		prod.mul(w.wHere * (1 - w.fromJ*w.iSecond) / w.wThere)
	}
}

// take is the probability of taking a dish, or of declining it.
func take(takes bool, b float64) float64 {
	if takes {
		return b
	}
	return 1 - b
}

// owned lists the columns of the items.
func (s *insertion) owned(t *arrivalTracker) {
	s.columns = vector.Extend(s.columns, t.now.n)
	for p := range s.columns {
		s.columns[p] = s.columns[p][:0]
	}
	for k := range t.k {
		for p := range feature.Items(t.has(k)) {
			s.columns[p] = append(s.columns[p], k)
		}
	}
}

// start starts with no item passed, of k columns.
func (s *insertion) start(k int) {
	s.member, s.before, s.toward = vector.Extend(s.member, k), vector.Extend(s.before, k), vector.Extend(s.toward, k)
	clear(s.member)
	clear(s.before)
	clear(s.toward)
}

// collect computes the similarities by position, without item i.
func (s *insertion) collect(t *arrivalTracker, i int) {
	a, n := t.now, t.now.n
	position := a.pos[i]
	s.owned(t)
	s.start(t.k)
	t.uNext, s.u = vector.Extend(t.uNext, n*t.k), vector.Extend(s.u, n)
	s.sums = t.uNext
	for k := range t.k {
		u := t.column(k)
		if s.member[k] = hasBit(t.has(k), position); s.member[k] {
			s.members = append(s.members[:0], t.has(k)...)
			s.members[position>>6] &^= 1 << (uint(position) & 63)
			u = s.u
			t.list = a.fill(u, s.members, t.list)
		}
		for p, x := range u {
			s.sums[p*t.k+k] = x
		}
	}
	s.all, s.gives, s.takes = vector.Extend(s.all, n), vector.Extend(s.gives, n), vector.Extend(s.takes, n)
	clear(s.all)
	for q := range n {
		if q != position {
			vector.Axpy(s.all[q+1:], 1, a.row(q))
		}
	}
	a.decayed.given(s.gives, i, a.perm)
	a.decayed.taken(s.takes, i, a.perm)
}

// insertionsExactly computes the factors of each arrival before and after item i, and those
// of item i at each position. It serves similarities that are not safe to sum.
func (t inserter) insertionsExactly(i int, weights []float64) {
	s := t.insertion
	s.owned(t.arrivalTracker)
	s.perm = append(s.perm[:0], i)
	for _, j := range t.now.perm {
		if j != i {
			s.perm = append(s.perm, j)
		}
	}
	order := s.perm[1:]
	after := 0.0 // of the others after item i
	for p := len(order); ; p-- {
		weights[p] = t.logArrive(i, order[:p]) + after
		if p == 0 {
			break
		}
		after += t.logArrive(order[p-1], s.perm[:p])
	}
	before := 0.0 // of those before it
	for p, j := range order {
		before += t.logArrive(j, order[:p])
		weights[p+1] += before
	}
}

// logArrive returns the log of the factors of an item that arrives after the earlier ones.
func (t inserter) logArrive(item int, earlier []int) float64 {
	s, a, count := t.insertion, t.now, float64(len(earlier))
	s.takes = vector.Extend(s.takes, a.n)
	a.aff.row(s.takes, a.temperatures, item, earlier, false)
	s.start(t.k)
	all := 0.0
	for q, j := range earlier {
		all += s.takes[q]
		for _, k := range s.columns[a.pos[j]] {
			s.before[k]++
			s.toward[k] += s.takes[q]
		}
	}
	for _, k := range s.columns[a.pos[item]] {
		s.member[k] = true
	}
	prod := newProduct()
	for k, member := range s.member {
		b := count / (count + 1) * s.toward[k] / all
		switch {
		case s.before[k] == 0 && member:
			prod.mul(1 / (count + 1))
		case s.before[k] > 0 && member && b < tiny:
			prod.log += a.aff.logTake(a.temperatures, item, earlier, false, func(j int) bool { return hasBit(t.arrivalTracker.has(k), a.pos[j]) })
		case s.before[k] > 0:
			prod.mul(take(member, b))
		}
	}
	return prod.logValue()
}
