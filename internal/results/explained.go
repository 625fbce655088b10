package results

// How much of X the features explain.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/verdict"
	"aibd/lglfm"
	"aibd/posterior"
)

// An explained holds percentages of the sum of squares of X that features explain, by chain and draw.
type explained struct {
	all    [][]float64 // features of each size, computed as posterior.Fit.BySigmaX is
	shared [][]float64 // those of several items and columns, in some of the draws
	single [][]float64 // those of one item or one column, in the same draws; nil: there are none
}

// explained returns nil if SigmaX is fixed, or if no column of X has squares.
func (s *Summary) explained() *explained {
	if s.quantity(draws.KeySigmaX).Kind == verdict.Fixed {
		return nil
	}
	squares, free, sds := 0.0, make([]float64, s.Run.Data.D), s.deviations()
	for v, column := range lists.Observed(s.Seen.X) {
		if sds[v] == 0 {
			continue
		}
		mean := 0.0
		free[v] = float64(len(column))
		if s.Run.Spec.Data.HasIntercept() {
			mean = stat.Mean(column, nil)
			free[v]--
		}
		for _, x := range column {
			squares += (x - mean) * (x - mean)
		}
	}
	if squares == 0 {
		return nil
	}
	percent := func(d *draws.Draw) float64 {
		noise := 0.0
		for v, cells := range free {
			scale := lglfm.NoiseScale(d, v)
			noise += scale * scale * cells
		}
		return 100 * (1 - d.SigmaX*d.SigmaX*noise/squares)
	}
	e := &explained{all: s.Derived(percent)}
	some := spaced(s.Chains, s.matched())
	data, err := s.Seen.Likelihood(s.Run.Spec.Data)
	if err != nil {
		return e // the verdict says why
	}
	l := lglfm.NewLoadings(data)
	e.single = lists.MapRows(some, func(d *draws.Draw) float64 { return 100 * ofOne(l, d, s.Seen.X, sds) / squares })
	if !slices.ContainsFunc(slices.Concat(e.single...), func(x float64) bool { return x != 0 }) {
		e.single = nil
		return e
	}
	e.shared = lists.MapRows(some, percent)
	for c, chain := range e.shared {
		for t := range chain {
			chain[t] -= e.single[c][t]
		}
	}
	return e
}

// mostly is the part of what a feature adds to X, in standard deviations of columns, from which it is of one item or of one column.
// A feature with a weight near 0 hardly changes X, so a feature of several items may in effect be one of a single item.
const mostly = 0.75

// byOne returns what features of one item or one column add to items that have them, by column, with the loadings at their
// means given the draw that l was reset to, and the sum over these features of the variances of the loadings times
// their squared weights, by column. Columns that do not count have 0, as have their sds.
func byOne(l *lglfm.Loadings, d *draws.Draw, sds []float64) (added map[int][]float64, variances []float64) {
	added, variances = map[int][]float64{}, make([]float64, len(sds))
	first := 0 // weight of a feature
	for k := range d.Z.K() {
		items := d.Z.Members(nil, k)
		weights := slices.Repeat([]float64{1}, len(items))
		if d.Weights != nil {
			weights = d.Weights[first : first+len(items)]
			first += len(items)
		}
		loadings, relative := make([]float64, len(sds)), make([]float64, len(sds))
		for v, loading := range l.Mean(k) {
			if sds[v] > 0 {
				loadings[v], relative[v] = loading, loading/sds[v]
			}
		}
		square := floats.Dot(weights, weights)
		largest := max(floats.Max(squares(weights))/square, floats.Max(squares(relative))/floats.Dot(relative, relative))
		if !(largest > mostly) {
			continue
		}
		for m, i := range items {
			if added[i] == nil {
				added[i] = make([]float64, len(sds))
			}
			floats.AddScaled(added[i], weights[m], loadings)
		}
		a, b := square*d.SigmaA*d.SigmaA, d.SigmaX*d.SigmaX
		for v, sd := range sds {
			if scale := lglfm.NoiseScale(d, v); sd > 0 {
				variances[v] += scale * scale * a * b / (a + b)
			}
		}
	}
	return added, variances
}

// ofOne returns how much smaller the sum of squares of the residuals is with the features of one item or one column, over
// the observed cells of the columns that count. The variances of the loadings lessen it by the noise that their means fit.
func ofOne(l *lglfm.Loadings, d *draws.Draw, x [][]float64, sds []float64) (sum float64) {
	if l.ResetDraw(d) != nil {
		return 0
	}
	added, variances := byOne(l, d, sds)
	for _, i := range slices.Sorted(maps.Keys(added)) { // sums do not depend on the order of a map
		for v, e := range l.Residual(i) {
			if sds[v] > 0 && !math.IsNaN(x[i][v]) {
				sum += added[i][v] * (2*e + added[i][v])
			}
		}
	}
	return sum - lists.Sum(variances)
}

// An outlier is a cell that is far from what features of several items and columns explain, in most draws.
const outlying = 4 // times the noise

// outliers returns the outliers, the farthest first: the variable and the item of each.
func (j *Judged) outliers() ([]string, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	l, sds, n := lglfm.NewLoadings(data), j.deviations(), 0.0
	sums := lists.Make(j.Run.Data.N, func(int) []float64 { return make([]float64, len(sds)) })
	for _, d := range Thinned(j.Chains, j.matched()) {
		if err := l.ResetDraw(d); err != nil {
			return nil, err
		}
		n++
		added, _ := byOne(l, d, sds)
		for i := range sums {
			for v, e := range l.Residual(i) {
				if added[i] != nil {
					e += added[i][v]
				}
				if sds[v] > 0 && !math.IsNaN(j.Seen.X[i][v]) {
					sums[i][v] += e / (d.SigmaX * lglfm.NoiseScale(d, v))
				}
			}
		}
	}
	type cell struct {
		item, column int
		far          float64
	}
	var far []cell
	for i, row := range sums {
		for v, sum := range row {
			if math.Abs(sum) > outlying*n {
				far = append(far, cell{i, v, math.Abs(sum)})
			}
		}
	}
	slices.SortStableFunc(far, func(a, b cell) int { return cmp.Compare(b.far, a.far) })
	return lists.Map(far, func(c cell) string { return j.Run.Data.Columns[c.column] + " of " + j.Run.Data.IDs[c.item] }), nil
}

func squares(x []float64) []float64 { return lists.Map(x, func(x float64) float64 { return x * x }) }

// Features explain next to nothing if the upper end of the interval is below next percent. Those of one item or
// one column are not mentioned if the median is below mentioned.
const (
	next      = 5
	mentioned = 1
)

// ends returns the ends of the 90% interval of draws.
func ends(chains [][]float64) (low, high float64) {
	summary := posterior.Summarize(chains)
	return summary.Q5, summary.Q95
}

// several returns the percentages of features of several items and columns.
func (e *explained) several() [][]float64 {
	if e.single == nil {
		return e.all
	}
	return e.shared
}

// nothing reports whether features of several items and columns explain next to nothing.
func (e *explained) nothing() bool {
	if e == nil {
		return false
	}
	_, high := ends(e.several())
	return high < next
}

// text says how much of a sum of squares the features explain, as a sentence without its beginning.
func (e *explained) text(v *verdict.Verdict, squares string) string {
	who, how, single := "features that several items and columns share", "explain", ""
	if e.single == nil {
		who = "the features"
	} else {
		v = nil // some draws have fewer effective draws than the verdict asks for
		if posterior.Summarize(e.single).Q50 >= mentioned {
			single = ", those of one item or one column, such as outliers, " + WithInterval(v, e.single)
		}
	}
	low, high := ends(e.several())
	if high < next {
		how = "explain next to nothing:"
	}
	line := fmt.Sprintf("%s %s %s percent of %s%s.", who, how, WithInterval(v, e.several()), squares, single)
	if low < 0 && high >= next {
		line += " The noise may be as large as the standard deviation of X: the data are inconclusive about whether they explain anything."
	}
	return line
}

// Squares describes the sum of squares of which the features explain a share, with its scale. j.Seen must not be nil.
func (j *Judged) Squares() string {
	d := j.Run.Spec.Data
	line := "the sum of squares of X"
	if d.HasIntercept() {
		line += " about column means"
	}
	scale := "in the unit of the file"
	switch logs := len(d.Log)+len(d.Log1p)+len(d.Hellinger) > 0; {
	case *d.Scale:
		scale = "each column scaled to sd 1"
	case logs:
		scale = "in the unit of the file, or of its logarithm or root"
	}
	counted := 0
	for _, sd := range j.deviations() {
		if sd > 0 {
			counted++
		}
	}
	if counted < j.Run.Data.D {
		scale += fmt.Sprintf("; %d of %d columns, those of numbers without limits", counted, j.Run.Data.D)
		if j.wide() != nil {
			scale += " whose least noise is at most their sd"
		}
	}
	return line + " (" + scale + ")"
}

// deviations returns the standard deviation of each column whose squares count, and 0 of each other: all observed cells of such a
// column are numbers, not latent values, and its least noise is at most its standard deviation. Without an intercept it is about 0.
func (j *Judged) deviations() []float64 {
	sds, wide := make([]float64, j.Run.Data.D), j.wide()
	for v, column := range lists.Observed(j.Seen.X) {
		latent := j.Seen.Categories[v] != nil || slices.ContainsFunc(j.Seen.Bounds, func(b lglfm.Bound) bool { return b.Variable == v })
		switch {
		case latent || len(column) == 0 || slices.Contains(wide, v):
		case j.Run.Spec.Data.HasIntercept():
			sds[v] = stat.PopStdDev(column, nil)
		default:
			sds[v] = math.Sqrt(floats.Dot(column, column) / float64(len(column)))
		}
	}
	return sds
}

// AboveSpread names the columns whose noise cannot be as small as their standard deviation, "" if there are none.
func (j *Judged) AboveSpread() string {
	wide := j.wide()
	if wide == nil {
		return ""
	}
	return fmt.Sprintf(" The least noise, 0.4 times the smallest gap between two values, is above the sd of %s (%s).",
		hint.Listed(lists.Pick(j.Run.Data.Columns, wide), shownNoises), j.instead(wide))
}
