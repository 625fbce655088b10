package collapsed

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// Bound says that an unknown cell is between Lower and Upper, one of which may be infinite:
// a value beyond a detection limit, or the sign of a latent value.
type Bound struct {
	Item, Variable int // from zero
	Lower, Upper   float64
}

// checkBounds returns an error, counting from one, unless each bound is of another unknown cell
// of x and has a lower end below the upper one.
func checkBounds(x [][]float64, bounds []Bound) error {
	seen := map[[2]int]bool{}
	for _, b := range bounds {
		cell := [2]int{b.Item, b.Variable}
		switch {
		case b.Item < 0 || b.Item >= len(x) || b.Variable < 0 || b.Variable >= len(x[b.Item]):
			return fmt.Errorf("bounds of row %d, column %d: found no such cell of X", b.Item+1, b.Variable+1)
		case !math.IsNaN(x[b.Item][b.Variable]):
			return fmt.Errorf("bounds of row %d, column %d: found the value %v, expected an unknown cell", b.Item+1, b.Variable+1, x[b.Item][b.Variable])
		case seen[cell]:
			return fmt.Errorf("bounds of row %d, column %d: found twice, expected once", b.Item+1, b.Variable+1)
		case !(b.Lower < b.Upper) || math.IsInf(b.Lower, 1) || math.IsInf(b.Upper, -1) || math.IsInf(b.Upper-b.Lower, 1) && !math.IsInf(b.Lower, -1) && !math.IsInf(b.Upper, 1):
			return fmt.Errorf("bounds of row %d, column %d: found %v to %v, expected a lower end below the upper one", b.Item+1, b.Variable+1, b.Lower, b.Upper)
		}
		seen[cell] = true
	}
	return nil
}

// setBounds sets the bounds of unknown cells, and starts within them.
func (u *unknown) setBounds(bounds []Bound) {
	u.lower, u.upper = make([]float64, len(u.cells)), make([]float64, len(u.cells))
	number := make(map[[2]int]int, len(u.cells))
	for c, cell := range u.cells {
		number[cell] = c
		u.lower[c], u.upper[c] = math.Inf(-1), math.Inf(1)
	}
	for _, b := range bounds {
		c := number[[2]int{b.Item, b.Variable}]
		u.lower[c], u.upper[c] = math.Ldexp(b.Lower, -u.unit), math.Ldexp(b.Upper, -u.unit)
	}
}

// bounded reports whether cell c has bounds.
func (u *unknown) bounded(c int) bool {
	return u.lower != nil && (!math.IsInf(u.lower[c], -1) || !math.IsInf(u.upper[c], 1))
}

// oneSided returns a variable without observed cells whose cells have bounds on one side only, -1
// if there is none.
func (u *unknown) oneSided() int {
	unknown, below, above := make([]int, u.d), make([]bool, u.d), make([]bool, u.d)
	for c, cell := range u.cells {
		unknown[cell[1]]++
		if u.bounded(c) {
			above[cell[1]] = above[cell[1]] || !math.IsInf(u.lower[c], -1)
			below[cell[1]] = below[cell[1]] || !math.IsInf(u.upper[c], 1)
		}
	}
	for j := range u.d {
		if unknown[j] == u.n && above[j] != below[j] {
			return j
		}
	}
	return -1
}

// within returns a value between the bounds of cell c, at most a standard deviation inside.
func (u *unknown) within(c int) float64 {
	low, high := u.lower[c], u.upper[c]
	switch {
	case math.IsInf(low, -1):
		return high - u.sd
	case math.IsInf(high, 1):
		return low + u.sd
	}
	return low + (high-low)/2
}

// Bounded returns the number of unknown cells that have bounds.
func (m *Data) Bounded() int { return len(m.BoundedCells()) }

// BoundedCells returns row and column of each unknown cell that has bounds, row by row. Callers
// must not change it.
func (m *Data) BoundedCells() [][2]int { return m.current().between }

// MissingCells returns row and column of each unknown cell without bounds, row by row.
func (m *Data) MissingCells() (missing [][2]int) {
	for c, cell := range m.UnknownCells() {
		if !m.unknown.bounded(c) {
			missing = append(missing, cell)
		}
	}
	return missing
}

// BoundedValues appends the values of the cells that have bounds to out, row by row.
func (m *Data) BoundedValues(out []float64) []float64 { return m.values(m.BoundedCells(), out) }

// SetBounded sets them. It must not be called on data that are shared, see Own. It returns an
// error unless there is one value for each.
func (m *Data) SetBounded(values []float64) error {
	if count, want := len(values), m.Bounded(); count != want {
		return fmt.Errorf("found %d values of cells with bounds, expected %d", count, want)
	}
	m.setValues(m.BoundedCells(), values)
	return nil
}

// BoundsOf returns the bounds of the unknown cells that have any, by row and column.
func (m *Data) BoundsOf() map[[2]int][2]float64 {
	bounds := map[[2]int][2]float64{}
	for c, cell := range m.UnknownCells() {
		if u := m.unknown; u.bounded(c) {
			bounds[cell] = [2]float64{math.Ldexp(u.lower[c], u.unit), math.Ldexp(u.upper[c], u.unit)}
		}
	}
	return bounds
}

// Ends returns the bounds of unknown cell c, counted row by row. They are infinite if it has none.
func (m *Data) Ends(c int) (lower, upper float64) {
	if m.unknown.lower == nil {
		return math.Inf(-1), math.Inf(1)
	}
	return math.Ldexp(m.unknown.lower[c], m.unit), math.Ldexp(m.unknown.upper[c], m.unit)
}

// Bounds draws the unknown cells that have bounds, one after the other, each from its distribution given
// all other cells, Z and the scales, with the loadings integrated out (Holmes and Held, 2006).
// With H as for Cells, the distribution of cell i of a column x is the normal one of mean x_i - (Hx)_i/H_ii
// and variance SigmaX^2/H_ii between the bounds.
//
// The zero value is ready for use. A Bounds belongs to one goroutine. It does not allocate once
// it has held the largest problem.
type Bounds struct {
	work      work
	k         int
	p         []float64 // P, k x k
	fitted    []float64 // ZP, n x k
	sum       []float64 // Z'x of a column
	fit       []float64 // P Z'x
	h         []float64 // a row of H
	residuals []float64 // HX, by column and item
	place     []int     // of each variable in left; -1: none
}

// Draw draws the cells of current.
func (b *Bounds) Draw(rng *rand.Rand, current *Data, z *feature.Allocation, scales Scales) {
	r, u := ratio(scales), current.unknown
	if current.Check(scales) != nil {
		return
	}
	b.prepare(current, z, r)
	item, n := -1, current.n
	for c, cell := range u.cells {
		if !u.bounded(c) {
			continue
		}
		i, j := cell[0], cell[1]
		if i != item {
			item = i
			b.row(i)
		}
		residuals := b.residuals[b.place[j]*n : (b.place[j]+1)*n]
		x, noise := u.x[i*u.d+j], current.noise(scales)*u.noise(j)
		mean, sd := x-residuals[i]/b.h[i], noise/math.Sqrt(b.h[i])
		next := mean + sd*Truncated(rng, (u.lower[c]-mean)/sd, (u.upper[c]-mean)/sd)
		next = min(max(next, u.lower[c]), u.upper[c]) // rounding
		u.x[i*u.d+j] = next
		vector.Axpy(residuals, next-x, b.h)
	}
	current.rotate()
}

// prepare computes HX of the columns that have bounds, and the factors of the rows of H.
func (b *Bounds) prepare(current *Data, z *feature.Allocation, r float64) {
	u := current.unknown
	b.place = vector.Extend(b.place, u.d)
	vector.Fill(b.place, -1)
	count := 0
	for c, cell := range u.cells {
		if u.bounded(c) && b.place[cell[1]] < 0 {
			b.place[cell[1]] = count
			count++
		}
	}
	b.project(current, z, r, count)
}

// project is prepare for the count columns that have a place.
func (b *Bounds) project(current *Data, z *feature.Allocation, r float64, count int) {
	u, n, k := current.unknown, current.n, z.K()
	b.residuals, b.h = vector.Extend(b.residuals, count*n), vector.Extend(b.h, n)
	b.work.setZ(z, nil, -1)
	b.k = k
	b.p = vector.Extend(b.p, k*k)
	b.work.invertGram(b.p, k, k, current.ones, r)
	b.fitted = vector.Extend(b.fitted, n*k)
	b.work.times(b.fitted, b.p, k)
	b.sum, b.fit = vector.Extend(b.sum, k), vector.Extend(b.fit, k)
	for j, place := range b.place {
		if place < 0 {
			continue
		}
		residuals, shift := b.residuals[place*n:(place+1)*n], 0.0
		if current.ones > 0 {
			shift = u.means[j]
		}
		for i := range residuals {
			residuals[i] = u.x[i*u.d+j] - shift
		}
		b.multiply(residuals)
	}
}

// multiply replaces a column by its product with H.
func (b *Bounds) multiply(column []float64) {
	clear(b.sum)
	clear(b.fit)
	for i, columns := range b.work.features {
		for _, a := range columns {
			b.sum[a.index] += a.weight * column[i]
		}
	}
	vector.AddRows(b.fit, b.k, b.sum, 1, b.p, b.k)
	for i, columns := range b.work.features {
		for _, a := range columns {
			column[i] -= a.weight * b.fit[a.index]
		}
	}
}

// row puts row i of H into h.
func (b *Bounds) row(i int) {
	fitted := b.fitted[i*b.k : (i+1)*b.k]
	for j, columns := range b.work.features {
		sum := 0.0
		for _, a := range columns {
			sum -= a.weight * fitted[a.index]
		}
		b.h[j] = sum
	}
	b.h[i]++
}

// Truncated draws a standard normal between a and b, of which one may be infinite, by rejection
// (Robert, 1995). The chance of acceptance is at least 0.4.
func Truncated(rng *rand.Rand, a, b float64) float64 {
	if a < 0 && b <= 0 {
		return -Truncated(rng, -b, -a)
	}
	switch {
	case !(a < b): // rounding
		return a
	case a > 1e7: // an exponential, to 14 digits
		return a - math.Log1p(rng.Float64()*math.Expm1(-(b-a)*a))/a
	case a <= 0 && b-a > math.Sqrt(2*math.Pi):
		for {
			if x := rng.NormFloat64(); x >= a && x <= b {
				return x
			}
		}
	case a <= 0:
		for {
			if x := a + (b-a)*rng.Float64(); rng.ExpFloat64() > x*x/2 {
				return x
			}
		}
	}
	// In the tail an exponential of the rate that Robert finds best, unless the interval is so
	// short that a uniform proposal is accepted more often.
	root := math.Sqrt(a*a + 4)
	rate := (a + root) / 2
	if (b-a)*rate < math.Exp((a*a-a*root)/4+0.5) {
		for {
			if x := a + (b-a)*rng.Float64(); rng.ExpFloat64() > (x-a)*(x+a)/2 {
				return x
			}
		}
	}
	for {
		x := a + rng.ExpFloat64()/rate
		if e := x - rate; x <= b && rng.ExpFloat64() > e*e/2 {
			return x
		}
	}
}

// LogInterval returns the log of the probability that a standard normal is between a and b.
func LogInterval(a, b float64) float64 {
	switch {
	case a < 0 && b <= 0:
		return LogInterval(-b, -a)
	case a <= 0:
		return math.Log((math.Erf(b/math.Sqrt2) - math.Erf(a/math.Sqrt2)) / 2)
	case math.IsInf(b, 1):
		return logTail(a)
	}
	log := logTail(a)
	return log + math.Log(-math.Expm1(logTail(b)-log))
}

// logTail returns the log of the probability that a standard normal is above a >= 0.
func logTail(a float64) float64 {
	if a < 10 {
		return math.Log(math.Erfc(a/math.Sqrt2) / 2)
	}
	// Mills' ratio as a continued fraction (Laplace).
	fraction := a
	for k := 40.0; k >= 1; k-- {
		fraction = a + k/fraction
	}
	return -a*a/2 - math.Log(math.Sqrt(2*math.Pi)*fraction)
}
