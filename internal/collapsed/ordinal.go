package collapsed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/vector"
)

// Ordinal is a column of X in which each cell is one of some ordered categories, or missing. The
// cells of X are latent: a cell of category c is between cutpoints c and c+1. The first cutpoint is
// below all values, the second is 0, and the last is above all values. The others are unknown:
// their number is Levels - 2.
type Ordinal struct {
	Variable int   // from zero
	Levels   int   // number of categories, at least 2
	Level    []int // category of each item, from zero; -1 if the cell is missing
}

// checkOrdinal returns an error, counting columns and rows from one, unless each is another column
// of x of unknown cells without bounds.
func checkOrdinal(x [][]float64, bounds []Bound, all []Ordinal) error {
	for k, o := range all {
		column := fmt.Sprintf("ordinal column %d", o.Variable+1)
		switch {
		case len(x) == 0 || o.Variable < 0 || o.Variable >= len(x[0]):
			return fmt.Errorf("%s: found no such column of X", column)
		case slices.ContainsFunc(all[:k], func(p Ordinal) bool { return p.Variable >= o.Variable }):
			return fmt.Errorf("%s: found it after a column of at least this number, expected ascending columns", column)
		case o.Levels < 2 || len(o.Level) != len(x):
			return fmt.Errorf("%s: found %d categories and %d items, expected at least 2 and %d", column, o.Levels, len(o.Level), len(x))
		case !slices.ContainsFunc(o.Level, func(level int) bool { return level >= 0 }):
			return fmt.Errorf("%s: found no observed cell, expected at least one", column)
		case slices.ContainsFunc(bounds, func(b Bound) bool { return b.Variable == o.Variable }):
			return fmt.Errorf("%s: found bounds of its cells, expected none", column)
		}
		for i, level := range o.Level {
			if level < -1 || level >= o.Levels || !math.IsNaN(x[i][o.Variable]) {
				return fmt.Errorf("%s, row %d: found category %d and the value %v, expected -1 to %d and an unknown cell", column, i+1, level, x[i][o.Variable], o.Levels-1)
			}
		}
	}
	return nil
}

// ordinal is an Ordinal with the values of its cutpoints.
type ordinal struct {
	Ordinal
	cell []int     // of each item among the unknown cells
	cuts []float64 // all but the infinite ones, in the units of x; the first is 0
}

// setOrdinal sets the ordinal columns. Their cutpoints begin where a normal distribution of the standard
// deviation of the observed cells has the shares of the categories.
func (u *unknown) setOrdinal(all []Ordinal) {
	for _, o := range all {
		c := ordinal{Ordinal: o, cell: make([]int, u.n), cuts: make([]float64, o.Levels-1)}
		counts, total := make([]float64, o.Levels), 0.0
		for _, level := range o.Level {
			if level >= 0 {
				counts[level]++
			}
		}
		for level := range counts {
			counts[level] += 0.5
			total += counts[level]
		}
		below, first := 0.0, 0.0
		for j := range c.cuts {
			below += counts[j] / total
			cut := math.Sqrt2 * u.sd * math.Erfinv(2*below-1)
			if j == 0 {
				first = cut
			}
			c.cuts[j] = cut - first
		}
		u.ordinal = append(u.ordinal, c)
	}
	for c, cell := range u.cells {
		for k, o := range u.ordinal {
			if o.Variable == cell[1] {
				u.ordinal[k].cell[cell[0]] = c
			}
		}
	}
	for k := range u.ordinal {
		u.place(&u.ordinal[k])
	}
}

// place sets the bounds of the cells of a column to its cutpoints. Cells beyond them move between.
func (u *unknown) place(o *ordinal) {
	for i, level := range o.Level {
		if level < 0 {
			continue
		}
		c, x := o.cell[i], &u.x[i*u.d+o.Variable]
		u.lower[c], u.upper[c] = o.ends(level)
		if !(u.lower[c] <= *x && *x <= u.upper[c]) {
			*x = u.within(c)
		}
	}
}

// ends returns the cutpoints of a category.
func (o *ordinal) ends(level int) (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if level > 0 {
		lower = o.cuts[level-1]
	}
	if level < len(o.cuts) {
		upper = o.cuts[level]
	}
	return lower, upper
}

// ownOrdinal gives a copy cutpoints and bounds of its own.
func (u *unknown) ownOrdinal() {
	if len(u.ordinal) == 0 {
		return
	}
	u.lower, u.upper, u.ordinal = slices.Clone(u.lower), slices.Clone(u.upper), slices.Clone(u.ordinal)
	for k := range u.ordinal {
		u.ordinal[k].cuts = slices.Clone(u.ordinal[k].cuts)
	}
}

// Ordinal returns the ordinal columns.
func (m *Data) Ordinal() []Ordinal {
	return lists.Map(m.current().ordinal, func(o ordinal) Ordinal { return o.Ordinal })
}

// HasOrdinal reports whether there are ordinal columns.
func (m *Data) HasOrdinal() bool { return len(m.current().ordinal) > 0 }

// OrdinalCells returns the numbers of the unknown cells of ordinal column k, counted from zero, by item. They
// must not be changed.
func (m *Data) OrdinalCells(k int) []int { return m.unknown.ordinal[k].cell }

// FreeCutpoints returns the number of cutpoints that are unknown, of all columns.
func (m *Data) FreeCutpoints() (free int) {
	for _, o := range m.current().ordinal {
		free += o.Levels - 2
	}
	return free
}

// Cutpoints appends the unknown cutpoints to out, column by column.
func (m *Data) Cutpoints(out []float64) []float64 {
	for _, o := range m.current().ordinal {
		for _, cut := range o.cuts[1:] {
			out = append(out, math.Ldexp(cut, m.unit))
		}
	}
	return out
}

// SetCutpoints sets the unknown cutpoints. Cells beyond them move between. It must not be called
// on data that are shared, see Own. It returns an error unless there is a finite one for each, at
// least as large as that before it in its column.
func (m *Data) SetCutpoints(values []float64) error {
	if count, want := len(values), m.FreeCutpoints(); count != want {
		return fmt.Errorf("found %d cutpoints, expected %d", count, want)
	}
	if len(values) == 0 {
		return nil
	}
	next := values
	for _, o := range m.unknown.ordinal {
		before := 0.0
		for _, v := range next[:o.Levels-2] {
			if !(v >= before) || math.IsInf(v, 1) {
				return fmt.Errorf("cutpoints of column %d: found %v after %v, expected finite numbers that ascend from 0", o.Variable+1, v, before)
			}
			before = v
		}
		next = next[o.Levels-2:]
	}
	for k := range m.unknown.ordinal {
		o := &m.unknown.ordinal[k]
		for j := range o.cuts[1:] {
			o.cuts[j+1] = math.Ldexp(values[j], -m.unit)
		}
		values = values[o.Levels-2:]
		m.unknown.place(o)
	}
	m.rotate()
	return nil
}

// LogCutpoints returns the log prior density of the unknown cutpoints given the scales: gaps
// between adjacent cutpoints are independent and exponential with mean SigmaX.
func (m *Data) LogCutpoints(scales Scales) float64 {
	free := m.FreeCutpoints()
	if free == 0 {
		return 0
	}
	sum := 0.0
	for _, o := range m.unknown.ordinal {
		sum += o.cuts[len(o.cuts)-1]
	}
	return -math.Ldexp(sum, m.unit)/scales.SigmaX - float64(free)*math.Log(scales.SigmaX)
}

// DrawPriorCutpoints draws the unknown cutpoints from their prior given the scales.
func (m *Data) DrawPriorCutpoints(rng *rand.Rand, scales Scales) (values []float64) {
	for _, o := range m.Ordinal() {
		cut := 0.0
		for range o.Levels - 2 {
			cut += scales.SigmaX * rng.ExpFloat64()
			values = append(values, cut)
		}
	}
	return values
}

// Cutpoints draws the unknown cutpoints with the cells of their columns, given all else. For each
// ordinal column, a binary one too, it multiplies cutpoints and cells by a common factor, which is drawn
// given everything up to this factor, with the loadings integrated out (Liu and Sabatti, 2000). Then it
// draws, unless the column is binary, the signal ZA, each cutpoint given the signal with the cells
// integrated out, by slices (Neal, 2003), and the cells given both.
//
// The zero value is ready for use. A Cutpoints belongs to one goroutine. It does not allocate once
// it has held the largest problem.
type Cutpoints struct {
	bounds   Bounds
	star     []float64 // a column from the prior, by item
	mean     []float64 // of the cells of a column given the signal, by item
	loadings []float64 // of star
}

// Draw draws the unknown cutpoints and the cells of their columns.
func (c *Cutpoints) Draw(rng *rand.Rand, current *Data, z *feature.Allocation, scales Scales) {
	r, u := ratio(scales), current.unknown
	if current.Check(scales) != nil {
		return
	}
	c.bounds.prepare(current, z, r)
	for k := range u.ordinal {
		o := &u.ordinal[k]
		place := c.bounds.place[o.Variable]
		residuals := c.bounds.residuals[place*current.n : (place+1)*current.n]
		u.rescale(rng, o, residuals, current.noise(scales))
		if o.Levels == 2 {
			continue
		}
		c.drawSignal(rng, current, o, residuals, current.noise(scales), r)
		c.drawCuts(rng, current, o, current.noise(scales))
	}
	current.rotate()
}

// rescale multiplies the cells of a column and its cutpoints by a factor. The residuals are Hx.
func (u *unknown) rescale(rng *rand.Rand, o *ordinal, residuals []float64, noise float64) {
	q := 0.0
	for i, h := range residuals {
		q += u.x[i*u.d+o.Variable] * h
	}
	g := u.drawFactor(rng, o, q/(noise*noise), noise)
	for i := range residuals {
		residuals[i] *= g
	}
	u.scale(o, g)
}

// drawFactor draws a factor g of the cells of a column and its cutpoints given everything up to it.
// With q = x'Hx/SigmaX^2, n cells, m unknown cutpoints and the largest one c, log g has the log
// density
//
//	(n + m) log g - q g^2/2 - c g/SigmaX
//
// It is 1 if rounding leaves no density.
func (u *unknown) drawFactor(rng *rand.Rand, o *ordinal, q, noise float64) float64 {
	last := len(o.cuts) - 1
	q, c, size := max(0, q)/2, o.cuts[last]/noise, float64(u.n+last)
	if q == 0 && c == 0 {
		return 1
	}
	return math.Exp(Slice(rng, 0, math.Inf(-1), math.Inf(1), 1/math.Sqrt(size), func(t float64) float64 {
		g := math.Exp(t)
		return size*t - (q*g+c)*g
	}))
}

// scale multiplies the cells of a column and its cutpoints by a factor.
func (u *unknown) scale(o *ordinal, g float64) {
	for index := o.Variable; index < len(u.x); index += u.d {
		u.x[index] *= g
	}
	for j := range o.cuts {
		o.cuts[j] *= g
	}
	u.place(o)
}

// ScaleOrdinal multiplies the cells of ordinal columns and their cutpoints by a factor.
// SetNoiseScales must follow.
func (m *Data) ScaleOrdinal(g float64) {
	for k := range m.unknown.ordinal {
		m.unknown.scale(&m.unknown.ordinal[k], g)
	}
}

// DrawOrdinalFactor draws the factor of the cells and the cutpoints of ordinal column k, counted from
// zero, that Cutpoints draws first, and multiplies the cutpoints. The caller multiplies the cells. With
// the precision matrix H/SigmaX^2 of the column, q is x'Hx/SigmaX^2.
func (m *Data) DrawOrdinalFactor(rng *rand.Rand, k int, q float64, scales Scales) float64 {
	o := &m.unknown.ordinal[k]
	g := m.unknown.drawFactor(rng, o, q, m.noise(scales))
	m.unknown.scale(o, g)
	return g
}

// DrawCutpoints draws the unknown cutpoints of ordinal column k, counted from zero, given the means of
// its cells, with the cells integrated out. The caller draws the
// cells. The means are overwritten.
func (m *Data) DrawCutpoints(rng *rand.Rand, k int, means []float64, scales Scales) {
	o, u := &m.unknown.ordinal[k], m.unknown
	for i := range means {
		means[i] = math.Ldexp(means[i], -m.unit)
	}
	u.drawCuts(rng, o, means, m.noise(scales))
}

// drawSignal puts a draw of ZA given X, with any intercept, into c.mean. With X* = ZA* + E* from
// the prior, ZA* + (I - H)(X - X*) has this distribution; the intercept of X* drops out, and is 0.
func (c *Cutpoints) drawSignal(rng *rand.Rand, current *Data, o *ordinal, residuals []float64, noise, r float64) {
	b, u := &c.bounds, current.unknown
	c.star, c.mean, c.loadings = vector.Extend(c.star, current.n), vector.Extend(c.mean, current.n), vector.Extend(c.loadings, b.k)
	clear(c.loadings[:current.ones])
	for f := current.ones; f < b.k; f++ {
		c.loadings[f] = noise / math.Sqrt(r) * rng.NormFloat64()
	}
	for i, columns := range b.work.features {
		e := noise * rng.NormFloat64()
		c.mean[i] = u.x[i*u.d+o.Variable] - residuals[i] - e
		c.star[i] = e
		for _, f := range columns {
			c.star[i] += f.weight * c.loadings[f.index]
		}
	}
	b.multiply(c.star)
	for i, h := range c.star {
		c.mean[i] += h
	}
}

// drawCuts draws the unknown cutpoints of a column given the signal, and then its cells.
func (c *Cutpoints) drawCuts(rng *rand.Rand, current *Data, o *ordinal, noise float64) {
	u := current.unknown
	root := 1 / noise
	u.drawCuts(rng, o, c.mean, noise)
	for i, level := range o.Level {
		if level >= 0 {
			lower, upper := o.ends(level)
			x := c.mean[i] + Truncated(rng, (lower-c.mean[i])*root, (upper-c.mean[i])*root)/root
			u.x[i*u.d+o.Variable] = min(max(x, lower), upper) // rounding
		}
	}
}

// drawCuts draws the unknown cutpoints of a column given the means of its cells, with the cells integrated
// out.
func (u *unknown) drawCuts(rng *rand.Rand, o *ordinal, means []float64, noise float64) {
	root := 1 / noise
	for j := 1; j < len(o.cuts); j++ {
		low, _ := o.ends(j)
		_, high := o.ends(j + 1)
		o.cuts[j] = Slice(rng, o.cuts[j], low, high, noise, func(cut float64) float64 {
			log := 0.0
			if j == len(o.cuts)-1 {
				log = -cut / noise
			}
			for i, level := range o.Level {
				if level != j && level != j+1 {
					continue
				}
				lower, upper := low, cut
				if level > j {
					lower, upper = cut, high
				}
				log += LogInterval((lower-means[i])*root, (upper-means[i])*root)
			}
			return log
		})
	}
	u.place(o)
}

// Slice draws from the distribution on (low, high) with the given log density by one step of slice sampling
// from x, stepping out by the given width and shrinking (Neal, 2003, figures 3 and 5).
func Slice(rng *rand.Rand, x, low, high, width float64, log func(float64) float64) float64 {
	height := log(x) - rng.ExpFloat64()
	if !(height > math.Inf(-1)) {
		return x // rounding: between equal cutpoints
	}
	left := x - width*rng.Float64()
	right := left + width
	for left > low && log(left) > height {
		left -= width
	}
	for right < high && log(right) > height {
		right += width
	}
	left, right = max(left, low), min(right, high)
	for {
		next := left + (right-left)*rng.Float64()
		switch {
		case next == x || log(next) > height: // x after rounding
			return next
		case next < x:
			left = next
		default:
			right = next
		}
	}
}
