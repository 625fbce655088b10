// Deviance criteria.

package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Deviance holds two criteria that are both called DIC; smaller is better. Compare each
// between models of the same data, but not with the other.
type Deviance struct {
	// MeanDeviance is the posterior mean of -2 log likelihood. The paper's DIC values are
	// of this size.
	MeanDeviance float64
	// PD is the effective number of parameters, 2 (max - mean) of the log
	// likelihood.
	PD float64
	// DIC is MeanDeviance + PD, the criterion of Gelman et al., Bayesian Data
	// Analysis, 3rd edition (2013), section 7.2.
	DIC float64
}

// DIC returns the deviance criteria of the log likelihoods (natural logarithm,
// with all constants) of the draws of all chains. Gelman et al. evaluate the likelihood at
// the posterior mean. An allocation has none, so DIC uses the max log likelihood of the
// draws. PD and DIC therefore grow slowly with the number of draws. All are NaN without
// draws, or if a draw is infinite or NaN.
func DIC(logLik []float64) Deviance {
	if len(logLik) == 0 || !finite([][]float64{logLik}) {
		return Deviance{math.NaN(), math.NaN(), math.NaN()}
	}
	chains := [][]float64{logLik}
	mean, _ := meanSD(chains)
	y, _, exponent := centered(chains)
	pd := math.Ldexp(slices.Max(y[0])-stat.Mean(y[0], nil), exponent+1)
	return Deviance{MeanDeviance: -2 * mean, PD: pd, DIC: -2*mean + pd}
}
