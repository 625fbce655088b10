package mcmc

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/state"
	"aibd/internal/weighted"
	"aibd/similarity"
)

// WeightPrior is the prior of the weights of a feature, jointly over items: normal with mean 0, variance 1 and
// covariance
//
//	C = c 11' + sum_m s_m R_m + e I,  R_m(i, j) = exp(-tau_m d_m(i, j))
//
// The shares c, s_m and e sum to 1 and have a uniform prior, with e of at least 1e-6. All features have the same
// shares. Near c = 1 an item has a feature or not; near e = 1 weights are independent; s_m is the part of the
// weights in which items that are near by distance m are alike.
type WeightPrior struct {
	Near []Nearness
}

// Nearness is a distance that weights follow.
type Nearness struct {
	// Distances are symmetric. The matrix of exp(-rate distance) must be positive semidefinite for all rates.
	// Without bounds of the rate they are correlations.
	Distances *similarity.Matrix
	// MinRate and MaxRate are the bounds of the rate, whose log has a uniform prior. Both are 0 for correlations.
	MinRate, MaxRate float64
}

// NewNearness returns distances with the default bounds of the rate: half of 1 over the median distance, below which
// the part that follows the distance looks like the common part, and 1 over the median distance of an item to
// the nearest one at another place. The distances must be symmetric and finite, and some above 0.
func NewNearness(d *similarity.Matrix) (Nearness, error) {
	middle := d.Median()
	if !d.Symmetric() || !(middle > 0) || math.IsInf(middle, 1) {
		return Nearness{}, errors.New("found distances that are not symmetric or all 0, expected symmetric ones with some above 0")
	}
	var nearest []float64
	for i := range d.N() {
		least := math.Inf(1)
		for j := range d.N() {
			if x := d.At(i, j); x > 0 {
				least = min(least, x)
			}
		}
		if !math.IsInf(least, 1) {
			nearest = append(nearest, least)
		}
	}
	lower := 0.5 / middle
	return Nearness{Distances: d, MinRate: lower, MaxRate: max(1/median(nearest), 2*lower)}, nil
}

// weights returns the prior of the weights for package state.
func (p *Posterior) weights() state.Weights {
	w := state.Weights{Have: p.Features.weights()}
	if p.Weights != nil {
		w.Prior = new(weighted.Prior)
		for _, n := range p.Weights.Near {
			w.Prior.Near = append(w.Prior.Near, weighted.Component(n))
		}
	}
	return w
}

// DrawWeights draws the weights of the ones of z from their prior, at the shares and rates of a draw.
func (p *Posterior) DrawWeights(rng *rand.Rand, z *feature.Allocation, d *draws.Draw) []float64 {
	return p.weights().Prior.RandAt(rng, z, weighted.Shares{Shares: d.Shares, Rates: d.Rates})
}

// WeightDensity returns the log density of the weights of a draw as a function of shares and rates, which are as in
// draws.Draw except that shares may be 0. Weights must not be independent. The function belongs to one goroutine.
func (p *Posterior) WeightDensity(d *draws.Draw) func(shares, rates []float64) float64 {
	density := weighted.NewDensity(p.weights().Prior, d.Z, d.Weights)
	return func(shares, rates []float64) float64 {
		return density.Log(weighted.Shares{Shares: shares, Rates: rates})
	}
}

// valid returns an error unless the prior is for n items.
func (w *WeightPrior) valid(n int, f Features) error {
	switch {
	case w == nil:
		return nil
	case !f.weights():
		return fmt.Errorf("found a prior of weights of %s features, expected none", Binary)
	}
	for m, near := range w.Near {
		switch d := near.Distances; {
		case d == nil || d.N() != n || !d.Symmetric():
			return fmt.Errorf("prior of the weights, distance %d: expected a symmetric matrix of %d items", m+1, n)
		case near.MinRate == 0 && near.MaxRate == 0:
		case !(near.MinRate > 0 && near.MaxRate >= near.MinRate) || math.IsInf(near.MaxRate, 1):
			return fmt.Errorf("prior of the weights, distance %d: found rates from %g to %g, expected positive ones", m+1, near.MinRate, near.MaxRate)
		}
	}
	return nil
}

// Shares returns the number of shares of the variance of the weights in draws: 0 if weights are independent.
func (p *Posterior) Shares() int {
	if p.Weights == nil {
		return 0
	}
	return 1 + len(p.Weights.Near)
}
