package model

// The prior of the weights of features.

import (
	"fmt"

	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/similarity"
)

// A WeightDistance is a distance that weights follow.
type WeightDistance struct {
	Distance int     `json:"distance"`           // its number among Spec.Distances, from zero
	MinRate  float64 `json:"min_rate,omitempty"` // bounds of the rate, 0 for given correlations
	MaxRate  float64 `json:"max_rate,omitempty"`
}

// weightsOf returns the prior of the weights of n items under a complete spec, nil for independent ones, what its components
// are, and notes on distances that weights cannot follow. pairs are by distance.
func weightsOf(s spec.Spec, n int, pairs []similarity.Pairs) (w *mcmc.WeightPrior, near []WeightDistance, notes []string) {
	if s.Likelihood.Features == "graded" {
		w = new(mcmc.WeightPrior)
	}
	switch {
	case !s.Likelihood.HasWeights():
		return nil, nil, nil
	case !s.NearWeights():
		return w, nil, nil
	}
	w = &mcmc.WeightPrior{Neighbors: mcmc.DefaultNeighbors(n)}
	decays := decaysOf(s)
	for k, d := range s.Distances() {
		n, err := mcmc.NewNearness(pairs[k], decays[k])
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: weights do not follow this distance: %v", d.Label(), err))
			continue
		}
		w.Near = append(w.Near, n)
		near = append(near, WeightDistance{k, n.MinRate, n.MaxRate})
	}
	return w, near, notes
}
