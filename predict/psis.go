package predict

// Pareto smoothed importance sampling.

import (
	"cmp"
	"math"
	"slices"

	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/rounding"

	"gonum.org/v1/gonum/floats"
)

// PSIS smooths the importance ratios of draws, given as logarithms up to a constant. It
// replaces the largest ratios by quantiles of a generalized Pareto distribution fitted to
// them, at most the largest ratio. It returns the log weights, not normalized, in the order
// of the draws, and the estimated shape k of the tail.
//
// rEff is the relative efficiency of the draws (see posterior.RelativeEfficiency), 1 for independent
// draws. The estimate is reliable if k is at most MaxParetoK. With less than 21 draws PSIS smooths
// nothing and k is +Inf. With a ratio that is infinite or NaN, all results are NaN.
//
// A tail of few distinct values, up to rounding, has no shape: draws of Z with all else fixed
// have such ratios. PSIS smooths nothing then. k is 0 if the standard error of the mean ratio is
// at most 10% of it, and +Inf otherwise.
//
// Source: Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance
// sampling, Journal of Machine Learning Research 25(72). Results agree with version 2.5.1 of
// the R package loo, except for tails with ties: its k is +Inf or arbitrary if the tail has few
// distinct values, or if a quarter of it equals the largest ratio below, which PSIS leaves out.
func PSIS(logRatios []float64, rEff float64) (logWeights []float64, k float64) {
	n := len(logRatios)
	logWeights = make([]float64, n)
	if n == 0 || !finite(logRatios) {
		for t := range logWeights {
			logWeights[t] = math.NaN()
		}
		return logWeights, math.NaN()
	}
	largest := slices.Max(logRatios)
	for t, x := range logRatios {
		logWeights[t] = x - largest
	}
	tail := int(math.Ceil(min(0.2*float64(n), 3*math.Sqrt(float64(n)/rEff))))
	if tail < minTail {
		return slices.Clone(logRatios), math.Inf(1)
	}
	order := permutation.Identity(n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logWeights[a], logWeights[b]) })
	cutoff, order := logWeights[order[n-tail-1]], order[n-tail:]
	same := func(a, b float64) bool { return rounding.Same(a, b, 1+math.Abs(largest)) }
	if tied := slices.IndexFunc(order, func(t int) bool { return !same(cutoff, logWeights[t]) }); tied < 0 {
		order = nil
	} else if tied > quartile(tail) {
		order = order[tied:]
	}
	distinct, last := 0, cutoff
	for _, t := range order {
		if !same(last, logWeights[t]) {
			distinct, last = distinct+1, logWeights[t]
		}
	}
	if len(order) < minTail || 2*distinct < len(order) {
		return slices.Clone(logRatios), kOfFew(logWeights, rEff)
	}
	excess := lists.Map(order, func(t int) float64 { return math.Exp(logWeights[t]) - math.Exp(cutoff) })
	k, sigma := fitPareto(excess)
	if !math.IsInf(k, 1) {
		for i, t := range order {
			p := (float64(i) + 0.5) / float64(len(order))
			smooth := math.Log(sigma*math.Expm1(-k*math.Log1p(-p))/k + math.Exp(cutoff))
			logWeights[t] = min(smooth, 0)
		}
	}
	floats.AddConst(largest, logWeights)
	return logWeights, k
}

const minTail = 5 // ratios

// kOfFew returns 0 if the standard error of the mean weight is at most a tenth of the mean, as it
// is for a k of MaxParetoK, and +Inf otherwise.
func kOfFew(logWeights []float64, rEff float64) float64 {
	sum, squares := 0.0, 0.0
	for _, w := range logWeights {
		sum, squares = sum+math.Exp(w), squares+math.Exp(2*w)
	}
	n := float64(len(logWeights))
	if n*squares/(sum*sum)-1 <= 0.01*n*rEff {
		return 0
	}
	return math.Inf(1)
}

// quartile returns the index of the lower quartile of n sorted numbers.
func quartile(n int) int { return int(float64(n)/4+0.5) - 1 }

// fitPareto fits the generalized Pareto distribution to x, in increasing order and at least
// 0. It returns the shape, shrunk toward 0.5 by a prior worth 10 observations, and the
// scale. The shape is +Inf if the fit fails.
//
// Source: Zhang and Stephens (2009), A new and efficient estimation method for the
// generalized Pareto distribution, Technometrics 51, 316-325, with their b as theta; the
// prior of the shape: Vehtari et al. (2024), appendix G.
func fitPareto(x []float64) (k, sigma float64) {
	n := float64(len(x))
	lower := x[quartile(len(x))]
	m := 30 + math.Floor(math.Sqrt(n))
	theta, logLik := make([]float64, int(m)), make([]float64, int(m))
	shape := func(theta float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += math.Log1p(-theta * v)
		}
		return sum / n
	}
	for j := range theta {
		theta[j] = 1/x[len(x)-1] + (1-math.Sqrt(m/(float64(j)+0.5)))/3/lower
		k := shape(theta[j])
		logLik[j] = n * (math.Log(-theta[j]/k) - k - 1)
	}
	total, mean := floats.LogSumExp(logLik), 0.0
	for j, l := range logLik {
		mean += theta[j] * math.Exp(l-total)
	}
	k = shape(mean)
	sigma = -k / mean
	const prior = 10
	k = (k*n + prior*0.5) / (n + prior)
	if math.IsNaN(k) {
		k = math.Inf(1)
	}
	return k, sigma
}

// MaxParetoK returns the max Pareto k of a reliable estimate from the given number of draws:
// 1 - 1/log10(draws), at most 0.7 (Vehtari et al. 2024, section 3.2.4).
func MaxParetoK(draws int) float64 { return min(1-1/math.Log10(float64(draws)), 0.7) }

// finite reports whether all of x are finite.
func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) })
}
