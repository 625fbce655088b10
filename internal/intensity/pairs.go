package intensity

// pairs holds exponents by position of arrival: entry (q, p) of a triangle in the
// layout of vector.Starts is of the item at p arriving after the one at q. A change of
// temperature then goes through memory in order.
type pairs struct {
	*exponents
	starts []int
	number []int32   // of the exponent, where there is a table
	expo   []float64 // the exponent itself elsewhere
}

// newPairs returns the exponents in the order of perm, in a triangle of the given
// layout.
func newPairs(e *exponents, perm, starts []int, size int) *pairs {
	t := &pairs{exponents: e, starts: starts}
	if e.level != nil {
		t.number = make([]int32, size)
	} else {
		t.expo = make([]float64, size)
	}
	t.arrange(perm)
	return t
}

// arrange takes another order.
func (t *pairs) arrange(perm []int) {
	for q, j := range perm {
		from, to := t.starts[q]+q+1, t.starts[q]+t.n
		if t.number != nil {
			t.givenNumbers(t.number[from:to], j, perm[q+1:])
		} else {
			t.given(t.expo[from:to], j, perm[q+1:])
		}
	}
}

// place takes another item at position p of perm.
func (t *pairs) place(perm []int, p int) {
	i, from, to := perm[p], t.starts[p]+p+1, t.starts[p]+t.n
	if t.number != nil {
		t.givenNumbers(t.number[from:to], i, perm[p+1:])
		for q, j := range perm[:p] {
			t.number[t.starts[q]+p] = t.level[j*t.n+i]
		}
		return
	}
	t.given(t.expo[from:to], i, perm[p+1:])
	for q, j := range perm[:p] {
		t.expo[t.starts[q]+p] = t.at(j, i)
	}
}

// similarities sets out to those of the later items to the one at position q.
func (t *pairs) similarities(out []float64, q int, d *decayed) {
	from, to := t.starts[q]+q+1, t.starts[q]+t.n
	if t.number == nil {
		similarities(out, t.expo[from:to], d.temperature, d.least)
		return
	}
	number := t.number[from:to]
	out = out[:len(number)]
	for p, k := range number {
		out[p] = d.table[k]
	}
}

// later sets out to the exponents of the items right after position q arriving after
// the one there.
func (t *pairs) later(out []float64, q int) {
	from := t.starts[q] + q + 1
	if t.number == nil {
		copy(out, t.expo[from:])
		return
	}
	for p, k := range t.number[from : from+len(out)] {
		out[p] = t.distinct[k]
	}
}
