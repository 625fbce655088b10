package model

// The prior of the weights of features.

import (
	"fmt"

	"aibd/internal/lists"
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

// weightsOf returns the prior of the weights of a complete spec, nil for independent ones, what its components are,
// and notes on distances that weights cannot follow.
func weightsOf(s spec.Spec, distances similarity.Distances) (w *mcmc.WeightPrior, near []WeightDistance, notes []string) {
	if s.Likelihood.Features == "graded" {
		w = new(mcmc.WeightPrior)
	}
	switch {
	case !s.Likelihood.HasWeights():
		return nil, nil, nil
	case !s.NearWeights():
		return w, nil, nil
	case distances.N() > mcmc.MaxNear:
		return w, nil, []string{fmt.Sprintf("weights do not follow the distances of %d items, only of up to %d", distances.N(), mcmc.MaxNear)}
	}
	w = new(mcmc.WeightPrior)
	for k, d := range s.Distances() {
		n, err := nearness(d, s.Prior.Decay, separate(distances)[k].(*similarity.Matrix))
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
func nearness(d spec.Distance, decay string, m *similarity.Matrix) (mcmc.Nearness, error) {
	switch {
	case d.Kind == "same":
		return mcmc.Nearness{Distances: sameness(m)}, nil
	case decay == "given":
		return mcmc.NewCorrelations(m)
	}
	return mcmc.NewNearness(m)
}

// sameness returns 1 for two items of one group, else 0.
func sameness(m *similarity.Matrix) *similarity.Matrix {
	rows := lists.Square(m.N())
	for i, row := range rows {
		for j := range row {
			row[j] = 1 - m.At(i, j)
		}
	}
	same, err := similarity.NewMatrix(rows)
	if err != nil {
		panic("model: " + err.Error()) // distances between groups are 0 and 1
	}
	return same
}
