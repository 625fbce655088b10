package model

// The prior of the weights of features.

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

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

// MaxNear is the max number of items whose weights follow distances.
const MaxNear = 400

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
	case distances.N() > MaxNear:
		return w, nil, []string{fmt.Sprintf("weights do not follow the distances of %d items, only of up to %d", distances.N(), MaxNear)}
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
		if !m.Symmetric() || !semidefinite(m.N(), func(i, j int) float64 {
			if i == j {
				return 1
			}
			return m.At(i, j)
		}) {
			return mcmc.Nearness{}, fmt.Errorf("found similarities that are no correlations, expected a symmetric matrix without negative eigenvalues")
		}
		return mcmc.Nearness{Distances: m}, nil
	}
	n, err := mcmc.NewNearness(m)
	if err == nil && (d.Kind == "matrix" || d.Kind == "gower") && !negative(m) {
		err = fmt.Errorf("found distances whose similarities are no correlations at some rate, expected distances as between points")
	}
	return n, err
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
func semidefinite(n int, at func(i, j int) float64) bool {
	a, trace := mat.NewSymDense(n, nil), 0.0
	for i := range n {
		for j := range i + 1 {
			a.SetSym(i, j, at(i, j))
		}
		trace += a.At(i, i)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) {
		return false
	}
	return eigen.Values(nil)[0] >= -1e-9*trace
}
