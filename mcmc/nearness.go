package mcmc

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/state"
	"aibd/internal/weighted"
	"aibd/prior"
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
	// Neighbors is 0, or the number of earlier items on which the weight of an item depends directly, from 1 to 30,
	// in a random order (Vecchia, 1988). Then C is exact among these items, has a unit diagonal, and is approximate
	// for other pairs, and a scan takes time in proportion to the number of items. A posterior prepares this once:
	// the prior must not be changed afterwards.
	Neighbors int
	prepare   sync.Once
	ready     *weighted.Prior
}

// Nearness is a distance that weights follow.
type Nearness struct {
	// Distances are symmetric. The matrix of exp(-rate distance) must be positive semidefinite for all rates.
	// Without bounds of the rate they are correlations.
	Distances similarity.Pairs
	// MinRate and MaxRate are the bounds of the rate, whose log has a uniform prior. Both are 0 for correlations.
	MinRate, MaxRate float64
}

// sampledItems is the number of items, evenly spaced, whose distances give the bounds of rates.
const sampledItems = 1000

// NewNearness returns distances, or with decay Given correlations, as weights follow them.
//
// Distances get the default bounds of the rate: half of 1 over the median distance, below which the part that follows the
// distance looks like the common part, and 1 over the median distance of an item to the nearest one at another place. Both
// are those of 1000 evenly spaced items if there are more. Distances of 0 and 1 only, as between groups, become the
// correlations 1 and 0: any rate would only mix them with the common part.
//
// The distances must be finite, and some above 0. Those of a matrix must be symmetric, and correlations positive
// semidefinite; otherwise NewNearness returns an error.
func NewNearness(d similarity.Pairs, decay similarity.Decay) (Nearness, error) {
	matrix, stored := d.(*similarity.Matrix)
	if _, given := decay.(similarity.Given); given {
		if !stored || !matrix.Symmetric() || !semidefinite(matrix.N(), func(i, j int) float64 {
			if i == j {
				return 1
			}
			return matrix.At(i, j)
		}) {
			return Nearness{}, errors.New("found similarities that are no correlations, expected a symmetric matrix without negative eigenvalues")
		}
		return Nearness{Distances: d}, nil
	}
	var all, nearest []float64
	groups := true
	step := (d.N() + sampledItems - 1) / sampledItems
	bound := similarity.LowerBound(d)
	for i := 0; i < d.N(); i += step {
		least := math.Inf(1)
		for j := range d.N() {
			sampled := j < i && j%step == 0
			if j == i || !groups && !sampled && bound(max(i, j), min(i, j)) >= least {
				continue
			}
			x := d.At(max(i, j), min(i, j))
			groups = groups && (x == 0 || x == 1)
			if x > 0 {
				least = min(least, x)
				if sampled {
					all = append(all, x)
				}
			}
		}
		if !math.IsInf(least, 1) {
			nearest = append(nearest, least)
		}
	}
	switch {
	case stored && !matrix.Symmetric() || len(all) == 0 || math.IsInf(slices.Max(all), 1):
		return Nearness{}, errors.New("found distances that are not symmetric or all 0, expected symmetric ones with some above 0")
	case stored && !negative(matrix):
		return Nearness{}, errors.New("found distances whose similarities are no correlations at some rate, expected distances as between points")
	case groups:
		return Nearness{Distances: similarity.Alike(d)}, nil
	}
	lower := 0.5 / median(all)
	return Nearness{Distances: d, MinRate: lower, MaxRate: max(1/median(nearest), 2*lower)}, nil
}

// MaxExact is the max number of items of which C is exact by default. A scan then takes time in proportion to the third
// power of the number of items.
const MaxExact = 120

// DefaultNeighbors returns the default WeightPrior.Neighbors of n items.
func DefaultNeighbors(n int) int {
	if n <= MaxExact {
		return 0
	}
	return 20
}

// defaultWeights returns the default prior of weights under a law: they follow its distances, those of all pairs
// that NewNearness takes. Without such distances it is nil.
func defaultWeights(law prior.Law) *WeightPrior {
	a, ok := law.(prior.Attraction)
	if !ok {
		return nil
	}
	w := &WeightPrior{Neighbors: DefaultNeighbors(law.N())}
	for m, d := range a.Affinity().Several() {
		if n, err := NewNearness(d, a.Affinity().Decay(m)); err == nil {
			w.Near = append(w.Near, n)
		}
	}
	if w.Near == nil {
		return nil
	}
	return w
}

// negative reports whether distances are conditionally negative definite, so that exp(-rate d) is positive
// semidefinite for all rates (Schoenberg, 1938): -H D H/2 has no negative eigenvalue, with H = I - 11'/N.
func negative(m *similarity.Matrix) bool {
	n := m.N()
	means, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += m.At(i, j) / float64(n)
		}
		all += means[i] / float64(n)
	}
	return semidefinite(n, func(i, j int) float64 { return -(m.At(i, j) - means[i] - means[j] + all) / 2 })
}

// semidefinite reports whether a symmetric matrix has no negative eigenvalues beyond rounding.
func semidefinite(n int, entry func(i, j int) float64) bool {
	a, trace := mat.NewSymDense(n, nil), 0.0
	for i := range n {
		for j := range i + 1 {
			a.SetSym(i, j, entry(i, j))
		}
		trace += a.At(i, i)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) {
		return false
	}
	return eigen.Values(nil)[0] >= -1e-9*trace
}

// weights returns the prior of the weights for package state.
func (p *Posterior) weights() state.Weights {
	w := state.Weights{Have: p.Features.weights()}
	if w.Have && p.Weights != nil {
		w.Prior = p.Weights.prepared()
	}
	return w
}

// With returns the prior of the items and a new one, the last of near, which has the same bounds of rates. The prior of
// the others stays.
func (w *WeightPrior) With(near []Nearness) *WeightPrior {
	extended := &WeightPrior{Near: near, Neighbors: w.Neighbors}
	extended.prepare.Do(func() { extended.ready = w.prepared().With(components(near)) })
	return extended
}

// components returns distances for package weighted.
func components(near []Nearness) (all []weighted.Component) {
	for _, n := range near {
		all = append(all, weighted.Component(n))
	}
	return all
}

// prepared returns the prior for package weighted, which all chains share.
func (w *WeightPrior) prepared() *weighted.Prior {
	w.prepare.Do(func() {
		w.ready = &weighted.Prior{Near: components(w.Near), Neighbors: w.Neighbors}
		if len(w.Near) > 0 {
			w.ready.Prepare(w.Near[0].Distances.N())
		}
	})
	return w.ready
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
	if w == nil || !f.weights() {
		return nil
	}
	if w.Neighbors < 0 || w.Neighbors > weighted.MaxNeighbors {
		return fmt.Errorf("prior of the weights: found %d neighbors, expected at most %d", w.Neighbors, weighted.MaxNeighbors)
	}
	for m, near := range w.Near {
		switch d := near.Distances; {
		case d == nil || d.N() != n:
			return fmt.Errorf("prior of the weights, distance %d: expected distances of %d items", m+1, n)
		case near.MinRate == 0 && near.MaxRate == 0:
		case !(near.MinRate > 0 && near.MaxRate >= near.MinRate) || math.IsInf(near.MaxRate, 1):
			return fmt.Errorf("prior of the weights, distance %d: found rates from %g to %g, expected positive ones", m+1, near.MinRate, near.MaxRate)
		}
	}
	return nil
}

// Shares returns the number of shares of the variance of the weights in draws: 0 if weights are independent.
func (p *Posterior) Shares() int {
	if p.Weights == nil || !p.Features.weights() {
		return 0
	}
	return 1 + len(p.Weights.Near)
}
