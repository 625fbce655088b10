package runs

import "aibd/internal/model"

// Observations returns X of the run, N x D, after the transformations of the spec. It
// reads the data again, see model.Observations.
func (r *Run) Observations() ([][]float64, error) {
	return model.Observations(r.Spec.Data, r.Data.Sources, r.Data.IDs, r.Data.Columns)
}
