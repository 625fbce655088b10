package posterior

import (
	"fmt"
	"math"

	"aibd/draws"
	"aibd/lglfm"
)

// CellLogLik returns for each draw the log density of each cell of X, N x D row by row,
// given Z, SigmaX, SigmaA and the other cells of its column, with the loadings integrated
// out:
//
//	x_id | x_-id ~ N(x_id - e_id/(1-h_i), SigmaX^2/(1-h_i))
//
// where e_id is the residual at the posterior mean of the loadings and h_i = z_i (Z'Z +
// rI)^{-1} z_i' is the leverage of item i (lglfm.Loadings). The ratio of the posteriors
// without and with a cell is proportional to one over this density, so that importance
// sampling with these values gives the leave-one-out density of the cell (Vehtari et al.,
// 2016, section 3.6.1). CellLogLik returns an error if data.Check fails for a draw.
func CellLogLik(x [][]float64, from []*draws.Draw) ([][]float64, error) {
	data, err := lglfm.NewData(x)
	if err != nil {
		return nil, err
	}
	l := lglfm.NewLoadings(data, x)
	all := make([][]float64, len(from))
	var has []int // features of an item
	for t, d := range from {
		if err := l.Reset(d.Z, scales(d)); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		all[t] = make([]float64, 0, data.N()*data.D())
		for i := range x {
			// The covariance of loadings is SigmaX^2 (Z'Z + rI)^{-1}.
			variance := 0.0
			has = has[:0]
			for k := range d.Z.K() {
				if d.Z.Has(i, k) {
					has = append(has, k)
				}
			}
			for _, a := range has {
				for _, b := range has {
					variance += l.Covariance(a, b)
				}
			}
			left := 1 - variance/(d.SigmaX*d.SigmaX)
			sd := d.SigmaX / math.Sqrt(left)
			for _, e := range l.Residual(i) {
				u := e / left / sd
				all[t] = append(all[t], -u*u/2-math.Log(sd)-math.Log(2*math.Pi)/2)
			}
		}
	}
	return all, nil
}
