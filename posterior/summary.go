// Summaries and quantiles of one scalar.

package posterior

import (
	"math"
	"slices"
)

// Summary describes the draws of one scalar over all chains.
type Summary struct {
	Mean, SD     float64 // SD of the draws, with divisor S-1
	MCSE         float64 // standard error of Mean, see MCSEMean
	Q5, Q50, Q95 float64 // quantiles, see Quantile
	RHat         float64
	ESSBulk      float64
	ESSTail      float64
}

// Summarize returns the summary of the draws. Without draws, or if one is infinite or NaN,
// every field is NaN. For constant or too few draws some fields are NaN (see RHat).
func Summarize(chains [][]float64) Summary {
	nan := math.NaN()
	if !finite(chains) || length(chains) == 0 {
		return Summary{nan, nan, nan, nan, nan, nan, nan, nan, nan}
	}
	chains, sorted := settle(chains, 0)
	mean, sd := meanSD(chains)
	return Summary{
		Mean:    mean,
		SD:      sd,
		MCSE:    sd / math.Sqrt(essMean(chains)),
		Q5:      quantile(sorted, 0.05),
		Q50:     quantile(sorted, 0.5),
		Q95:     quantile(sorted, 0.95),
		RHat:    rankRHat(chains, sorted),
		ESSBulk: essBulk(chains),
		ESSTail: essTail(chains, sorted),
	}
}

// Quantile returns the quantile of x at p by linear interpolation between the
// order statistics around (len(x)-1)p, counted from zero: type 7 of Hyndman and
// Fan (1996), R's default. x need not be sorted and is not changed. The result
// is NaN if x is empty or has a NaN. Quantile panics if p is not in [0, 1].
func Quantile(x []float64, p float64) float64 {
	if !(0 <= p && p <= 1) {
		panic("posterior: quantile of a probability outside [0, 1]")
	}
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	_, sorted := settle([][]float64{x}, 0)
	return quantile(sorted, p)
}

// quantile is Quantile for sorted x, neither empty nor with NaN. (gonum's
// interpolating quantile is another type.)
func quantile(sorted []float64, p float64) float64 {
	// Counting from one, as R does, gives an order statistic exactly when R does. ESSTail
	// compares draws with the result.
	position := 1 + float64(len(sorted)-1)*p
	lo, hi := sorted[int(math.Floor(position))-1], sorted[int(math.Ceil(position))-1]
	if lo == hi {
		return lo
	}
	h := position - math.Floor(position)
	return (1-h)*lo + h*hi
}
