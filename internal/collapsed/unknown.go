package collapsed

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack/gonum"

	"aibd/internal/vector"
)

// unknown holds X: all cells, which are unknown, and the noise scales of columns. An unknown
// cell holds a value too. Those without bounds are called missing.
type unknown struct {
	n, d     int
	unit     int       // x is in units of 2^unit
	x        []float64 // n x d
	patterns []pattern
	complete []int    // variables without missing cells
	missing  [][]int  // variables of the missing cells of each item, ascending
	front    []int    // variables without missing cells if there are more than items, else nil
	places   []int    // column of Data.rows of each variable, -1 in front
	cells    [][2]int // row and column of each unknown cell, row by row

	lower, upper []float64 // bounds of the cells; nil if none has one
	between      [][2]int  // row and column of each cell that has bounds, row by row
	ordinal      []ordinal // columns, by variable

	scales []float64 // noise scales, by variable; nil: all columns share SigmaX
	free   []bool    // whether the scale is unknown, by variable; nil like scales
	floor  []float64 // lower bounds on the standard deviation of the noise, by variable; nil like scales

	means []float64 // of the observed cells, by variable
	sd    float64   // of the observed cells about them, 1 if they are constant
}

// pattern is a set of items and the variables that are missing for exactly these items.
type pattern struct {
	items     []int // ascending, at least one
	variables []int // ascending, at least one
}

// newUnknown returns x with its unknown cells, those that are NaN: missing ones at the means of
// the observed cells of their columns, others between their bounds.
func newUnknown(x [][]float64, unit int, bounds []Bound, columns ...Ordinal) *unknown {
	u := &unknown{n: len(x), unit: unit}
	if u.n > 0 {
		u.d = len(x[0])
	}
	u.x, u.means = make([]float64, u.n*u.d), make([]float64, u.d)
	for i, row := range x {
		for j, v := range row {
			u.x[i*u.d+j] = math.Ldexp(v, -unit)
			if math.IsNaN(v) {
				u.cells = append(u.cells, [2]int{i, j})
			}
		}
	}
	if len(bounds)+len(columns) > 0 {
		u.setBounds(bounds)
	}
	for c, cell := range u.cells {
		if u.lower != nil && !math.IsInf(u.lower[c], 0) && !math.IsInf(u.upper[c], 0) {
			u.x[cell[0]*u.d+cell[1]] = u.within(c)
		}
	}
	u.moments()
	u.setOrdinal(columns)
	u.missing = make([][]int, u.n)
	missing := make([][]int, u.d) // items by variable
	for c, cell := range u.cells {
		i, j := cell[0], cell[1]
		if u.bounded(c) {
			u.x[i*u.d+j] = u.within(c)
			u.between = append(u.between, cell)
			continue
		}
		u.x[i*u.d+j] = u.means[j]
		missing[j] = append(missing[j], i)
		u.missing[i] = append(u.missing[i], j)
	}
	u.setPlaces(missing)
	places := map[string]int{}
	for j, items := range missing {
		if len(items) == 0 {
			u.complete = append(u.complete, j)
			continue
		}
		key := fmt.Sprint(items)
		p, ok := places[key]
		if !ok {
			p, places[key] = len(u.patterns), len(u.patterns)
			u.patterns = append(u.patterns, pattern{items: items})
		}
		u.patterns[p].variables = append(u.patterns[p].variables, j)
	}
	return u
}

// setPlaces sets front and places. The variables in front are rotated together. Those with missing
// cells stay as they are: a row can be taken without its missing cells, and gets new ones.
func (u *unknown) setPlaces(missing [][]int) {
	u.places = make([]int, u.d)
	for j, items := range missing {
		if u.places[j] = j; len(items) == 0 {
			u.front = append(u.front, j)
		}
	}
	if len(u.front) <= u.n {
		u.front = nil
		return
	}
	next := u.n
	for j, items := range missing {
		u.places[j] = -1
		if len(items) > 0 {
			u.places[j] = next
			next++
		}
	}
}

// rank returns the number of columns of Data.rows.
func (u *unknown) rank() int {
	if u.front == nil {
		return u.d
	}
	return u.n + u.d - len(u.front)
}

// turns reports whether variables in front have unknown cells.
func (u *unknown) turns() bool {
	return slices.ContainsFunc(u.cells, func(cell [2]int) bool { return u.places[cell[1]] < 0 })
}

// moments computes means and standard deviation of the observed cells, which are not NaN. Cells in an interval count
// with its middle: a table of counts has no others.
func (u *unknown) moments() {
	squares, all := 0.0, 0
	for j := range u.d {
		sum, observed := 0.0, 0
		for i := range u.n {
			if v := u.x[i*u.d+j]; !math.IsNaN(v) {
				sum += v
				observed++
			}
		}
		all += observed
		if observed > 0 {
			u.means[j] = sum / float64(observed)
		}
		for i := range u.n {
			if e := u.x[i*u.d+j] - u.means[j]; !math.IsNaN(e) {
				squares += e * e
			}
		}
	}
	if u.sd = math.Sqrt(squares / float64(all)); !(u.sd > 0) {
		u.sd = 1
	}
}

// current returns X with the values of its unknown cells, cutpoints and noise scales.
func (m *Data) current() *unknown { return cmp.Or(m.unknown, m.table) }

// row returns the cells of item i.
func (u *unknown) row(i int) []float64 { return u.x[i*u.d : (i+1)*u.d : (i+1)*u.d] }

// Unknown returns the number of unknown cells.
func (m *Data) Unknown() int { return len(m.current().cells) }

// UnknownCells returns row and column of each unknown cell, row by row. Callers must not
// change it.
func (m *Data) UnknownCells() [][2]int { return m.current().cells }

// X returns X, NaN for unknown cells.
func (m *Data) X() [][]float64 {
	x := m.table.rows()
	for _, cell := range m.table.cells {
		x[cell[0]][cell[1]] = math.NaN()
	}
	return x
}

// Completed returns X with the values of its unknown cells.
func (m *Data) Completed() [][]float64 { return m.current().rows() }

// rows returns all cells.
func (u *unknown) rows() [][]float64 {
	x := make([][]float64, u.n)
	for i := range x {
		for _, v := range u.row(i) {
			x[i] = append(x[i], math.Ldexp(v, u.unit))
		}
	}
	return x
}

// Detach returns a copy of m with unknown cells and noise scales of its own, or m if it has none.
func (m *Data) Detach() *Data {
	if m.unknown == nil {
		return m
	}
	current, u := new(Data), new(unknown)
	*current, *u = *m, *m.unknown
	current.unknown, u.x, u.scales = u, slices.Clone(u.x), slices.Clone(u.scales)
	u.ownOrdinal()
	current.rows, current.sq = make([][]float64, m.n), make([]float64, m.n)
	current.over, current.flat, current.factor, current.shift = nil, nil, nil, nil
	current.rotate()
	return current
}

// Values appends the values of the unknown cells to out, row by row.
func (m *Data) Values(out []float64) []float64 { return m.values(m.UnknownCells(), out) }

func (m *Data) values(cells [][2]int, out []float64) []float64 {
	for _, cell := range cells {
		out = append(out, math.Ldexp(m.unknown.row(cell[0])[cell[1]], m.unit))
	}
	return out
}

// setValues sets unknown cells to as many values.
func (m *Data) setValues(cells [][2]int, values []float64) {
	for c, cell := range cells {
		m.unknown.row(cell[0])[cell[1]] = math.Ldexp(values[c], -m.unit)
	}
	if len(values) > 0 {
		m.rotate()
	}
}

// SetValues sets the unknown cells, row by row. It must not be called on data that are
// shared, see Own. It returns an error unless there is a finite value for each, within its
// bounds.
func (m *Data) SetValues(values []float64) error {
	if len(values) != m.Unknown() {
		return fmt.Errorf("found %d values of unknown cells, expected %d", len(values), m.Unknown())
	}
	for c, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("unknown cell %d: found %v, expected a finite number", c+1, v)
		}
		if u, scaled := m.unknown, math.Ldexp(v, -m.unit); u.bounded(c) && !(u.lower[c] <= scaled && scaled <= u.upper[c]) {
			return fmt.Errorf("unknown cell %d: found %v, expected %v to %v", c+1, v, math.Ldexp(u.lower[c], m.unit), math.Ldexp(u.upper[c], m.unit))
		}
	}
	m.setValues(m.UnknownCells(), values)
	return nil
}

// rotate computes rows and sq from the cells and the noise scales of unknown.
func (m *Data) rotate() {
	u, x := m.unknown, m.unknown.x
	if u.scales != nil {
		m.rescale()
		x = m.over
	}
	m.shift = vector.Extend(m.shift, m.rank)
	clear(m.shift)
	if u.front != nil {
		m.rotateFront(x)
	} else {
		if m.ones > 0 {
			m.flat = append(m.flat[:0], x...)
			x = m.flat
		}
		for i := range m.rows {
			m.rows[i] = x[i*u.d : (i+1)*u.d : (i+1)*u.d]
		}
		if m.ones > 0 {
			center(m.rows, m.shift)
		}
	}
	for i, row := range m.rows {
		m.sq[i] = vector.Dot(row, row)
	}
}

// rotateFront is rotate for more variables without missing cells than items. x is X over any noise
// scales.
func (m *Data) rotateFront(x []float64) {
	u, front := m.unknown, len(m.unknown.front)
	if len(m.factor) == 0 || u.turns() {
		m.flat = vector.Extend(m.flat, m.n*front)
		for i := range m.rows {
			m.rows[i] = m.flat[i*front : (i+1)*front]
			for f, j := range u.front {
				m.rows[i][f] = x[i*u.d+j]
			}
		}
		if m.ones > 0 {
			center(m.rows, nil)
		}
		m.triangle(m.flat, front)
	}
	for j, f := range u.places {
		if f < 0 {
			continue
		}
		if m.ones > 0 {
			for i := range u.n {
				m.shift[f] += x[i*u.d+j] / float64(u.n)
			}
		}
		for i, row := range m.rows {
			row[f] = x[i*u.d+j] - m.shift[f]
		}
	}
}

// triangle puts the factor L of X = L Q with Q orthonormal, which is X in other coordinates,
// into the first columns of rows. x is X, N x d with d > N, and is overwritten.
func (m *Data) triangle(x []float64, d int) {
	n, rank := m.n, m.rank
	m.factor = vector.Extend(m.factor, n*rank+2*n)
	low, tau, work := m.factor[:n*rank], m.factor[n*rank:n*rank+n], m.factor[n*rank+n:]
	// Not in blocks: see Spectrum.project.
	gonum.Implementation{}.Dgelq2(n, d, x, d, tau, work)
	clear(low)
	for i := range m.rows {
		m.rows[i] = low[i*rank : (i+1)*rank : (i+1)*rank]
		copy(m.rows[i][:i+1], x[i*d:])
	}
}

// SetMissing sets the missing cells of item i, in units of rows and less any shift. It must not be
// called on data that are shared, see Own.
func (m *Data) SetMissing(i int, values []float64) {
	u, root := m.unknown, m.root()
	for c, j := range u.missing[i] {
		f := u.places[j]
		u.x[i*u.d+j] = (values[c] + m.shift[f]) * u.noise(j)
		m.rows[i][f] = root * values[c]
	}
	m.sq[i] = vector.Dot(m.rows[i], m.rows[i])
}
