// Nested R-hat: do populations of chains agree?

package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// NestedRHat returns the nested R-hat of Margossian et al. (2024) of independent
// populations of chains, their super-chains: populations[p][c] holds the draws of chain
// c of population p. Like RHat it is the larger of that of the normal scores and that of
// the scores of the distances from the median. Chains of one population may share their
// origin; only differences between populations count against agreement, so that chains
// may be short. All populations must have the same number of chains of the same length.
func NestedRHat(populations [][][]float64) float64 {
	if len(populations) < 2 {
		return math.NaN()
	}
	var chains [][]float64
	for _, p := range populations {
		if len(p) != len(populations[0]) {
			panic("posterior: populations of different numbers of chains")
		}
		chains = append(chains, p...)
	}
	if !finite(chains) || constant(chains) {
		return math.NaN()
	}
	each := len(populations[0])
	return max(nestedRHat(rankNormal(chains), each), nestedRHat(rankNormal(fold(chains)), each))
}

// nestedRHat returns the plain nested R-hat of chains, each of them to a population
// (Margossian et al. 2024, section 2.2).
func nestedRHat(chains [][]float64, each int) float64 {
	if constant(chains) {
		return math.NaN()
	}
	var centers []float64
	within := 0.0
	for first := 0; first < len(chains); first += each {
		var means []float64
		for _, chain := range chains[first : first+each] {
			means = append(means, stat.Mean(chain, nil))
			if len(chain) > 1 {
				within += stat.Variance(chain, nil) / float64(len(chains))
			}
		}
		centers = append(centers, stat.Mean(means, nil))
		if each > 1 {
			within += stat.Variance(means, nil) * float64(each) / float64(len(chains))
		}
	}
	return math.Sqrt(1 + stat.Variance(centers, nil)/within)
}

// MaxEvidenceSpread is the standard deviation of the log evidence over populations up to
// which they count as converged. Where it is larger, each has found other modes or other
// weights of them, whatever their draws look like.
const MaxEvidenceSpread = 1

// Evidence combines estimates of the log evidence by independent populations. log is the
// logarithm of the mean of the estimates of the evidence, which are nearly unbiased.
// spread is the standard deviation of the logarithms, NaN for a single population.
func Evidence(logs []float64) (log, spread float64) {
	return floats.LogSumExp(logs) - math.Log(float64(len(logs))), stat.StdDev(logs, nil)
}
