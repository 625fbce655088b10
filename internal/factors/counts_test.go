package factors

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestNegativeBinomial: probabilities sum to 1 with the mean and the variance of the distribution, and a fit finds it
// of many counts. Zeros alone leave a mean above 0.
func TestNegativeBinomial(t *testing.T) {
	distribution := NegativeBinomial{3, 0.7}
	sum, mean, square := 0.0, 0.0, 0.0
	for y := range 1000 {
		p := math.Exp(distribution.LogProbability(float64(y)))
		sum, mean, square = sum+p, mean+p*float64(y), square+p*float64(y)*float64(y)
	}
	if variance := square - mean*mean; math.Abs(sum-1) > 1e-9 || math.Abs(mean-3) > 1e-9 || math.Abs(variance-(3+9/0.7)) > 1e-6 {
		t.Errorf("sum %v, mean %v, variance %v", sum, mean, variance)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var counts []float64
	for range 20_000 {
		rate := distuv.Gamma{Alpha: distribution.Size, Beta: distribution.Size / distribution.Mean, Src: rng}.Rand()
		counts = append(counts, distuv.Poisson{Lambda: rate, Src: rng}.Rand())
	}
	if got := FitCounts(counts); math.Abs(got.Mean-3) > 0.15 || math.Abs(got.Size-0.7) > 0.07 {
		t.Errorf("found %+v, want about %+v", got, distribution)
	}
	if p := math.Exp(FitCounts(make([]float64, 9)).LogProbability(1)); !(p > 0.005 && p < 0.1) {
		t.Errorf("after nine zeros a count of 1 has probability %v", p)
	}
}
