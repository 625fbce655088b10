package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/lists"
)

// centered returns the draws about one of them, as y with x = origin + y 2^exponent and
// |y| <= 1. Differences of draws are exact or nearly so: moments of y neither overflow
// nor lose the digits that the draws have in common. The draws are finite, and there
// is at least one.
func centered(chains [][]float64) (y [][]float64, origin float64, exponent int) {
	sorted := pool(chains)
	origin = sorted[len(sorted)/2]
	// A half of each difference is within range, and exact for all but the tiniest.
	shrink := 0
	if largest := max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1])); largest > math.MaxFloat64/2 {
		shrink = 1
	}
	difference := func(x float64) float64 {
		if shrink > 0 {
			return x/2 - origin/2
		}
		return x - origin
	}
	widest := max(math.Abs(difference(sorted[0])), math.Abs(difference(sorted[len(sorted)-1])))
	_, exponent = math.Frexp(widest)
	y = lists.MapRows(chains, func(x float64) float64 { return math.Ldexp(difference(x), -exponent) })
	return y, origin, exponent + shrink
}

// meanSD returns the mean and the standard deviation of the draws, with divisor S-1.
func meanSD(chains [][]float64) (mean, sd float64) {
	y, origin, exponent := centered(chains)
	m, variance := meanVariance(slices.Concat(y...))
	mean = origin + math.Ldexp(m, exponent)
	if math.IsInf(mean, 0) { // between, not in the result, which lies among the draws
		mean = 2 * (origin/2 + math.Ldexp(m, exponent-1))
	}
	return mean, math.Ldexp(math.Sqrt(variance), exponent)
}

// meanVariance returns the mean and the unbiased variance of x. If all of x are equal,
// the variance is exactly 0, which decides between a large and an infinite R-hat.
func meanVariance(x []float64) (mean, variance float64) {
	if slices.ContainsFunc(x, func(v float64) bool { return v != x[0] }) {
		return stat.MeanVariance(x, nil)
	}
	if len(x) < 2 {
		return stat.Mean(x, nil), math.NaN()
	}
	return x[0], 0
}
