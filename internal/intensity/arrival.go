package intensity

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/vector"

	"gonum.org/v1/gonum/floats"
)

// arrival has the tables of a law in which items arrive one by one, by position of
// arrival, zero-based: the item at position p takes each
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
	// a_pq is sim[starts[q]+p] * scale[p]: similarities by giver, so that a new member
	// updates a contiguous row, and the scale that makes them probabilities. An item gives
	// to later ones only: this is an upper triangle.
	sim          []float64
	starts       []int
	scale        []float64
	total        []float64 // sum of sim_qp over q
	h            float64
	self         bool      // items attract themselves, to new dishes
	aff          *Affinity // of the similarities, for b_p that underflow
	temperatures Temperatures
	safe         bool    // as Affinity.at says
	decayed      decayed // the similarities, if safe
}

func newArrival(perm []int, self bool) *arrival {
	n := len(perm)
	a := (&arrival{n: n, starts: make([]int, n), sim: make([]float64, n*(n+1)/2), self: self}).twin()
	next := 0
	for q := range a.starts {
		a.starts[q] = next - q
		next += n - q
	}
	a.order(perm)
	return a
}

// twin returns an arrival of as many items that shares the similarities of a.
func (a *arrival) twin() *arrival {
	n := a.n
	return &arrival{
		n: n, perm: make([]int, n), pos: make([]int, n), w: make([]float64, n), sim: a.sim,
		starts: a.starts, scale: make([]float64, n), total: make([]float64, n), self: a.self,
	}
}

// order sets the permutation.
func (a *arrival) order(perm []int) {
	copy(a.perm, perm)
	for p, i := range a.perm {
		a.pos[i] = p
	}
}

// row returns what the item at position p gives to the later ones.
func (a *arrival) row(p int) []float64 { return a.sim[a.starts[p]+p+1 : a.starts[p]+a.n] }

// given returns what the item at position q gives to the later one at p.
func (a *arrival) given(q, p int) float64 { return a.sim[a.starts[q]+p] }

// take returns a_pq for the item at p and an earlier one at q.
func (a *arrival) take(p, q int) float64 { return a.given(q, p) * a.scale[p] }

// column is working memory for one column by position.
type column struct {
	members []uint64
	list    []int
	u       []float64
}

func newColumn(n int) *column {
	return &column{members: make([]uint64, (n+63)/64), list: make([]int, 0, n), u: make([]float64, n)}
}

// block is the number of factors between checks of the size of the product.
const block = 128

func setBit(b []uint64, p int)      { b[p>>6] |= 1 << (uint(p) & 63) }
func hasBit(b []uint64, p int) bool { return b[p>>6]>>(uint(p)&63)&1 != 0 }

// nextBit returns the first member from position p on, n if there is none.
func nextBit(b []uint64, p, n int) int {
	if p >= n {
		return n
	}
	w := p >> 6
	word := b[w] >> (uint(p) & 63) << (uint(p) & 63)
	for word == 0 {
		if w++; w<<6 >= n {
			return n
		}
		word = b[w]
	}
	return min(n, w<<6+bits.TrailingZeros64(word))
}

// fill computes u of a column, u_p = sum over its members q < p of sim_qp, so that
// b_p = u_p scale_p, and returns the list of its members, made in list.
func (a *arrival) fill(u []float64, members []uint64, list []int) []int {
	list = feature.Members(list[:0], members)
	clear(u)
	for _, q := range list {
		floats.Add(u[q+1:], a.row(q))
	}
	return list
}

// mulOneMinus multiplies prod by 1 - u r for all elements of u.
func (a *product) mulOneMinus(u, r []float64) {
	for len(u) > 0 {
		m := min(block, len(u))
		x := oneMinus(u[:m], r[:m])
		for x < tiny && m > 1 {
			m /= 2
			x = oneMinus(u[:m], r[:m])
		}
		a.mul(x)
		u, r = u[m:], r[m:]
	}
}

// addLogNu multiplies prod by nu of a column, given its u.
func (a *arrival) addLogNu(prod *product, u []float64, members []uint64) {
	first := nextBit(members, 0, a.n)
	prod.mul(a.w[first])
	// All items as if they declined, then the members corrected.
	prod.mulOneMinus(u[first+1:], a.scale[first+1:])
	num, den := 1.0, 1.0
	for w := first >> 6; w < len(members); w++ {
		word := members[w]
		if w == first>>6 {
			word &^= 1 << (uint(first) & 63)
		}
		for ; word != 0; word &= word - 1 {
			m := w<<6 + bits.TrailingZeros64(word)
			switch b := u[m] * a.scale[m]; {
			case b > 1e-3:
				num *= b
				den *= 1 - b
				if num < 1e-100 || den < 1e-100 {
					prod.mul(num / den)
					num, den = 1, 1
				}
			case b > tiny:
				prod.mul(b / (1 - b))
			default:
				prod.log += a.logTake(m, func(q int) bool { return hasBit(members, q) }) - math.Log1p(-b)
			}
		}
	}
	prod.mul(num / den)
}

// arrange makes members, by position, of a column over items.
func (a *arrival) arrange(members, items []uint64) {
	clear(members)
	for i := range feature.Items(items) {
		setBit(members, a.pos[i])
	}
}

// multiply multiplies prod by nu of a column over items, which has members.
func (a *arrival) multiply(prod *product, items []uint64, c *column) {
	a.arrange(c.members, items)
	c.list = a.fill(c.u, c.members, c.list)
	a.addLogNu(prod, c.u, c.members)
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

// totalIntensity returns H.
func (a *arrival) totalIntensity() float64 { return a.h }

// rand draws an allocation.
func (a *arrival) rand(rng *rand.Rand, mass float64) *feature.Allocation {
	b := make([]float64, a.n)
	return drawColumns(rng, a.n, mass*a.h, func(rng *rand.Rand, items []uint64) { a.drawColumn(rng, items, b) })
}

// drawColumn draws a column over items from nu/H: the item that opens it is the one
// at position p with probability w_p/H, and each later arrival then takes it or
// not. b is working memory of length N.
func (a *arrival) drawColumn(rng *rand.Rand, items []uint64, b []float64) {
	p := opener(rng, a.h, a.n, func(p int) float64 { return a.w[p] })
	clear(items)
	clear(b[p:])
	for q := p; q < a.n; q++ {
		if u := rng.Float64(); q > p && !(u < b[q]*a.scale[q]) {
			continue
		}
		setBit(items, a.perm[q])
		vector.Axpy(b[q+1:], 1, a.row(q))
	}
}

// opener draws one of n positions with probability w_p/H.
func opener(rng *rand.Rand, h float64, n int, w func(p int) float64) int {
	u := rng.Float64() * h
	for p := range n - 1 {
		if u -= w(p); u < 0 {
			return p
		}
	}
	return n - 1
}

// sharing returns the expected number of shared features by item: with S by
// position, S_pp = mass*w_p + sum_{q<p} a_pq S_qq and S_pj = sum_{q<p} a_pq S_qj
// for j < p.
func (a *arrival) sharing(mass float64) [][]float64 {
	s := lists.Square(a.n)
	for p := range a.n {
		for j := range p {
			sum := 0.0
			for q := range p {
				sum += a.take(p, q) * s[q][j]
			}
			s[p][j], s[j][p] = sum, sum
		}
		s[p][p] = mass * a.w[p]
		for q := range p {
			s[p][p] += a.take(p, q) * s[q][q]
		}
	}
	byItem := lists.Square(a.n)
	for p := range a.n {
		for q := range a.n {
			byItem[a.perm[p]][a.perm[q]] = s[p][q]
		}
	}
	return byItem
}

// maxExpected is the max expected number of features of a draw.
const maxExpected = 1e8

// drawColumns draws an allocation of n items column by column. Their number is Poisson with the
// given mean, mass*H.
func drawColumns(rng *rand.Rand, n int, mean float64, draw func(rng *rand.Rand, column []uint64)) *feature.Allocation {
	k := poisson(rng, mean)
	z := feature.NewSized(n, k)
	column := make([]uint64, z.Words())
	for range k {
		draw(rng, column)
		z.AppendColumn(column)
	}
	return z
}

// poisson draws from the Poisson distribution with a mean that is small in all
// uses here, by multiplying uniforms; large means are split. It panics if the mean is
// above maxExpected.
func poisson(rng *rand.Rand, mean float64) int {
	if mean > maxExpected {
		panic(fmt.Sprintf("prior: a draw expects %g features, at most %g are possible", mean, maxExpected))
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
