package prior

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"aibd/feature"
)

// MaxExactItems is the most items for which averages over all permutations are
// computed exactly, by dynamic programming over the 2^N sets of items that have
// arrived.
const MaxExactItems = 18

var errTooMany = errors.New("too many items for an exact average over permutations")

// LogProbAveraged returns the log of the probability of z averaged over a
// uniform permutation, exactly; law's own permutation plays no part. It returns
// an error beyond MaxExactItems items and panics if z is of another number of
// items.
func LogProbAveraged(law *AIBD, z *feature.Allocation) (float64, error) {
	n := law.N()
	if z.N() != n {
		panic(fmt.Sprintf("prior: an allocation of %d items under a law over %d", z.N(), n))
	}
	if n > MaxExactItems {
		return 0, fmt.Errorf("%w: %d, at most %d", errTooMany, n, MaxExactItems)
	}
	// The factors of an arrival depend on the set of earlier items only, not on
	// their order: total[set] is the log of the sum over the orders of the set.
	s := newSubsets(law)
	features := make([][]uint64, 0, z.K())
	for k := range z.K() {
		features = append(features, z.Column(k))
	}
	total := make([]float64, 1<<n)
	for set := 1; set < 1<<n; set++ {
		sum := math.Inf(-1)
		for rest := set; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros(uint(rest))
			earlier := set &^ (1 << i)
			if math.IsInf(total[earlier], -1) {
				continue
			}
			sum = logSumExp(sum, total[earlier]+s.logArrive(i, uint64(earlier), features))
		}
		total[set] = sum
	}
	orders, _ := math.Lgamma(float64(n + 1))
	mass := law.mass
	return total[1<<n-1] - orders - mass*law.TotalIntensity() + float64(z.K())*math.Log(mass) - z.LogMultiplicities(), nil
}

// LogProbMonteCarlo estimates the log of the probability of z averaged over a
// uniform permutation from the given number of random permutations, with the
// standard error of the log (delta method). It panics if z is of another number
// of items or there are fewer than 2 draws.
func LogProbMonteCarlo(law *AIBD, z *feature.Allocation, rng *rand.Rand, draws int) (logProb, stdErr float64) {
	if draws < 2 {
		panic("prior: fewer than 2 draws")
	}
	logs := make([]float64, draws)
	perm := Identity(law.N())
	top := math.Inf(-1)
	for d := range logs {
		rng.Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
		logs[d] = LogProb(law.WithPermutation(perm), z)
		top = max(top, logs[d])
	}
	if math.IsInf(top, -1) {
		return top, math.NaN()
	}
	mean, square := 0.0, 0.0
	for _, l := range logs {
		x := math.Exp(l - top)
		mean += x
		square += x * x
	}
	m := float64(draws)
	mean /= m
	variance := (square/m - mean*mean) * m / (m - 1)
	return top + math.Log(mean), math.Sqrt(max(variance, 0)/m) / mean
}

// ExpectedSharingAveraged returns the expected sharing averaged over a uniform
// permutation, exactly, as ExpectedSharing does for one permutation. It returns
// an error beyond MaxExactItems items.
func ExpectedSharingAveraged(law *AIBD) ([][]float64, error) {
	n := law.N()
	if n > MaxExactItems {
		return nil, fmt.Errorf("%w: %d, at most %d", errTooMany, n, MaxExactItems)
	}
	s := newSubsets(law)
	give := make([]float64, n)
	// Layer by layer: sharing among the items of a set that arrived first, given
	// the same for the sets of one item less.
	layer := map[uint64][]float64{0: nil}
	for size := 1; size <= n; size++ {
		next := map[uint64][]float64{}
		for set := uint64(1)<<size - 1; set < 1<<n; set = nextSubset(set) {
			m := make([]float64, n*n)
			for rest := set; rest != 0; rest &= rest - 1 {
				i := bits.TrailingZeros64(rest)
				earlier := set &^ (1 << i)
				before := layer[earlier]
				s.shares(give, i, earlier)
				for e := earlier; e != 0; e &= e - 1 {
					j := bits.TrailingZeros64(e)
					sum := 0.0
					for f := earlier; f != 0; f &= f - 1 {
						q := bits.TrailingZeros64(f)
						sum += give[q] * before[q*n+j]
					}
					m[i*n+j] += sum
					m[j*n+i] += sum
					for f := earlier; f != 0; f &= f - 1 {
						q := bits.TrailingZeros64(f)
						m[j*n+q] += before[j*n+q]
					}
				}
				m[i*n+i] += law.mass
			}
			for e := range m {
				m[e] /= float64(size)
			}
			next[set] = m
		}
		layer = next
	}
	out := square(n)
	for i := range out {
		copy(out[i], layer[1<<n-1][i*n:])
	}
	return out, nil
}

// nextSubset returns the next larger integer with as many ones (Gosper).
func nextSubset(x uint64) uint64 {
	low := x & -x
	high := x + low
	return high | (x^high)/low>>2
}

// ExpectedSharingMonteCarlo estimates the expected sharing averaged over a
// uniform permutation from the given number of random permutations, with
// standard errors. It panics with fewer than 2 draws.
func ExpectedSharingMonteCarlo(law *AIBD, rng *rand.Rand, draws int) (mean, stdErr [][]float64) {
	if draws < 2 {
		panic("prior: fewer than 2 draws")
	}
	n := law.N()
	mean, stdErr = square(n), square(n)
	perm := Identity(n)
	for d := range draws {
		rng.Shuffle(n, func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
		one := law.WithPermutation(perm).ExpectedSharing()
		for i := range n {
			for j := range n {
				// Welford's update; stdErr holds the sum of squares until the end.
				delta := one[i][j] - mean[i][j]
				mean[i][j] += delta / float64(d+1)
				stdErr[i][j] += delta * (one[i][j] - mean[i][j])
			}
		}
	}
	m := float64(draws)
	for i := range n {
		for j := range n {
			stdErr[i][j] = math.Sqrt(stdErr[i][j] / (m - 1) / m)
		}
	}
	return mean, stdErr
}

// subsets computes what an item does when a given set of items has arrived.
type subsets struct {
	law  *AIBD
	f    []float64
	safe bool
}

func newSubsets(law *AIBD) *subsets {
	n := law.N()
	s := &subsets{law: law, f: make([]float64, n*n)}
	s.safe = law.aff.rows(s.f, law.temperature, false, new([]float64))
	return s
}

// shares fills give with a_iq for the items q of the set earlier.
func (s *subsets) shares(give []float64, i int, earlier uint64) {
	n, row := s.law.N(), s.f[i*s.law.N():]
	sum := 0.0
	count := bits.OnesCount64(earlier)
	for e := earlier; e != 0; e &= e - 1 {
		sum += row[bits.TrailingZeros64(e)]
	}
	take := float64(count) / float64(count+1)
	clear(give[:n])
	for e := earlier; e != 0; e &= e - 1 {
		q := bits.TrailingZeros64(e)
		if s.safe || sum >= tiny {
			give[q] = take * row[q] / sum
		} else {
			give[q] = take * math.Exp(s.logShare(i, earlier, func(j int) bool { return j == q }))
		}
	}
}

func (s *subsets) logShare(i int, earlier uint64, member func(j int) bool) float64 {
	items := feature.Members(nil, []uint64{earlier})
	return s.law.aff.logShare(s.law.temperature, i, items, member)
}

// logArrive returns the log of the product over the columns of the factor that
// item i contributes when it arrives after the items of earlier.
func (s *subsets) logArrive(i int, earlier uint64, columns [][]uint64) float64 {
	row := s.f[i*s.law.N():]
	count := bits.OnesCount64(earlier)
	all := 0.0
	for e := earlier; e != 0; e &= e - 1 {
		all += row[bits.TrailingZeros64(e)]
	}
	take := float64(count) / float64(count+1)
	prod := newProduct()
	for _, column := range columns {
		z := column[0]
		has, owners := z>>uint(i)&1 != 0, z&earlier
		if owners == 0 {
			if has {
				prod.mul(1 / float64(count+1))
			}
			continue
		}
		in := 0.0
		for e := owners; e != 0; e &= e - 1 {
			in += row[bits.TrailingZeros64(e)]
		}
		b := take * in / all
		if !s.safe && (all < tiny || in < tiny) {
			// Sums that underflow are taken on the log scale.
			log := math.Log(take) + s.logShare(i, earlier, func(j int) bool { return z>>uint(j)&1 != 0 })
			if has {
				prod.log += log
				continue
			}
			b = math.Exp(log)
		}
		if has {
			prod.mul(b)
		} else {
			prod.mul(1 - b)
		}
	}
	return prod.logValue()
}

// MeanOverPairs returns the mean of the entries of a sharing matrix above the
// diagonal: it is mass/2 only at temperature 0 or for at most 3 items. It is NaN
// for fewer than 2 items.
func MeanOverPairs(sharing [][]float64) float64 {
	sum, pairs := 0.0, 0
	for i := range sharing {
		for _, x := range sharing[i][i+1:] {
			sum += x
			pairs++
		}
	}
	return sum / float64(pairs)
}
