package runs

import (
	"aibd/draws"
	"aibd/lglfm"
	"aibd/posterior"
)

// LeaveOut returns the leave-one-out estimates of the entries of X under the draws kept, of
// all chains. x is X.
func (r *Run) LeaveOut(kept [][]*draws.Draw, x [][]float64, workers int) (*posterior.CellLOO, error) {
	data, err := lglfm.NewData(x)
	if err != nil {
		return nil, err
	}
	return posterior.NewCellLOO(data, x, kept, workers)
}
