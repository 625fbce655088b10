package predict

import (
	"math"
	"math/rand/v2"
	"testing"
)

// X that is one more replicate seldom stands out, although quantities go together. X with one quantity far out, or
// with several at the edge, does.
func TestJointP(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const quantities, replicates, times = 20, 400, 400
	density := func(shift func(q int) float64) float64 {
		k := &kind{}
		for t := range replicates + 1 {
			values, common := make([]float64, quantities), rng.NormFloat64()
			for q := range values {
				values[q] = common + 0.5*rng.NormFloat64()
			}
			if t == 0 {
				values[3] = math.NaN() // such as the correlation of a column that is constant in one replicate
			}
			if t < replicates {
				k.replicated = append(k.replicated, values)
				continue
			}
			for q := range values {
				values[q] += shift(q)
			}
			k.observed = [][]float64{values}
		}
		return k.jointP()
	}
	small := 0
	for range times {
		if density(func(int) float64 { return 0 }) <= 0.02 {
			small++
		}
	}
	if small > 20 { // 8 expected at most; more than 20 once in 10,000 times
		t.Errorf("found %d of %d p of at most 0.02", small, times)
	}
	missed := 0
	for range 20 {
		if density(func(q int) float64 { return map[int]float64{3: 8}[q] }) > 0.01 {
			missed++
		}
		if density(func(int) float64 { return 6 }) > 0.01 {
			missed++
		}
	}
	if missed > 2 {
		t.Errorf("missed %d of 40 misfits", missed)
	}
}
