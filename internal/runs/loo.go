package runs

import (
	"aibd/draws"
	"aibd/internal/model"
	"aibd/predict"
)

// LeaveOut returns the leave-one-out estimates of the entries of X under the draws kept, of
// all chains. seen is what the run saw of X.
func (r *Run) LeaveOut(kept [][]*draws.Draw, seen *model.Observed) (*predict.CellLOO, error) {
	data, err := seen.Likelihood(r.Spec.Data)
	if err != nil {
		return nil, err
	}
	return predict.NewCellLOO(data, kept)
}
