package prior

// pairs holds the exponents of an Affinity by position of arrival, by giver: entry
// q*n+p is of the item at p arriving after the one at q, also where q > p. A change
// of temperature then goes through memory in order, and needs one exponential for
// each distinct exponent, or for each pair where few exponents repeat.
type pairs struct {
	aff   *Affinity
	n     int
	level []int32   // number of the exponent, where the affinity is tabled
	expo  []float64 // the exponent itself elsewhere
	table []float64 // similarities by exponent at the last temperature asked for
}

// allocPairs returns room for the exponents.
func allocPairs(aff *Affinity) *pairs {
	n := aff.N()
	t := &pairs{aff: aff, n: n}
	if aff.tabled() {
		t.level, t.table = make([]int32, n*n), make([]float64, max(1, len(aff.exponents)))
	} else {
		t.expo = make([]float64, n*n)
	}
	return t
}

// newPairs returns the exponents in the order of perm. The affinity must have
// exponents.
func newPairs(aff *Affinity, perm []int) *pairs {
	n, t := len(perm), allocPairs(aff)
	for q, j := range perm {
		for p, i := range perm {
			k := aff.index[i*n+j]
			if t.level != nil {
				t.level[q*n+p] = k
			} else {
				t.expo[q*n+p] = aff.exponents[k]
			}
		}
	}
	return t
}

// arrange makes dst what t is when the item at position from[p] arrives at p.
func (t *pairs) arrange(dst *pairs, from []int) {
	for q, s := range from {
		if t.level != nil {
			arrange(dst.level[q*t.n:(q+1)*t.n], t.level[s*t.n:(s+1)*t.n], from)
		} else {
			arrange(dst.expo[q*t.n:(q+1)*t.n], t.expo[s*t.n:(s+1)*t.n], from)
		}
	}
}

// arrange sets dst[p] = src[from[p]], runs of neighbours at once.
func arrange[T any](dst, src []T, from []int) {
	for p := 0; p < len(from); {
		start, s := p, from[p]
		for p++; p < len(from) && from[p] == s+p-start; p++ {
		}
		copy(dst[start:p], src[s:])
	}
}

// fill computes the similarities of a, which the caller found safe.
func (t *pairs) fill(a *arrival, temperature, least float64) {
	if t.level != nil {
		similarities(t.table[:len(t.aff.exponents)], t.aff.exponents, temperature, least)
	}
	for q := range t.n {
		row := a.row(q)
		if t.level == nil {
			similarities(row, t.expo[q*t.n+q+1:(q+1)*t.n], temperature, least)
			continue
		}
		level := t.level[q*t.n+q+1 : (q+1)*t.n]
		level = level[:len(row)]
		for p := range row {
			row[p] = t.table[level[p]]
		}
	}
}

// giver sets out[p] for p from start up to end to the similarity of the item at
// from[p] to the one at q, taker to that of the item at q to the one at from[p]; from
// is nil for the identity.
func (t *pairs) giver(out []float64, from []int, start, end, q int, temperature, least float64) {
	for p := start; p < end; p++ {
		out[p] = t.exponent(q, place(from, p), least)
	}
	similarities(out[start:end], out[start:end], temperature, least)
}

func (t *pairs) taker(out []float64, from []int, start, end, q int, temperature, least float64) {
	for p := start; p < end; p++ {
		out[p] = t.exponent(place(from, p), q, least)
	}
	similarities(out[start:end], out[start:end], temperature, least)
}

func place(from []int, p int) int {
	if from == nil {
		return p
	}
	return from[p]
}

// exponent returns that of the item at p arriving after the one at q, least for an
// item and itself, which is not to be used.
func (t *pairs) exponent(q, p int, least float64) float64 {
	switch {
	case p == q:
		return least
	case t.level != nil:
		return t.aff.exponents[t.level[q*t.n+p]]
	}
	return t.expo[q*t.n+p]
}
