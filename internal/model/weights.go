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
	for k, d := range s.Distances() {
		n, err := nearness(d, s.Prior.Decay, pairs[k])
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: weights do not follow this distance: %v", d.Label(), err))
			continue
		}
		w.Near = append(w.Near, n)
		near = append(near, WeightDistance{k, n.MinRate, n.MaxRate})
	}
	return w, near, notes
}

// nearness returns a distance as weights follow it.
func nearness(d spec.Distance, decay string, pairs similarity.Pairs) (mcmc.Nearness, error) {
	if d.Kind == "same" {
		return mcmc.Nearness{Distances: sameness{pairs}}, nil
	}
	if m, ok := pairs.(*similarity.Matrix); ok && decay == "given" {
		return mcmc.NewCorrelations(m)
	}
	return mcmc.NewNearness(pairs)
}

// sameness is 1 for two items of one group, else 0. Pairs have the distances 0 and 1.
type sameness struct{ similarity.Pairs }

func (s sameness) At(i, j int) float64 { return 1 - s.Pairs.At(i, j) }
