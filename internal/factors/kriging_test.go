package factors

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A surface is a simulated Gaussian process at random places of the unit square, with noise.
type surface struct {
	places [][2]float64
	x      [][]float64
}

func (s *surface) distance(i, j int) float64 {
	return math.Hypot(s.places[i][0]-s.places[j][0], s.places[i][1]-s.places[j][1])
}

// newSurface returns d columns whose smooth part has a share of the variance and the correlation exp(-rate distance).
func newSurface(rng *rand.Rand, n, d int, share, rate float64) *surface {
	s := &surface{}
	for range n {
		s.places = append(s.places, [2]float64{rng.Float64(), rng.Float64()})
		s.x = append(s.x, make([]float64, d))
	}
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			c.SetSym(i, j, math.Exp(-rate*s.distance(i, j)))
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(c) {
		panic("no factor")
	}
	var l mat.TriDense
	factor.LTo(&l)
	for v := range d {
		normal, smooth := mat.NewVecDense(n, nil), new(mat.VecDense)
		for i := range n {
			normal.SetVec(i, rng.NormFloat64())
		}
		smooth.MulVec(&l, normal)
		for i := range n {
			s.x[i][v] = 10*float64(v+1) + math.Sqrt(share)*smooth.AtVec(i) + math.Sqrt(1-share)*rng.NormFloat64()
		}
	}
	return s
}

// hide replaces cells by NaN and returns their values.
func (s *surface) hide(cells [][2]int) (values []float64) {
	for _, c := range cells {
		values = append(values, s.x[c[0]][c[1]])
		s.x[c[0]][c[1]] = nan
	}
	return values
}

// The distribution is that of universal kriging with a constant, by generalized least squares with dense inverses, at the
// rate and share of the greatest restricted likelihood, by dense determinants of contrasts.
func TestKrigingDense(t *testing.T) {
	s := newSurface(rand.New(rand.NewPCG(1, 2)), 15, 1, 0.8, 4)
	cells := [][2]int{{3, 0}, {11, 0}}
	s.hide(cells)
	distributions := Kriging(t.Context(), s.x, s.distance, cells)
	var seen []int
	for i, row := range s.x {
		if !math.IsNaN(row[0]) {
			seen = append(seen, i)
		}
	}
	n := len(seen)
	covariance := func(rate, share float64) *mat.Dense {
		c := mat.NewDense(n, n, nil)
		for a, i := range seen {
			for b, j := range seen {
				c.Set(a, b, share*math.Exp(-rate*s.distance(i, j)))
			}
			c.Set(a, a, 1)
		}
		return c
	}
	y, contrasts := mat.NewVecDense(n, nil), mat.NewDense(n-1, n, nil)
	for a, i := range seen {
		y.SetVec(a, s.x[i][0])
	}
	for a := range n - 1 {
		contrasts.Set(a, a, 1)
		contrasts.Set(a, n-1, -1)
	}
	best, rate, share := math.Inf(-1), 0.0, 0.0
	for _, r := range ratesOf(len(s.x), s.distance) {
		for g := range gridShares {
			gridShare := float64(g) / (gridShares - 1) * 0.999
			var half, c, inverse mat.Dense
			var e, solved mat.VecDense
			half.Mul(contrasts, covariance(r, gridShare))
			c.Mul(&half, contrasts.T())
			if err := inverse.Inverse(&c); err != nil {
				t.Fatal(err)
			}
			e.MulVec(contrasts, y)
			solved.MulVec(&inverse, &e)
			log, _ := mat.LogDet(&c)
			if l := -log/2 - float64(n-1)/2*math.Log(mat.Dot(&e, &solved)); l > best {
				best, rate, share = l, r, gridShare
			}
		}
	}
	// The mean and the values at the cells solve one system with a Lagrange multiplier.
	system := mat.NewDense(n+1, n+1, nil)
	system.Slice(0, n, 0, n).(*mat.Dense).Copy(covariance(rate, share))
	for a := range n {
		system.Set(a, n, 1)
		system.Set(n, a, 1)
	}
	for c, cell := range cells {
		right, weights := mat.NewVecDense(n+1, nil), new(mat.VecDense)
		for a, i := range seen {
			right.SetVec(a, share*math.Exp(-rate*s.distance(cell[0], i)))
		}
		right.SetVec(n, 1)
		if err := weights.SolveVec(system, right); err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for a := range n {
			mean += weights.AtVec(a) * y.AtVec(a)
		}
		var inverse mat.Dense
		if err := inverse.Inverse(system); err != nil {
			t.Fatal(err)
		}
		// The corner of the inverse without the row of the multiplier has the sum of squares of residuals.
		squares := mat.Inner(y, inverse.Slice(0, n, 0, n), y)
		sd := math.Sqrt(squares / float64(n-1) * (1 - mat.Dot(weights, right)))
		want := Distribution{mean, sd, float64(n - 1)}
		if got := distributions[c]; math.Abs(got.Mean-want.Mean) > 1e-9 || math.Abs(got.Scale-want.Scale) > 1e-9 || got.Degrees != want.Degrees {
			t.Errorf("cell %v: found %v, want %v", cell, got, want)
		}
	}
}

// On smooth surfaces new places are predicted about as well as with the true covariance, better than by the mean of near
// places, and 90% intervals cover nine tenths.
func TestKrigingOfSurfaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const tables, n, d, last = 6, 90, 3, 20
	var kriging, near, alone, truth, covered, nearCovered float64
	for range tables {
		s := newSurface(rng, n, d, 0.8, 3)
		var cells [][2]int
		for i := range last {
			for v := range d {
				cells = append(cells, [2]int{i, v})
			}
		}
		values := s.hide(cells)
		fits, means, single := Kriging(t.Context(), s.x, s.distance, cells), Nearest(s.x, s.distance, cells, 5), Alone(s.x, cells)
		columns := make([]process, d)
		for v := range d {
			for i := last; i < n; i++ {
				columns[v].items = append(columns[v].items, i)
			}
			columns[v].rate, columns[v].share = 3, 0.8
			columns[v].factorize(s.x, s.distance, v)
		}
		inside := func(l Distribution, x float64) (in float64) {
			if math.Abs(x-l.Mean) < l.Scale*(distuv.StudentsT{Mu: 0, Sigma: 1, Nu: l.Degrees}).Quantile(0.95) {
				in = 1
			}
			return in / (tables * last * d)
		}
		for c, cell := range cells {
			square := func(l Distribution) float64 { return (values[c] - l.Mean) * (values[c] - l.Mean) / (tables * last * d) }
			kriging += square(fits[c])
			near += square(means[c])
			alone += square(single[c])
			truth += square(columns[cell[1]].predict(func(j int) float64 { return s.distance(cell[0], j) }))
			covered += inside(fits[c], values[c])
			nearCovered += inside(means[c], values[c])
		}
	}
	if kriging > 1.05*truth || near < kriging || alone < 1.2*kriging {
		t.Errorf("mean squared errors: kriging %.3f, with the true covariance %.3f, near places %.3f, columns alone %.3f", kriging, truth, near, alone)
	}
	if covered < 0.85 || covered > 0.95 || nearCovered < 0.85 || nearCovered > 0.95 {
		t.Errorf("90%% intervals cover %.3f, of near places %.3f", covered, nearCovered)
	}
}

// Constant columns, columns of one cell and items at one place have finite distributions.
func TestKrigingAtTheEdge(t *testing.T) {
	s := newSurface(rand.New(rand.NewPCG(5, 6)), 12, 3, 0.8, 3)
	s.places[1], s.places[2] = s.places[0], s.places[0]
	for i := range s.x {
		s.x[i][1] = 7 // constant
		if i != 5 {
			s.x[i][2] = nan
		}
	}
	s.x[0][0] = nan
	cells := [][2]int{{0, 0}, {0, 1}, {0, 2}}
	for name, distributions := range map[string][]Distribution{"kriging": Kriging(t.Context(), s.x, s.distance, cells), "nearest": Nearest(s.x, s.distance, cells, 5)} {
		for c, want := range []float64{nan, 7, s.x[5][2]} {
			l := distributions[c]
			if math.IsNaN(l.Mean) || math.Abs(l.Mean-want) > 1e-9 || !(l.Scale >= 0) || !(l.Degrees >= 1) {
				t.Errorf("%s, column %d: found %v, want the mean %v", name, c+1, l, want)
			}
			if log := l.LogDensity(want + 1); c > 0 && math.IsNaN(log) {
				t.Errorf("%s, column %d: log density %v", name, c+1, log)
			}
		}
	}
	// All items with a value at one place: the column alone.
	share := func(i, j int) float64 { return 0 }
	x, one := [][]float64{{1}, {2}, {3}, {6}, {nan}}, [][2]int{{4, 0}}
	if got, want := Kriging(t.Context(), x, share, one)[0], Alone(x, one)[0]; math.Abs(got.Mean-want.Mean) > 1e-9 {
		t.Errorf("one place: found %v, want %v", got, want)
	}
}

// The nearest items that have the cell are taken, with the errors of the same prediction of observed cells.
func TestNearest(t *testing.T) {
	x := [][]float64{{1}, {2}, {nan}, {4}, {10}}
	distribution := Nearest(x, func(i, j int) float64 { return math.Abs(float64(i - j)) }, [][2]int{{2, 0}}, 2)[0]
	// Items 1, 2, 4 and 5 are predicted by 3, 2.5, 6 and 3.
	if want := math.Sqrt((4 + 0.25 + 4 + 49) / 4); distribution.Mean != 3 || math.Abs(distribution.Scale-want) > 1e-12 || distribution.Degrees != 3 {
		t.Errorf("found %v, want 3, %v, 3", distribution, want)
	}
}
