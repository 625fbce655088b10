package predict

import (
	"fmt"
	"math"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// CellLogLik returns for each draw the log density of each cell of X, N x D row by row, given Z,
// SigmaX, SigmaA and the other cells of its column, with the loadings integrated out
// (lglfm.Loadings.OneMinusLeverage); for a cell with bounds the log probability that it is between
// them, given the values of other such cells in the draw. x is X, and data is made of it. Missing
// cells are integrated out, and NaN in the result. The ratio of the posteriors without and with a
// cell is proportional to one over this density, so that importance sampling with these values
// gives the leave-one-out density of the cell (Vehtari et al., 2016, section 3.6.1). CellLogLik
// returns an error if data.Check fails for a draw.
func CellLogLik(data *lglfm.Data, x [][]float64, from []*draws.Draw) ([][]float64, error) {
	l := newLeftOut(data, x, 0)
	all := make([][]float64, len(from))
	for t, d := range from {
		if err := l.reset(d); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		all[t] = make([]float64, 0, data.N()*data.D())
		for i := range x {
			l.each(i, func(_ int, log float64) { all[t] = append(all[t], log) })
		}
	}
	return all, nil
}

// leftOut computes the densities of cells that are left out, for consecutive columns of X.
type leftOut struct {
	*lglfm.Loadings
	bounds map[[2]int][2]float64 // of cells of X
	first  int                   // column
	sigmaX float64
	fitted []float64
}

// newLeftOut prepares for columns of X from first on.
func newLeftOut(data *lglfm.Data, columns [][]float64, first int) *leftOut {
	return &leftOut{Loadings: lglfm.NewLoadingsFrom(data, columns, first), bounds: data.Bounds(), first: first, fitted: make([]float64, len(columns[0]))}
}

// reset moves to a draw.
func (l *leftOut) reset(d *draws.Draw) error {
	l.sigmaX = d.SigmaX
	return l.ResetDraw(d)
}

// each calls visit for each column with the log density of the cell of item i, NaN if the cell is
// missing.
func (l *leftOut) each(i int, visit func(v int, log float64)) {
	if len(l.bounds) > 0 {
		l.Fitted(i, l.fitted)
	}
	for v, e := range l.Residual(i) {
		left := l.OneMinusLeverage(i, v)
		if b, ok := l.bounds[[2]int{i, l.first + v}]; ok {
			mean, sd := l.fitted[v]+e-e/left, l.sigmaX/math.Sqrt(left)
			visit(v, collapsed.LogInterval((b[0]-mean)/sd, (b[1]-mean)/sd))
			continue
		}
		visit(v, logLeftOut(e, left, l.sigmaX))
	}
}

// logLeftOut returns the log density of an entry given the other entries of its column, from
// its residual and one minus its leverage.
func logLeftOut(residual, left, sigmaX float64) float64 {
	residual /= sigmaX
	return math.Log(left/(2*math.Pi))/2 - math.Log(sigmaX) - residual*residual/left/2
}
