package posterior

import (
	"math"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
)

// Fit holds the share of the sum of squares of the observed cells of X, about 0, that the features of the draws
// explain: 1 - |X - ZB|^2 / |X|^2 over a row, a column or all of X, where B is the mean of
// the loadings given X and the draw. With an intercept it is the share of the sum of squares about
// the means of the columns, and the intercept is part of ZB. It is in sample, as B depends on the same X. The total
// and the shares of variables are in [0, 1]; the share of an item may be negative. A share
// is NaN if its part of X is 0 or a sum of squares overflows. Columns with bounds do not count.
type Fit struct {
	Items, Variables []Share
	Total            Share
	// BySigmaX is 1 - SigmaX^2 C / |X|^2 for C observed cells, of which an intercept takes one
	// in each column, and each of which counts with the squared noise scale of its column: the
	// share according to the noise of the draws. Total exceeds it, as the loadings fit some of the
	// noise.
	BySigmaX Share
}

// Share is the posterior mean and standard deviation of a share. The standard deviation has
// divisor S-1; it is NaN for one draw.
type Share struct {
	Mean, SD float64
}

func shareOf(draws []float64) Share {
	mean, variance := meanVariance(draws)
	return Share{mean, math.Sqrt(variance)}
}

// explains returns the explained share of a sum of squares, given the residual sum.
func explains(residual, square float64) float64 {
	if square == 0 || math.IsInf(square, 1) {
		return math.NaN()
	}
	return 1 - residual/square
}

// residuals collects the squares of residuals.
type residuals struct {
	n         int // items
	x         [][]float64
	free      []float64 // observed cells of X by column, less one with an intercept
	squares   []float64 // of residuals, by draw and item
	items     []float64 // squares of X
	columns   []float64
	explained []Share // of the variables so far
}

// numbers returns X with NaN in columns that have cells with bounds: the observed cells of a
// column with limits are not typical of it, and a binary column has none.
func numbers(data *lglfm.Data) [][]float64 {
	kept := data.X()
	for cell := range data.Bounds() {
		for i := range kept {
			kept[i][cell[1]] = math.NaN()
		}
	}
	return kept
}

func newResiduals(data *lglfm.Data, draws int) *residuals {
	n, d, x := data.N(), data.D(), numbers(data)
	r := &residuals{n: n, x: x, squares: make([]float64, draws*n), items: make([]float64, n), columns: make([]float64, d), free: make([]float64, d)}
	center := make([]float64, d)
	if data.Intercept() {
		for v, column := range lists.Observed(x) {
			if len(column) > 0 {
				center[v] = lists.Sum(column) / float64(len(column))
				r.free[v]--
			}
		}
	}
	for i, row := range x {
		for v, value := range row {
			if math.IsNaN(value) {
				continue
			}
			value -= center[v]
			r.items[i] += value * value
			r.columns[v] += value * value
			r.free[v]++
		}
	}
	return r
}

// add adds the residuals of the observed cells of a block of variables, from first, in draw t. It
// adds their squares to squares, by variable.
func (r *residuals) add(t int, l *lglfm.Loadings, first int, squares []float64) {
	for i := range r.n {
		sum := 0.0
		for v, e := range l.Residual(i) {
			if math.IsNaN(r.x[i][first+v]) {
				continue
			}
			squares[v] += e * e
			sum += e * e
		}
		r.squares[t*r.n+i] += sum
	}
}

// variables adds the squares of the next variables, from first, by draw.
func (r *residuals) variables(squares []float64, first, width int) {
	explained := make([]float64, len(squares)/width)
	for v := range width {
		for t := range explained {
			explained[t] = explains(squares[t*width+v], r.columns[first+v])
		}
		r.explained = append(r.explained, shareOf(explained))
	}
}

// fit returns the fit of all draws.
func (r *residuals) fit(ds []*draws.Draw) *Fit {
	f := &Fit{Variables: r.explained}
	all := lists.Sum(r.items)
	explained, residual := make([]float64, len(ds)), make([]float64, len(ds))
	for i, square := range r.items {
		for t := range ds {
			residual[t] += r.squares[t*r.n+i]
			explained[t] = explains(r.squares[t*r.n+i], square)
		}
		f.Items = append(f.Items, shareOf(explained))
	}
	for t := range ds {
		explained[t] = explains(residual[t], all)
	}
	f.Total = shareOf(explained)
	for t, d := range ds {
		noise := 0.0
		for v, free := range r.free {
			s := lglfm.NoiseScale(d, v)
			noise += s * s * free
		}
		explained[t] = explains(d.SigmaX*d.SigmaX*noise, all)
	}
	f.BySigmaX = shareOf(explained)
	return f
}
