package runs

import (
	"aibd/draws"
	"aibd/internal/model"
	"aibd/predict"
)

// LeaveOut returns the leave-one-out estimates of the entries of X under the draws kept, of
// all chains. x is X.
func (r *Run) LeaveOut(kept [][]*draws.Draw, x [][]float64, workers int) (*predict.CellLOO, error) {
	data, err := model.Likelihood(r.Spec.Data, x)
	if err != nil {
		return nil, err
	}
	return predict.NewCellLOO(data, x, kept, workers)
}
