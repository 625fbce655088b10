package prior

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/feature"
)

// arrival is what all laws share in which items arrive one by one. Everything
// in it is by position of arrival, zero-based: the item at position p takes each
// existing dish with probability b_p = sum over q < p of a_pq z_q, and
// Poisson(mass * w_p) new ones. With o the first member of z,
//
//	nu(z) = w_o * prod_{p>o} b_p^{z_p} (1 - b_p)^{1 - z_p},   H = sum_p w_p
//
// and w_p + sum_q a_pq = 1.
type arrival struct {
	n    int
	perm []int     // perm[p] is the item at position p
	pos  []int     // its inverse
	w    []float64 // w_p
	// give holds a_pq by giver: give[q*n+p] is what the item at q contributes to
	// the one at a later position p, so that a new member updates a contiguous row.
	give        []float64
	h           float64
	self        bool      // items attract themselves, to new dishes
	aff         *Affinity // what give was computed from, for b_p that underflow
	temperature float64
}

func newArrival(n int) *arrival {
	return &arrival{n: n, perm: make([]int, n), pos: make([]int, n), w: make([]float64, n), give: make([]float64, n*n)}
}

// order sets the permutation.
func (a *arrival) order(perm []int) {
	copy(a.perm, perm)
	for p, i := range a.perm {
		a.pos[i] = p
	}
}

// column is working memory for one column by position.
type column struct {
	members []uint64
	n       []float64
}

func newColumn(n int) *column {
	return &column{members: make([]uint64, (n+63)/64), n: make([]float64, n)}
}

// block is how many factors 1 - n are multiplied before a look at the size of
// the product: each is at least the share that
// an item keeps for new dishes.
const block = 32

func setBit(b []uint64, p int)      { b[p>>6] |= 1 << (uint(p) & 63) }
func hasBit(b []uint64, p int) bool { return b[p>>6]>>(uint(p)&63)&1 != 0 }

// nextBit returns the first member from position p up to below n, n if there is
// none.
func nextBit(b []uint64, p, n int) int {
	if p >= n {
		return n
	}
	w := p >> 6
	word := b[w] >> (uint(p) & 63) << (uint(p) & 63)
	for word == 0 {
		if w++; w == len(b) {
			return n
		}
		word = b[w]
	}
	return min(n, w<<6+bits.TrailingZeros64(word))
}

// fill computes n of a column with the given members.
func (a *arrival) fill(n []float64, members []uint64) {
	clear(n)
	for w, word := range members {
		for ; word != 0; word &= word - 1 {
			q := w<<6 + bits.TrailingZeros64(word)
			row := a.give[q*a.n+q+1 : (q+1)*a.n]
			floats.Add(n[q+1:], row)
		}
	}
}

// addLogNu multiplies prod by nu of a column, given its n.
func (a *arrival) addLogNu(prod *product, n []float64, members []uint64) {
	first := nextBit(members, 0, a.n)
	prod.mul(a.w[first])
	for p := first + 1; p < a.n; p += block {
		end := min(p+block, a.n)
		// All items as if they declined, then the members corrected.
		x, y := 1.0, 1.0
		part := n[p:end]
		for ; len(part) >= 2; part = part[2:] {
			x *= 1 - part[0]
			y *= 1 - part[1]
		}
		for _, b := range part {
			x *= 1 - b
		}
		prod.mul(x * y)
		num, den := 1.0, 1.0
		for w := p >> 6; w<<6 < end; w++ {
			word := members[w]
			if w == p>>6 {
				word &= ^uint64(0) << (uint(p) & 63)
			}
			for ; word != 0; word &= word - 1 {
				m := w<<6 + bits.TrailingZeros64(word)
				if m >= end {
					break
				}
				switch b := n[m]; {
				case b > 1e-3:
					num *= b
					den *= 1 - b
				case b > tiny:
					prod.mul(b / (1 - b))
				default:
					prod.log += a.logTake(m, func(q int) bool { return hasBit(members, q) }) - math.Log1p(-b)
				}
			}
		}
		prod.mul(num / den)
	}
}

// multiply multiplies prod by nu of a column over items, which has members.
func (a *arrival) multiply(prod *product, items []uint64, c *column) {
	clear(c.members)
	for w, word := range items {
		for ; word != 0; word &= word - 1 {
			setBit(c.members, a.pos[w<<6+bits.TrailingZeros64(word)])
		}
	}
	a.fill(c.n, c.members)
	a.addLogNu(prod, c.n, c.members)
}

// logIntensity returns log nu of a column over items.
func (a *arrival) logIntensity(items []uint64) float64 {
	prod := newProduct()
	if !slices.ContainsFunc(items, func(w uint64) bool { return w != 0 }) {
		return math.Inf(-1)
	}
	a.multiply(&prod, items, newColumn(a.n))
	return prod.logValue()
}

// sumLogIntensity returns the sum of log nu over the columns of z.
func (a *arrival) sumLogIntensity(z *feature.Allocation) float64 {
	prod, c := newProduct(), newColumn(a.n)
	for k := range z.K() {
		a.multiply(&prod, z.Column(k), c)
	}
	return prod.logValue()
}

// rand draws an allocation column by column: their number is Poisson(mass*H).
func (a *arrival) rand(rng *rand.Rand, mass float64) *feature.Allocation {
	k := poisson(rng, mass*a.h)
	z := feature.NewSized(a.n, k)
	items := make([]uint64, z.Words())
	b := make([]float64, a.n)
	for range k {
		a.drawColumn(rng, items, b)
		z.AppendColumn(items)
	}
	return z
}

// drawColumn draws a column over items from nu/H: the item that opens it is the one
// at position p with probability w_p/H, and each later arrival then takes it or
// not. b is working memory of length N.
func (a *arrival) drawColumn(rng *rand.Rand, items []uint64, b []float64) {
	p := a.opener(rng)
	clear(items)
	clear(b[p:])
	b[p] = 1
	for q := p; q < a.n; q++ {
		if !(rng.Float64() < b[q]) {
			continue
		}
		setBit(items, a.perm[q])
		floats.Add(b[q+1:], a.give[q*a.n+q+1:(q+1)*a.n])
	}
}

// opener draws a position with probability w_p/H.
func (a *arrival) opener(rng *rand.Rand) int {
	u := rng.Float64() * a.h
	for p, w := range a.w {
		if u -= w; u < 0 {
			return p
		}
	}
	return a.n - 1
}

// sharing returns the expected number of shared features by item: with S by
// position, S_pp = mass*w_p + sum_{q<p} a_pq S_qq and S_pj = sum_{q<p} a_pq S_qj
// for j < p.
func (a *arrival) sharing(mass float64) [][]float64 {
	s := square(a.n)
	for p := range a.n {
		for j := range p {
			sum := 0.0
			for q := range p {
				sum += a.give[q*a.n+p] * s[q][j]
			}
			s[p][j], s[j][p] = sum, sum
		}
		s[p][p] = mass * a.w[p]
		for q := range p {
			s[p][p] += a.give[q*a.n+p] * s[q][q]
		}
	}
	byItem := square(a.n)
	for p := range a.n {
		for q := range a.n {
			byItem[a.perm[p]][a.perm[q]] = s[p][q]
		}
	}
	return byItem
}

// mostExpected is the largest expected number of features of a draw.
const mostExpected = 1e8

// poisson draws from the Poisson distribution with a mean that is small in all
// uses here, by multiplying uniforms; large means are split. It panics if the mean is
// above mostExpected.
func poisson(rng *rand.Rand, mean float64) int {
	if mean > mostExpected {
		panic(fmt.Sprintf("prior: a draw of %g features, at most %g are possible", mean, mostExpected))
	}
	count := 0
	for mean > 0 {
		part := min(mean, 30)
		mean -= part
		limit := math.Exp(-part)
		for u := rng.Float64(); u > limit; u *= rng.Float64() {
			count++
		}
	}
	return count
}
