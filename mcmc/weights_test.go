package mcmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/weighted"
)

// The prior of weights as its formula says, for tests.

// covarianceOf returns C of some items.
func covarianceOf(w *WeightPrior, shares, rates []float64, items []int) *mat.SymDense {
	c := mat.NewSymDense(len(items), nil)
	for a, i := range items {
		for b, j := range items[:a] {
			x := shares[0]
			for m, near := range w.Near {
				r := near.Distances.At(i, j)
				if near.MaxRate > 0 {
					r = math.Exp(-rates[m] * r)
				}
				x += shares[1+m] * r
			}
			c.SetSym(a, b, x)
		}
		c.SetSym(a, a, 1)
	}
	return c
}

func mustLogDet(c *mat.SymDense) float64 {
	var factor mat.Cholesky
	if !factor.Factorize(c) {
		panic("a covariance is not positive definite")
	}
	return factor.LogDet()
}

// drawWeights returns shares and rates from their prior, and weights of z given them.
func drawWeights(rng *rand.Rand, w *WeightPrior, z *feature.Allocation) (shares, rates, weights []float64) {
	if w == nil {
		for range z.Ones() {
			weights = append(weights, rng.NormFloat64())
		}
		return nil, nil, weights
	}
	for shares == nil || draws.OwnShare(shares) < 1e-6 {
		shares = nil
		total := rng.ExpFloat64()
		for range 1 + len(w.Near) {
			shares = append(shares, rng.ExpFloat64())
			total += shares[len(shares)-1]
		}
		for m := range shares {
			shares[m] /= total
		}
	}
	for _, near := range w.Near {
		rate := 0.0
		if near.MaxRate > 0 {
			rate = math.Exp(math.Log(near.MinRate) + rng.Float64()*(math.Log(near.MaxRate)-math.Log(near.MinRate)))
		}
		rates = append(rates, rate)
	}
	if w.Neighbors > 0 { // package weighted compares these draws with dense matrices
		return shares, rates, w.prepared().RandAt(rng, z, weighted.Shares{Shares: shares, Rates: rates})
	}
	for k := range z.K() {
		items := feature.Members(nil, z.Column(k))
		var factor mat.Cholesky
		if !factor.Factorize(covarianceOf(w, shares, rates, items)) {
			panic("a covariance is not positive definite")
		}
		normal := mat.NewVecDense(len(items), nil)
		for a := range items {
			normal.SetVec(a, rng.NormFloat64())
		}
		var root mat.TriDense
		factor.LTo(&root)
		normal.MulVec(&root, normal)
		weights = append(weights, normal.RawVector().Data...)
	}
	return shares, rates, weights
}
