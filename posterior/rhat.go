// R-hat.

package posterior

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"aibd/internal/lists"
)

// RHat returns the rank-normalized split R-hat: the larger of the R-hat of the draws, which
// detects chains that differ in location, and the R-hat of their distances from the median,
// which detects chains that differ in spread (Vehtari et al. 2021, sections 4.1 and 4.2).
// Values near 1 are good; Vehtari et al. recommend less than 1.01.
//
// RHat, ESSBulk, ESSTail, ESSMean and MCSEMean agree with version 1.4.0 of the R package
// posterior (rhat, ess_bulk, ess_tail, ess_mean, mcse_mean), except where this text says
// otherwise. They cut every chain into halves; the middle draw of an odd number belongs to
// neither. They return NaN
//
//   - if a draw is infinite or NaN (R ranks infinite draws in rhat and ess_bulk),
//   - if the chains are too short: RHat needs 4 draws a chain (R returns a number for 3),
//     the others 6,
//   - if all draws are equal up to rounding (R: if they differ by less than 2.2e-16),
//   - ESSTail also if the 95% quantile is the largest draw, as happens with few distinct
//     values.
//
// If the chains are constant, but at different values, RHat is +Inf; R may return a number
// near 1e16. If all draws are equally far from their median, as for two values drawn
// equally often, RHat compares locations only; R returns NaN. With 6 to 11 draws a chain,
// every effective sample size is half the number of draws, as there are too few lags.
//
// Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Rank-normalization,
// folding, and localization: an improved R-hat for assessing convergence of MCMC, Bayesian
// Analysis 16, 667-718.
func RHat(chains [][]float64) float64 {
	if !finite(chains) {
		return math.NaN()
	}
	return rankRHat(settle(chains, 0))
}

// rankRHat is RHat for settled draws. sorted holds all of them in increasing order.
func rankRHat(chains [][]float64, sorted []float64) float64 {
	location, spread := rHat(rankNormal(split(chains))), rHat(rankNormal(split(fold(chains, sorted))))
	if math.IsNaN(spread) { // all draws are equally far from the median
		return location
	}
	return max(location, spread)
}

// rHat returns the plain R-hat of the chains (Vehtari et al. 2021, equations 1
// to 4): the estimated standard deviation of the target over the one within
// the chains. It is NaN with less than two draws a chain or constant draws.
func rHat(chains [][]float64) float64 {
	n := length(chains)
	if n < 2 || constant(chains) {
		return math.NaN()
	}
	means := make([]float64, len(chains))
	within := 0.0
	for c, chain := range chains {
		mean, variance := meanVariance(chain)
		means[c] = mean
		within += variance / float64(len(chains))
	}
	_, between := meanVariance(means) // B/n of Vehtari et al.
	return math.Sqrt(between/within + float64(n-1)/float64(n))
}

// fold returns the distances of the draws from the median of all, or a quarter of them
// if they might overflow. sorted holds all draws in increasing order.
func fold(chains [][]float64, sorted []float64) [][]float64 {
	if len(sorted) == 0 {
		return nil
	}
	scale := 1.0
	if max(-sorted[0], sorted[len(sorted)-1]) > math.MaxFloat64/4 {
		scale = 1. / 4
	}
	// An interpolating quantile would not put the middle two of an even number of draws
	// equally far from the median.
	median := (scale*sorted[(len(sorted)-1)/2] + scale*sorted[len(sorted)/2]) / 2
	return lists.MapRows(chains, func(x float64) float64 { return math.Abs(scale*x - median) })
}

// rankNormal returns the normal scores of the draws: each becomes the standard
// normal quantile of (r - 3/8)/(S + 1/4), where r is its rank among the S draws
// of all chains, one-based, and tied draws share the mean of their ranks
// (Vehtari et al. 2021, equation 14).
func rankNormal(chains [][]float64) [][]float64 {
	type draw struct {
		value float64
		c, t  int32
	}
	draws := make([]draw, 0, len(chains)*length(chains))
	scores := make([][]float64, len(chains))
	for c, chain := range chains {
		scores[c] = make([]float64, len(chain))
		for t, x := range chain {
			draws = append(draws, draw{x, int32(c), int32(t)})
		}
	}
	slices.SortFunc(draws, func(a, b draw) int { return cmp.Compare(a.value, b.value) })
	for first := 0; first < len(draws); {
		end := first + 1
		for end < len(draws) && draws[end].value == draws[first].value {
			end++
		}
		rank := float64(first+1+end) / 2
		z := mathext.NormalQuantile((rank - 3./8) / (float64(len(draws)) + 1./4))
		for _, d := range draws[first:end] {
			scores[d.c][d.t] = z
		}
		first = end
	}
	return scores
}
