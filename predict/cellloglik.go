package predict

import (
	"fmt"
	"math"

	"aibd/draws"
	"aibd/lglfm"
)

// CellLogLik returns for each draw the log density of each cell of X, N x D row by row,
// given Z, SigmaX, SigmaA and the other cells of its column, with the loadings integrated
// out (lglfm.Loadings.OneMinusLeverage). x is X, and data is made of it. Unknown cells are
// integrated out, and NaN in the result. The ratio of the posteriors without and with a cell is proportional to one over this density, so that importance
// sampling with these values gives the leave-one-out density of the cell (Vehtari et al.,
// 2016, section 3.6.1). CellLogLik returns an error if data.Check fails for a draw.
func CellLogLik(data *lglfm.Data, x [][]float64, from []*draws.Draw) ([][]float64, error) {
	l := lglfm.NewLoadings(data, x)
	all := make([][]float64, len(from))
	for t, d := range from {
		if err := l.ResetDraw(d); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		all[t] = make([]float64, 0, data.N()*data.D())
		for i := range x {
			for v, e := range l.Residual(i) {
				all[t] = append(all[t], logLeftOut(e, l.OneMinusLeverage(i, v), d.SigmaX))
			}
		}
	}
	return all, nil
}

// logLeftOut returns the log density of an entry given the other entries of its column, from
// its residual and one minus its leverage.
func logLeftOut(residual, left, sigmaX float64) float64 {
	residual /= sigmaX
	return math.Log(left/(2*math.Pi))/2 - math.Log(sigmaX) - residual*residual/left/2
}
