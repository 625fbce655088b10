package prior

// inserter is the arrivalTracker of the AIBD, in which H is the same for every
// permutation and the factors of an arrival depend on the set of earlier items.
type inserter struct {
	*arrivalTracker
	*insertion
}

// insertion is the working memory of Insertions.
type insertion struct {
	order    []int     // the other items in order of arrival
	features [][]int   // columns of each item
	has      []bool    // by column: item i has it
	before   []int     // by column: owners among the items passed
	toward   []float64 // by column: similarity of item i to the owners passed
	own      []float64 // by column: the same for the item to be passed
	hasOther []bool
	perm     []int
}

// Insertions walks item i from the first to the last position by swaps with its
// neighbour: a swap changes the factors of the two positions only, since those
// that come later see the same items before them.
func (t inserter) Insertions(i int, weights []float64) {
	s, a := t.insertion, t.now
	s.order = s.order[:0]
	for _, j := range a.perm {
		if j != i {
			s.order = append(s.order, j)
		}
	}
	if !t.safe {
		t.insertionsExactly(i, weights)
		return
	}
	s.collect(t.arrivalTracker)
	s.has, s.hasOther = extend(s.has, t.k), extend(s.hasOther, t.k)
	s.before = extend(s.before, t.k)
	s.toward, s.own = extend(s.toward, t.k), extend(s.own, t.k)
	clear(s.has)
	clear(s.before)
	clear(s.toward)
	for _, k := range s.features[i] {
		s.has[k] = true
	}
	n := a.n
	fi := t.f[i*n : (i+1)*n]
	weights[0] = 0
	all := 0.0 // similarity of item i to all items passed
	for p, j := range s.order {
		fj := t.f[j*n : (j+1)*n]
		clear(s.own)
		clear(s.hasOther)
		allOwn := 0.0
		for _, q := range s.order[:p] {
			allOwn += fj[q]
			for _, k := range s.features[q] {
				s.own[k] += fj[q]
			}
		}
		for _, k := range s.features[j] {
			s.hasOther[k] = true
		}
		// Shares of attraction become probabilities through these: of i and j at
		// position p, and of the second of the two at position p+1.
		here, there := float64(p)/float64(p+1), float64(p+1)/float64(p+2)
		iFirst, jFirst := 0.0, 0.0
		if p > 0 {
			iFirst, jFirst = here/all, here/allOwn
		}
		iSecond, jSecond := there/(all+fi[j]), there/(allOwn+fj[i])
		wHere, wThere := 1/float64(p+1), 1/float64(p+2)
		num, den := newProduct(), newProduct()
		for k := range t.k {
			x, y := s.has[k], s.hasOther[k]
			if s.before[k] > 0 {
				fromJ, fromI := 0.0, 0.0
				if y {
					fromJ = fi[j]
				}
				if x {
					fromI = fj[i]
				}
				num.mul(take(y, s.own[k]*jFirst))
				num.mul(take(x, (s.toward[k]+fromJ)*iSecond))
				den.mul(take(x, s.toward[k]*iFirst))
				den.mul(take(y, (s.own[k]+fromI)*jSecond))
				continue
			}
			switch {
			case x && y:
				num.mul(wHere * fi[j] * iSecond)
				den.mul(wHere * fj[i] * jSecond)
			case x:
				num.mul(wThere)
				den.mul(wHere * (1 - fj[i]*jSecond))
			case y:
				num.mul(wHere * (1 - fi[j]*iSecond))
				den.mul(wThere)
			}
		}
		weights[p+1] = weights[p] + num.logValue() - den.logValue()
		all += fi[j]
		for _, k := range s.features[j] {
			s.before[k]++
			s.toward[k] += fi[j]
		}
	}
}

// take is the probability of taking a dish, or of declining it.
func take(takes bool, b float64) float64 {
	if takes {
		return b
	}
	return 1 - b
}

// collect lists the columns of each item.
func (s *insertion) collect(t *arrivalTracker) {
	n := t.now.n
	s.features = extend(s.features, n)
	for i := range s.features {
		s.features[i] = s.features[i][:0]
	}
	for k := range t.k {
		mem := t.column(k)
		for p := nextBit(mem, 0, n); p < n; p = nextBit(mem, p+1, n) {
			i := t.now.perm[p]
			s.features[i] = append(s.features[i], k)
		}
	}
}

// insertionsExactly computes each weight from scratch, for similarities that
// underflow.
func (t inserter) insertionsExactly(i int, weights []float64) {
	s := t.insertion
	s.perm = append(s.perm[:0], i)
	s.perm = append(s.perm, s.order...)
	for p := range weights {
		if p > 0 {
			s.perm[p-1], s.perm[p] = s.perm[p], s.perm[p-1]
		}
		weights[p], _ = t.Propose(t.tau, s.perm)
	}
}
