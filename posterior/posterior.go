// Package posterior judges and summarizes the draws of scalar quantities:
// convergence of the chains, precision of the estimates, quantiles, the two
// permutation diagnostics of Warr, Dahl, Meyer and Lui (The Attraction Indian
// Buffet Distribution, Bayesian Analysis; "the paper" below) and deviances; and
// the draws of Z, by the allocation of least expected FARO loss, the loadings of its
// features and what they explain of X.
//
// Draws come as chains, chains[c][t] being draw t of chain c. All chains have
// the same length; the functions panic otherwise. RHat, ESSBulk, ESSTail,
// ESSMean and MCSEMean follow
//
//	Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021): Rank-normalization,
//	folding, and localization: an improved R-hat for assessing convergence of
//	MCMC. Bayesian Analysis 16, 667-718
//
// and return what version 1.4.0 of the R package posterior does (rhat,
// ess_bulk, ess_tail, ess_mean, mcse_mean). All begin by cutting every chain
// into halves; the middle draw of an odd number belongs to neither. They
// return NaN
//
//   - if a draw is infinite or NaN (R ranks infinite draws in rhat and ess_bulk),
//   - if the halves are too short: RHat needs 4 draws a chain (R has a number
//     for 3), the others 6,
//   - if there is nothing to estimate, because all draws are equal or differ
//     by less than 2.2e-16. RHat and ESSBulk ask this of the normal scores of
//     the ranks, so that the scale of the draws does not matter to them; but
//     RHat asks it also of the folded draws, and is NaN for a quantity with
//     two values, each drawn equally often. ESSTail asks it also of the
//     indicators of its two tails, and is NaN if the 95% quantile is the
//     largest draw, as happens with few distinct values.
//
// Chains that are each constant, but not all at the same value, have RHat +Inf
// where R may have a number near 1e16; it is NaN if there are two such values,
// equally frequent, as said above. With 6 to 11 draws a chain every effective
// sample size is half the number of draws, for want of lags to look at.
package posterior

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// finite tells whether every draw is finite. It panics if the chains differ in
// length.
func finite(chains [][]float64) bool {
	for c, chain := range chains {
		if len(chain) != len(chains[0]) {
			panic(fmt.Sprintf("posterior: chain %d has %d draws, chain 0 has %d", c, len(chain), len(chains[0])))
		}
	}
	for _, chain := range chains {
		for _, x := range chain {
			if math.IsInf(x, 0) || math.IsNaN(x) {
				return false
			}
		}
	}
	return true
}

// split returns the first and second halves of every chain, which share memory
// with it. The middle draw of an odd number is left out.
func split(chains [][]float64) [][]float64 {
	halves := make([][]float64, 0, 2*len(chains))
	for _, chain := range chains {
		h := len(chain) / 2
		halves = append(halves, chain[:h], chain[len(chain)-h:])
	}
	return halves
}

// length returns the number of draws of each chain.
func length(chains [][]float64) int {
	if len(chains) == 0 {
		return 0
	}
	return len(chains[0])
}

// pool returns the draws of all chains in increasing order.
func pool(chains [][]float64) []float64 {
	draws := slices.Concat(chains...)
	slices.Sort(draws)
	return draws
}

// constant tells whether the draws of all chains together span less than the
// rounding error of the number one, the tolerance of the R package.
func constant(chains [][]float64) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, chain := range chains {
		for _, x := range chain {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return hi-lo < 0x1p-52
}

// meanVariance returns the mean and the unbiased variance of x. If all of x
// are equal the variance is exactly 0, which decides between a large and an
// infinite R-hat.
func meanVariance(x []float64) (mean, variance float64) {
	for _, v := range x {
		if v != x[0] {
			return stat.MeanVariance(x, nil)
		}
	}
	if len(x) < 2 {
		return stat.Mean(x, nil), math.NaN()
	}
	return x[0], 0
}
