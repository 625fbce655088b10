package predict

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
)

// Replicator draws replicates of X, under the posterior unless Prior is set.
type Replicator struct {
	// Prior draws loadings from their prior, not given X. The flat prior of an intercept is improper, so
	// each column of a replicate is shifted to the mean of X.
	Prior bool
	// Counts has the functions from latent values to counts, by column, nil for other columns. It is nil
	// without columns of counts.
	Counts []func(latent float64) float64
	// Near has the pairs of near items by distance, whose residuals a Checker compares.
	Near []Near

	data, complete *lglfm.Data // complete: cells with bounds have values
	x              [][]float64
	cutpoints      lglfm.Cutpoints
	below, above   [][]float64 // limits of cells; infinite where there is none
}

// NewReplicator prepares for the data.
func NewReplicator(data *lglfm.Data) (*Replicator, error) {
	r := &Replicator{data: data, complete: data, x: data.X(), cutpoints: lglfm.NewCutpoints(data)}
	if data.Bounded() == 0 {
		return r, nil
	}
	var err error
	r.complete, err = lglfm.NewData(data.Complete(&draws.Draw{Cells: make([]float64, data.Bounded())}))
	if err == nil && data.Intercept() {
		r.complete, err = r.complete.WithIntercept()
	}
	r.limits()
	return r, err
}

// limits finds the limits of cells. If all limits of a column on one side are equal and no observed
// value is beyond them, its other cells have the same limit.
func (r *Replicator) limits() {
	r.below, r.above = r.side(1, math.Inf(-1)), r.side(0, math.Inf(1))
	for index, b := range r.data.Bounds() {
		if !math.IsInf(b[0], 0) && !math.IsInf(b[1], 0) { // an interval
			r.below[index[0]][index[1]], r.above[index[0]][index[1]] = b[0], b[0]
		}
	}
}

// side returns the limit of each cell: the given end of its bounds (0 lower, 1 upper) if the cell is
// censored on that side, and none if it has no limit. A value below a limit has the limit as its
// upper end.
func (r *Replicator) side(end int, none float64) [][]float64 {
	bounds, limits := r.data.Bounds(), make([][]float64, r.data.N())
	for i := range limits {
		limits[i] = slices.Repeat([]float64{none}, r.data.D())
	}
	for v := range r.data.D() {
		if r.cutpoints.Levels(v) > 0 {
			continue
		}
		common, same := none, true
		for i := range limits {
			b, ok := bounds[[2]int{i, v}]
			if !ok || !math.IsInf(b[1-end], 0) {
				continue
			}
			limits[i][v] = b[end]
			same = same && (common == none || common == b[end])
			common = b[end]
		}
		for _, row := range r.x {
			same = same && !(none < common && row[v] < common) && !(common < none && row[v] > common)
		}
		for i := range limits {
			if same {
				limits[i][v] = common
			}
		}
	}
	return limits
}

// Replicate is a draw of X given Z and loadings.
type Replicate struct {
	Signal   [][]float64 // Z A plus any intercept
	Complete [][]float64 // X with the values that the draw has for cells with bounds
	Latent   [][]float64 // Signal and new noise; NaN where a cell of X is missing
	// X is Latent as it would be observed: categories, from zero, in binary and ordinal columns, counts, and
	// the limit in place of a value beyond it.
	X [][]float64
}

// Draw draws the signal, Z A plus any intercept, with the weights of features in place of the ones of
// Z, given the observed cells of X unless Prior is set,
// Z and the scales of a draw, and a replicate of X with this signal, new noise and the same missing
// cells. It returns the error of Data.Check.
func (r *Replicator) Draw(d *draws.Draw, rng *rand.Rand) (Replicate, error) {
	n, vars := r.data.N(), r.data.D()
	loadings := lists.Make(d.Z.K(), func(k int) []float64 { return normals(rng, vars, d.SigmaA, d) })
	y := Replicate{Signal: make([][]float64, n), Complete: r.x, Latent: make([][]float64, n)}
	if r.complete != r.data {
		y.Complete = r.data.Complete(d)
	}
	weights := d.Z.Weighted(nil, d.Weights)
	for i := range y.Signal {
		y.Signal[i] = make([]float64, vars)
		for k, a := range loadings {
			if w := weights[i*len(loadings)+k]; w != 0 {
				floats.AddScaled(y.Signal[i], w, a)
			}
		}
	}
	if !r.Prior {
		if err := r.condition(&y, d, rng); err != nil {
			return y, err
		}
	}
	for i, row := range y.Complete {
		y.Latent[i] = normals(rng, vars, d.SigmaX, d)
		for v, f := range y.Signal[i] {
			if y.Latent[i][v] += f; math.IsNaN(row[v]) {
				y.Latent[i][v] = math.NaN()
			}
		}
	}
	if r.Prior && r.data.Intercept() {
		r.matchMeans(&y, d)
	}
	y.X = r.observe(y.Latent, d)
	return y, nil
}

// condition turns a signal drawn from the prior into one given the observed cells of X.
func (r *Replicator) condition(y *Replicate, d *draws.Draw, rng *rand.Rand) error {
	// With loadings A* and X* = Z A* + E* from the prior, A* + B(X - X*) has the distribution of A
	// given X, where B(Y) is the mean of the loadings given the observed cells of Y. The same holds for
	// [1 Z]: with a flat prior of the intercept its value in X* drops out, and is 0 here.
	difference := make([][]float64, len(y.Complete)) // X - X*
	for i, row := range y.Complete {
		difference[i] = normals(rng, len(row), d.SigmaX, d)
		for v, e := range difference[i] {
			difference[i][v] = row[v] - y.Signal[i][v] - e
		}
	}
	l := lglfm.NewLoadingsFrom(r.complete, difference, 0)
	if err := l.ResetWeighted(d.Z, d.Weights, lglfm.ScalesOf(d)); err != nil {
		return err
	}
	fitted := make([]float64, r.data.D())
	for i, row := range y.Signal {
		l.Fitted(i, fitted)
		for v, f := range fitted {
			row[v] += f
		}
	}
	return nil
}

// matchMeans shifts the columns of a replicate such that their means equal the means of X.
func (r *Replicator) matchMeans(y *Replicate, d *draws.Draw) {
	observed := lists.Transposed(r.Observed(d))
	for v, latent := range lists.Transposed(y.Latent) {
		want := meanOf(observed[v])
		gap := func(shift float64) float64 {
			moved := slices.Clone(latent)
			for i, value := range moved {
				moved[i] = r.cell(i, v, value+shift, d)
			}
			return meanOf(moved) - want
		}
		shift := -gap(0)
		if math.Abs(gap(shift)) > 1e-9*math.Abs(shift) { // limits or categories
			shift = root(gap)
		}
		for i := range y.Latent {
			y.Latent[i][v] += shift
			y.Signal[i][v] += shift
		}
	}
}

// root returns a zero of an increasing function, or a place where it passes zero.
func root(f func(float64) float64) float64 {
	low, high := -1.0, 1.0
	for ; f(low) > 0 && low > -1e300; low *= 2 {
	}
	for ; f(high) < 0 && high < 1e300; high *= 2 {
	}
	for {
		mid := low + (high-low)/2
		value := f(mid)
		switch {
		case value == 0 || mid == low || mid == high:
			return mid
		case value < 0:
			low = mid
		default:
			high = mid
		}
	}
}

// meanOf returns the mean of the cells that are not missing.
func meanOf(column []float64) float64 {
	sum, observed := 0.0, 0.0
	for _, x := range column {
		if !math.IsNaN(x) {
			sum += x
			observed++
		}
	}
	return sum / observed
}

// Observed returns X as it is observed, as replicates are: any draw has the categories.
func (r *Replicator) Observed(d *draws.Draw) [][]float64 {
	if r.complete == r.data {
		return r.x
	}
	return r.observe(r.data.Complete(d), d)
}

// observe returns X of a Replicate of latent values.
func (r *Replicator) observe(latent [][]float64, d *draws.Draw) [][]float64 {
	if r.complete == r.data {
		return latent
	}
	x := make([][]float64, len(latent))
	for i, row := range latent {
		x[i] = make([]float64, len(row))
		for v, value := range row {
			x[i][v] = r.cell(i, v, value, d)
		}
	}
	return x
}

// cell returns a latent value of a cell as it would be observed.
func (r *Replicator) cell(i, v int, latent float64, d *draws.Draw) float64 {
	switch {
	case math.IsNaN(latent) || r.complete == r.data:
		return latent
	case r.cutpoints.Levels(v) > 0:
		return float64(r.cutpoints.Category(d, v, latent))
	case r.isCount(v):
		return r.Counts[v](latent)
	}
	return min(max(latent, r.below[i][v]), r.above[i][v])
}

// isCount reports whether column v holds counts.
func (r *Replicator) isCount(v int) bool { return r.Counts != nil && r.Counts[v] != nil }

// normals draws a number for each of n columns, with the standard deviation sd times the noise scale.
func normals(rng *rand.Rand, n int, sd float64, d *draws.Draw) []float64 {
	return lists.Make(n, func(i int) float64 { return sd * lglfm.NoiseScale(d, i) * rng.NormFloat64() })
}
