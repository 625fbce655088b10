package predict

import (
	"fmt"
	"math"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// CellLogLik returns for each draw the log density of each cell of X, N x D row by row, given Z,
// SigmaX, SigmaA, any noise scales and the other cells of its column, with the loadings integrated
// out (lglfm.Loadings.OneMinusLeverage). For a cell with bounds, or of an ordinal column, it is the
// log probability that the cell is between its bounds, given the values of other such cells in the
// draw. Missing cells are integrated out, and NaN in the result.
//
// The ratio of the posteriors without and with a cell is proportional to one over this density, so
// that importance sampling with these values gives the leave-one-out density of the cell (Vehtari et
// al., 2016, section 3.6.1). CellLogLik returns an error if data.Check fails for a draw.
func CellLogLik(data *lglfm.Data, ds []*draws.Draw) ([][]float64, error) {
	l := newLeftOut(data, data.X(), 0)
	all := make([][]float64, len(ds))
	for t, d := range ds {
		if err := l.reset(d); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		all[t] = make([]float64, 0, data.N()*data.D())
		for i := range data.N() {
			l.each(i, func(_ int, log float64) { all[t] = append(all[t], log) })
		}
	}
	return all, nil
}

// leftOut computes the densities of cells that are left out, for consecutive columns of X.
type leftOut struct {
	*lglfm.Loadings
	bounds map[[2]int][2]float64 // of cells of X
	level  [][]int               // of cells of ordinal columns, by column and item; nil for other columns
	first  int                   // column
	draw   *draws.Draw
	fitted []float64

	cutpoints lglfm.Cutpoints
}

// newLeftOut prepares for columns of X from first on.
func newLeftOut(data *lglfm.Data, columns [][]float64, first int) *leftOut {
	l := &leftOut{
		Loadings: lglfm.NewLoadingsFrom(data, columns, first), bounds: data.Bounds(), cutpoints: lglfm.NewCutpoints(data), level: make([][]int, data.D()),
		first: first, fitted: make([]float64, len(columns[0])),
	}
	for _, o := range data.Ordinal() {
		l.level[o.Variable] = o.Level
	}
	return l
}

// reset moves to a draw.
func (l *leftOut) reset(d *draws.Draw) error {
	l.draw = d
	return l.ResetDraw(d)
}

// each calls visit for each column with the log density of the cell of item i, NaN if the cell is
// missing.
func (l *leftOut) each(i int, visit func(v int, log float64)) {
	if len(l.bounds) > 0 {
		l.Fitted(i, l.fitted)
	}
	for v, e := range l.Residual(i) {
		complement, noise := l.OneMinusLeverage(i, v), l.draw.SigmaX*lglfm.NoiseScale(l.draw, l.first+v)
		if lower, upper, ok := l.ends(i, l.first+v); ok {
			mean, sd := l.fitted[v]+e-e/complement, noise/math.Sqrt(complement)
			visit(v, collapsed.LogInterval((lower-mean)/sd, (upper-mean)/sd))
			continue
		}
		visit(v, logLeftOut(e, complement, noise))
	}
}

// ends returns the bounds of a cell in the draw, if it has any.
func (l *leftOut) ends(i, j int) (lower, upper float64, ok bool) {
	if levels := l.level[j]; levels != nil {
		if levels[i] < 0 {
			return 0, 0, false
		}
		lower, upper = l.cutpoints.Ends(l.draw, j, levels[i])
		return lower, upper, true
	}
	b, ok := l.bounds[[2]int{i, j}]
	return b[0], b[1], ok
}

// logLeftOut returns the log density of an entry given the other entries of its column, from
// its residual and one minus its leverage.
func logLeftOut(residual, complement, noise float64) float64 {
	residual /= noise
	return math.Log(complement/(2*math.Pi))/2 - math.Log(noise) - residual*residual/complement/2
}
