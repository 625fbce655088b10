// Effective sample sizes.

package posterior

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/internal/lists"
)

// ESSBulk returns the effective sample size of the normal scores of the draws, a measure of
// the precision in the bulk of the distribution (Vehtari et al. 2021, section 4.1). Like
// ESSTail and ESSMean it is at most S log10 S, with S the number of draws in all halves of
// chains.
func ESSBulk(chains [][]float64) float64 {
	if !finite(chains) {
		return math.NaN()
	}
	chains, _ = settle(chains, 0)
	return essBulk(chains)
}

// essBulk is ESSBulk for settled draws.
func essBulk(chains [][]float64) float64 { return ess(rankNormal(split(chains))) }

// ESSTail returns the smaller of the effective sample sizes of the 5% and the 95% quantile,
// a measure of the precision in the tails (Vehtari et al. 2021, section 4.3).
func ESSTail(chains [][]float64) float64 {
	if !finite(chains) || length(chains) == 0 {
		return math.NaN()
	}
	return essTail(settle(chains, 0))
}

// essTail is ESSTail for settled draws. sorted holds all of them in increasing order.
func essTail(chains [][]float64, sorted []float64) float64 {
	return min(
		ess(split(atMost(chains, quantile(sorted, 0.05)))),
		ess(split(atMost(chains, quantile(sorted, 0.95)))))
}

// ESSMean returns the effective sample size of the mean of the draws.
func ESSMean(chains [][]float64) float64 {
	if !finite(chains) || length(chains) == 0 {
		return math.NaN()
	}
	chains, _ = settle(chains, 0)
	return essMean(chains)
}

// essMean is ESSMean for settled draws.
func essMean(chains [][]float64) float64 {
	y, _, _ := centered(chains)
	return ess(split(y))
}

// MCSEMean returns the Monte Carlo standard error of the mean of the draws,
// their standard deviation over the square root of ESSMean (Vehtari et al.
// 2021, section 3.2).
func MCSEMean(chains [][]float64) float64 {
	if !finite(chains) || length(chains) == 0 {
		return math.NaN()
	}
	chains, _ = settle(chains, 0)
	_, sd := meanSD(chains)
	return sd / math.Sqrt(essMean(chains))
}

// RelativeEfficiency returns the effective sample size of the mean of exp(x) by number of
// draws, where x are the draws. It is 1 if all draws are equal up to rounding, and NaN if one is infinite or
// NaN. It agrees with relative_eff of the R package loo, which does not split chains.
func RelativeEfficiency(chains [][]float64) float64 {
	if length(chains) == 0 || !finite(chains) {
		return math.NaN()
	}
	chains, sorted := settle(chains, 1)
	largest := sorted[len(sorted)-1]
	if e := ess(lists.MapRows(chains, func(x float64) float64 { return math.Exp(x - largest) })); !math.IsNaN(e) {
		return e / float64(len(chains)*len(chains[0]))
	}
	return 1
}

// atMost returns 1 for the draws that are at most q and 0 for the others.
func atMost(chains [][]float64, q float64) [][]float64 {
	return lists.MapRows(chains, func(x float64) float64 {
		if x <= q {
			return 1
		}
		return 0
	})
}

// ess returns the effective sample size of the mean of the chains as they are,
// with Geyer's initial monotone positive sequence (Vehtari et al. 2021, section
// 3.2). It is NaN with less than three draws a chain or constant draws.
func ess(chains [][]float64) float64 {
	n := length(chains)
	if n < 3 || constant(chains) {
		return math.NaN()
	}
	means := lists.Map(chains, func(chain []float64) float64 { return stat.Mean(chain, nil) })
	acov := autocovariance(chains, means)
	within := acov[0] * float64(n) / float64(n-1) // W of Vehtari et al.
	total := acov[0]                              // their var+
	if len(chains) > 1 {
		total += stat.Variance(means, nil)
	}
	correlation := func(t int) float64 { return 1 - (within-acov[t])/total }

	// Sum correlations by pairs of lags, (0, 1), (2, 3) and so on, while the sum of a
	// pair is positive. The last even lag counts once if positive; its odd partner is
	// too noisy.
	rho := make([]float64, n)
	even, odd := 1.0, correlation(1)
	rho[0], rho[1] = even, odd
	last := 0
	for last < n-5 && even+odd > 0 {
		last += 2
		even, odd = correlation(last), correlation(last+1)
		if even+odd >= 0 {
			rho[last], rho[last+1] = even, odd
		}
	}
	if even > 0 {
		rho[last] = even
	}
	// The sums of pairs must not grow.
	for t := 2; t < last; t += 2 {
		if before := rho[t-2] + rho[t-1]; rho[t]+rho[t+1] > before {
			rho[t], rho[t+1] = before/2, before/2
		}
	}
	// Without a lag beyond the first pair (fewer than six draws a chain, or a first pair
	// that is not positive), the sum still has one term and tau is 2, as in R. This is
	// conservative.
	tau := -1 + 2*floats.Sum(rho[:max(last, 1)]) + rho[last]
	size := float64(len(chains) * n)
	return size / max(tau, 1/math.Log10(size))
}

// autocovariance returns the autocovariances at lags 0 to n-1 about the means, with divisor
// n at every lag, averaged over the chains. As the inverse transform is linear, it adds the
// power spectra first.
func autocovariance(chains [][]float64, means []float64) []float64 {
	n := length(chains)
	padded := 1
	for padded < 2*n { // so that no lag wraps around
		padded *= 2
	}
	fft := fourier.NewFFT(padded)
	seq := make([]float64, padded)
	coeff := make([]complex128, padded/2+1)
	power := make([]complex128, padded/2+1)
	for c, chain := range chains {
		for t, x := range chain {
			seq[t] = x - means[c]
		}
		fft.Coefficients(coeff, seq)
		for k, z := range coeff {
			power[k] += complex(real(z)*real(z)+imag(z)*imag(z), 0)
		}
	}
	fft.Sequence(seq, power)
	acov := seq[:n]
	floats.Scale(1/float64(padded*n*len(chains)), acov)
	return acov
}
