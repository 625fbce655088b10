// Deviance criteria.

package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Deviance holds two criteria that both go by the name of DIC; smaller is
// better. They can be compared between models of the same data, not with each
// other.
type Deviance struct {
	// MeanDeviance is the posterior mean of -2 log likelihood. The values that
	// the paper prints as DIC are of this size.
	MeanDeviance float64
	// PD is the effective number of parameters, 2 (max - mean) of the log
	// likelihood.
	PD float64
	// DIC is MeanDeviance + PD, the criterion of Gelman et al., Bayesian Data
	// Analysis, 3rd edition (2013), section 7.2.
	DIC float64
}

// DIC returns the deviance criteria of the log likelihoods (natural logarithm,
// all constants kept) of the draws of all chains. An allocation has no
// posterior mean at which the likelihood could be taken, as Gelman et al. do;
// the largest log likelihood among the draws stands in for it. Hence PD and
// DIC, unlike MeanDeviance, grow somewhat with the number of draws. All are NaN
// if there are no draws or one is infinite or NaN.
func DIC(logLik []float64) Deviance {
	if len(logLik) == 0 || !finite([][]float64{logLik}) {
		return Deviance{math.NaN(), math.NaN(), math.NaN()}
	}
	chains := [][]float64{logLik}
	mean, _ := meanSD(chains)
	y, _, exponent := centred(chains)
	pd := math.Ldexp(slices.Max(y[0])-stat.Mean(y[0], nil), exponent+1)
	return Deviance{MeanDeviance: -2 * mean, PD: pd, DIC: -2*mean + pd}
}
