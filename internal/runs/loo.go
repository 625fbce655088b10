package runs

import (
	"aibd/draws"
	"aibd/internal/model"
	"aibd/lglfm"
	"aibd/predict"
)

// LeaveOut returns the leave-one-out estimates of the entries of X under the draws kept, of
// all chains. seen is what the run saw of X.
func (r *Run) LeaveOut(kept [][]*draws.Draw, seen *model.Observed, workers int) (*predict.CellLOO, error) {
	data, err := r.Likelihood(seen)
	if err != nil {
		return nil, err
	}
	return predict.NewCellLOO(data, seen.X, kept, workers)
}

// Likelihood returns the likelihood of the run, to its power, for what is seen of X.
func (r *Run) Likelihood(seen *model.Observed) (*lglfm.Data, error) {
	data, err := seen.Likelihood(r.Spec.Data)
	if err != nil {
		return nil, err
	}
	return data.WithPower(r.Spec.Likelihood.Power)
}
