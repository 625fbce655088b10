package collapsed

import (
	"fmt"
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// Loadings implements lglfm.Loadings, which documents the methods.
type Loadings struct {
	data   Data // with columns of X, not rotated
	scales Scales
	k      int // columns, any intercept among them
	work   work
	p      []float64 // P, k x k
	e      []float64 // X - ZB, n x data.rank
	fit    []float64 // P z_i of an item, k
	item   int       // the item of common, -1 for none
	common float64   // OneMinusLeverage on complete variables

	// If the columns have unknown cells, these are at their means given the observed ones.
	cells       Cells
	completed   Data      // the same columns
	variances   []float64 // of any intercept and the loadings, by variable, over SigmaX^2; NaN: those of the others; empty until needed
	complements []float64 // OneMinusLeverage, by variable and item; 0: that of complete variables; empty until needed
	fixed       []fixed   // cells with bounds
	signals     signals
}

// fixed is a cell with bounds: its number among them, and its place in completed.
type fixed struct{ cell, place int }

// NewLoadings prepares for the columns of X from first on.
func NewLoadings(data *Data, x [][]float64, first int) *Loadings {
	l := &Loadings{data: *data}
	if len(x) != data.n {
		panic("collapsed: loadings of another number of items than the data")
	}
	l.data.rows, l.data.rank = x, 0
	for i, row := range x {
		if i == 0 {
			l.data.rank = len(row)
		} else if len(row) != l.data.rank {
			panic("collapsed: loadings of rows of different lengths")
		}
	}
	var bounds []Bound
	cell := 0
	for c, place := range data.UnknownCells() {
		u := data.unknown
		if !u.bounded(c) {
			continue
		}
		if i, j := place[0], place[1]-first; j >= 0 && j < l.data.rank {
			bounds = append(bounds, Bound{i, j, math.Ldexp(u.lower[c], u.unit), math.Ldexp(u.upper[c], u.unit)})
			l.fixed = append(l.fixed, fixed{cell, i*l.data.rank + j})
		}
		cell++
	}
	if u := newUnknown(x, 0, bounds); len(u.cells) > 0 {
		l.completed = Data{n: u.n, d: u.d, ones: data.ones, unknown: u}
		l.data.rows = make([][]float64, u.n)
		for i := range x {
			l.data.rows[i] = u.row(i)
		}
	}
	return l
}

// Reset computes the distribution at z, weights as in draws.Draw, and the values of the cells with bounds.
func (l *Loadings) Reset(z *feature.Allocation, weights []float64, scales Scales, cells []float64) error {
	mustFit(&l.data, z, weights)
	if err := l.data.Check(scales); err != nil {
		return err
	}
	if count, want := len(cells), l.data.Bounded(); count != want {
		return fmt.Errorf("found %d values of cells with bounds, expected %d", count, want)
	}
	l.scales, l.item = scales, -1
	if l.data.ones > 0 {
		z, weights = WithOnesWeighted(z, weights)
	}
	k := z.K()
	l.k = k
	for _, f := range l.fixed {
		l.completed.unknown.x[f.place] = cells[f.cell]
	}
	l.variances, l.complements = l.variances[:0], l.complements[:0]
	if l.completed.unknown != nil {
		// The mean of A given the observed cells is the mean of its means given all cells.
		l.cells.reset(&l.completed, z, weights, scales)
		l.cells.fill(l.completed.unknown)
	}
	w, d := &l.work, l.data.rank
	w.setZ(z, weights, -1)
	l.p, l.e = vector.Extend(l.p, k*k), vector.Extend(l.e, l.data.n*d)
	if _, ok := w.invertGram(l.p, k, k, l.data.ones, ratio(scales)); !ok {
		return fmt.Errorf("SigmaX %g and SigmaA %g: rounding dominates the loadings", scales.SigmaX, scales.SigmaA)
	}
	w.regress(&l.data, l.p, k, k)
	l.leave()
	// B gains P (Z'E - rB), which is rounding: so small residuals have their digits.
	for a := range k {
		zx := w.zx[a*d : (a+1)*d]
		clear(zx)
		if a >= l.data.ones {
			vector.Axpy(zx, -ratio(scales), l.row(a))
		}
	}
	for i, columns := range w.features {
		for _, a := range columns {
			vector.Axpy(w.zx[a.index*d:(a.index+1)*d], a.weight, l.Residual(i))
		}
	}
	for a := range k {
		vector.AddRows(l.row(a), k, l.p[a*k:], 1, w.zx, d)
	}
	l.leave()
	return nil
}

// leave computes the residuals.
func (l *Loadings) leave() {
	for i, columns := range l.work.features {
		e := l.Residual(i)
		copy(e, l.data.rows[i])
		for _, a := range columns {
			vector.Axpy(e, -a.weight, l.row(a.index))
		}
	}
}

// Mean returns the means of the loadings of feature k, by variable.
func (l *Loadings) Mean(k int) []float64 { return l.row(l.data.ones + k) }

// row returns row a of B, in which the intercept comes first.
func (l *Loadings) row(a int) []float64 {
	d := l.data.rank
	return l.work.loadings[a*d : (a+1)*d : (a+1)*d]
}

// Intercept returns the means of the intercept, by variable.
func (l *Loadings) Intercept() []float64 {
	if l.data.ones == 0 {
		panic("collapsed: data without an intercept")
	}
	return l.row(0)
}

// InterceptVariance returns the variance of the intercept of a variable.
func (l *Loadings) InterceptVariance(variable int) float64 {
	if v := l.variance(0, variable); !math.IsNaN(v) {
		return l.scales.SigmaX * l.scales.SigmaX * v
	}
	return l.covariance(0, 0)
}

// Residual returns x_i less its fitted value z_i B, by variable, 0 for unknown cells.
func (l *Loadings) Residual(i int) []float64 {
	d := l.data.rank
	return l.e[i*d : (i+1)*d : (i+1)*d]
}

// Fitted puts the fitted value of x_i, by variable, into out.
func (l *Loadings) Fitted(i int, out []float64) {
	for v, complement := range l.Residual(i) {
		out[v] = l.data.rows[i][v] - complement
	}
}

// Covariance returns the covariance of the loadings of features a and b on a variable whose
// cells are all observed, which is the same for all these variables.
func (l *Loadings) Covariance(a, b int) float64 {
	return l.covariance(l.data.ones+a, l.data.ones+b)
}

// covariance is Covariance of rows of B.
func (l *Loadings) covariance(a, b int) float64 {
	return l.scales.SigmaX * l.scales.SigmaX * l.p[a*l.k+b]
}

// OneMinusLeverage returns 1 - z_i P_O z_i' for the observed items O of a variable, with an
// intercept that of [1 Z]. It is NaN for an unknown cell.
func (l *Loadings) OneMinusLeverage(i, variable int) float64 {
	if l.completed.unknown != nil {
		if len(l.complements) == 0 {
			n := l.data.n
			l.complements = vector.Extend(l.complements, l.data.rank*n)
			clear(l.complements)
			l.cells.leverages(func(j int, complements []float64) { copy(l.complements[j*n:], complements) })
		}
		if complement := l.complements[variable*l.data.n+i]; complement != 0 {
			return complement
		}
	}
	if l.item != i {
		l.item, l.common = i, l.oneMinusLeverage(i)
	}
	return l.common
}

// oneMinusLeverage returns H_ii for H = I - ZPZ'. That is |y - Zg|^2 + r|g|^2 for the unit vector y of
// item i and g = PZ'y, which minimizes it: near 0 the difference itself would be rounding.
func (l *Loadings) oneMinusLeverage(i int) float64 {
	l.fit = vector.Extend(l.fit, l.k)
	clear(l.fit)
	complement := 1.0
	for _, a := range l.work.features[i] {
		vector.Axpy(l.fit, a.weight, l.p[a.index*l.k:])
	}
	for _, a := range l.work.features[i] {
		complement -= a.weight * l.fit[a.index]
	}
	if complement > 0.1 {
		return complement
	}
	ridged := l.fit[l.data.ones:]
	sum := ratio(l.scales) * vector.Dot(ridged, ridged)
	for j, columns := range l.work.features {
		y := 0.0
		if j == i {
			y = 1
		}
		for _, a := range columns {
			y -= a.weight * l.fit[a.index]
		}
		sum += y * y
	}
	return sum
}

// Variance returns the variance of the loading of feature k on a variable.
func (l *Loadings) Variance(k, variable int) float64 {
	if v := l.variance(l.data.ones+k, variable); !math.IsNaN(v) {
		return l.scales.SigmaX * l.scales.SigmaX * v
	}
	return l.Covariance(k, k)
}

// variance returns entry a of variances of a variable with unknown cells, NaN of others.
func (l *Loadings) variance(a, variable int) float64 {
	if l.completed.unknown == nil {
		return math.NaN()
	}
	k := l.k
	if len(l.variances) == 0 {
		l.variances = vector.Extend(l.variances, l.data.rank*k)
		vector.Fill(l.variances, math.NaN())
		l.cells.variances(func(j int, variances []float64) { copy(l.variances[j*k:], variances) })
	}
	return l.variances[variable*k+a]
}
