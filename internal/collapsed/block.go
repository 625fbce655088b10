package collapsed

import "aibd/internal/vector"

// Block weighs all assignments of some columns of an open row at once. It holds working
// memory only.
//
// Restricted to b columns, s and E of a row are quadratic in its entries, with the b x b
// parts of M and Gam. Each column doubles the number of assignments: its increments over
// the assignments of the columns before it equal the first one plus sums that
// double in the same way. So each of the 2^b assignments costs a few additions and a
// logarithm.
type Block struct {
	s, e       []float64 // by assignment: s with singletons, E
	incS, incE []float64 // by assignment of the columns before: increments of the column
	logs       []float64
}

// MaxBlock is the largest number of columns of a Block: 2^20 numbers take 8 MB.
const MaxBlock = 20

// Weigh returns the change of the log likelihood for each assignment of the given columns
// of the open row, which must differ and be shared with other rows. Bit j of the index of
// an assignment says that the entry in columns[j] is flipped; the first is the assignment of the row
// as it is. They are valid until the next Weigh. It panics for more than MaxBlock columns.
func (c *Cache) Weigh(b *Block, columns []int) []float64 {
	if len(columns) > MaxBlock {
		panic("collapsed: a block of too many columns")
	}
	w, n := &c.row, 1<<len(columns)
	b.s, b.e, b.logs = vector.Extend(b.s, n), vector.Extend(b.e, n), vector.Extend(b.logs, n)
	b.incS, b.incE = vector.Extend(b.incS, n/2+1), vector.Extend(b.incE, n/2+1)
	b.s[0], b.e[0] = w.s+float64(w.j)/c.r, c.energy()
	inv := 1 / w.d
	for j, k := range columns {
		sign := w.delta[k] // twice the change of the entry
		b.incS[0] = sign*w.u[k] + w.md[k]
		b.incE[0] = sign*(w.g[k]-w.c[k]) + w.gd[k]
		for l, a := range columns[:j] {
			index := max(a, k)*c.ld + min(a, k)
			both := sign * w.delta[a] / 2
			m := both * (c.p[index] + w.v[a]*w.v[k]*inv)
			g := both * (c.g[index] - w.gaps.product(a, k) - (w.v[a]*w.bv[k]+w.bv[a]*w.v[k]-w.v[a]*w.v[k]*w.e0*inv)*inv)
			half := 1 << l
			for p := range half {
				b.incS[half+p] = b.incS[p] + m
				b.incE[half+p] = b.incE[p] + g
			}
		}
		half := 1 << j
		s, e := b.s[:2*half], b.e[:2*half]
		for p := range half {
			s[half+p] = s[p] + b.incS[p]
			e[half+p] = e[p] + b.incE[p]
		}
	}
	base := c.logPred(w.half, b.s[0], b.e[0])
	for p, s := range b.s {
		b.logs[p] = c.logPred(w.half, s, b.e[p]) - base
	}
	return b.logs
}
