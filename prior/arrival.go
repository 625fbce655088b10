package prior

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/gonum"

	"aibd/feature"
)

// blas is called directly: its wrappers check and copy headers at every call.
var blas gonum.Implementation

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

// logTake returns log b_p exactly, for b_p that underflow. Membership is by
// position.
func (a *arrival) logTake(p int, member func(q int) bool) float64 {
	share := a.aff.logShare(a.temperature, a.perm[p], a.perm[:p], func(j int) bool { return member(a.pos[j]) })
	return math.Log(float64(p)/float64(p+1)) + share
}

// scratch is the working memory of one pass over a column.
type scratch struct {
	positions []int
	b         []float64
	in        []bool
}

func newScratch(n int) *scratch {
	return &scratch{positions: make([]int, 0, n), b: make([]float64, n), in: make([]bool, n)}
}

// logIntensity returns log nu of a column over items.
func (a *arrival) logIntensity(column []uint64, s *scratch) float64 {
	s.positions = feature.Members(s.positions[:0], column)
	if len(s.positions) == 0 {
		return math.Inf(-1)
	}
	first := a.n
	for m, i := range s.positions {
		p := a.pos[i]
		s.positions[m] = p
		s.in[p] = true
		first = min(first, p)
	}
	b := s.b
	clear(b)
	for _, q := range s.positions {
		row := a.give[q*a.n+q+1 : (q+1)*a.n]
		blas.Daxpy(len(row), 1, row, 1, b[q+1:], 1)
	}
	prod := newProduct()
	prod.log = math.Log(a.w[first])
	for p := first + 1; p < a.n; p++ {
		switch {
		case !s.in[p]:
			prod.mul(1 - b[p])
		case b[p] > tiny:
			prod.mul(b[p])
		default:
			prod.log += a.logTake(p, func(q int) bool { return s.in[q] })
		}
	}
	for _, p := range s.positions {
		s.in[p] = false
	}
	return prod.logValue()
}

// sumLogIntensity returns the sum of log nu over the columns of z.
func (a *arrival) sumLogIntensity(z *feature.Allocation) float64 {
	s, sum := newScratch(a.n), 0.0
	for k := range z.K() {
		sum += a.logIntensity(z.Column(k), s)
	}
	return sum
}

// rand draws an allocation column by column: the number of columns that the
// item at position p opens is Poisson(mass * w_p), and each column then goes
// through the later arrivals.
func (a *arrival) rand(rng *rand.Rand, mass float64) *feature.Allocation {
	z := feature.New(a.n)
	column := make([]uint64, z.Words())
	b := make([]float64, a.n)
	for p := range a.n {
		for range poisson(rng, mass*a.w[p]) {
			clear(column)
			clear(b)
			for q := p; q < a.n; q++ {
				if q > p && !(rng.Float64() < b[q]) {
					continue
				}
				i := a.perm[q]
				column[i>>6] |= 1 << (uint(i) & 63)
				row := a.give[q*a.n+q+1 : (q+1)*a.n]
				blas.Daxpy(len(row), 1, row, 1, b[q+1:], 1)
			}
			z.AppendColumn(column)
		}
	}
	return z
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

// poisson draws from the Poisson distribution with a mean that is small in all
// uses here, by multiplying uniforms; large means are split.
func poisson(rng *rand.Rand, mean float64) int {
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
