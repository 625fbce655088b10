package intensity

import (
	"math"
	"math/bits"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/permutation"
)

// Averages over all permutations, by dynamic programming over the 2^N sets of items that
// have arrived.

// LogProbAveraged returns the log of the probability of z averaged over a uniform
// permutation.
func (l *Sequential) LogProbAveraged(z *feature.Allocation) float64 {
	n := l.N()
	// The factors of an arrival depend on the set of earlier items only, not on
	// their order: total[set] is the log of the sum over the orders of the set.
	s := newSubsets(l)
	features := lists.Make(z.K(), z.Column)
	total := make([]float64, 1<<n)
	for set := 1; set < 1<<n; set++ {
		sum := math.Inf(-1)
		for remaining := set; remaining != 0; remaining &= remaining - 1 {
			i := bits.TrailingZeros(uint(remaining))
			earlier := set &^ (1 << i)
			if math.IsInf(total[earlier], -1) {
				continue
			}
			sum = logSumExp(sum, total[earlier]+s.logArrive(i, uint64(earlier), features))
		}
		total[set] = sum
	}
	orders, _ := math.Lgamma(float64(n + 1))
	return total[1<<n-1] - orders + float64(z.K())*math.Log(l.mass) - z.LogMultiplicities()
}

// SharingAveraged returns the expected sharing averaged over a uniform permutation.
func (l *Sequential) SharingAveraged() [][]float64 {
	n := l.N()
	s := newSubsets(l)
	give := make([]float64, n)
	// Layer by layer: sharing among the items of a set that arrived first, given
	// the same for the sets of one item less. A matrix is over the members of its
	// set in ascending order.
	layer := map[uint64][]float64{0: nil}
	var members []int
	for size := 1; size <= n; size++ {
		next := map[uint64][]float64{}
		for set := uint64(1)<<size - 1; set < 1<<n; set = nextSubset(set) {
			m := make([]float64, size*size)
			members = feature.Members(members[:0], []uint64{set})
			for last, i := range members {
				earlier := set &^ (1 << i)
				before := layer[earlier]
				s.shares(give, i, earlier)
				for b := range size - 1 {
					j, row := skip(b, last), before[b*(size-1):(b+1)*(size-1)]
					sum := 0.0
					for c, x := range row {
						sum += give[members[skip(c, last)]] * x
						m[j*size+skip(c, last)] += x
					}
					m[last*size+j] += sum
					m[j*size+last] += sum
				}
				m[last*size+last] += l.mass
			}
			for e := range m {
				m[e] /= float64(size)
			}
			next[set] = m
		}
		layer = next
	}
	out := lists.Square(n)
	for i := range out {
		copy(out[i], layer[1<<n-1][i*n:(i+1)*n])
	}
	return out
}

// skip returns the place in a set of what has place b in the set without the item
// at place.
func skip(b, place int) int {
	if b >= place {
		return b + 1
	}
	return b
}

// nextSubset returns the next larger integer with as many ones (Gosper).
func nextSubset(x uint64) uint64 {
	low := x & -x
	high := x + low
	return high | (x^high)/low>>2
}

// subsets computes what an item does when a given set of items has arrived.
type subsets struct {
	aff          *Affinity
	mass         float64
	temperatures Temperatures
	self         bool
	f            []float64
	safe         bool
}

func newSubsets(l *Sequential) *subsets {
	n := l.N()
	s := &subsets{aff: l.aff, mass: l.mass, temperatures: l.temperatures, self: l.self, f: make([]float64, n*n)}
	var d decayed
	s.safe = s.aff.update(&d, s.temperatures, s.self)
	size, items := 0.0, permutation.Identity(n)
	if s.self && s.safe {
		size = d.self()
	}
	for i := range n {
		row := s.f[i*n : (i+1)*n]
		if !s.safe {
			s.aff.row(row, s.temperatures, i, items, s.self)
			continue
		}
		d.taken(row, i, items)
		row[i] = size
	}
	return s
}

// arrive returns the divisor of the similarities of item i to the earlier items
// that makes them its probabilities of taking a dish, and w, when it arrives after
// them. ok is false if the similarities are too small for their sum to be safe.
func (s *subsets) arrive(i int, earlier uint64) (divisor, w float64, ok bool) {
	n := s.aff.N()
	row := s.f[i*n : (i+1)*n]
	sum := 0.0
	for e := earlier; e != 0; e &= e - 1 {
		sum += row[bits.TrailingZeros64(e)]
	}
	if s.self {
		sum += row[i]
		return sum, row[i] / sum, s.safe || sum >= tiny
	}
	count := float64(bits.OnesCount64(earlier))
	return sum * (count + 1) / count, 1 / (count + 1), s.safe || sum >= tiny
}

// logTake returns the log of the probability with which item i, arriving after
// earlier, takes a dish of the given owners, for what underflows.
func (s *subsets) logTake(i int, earlier, owners uint64) float64 {
	items := feature.Members(nil, []uint64{earlier})
	in := func(j int) bool { return owners>>uint(j)&1 != 0 }
	return s.aff.logTake(s.temperatures, i, items, s.self, in)
}

// shares fills give with a_iq for the items q of the set earlier.
func (s *subsets) shares(give []float64, i int, earlier uint64) {
	divisor, _, ok := s.arrive(i, earlier)
	for e := earlier; e != 0; e &= e - 1 {
		q := bits.TrailingZeros64(e)
		if ok {
			give[q] = s.f[i*s.aff.N()+q] / divisor
		} else {
			give[q] = math.Exp(s.logTake(i, earlier, 1<<uint(q)))
		}
	}
}

// logArrive returns the log of what item i contributes to the pmf when it arrives
// after the items of earlier: a factor for each column and exp(-mass*w).
func (s *subsets) logArrive(i int, earlier uint64, columns [][]uint64) float64 {
	divisor, w, ok := s.arrive(i, earlier)
	row := s.f[i*s.aff.N():]
	prod := newProduct()
	for _, column := range columns {
		z := column[0]
		member, owners := z>>uint(i)&1 != 0, z&earlier
		if owners == 0 {
			if member {
				prod.mul(w)
			}
			continue
		}
		in := 0.0
		for e := owners; e != 0; e &= e - 1 {
			in += row[bits.TrailingZeros64(e)]
		}
		b := in / divisor
		if !ok || b < tiny {
			log := s.logTake(i, earlier, owners)
			if member {
				prod.log += log
				continue
			}
			b = math.Exp(log)
		}
		if member {
			prod.mul(b)
		} else {
			prod.mul(1 - b)
		}
	}
	return prod.logValue() - s.mass*w
}
