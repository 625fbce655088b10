package prior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/lists"
)

// MaxExactItems is the max number of items for which averages over all permutations are
// computed exactly, by dynamic programming over the 2^N sets of items that have
// arrived.
const MaxExactItems = 18

var errTooMany = errors.New("too many items for an exact average over permutations")

// ordered is a law in which items arrive in the order of a permutation: the AIBD
// or the sequential dd-IBP.
type ordered interface {
	LogProbAveraged(*feature.Allocation) float64
	SharingAveraged() [][]float64
}

// exactly returns law as an ordered one if its average over permutations can be
// computed exactly.
func exactly(law Attraction) (ordered, error) {
	o, ok := law.machinery().(ordered)
	if !ok {
		return nil, fmt.Errorf("%v has no permutation to average over", law)
	}
	if n := law.N(); n > MaxExactItems {
		return nil, fmt.Errorf("%w: %d, at most %d", errTooMany, n, MaxExactItems)
	}
	return o, nil
}

// LogProbAveraged returns the log of the probability of z averaged over a
// uniform permutation, exactly; it ignores law's own permutation. It returns an error
// for a law without a permutation and for more than MaxExactItems items. It panics if z
// has another number of items than the law.
func LogProbAveraged(law Attraction, z *feature.Allocation) (float64, error) {
	o, err := exactly(law)
	if err != nil {
		return 0, err
	}
	n := law.N()
	if z.N() != n {
		panic(fmt.Sprintf("prior: an allocation of %d items under a law of %d", z.N(), n))
	}
	if hasEmpty(z) {
		return math.Inf(-1), nil
	}
	return o.LogProbAveraged(z), nil
}

// LogProbMonteCarlo estimates the log of the probability of z averaged over a
// uniform permutation from the given number of random permutations, with the
// standard error of the log (delta method). It panics if z is of another number
// of items or there are fewer than 2 draws.
func LogProbMonteCarlo(law Attraction, z *feature.Allocation, rng *rand.Rand, draws int) (logProb, stdErr float64) {
	if draws < 2 {
		panic("prior: fewer than 2 draws")
	}
	logs := make([]float64, draws)
	perm := Identity(law.N())
	top := math.Inf(-1)
	for d := range logs {
		rng.Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
		logs[d] = LogProb(law.With(law.Temperature(), perm), z)
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
// an error for a law without a permutation and for more than MaxExactItems items.
func ExpectedSharingAveraged(law Attraction) ([][]float64, error) {
	o, err := exactly(law)
	if err != nil {
		return nil, err
	}
	return o.SharingAveraged(), nil
}

// ExpectedSharingMonteCarlo estimates the expected sharing averaged over a
// uniform permutation from the given number of random permutations, with
// standard errors. It panics with fewer than 2 draws.
func ExpectedSharingMonteCarlo(law Attraction, rng *rand.Rand, draws int) (mean, stdErr [][]float64) {
	if draws < 2 {
		panic("prior: fewer than 2 draws")
	}
	n := law.N()
	mean, stdErr = lists.Square(n), lists.Square(n)
	perm := Identity(n)
	for d := range draws {
		rng.Shuffle(n, func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
		one := law.With(law.Temperature(), perm).ExpectedSharing()
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

// SharingMonteCarlo estimates the expected sharing of any law from prior draws,
// with standard errors. It panics with fewer than 2 draws.
func SharingMonteCarlo(law Law, rng *rand.Rand, draws int) (mean, stdErr [][]float64) {
	if draws < 2 {
		panic("prior: fewer than 2 draws")
	}
	n, m := law.N(), float64(draws)
	mean, stdErr = lists.Square(n), lists.Square(n)
	one := lists.Square(n)
	var members []int
	for range draws {
		z := law.Rand(rng)
		for i := range one {
			clear(one[i])
		}
		for k := range z.K() {
			members = z.Members(members[:0], k)
			for _, i := range members {
				for _, j := range members {
					one[i][j]++
				}
			}
		}
		for i := range n {
			for j := range n {
				mean[i][j] += one[i][j]
				stdErr[i][j] += one[i][j] * one[i][j]
			}
		}
	}
	for i := range n {
		for j := range n {
			// Counts are small integers: their sums are exact.
			mean[i][j] /= m
			stdErr[i][j] = math.Sqrt((stdErr[i][j]/m - mean[i][j]*mean[i][j]) / (m - 1))
		}
	}
	return mean, stdErr
}
