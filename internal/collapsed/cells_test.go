package collapsed_test

// The distribution of unknown cells against conditional normal distributions of dense covariances.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"aibd/internal/collapsed"
	"aibd/internal/oracle/dense"
)

// withGaps returns a copy of x with about a share of its cells unknown, row 1 altogether
// and the last column too.
func withGaps(rng *rand.Rand, x [][]float64, share float64) [][]float64 {
	gaps := make([][]float64, len(x))
	for i, row := range x {
		gaps[i] = append([]float64(nil), row...)
		for j := range row {
			if rng.Float64() < share || i == 1 || j == len(row)-1 {
				gaps[i][j] = math.NaN()
			}
		}
	}
	return gaps
}

// gaussian returns the covariance of a column of X, given the rows of Z or of the matrix of weights.
func gaussian[E dense.Entry](z [][]E, s collapsed.Scales) *mat.SymDense {
	c := mat.NewSymDense(len(z), nil)
	for i := range z {
		for j := range i + 1 {
			v := 0.0
			for k, g := range z[i] {
				v += s.SigmaA * s.SigmaA * float64(g) * float64(z[j][k])
			}
			if i == j {
				v += s.SigmaX * s.SigmaX
			}
			c.SetSym(i, j, v)
		}
	}
	return c
}

// pick returns the given rows and columns of c.
func pick(c *mat.SymDense, rows, columns []int) *mat.Dense {
	out := mat.NewDense(max(1, len(rows)), max(1, len(columns)), nil)
	for a, i := range rows {
		for b, j := range columns {
			out.Set(a, b, c.At(i, j))
		}
	}
	return out
}

// conditional returns mean and covariance of the unknown cells of column j, and the log
// density of the observed ones, with a flat intercept that of their contrasts.
func conditional(x [][]float64, j int, c *mat.SymDense, intercept bool) (unknown []int, mean *mat.VecDense, cov *mat.Dense, logObserved float64) {
	var observed []int
	for i, row := range x {
		if math.IsNaN(row[j]) {
			unknown = append(unknown, i)
		} else {
			observed = append(observed, i)
		}
	}
	mean, cov = mat.NewVecDense(max(1, len(unknown)), nil), pick(c, unknown, unknown)
	if len(observed) == 0 {
		return unknown, mean, cov, 0
	}
	oo := pick(c, observed, observed)
	y := mat.NewVecDense(len(observed), nil)
	for a, i := range observed {
		y.SetVec(a, x[i][j])
	}
	var solved, one mat.VecDense // C_OO^{-1} times x_O, less any intercept, and times 1
	ones := mat.NewVecDense(len(observed), nil)
	for a := range observed {
		ones.SetVec(a, 1)
	}
	if err := one.SolveVec(oo, ones); err != nil {
		panic(err)
	}
	logDet, _ := mat.LogDet(oo)
	mu, precision, n := 0.0, 0.0, float64(len(observed))
	if intercept {
		precision = mat.Dot(ones, &one)
		mu = mat.Dot(y, &one) / precision
		y.AddScaledVec(y, -mu, ones)
		logObserved = (math.Log(2*math.Pi) - math.Log(precision) + math.Log(n)) / 2
	}
	if err := solved.SolveVec(oo, y); err != nil {
		panic(err)
	}
	logObserved -= (n*math.Log(2*math.Pi) + logDet + mat.Dot(y, &solved)) / 2
	if len(unknown) > 0 {
		mo := pick(c, unknown, observed)
		mean.MulVec(mo, &solved)
		var inverse, explained mat.Dense
		if err := inverse.Solve(oo, mo.T()); err != nil {
			panic(err)
		}
		explained.Mul(mo, &inverse)
		cov.Sub(cov, &explained)
		if intercept {
			var complement mat.VecDense
			complement.MulVec(mo, &one)
			for a := range unknown {
				complement.SetVec(a, 1-complement.AtVec(a))
				mean.SetVec(a, mean.AtVec(a)+mu)
			}
			var outer mat.Dense
			outer.Outer(1/precision, &complement, &complement)
			cov.Add(cov, &outer)
		}
	}
	return unknown, mean, cov, logObserved
}

func TestCellsAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, test := range []struct {
		n, d, k int
		ratio   float64 // SigmaX over SigmaA
		tol     float64
	}{
		{7, 4, 3, 0.5, 1e-10}, {6, 20, 4, 2, 1e-10}, {5, 3, 9, 0.7, 1e-10}, {40, 8, 5, 0.3, 1e-10},
		{8, 3, 0, 1, 1e-10}, {40, 4, 3, 0.05, 1e-9}, {7, 4, 3, 4e-3, 1e-8}, {6, 5, 9, 4e-3, 1e-8}, {3, 2, 2, 1, 1e-10},
	} {
		for trial := range 16 {
			intercept := trial%8 >= 4
			z := collapsed.RandomZ(rng, test.n, test.k, 0.4)
			var weights []float64
			if trial >= 8 {
				weights = randomWeights(rng, z)
			}
			x := withGaps(rng, collapsed.RandomX(rng, test.n, test.d), 0.3)
			scales := collapsed.Scales{SigmaX: 3 * test.ratio, SigmaA: 3}
			y, v := z, weights
			data, err := collapsed.NewData(x)
			if err == nil && intercept {
				if _, err := data.WithIntercept(); err == nil {
					t.Fatal("an intercept of a column with too few observed cells is accepted")
				}
				for j := range test.d { // at least two observed cells
					x[0][j], x[2][j] = 20+rng.NormFloat64(), 20+rng.NormFloat64()
				}
				y, v = collapsed.WithOnesWeighted(z, weights)
				data = intercepted(t, x)
			}
			if err != nil {
				t.Fatal(err)
			}
			cov := gaussian(matrix(z, weights), scales)
			want, unknown := 0.0, 0
			means, sds := map[[2]int]float64{}, map[[2]int]float64{}
			for j := range test.d {
				items, mean, c, log := conditional(x, j, cov, intercept)
				want += log
				unknown += len(items)
				for a, i := range items {
					means[[2]int{i, j}], sds[[2]int{i, j}] = mean.AtVec(a), math.Sqrt(c.At(a, a))
				}
			}
			if got := data.Unknown(); got != unknown {
				t.Fatalf("%d unknown cells, want %d", got, unknown)
			}
			if got := collapsed.LogLikWeighted(data, y, v, scales); !(math.Abs(got-want) <= test.tol*(1+math.Abs(want))) {
				t.Errorf("%+v: log likelihood of the observed cells %.12g, want %.12g", test, got, want)
			}
			var c collapsed.Cells
			if !c.ResetWeighted(data, y, v, scales) {
				t.Fatalf("%+v: no distribution", test)
			}
			visited := 0
			c.Moments(func(i, j int, mean, sd float64) {
				visited++
				cell := [2]int{i, j}
				if w := means[cell]; !(math.Abs(mean-w) <= test.tol*(1+math.Abs(w))*10) {
					t.Errorf("%+v: mean of cell %v %.12g, want %.12g", test, cell, mean, w)
				}
				if w := sds[cell]; !(math.Abs(sd-w) <= test.tol*w*10) {
					t.Errorf("%+v: sd of cell %v %.12g, want %.12g", test, cell, sd, w)
				}
			})
			if visited != unknown {
				t.Errorf("%+v: %d cells visited, want %d", test, visited, unknown)
			}
			// Each observed cell given the others of its column.
			l := collapsed.NewLoadings(data, x, 0)
			if err := l.Reset(z, weights, scales, nil); err != nil {
				t.Fatal(err)
			}
			for i, row := range x {
				for j, v := range row {
					complement := l.OneMinusLeverage(i, j)
					if math.IsNaN(v) {
						if !math.IsNaN(complement) {
							t.Errorf("%+v: 1 - leverage of an unknown cell %v", test, complement)
						}
						continue
					}
					row[j] = math.NaN()
					items, mean, c, _ := conditional(x, j, cov, intercept)
					row[j] = v
					a := slices.Index(items, i)
					if got, w := scales.SigmaX*scales.SigmaX/complement, c.At(a, a); !(math.Abs(got-w) <= 10*test.tol*w) {
						t.Errorf("%+v: variance of cell %d, %d left out %.12g, want %.12g", test, i, j, got, w)
					}
					if got, w := v-l.Residual(i)[j]/complement, mean.AtVec(a); !(math.Abs(got-w) <= 10*test.tol*(1+math.Abs(w))) {
						t.Errorf("%+v: mean of cell %d, %d left out %.12g, want %.12g", test, i, j, got, w)
					}
				}
			}
			// The likelihood at drawn values is the one of complete data.
			current := data.Detach()
			c.Draw(rng, current)
			all, err := collapsed.NewData(current.Completed())
			if err == nil && intercept {
				all, err = all.WithIntercept()
			}
			if err != nil {
				t.Fatal(err)
			}
			joint := collapsed.LogLikWeighted(all, y, v, scales)
			if weights == nil {
				if got := collapsed.NewCache(current, y, scales).LogLik(); !(math.Abs(got-joint) <= test.tol*math.Abs(joint)) {
					t.Errorf("%+v: log likelihood with drawn cells %.12g, want %.12g", test, got, joint)
				}
			}
		}
	}
}

// Draws have the covariance of the distribution, by the squares of all linear combinations of two
// cells of a column.
func TestCellsDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	const draws = 20_000
	for trial := range 6 {
		// By cells and, with one feature, by loadings.
		ratio, intercept, k := []float64{0.6, 4e-3, 0.6}[trial%3], trial >= 3, []int{3, 3, 1}[trial%3]
		z, x := collapsed.RandomZ(rng, 6, k, 0.4), collapsed.RandomX(rng, 6, 3)
		for _, cell := range [][2]int{{0, 0}, {1, 0}, {4, 0}, {0, 1}, {1, 1}, {4, 1}, {2, 2}} {
			x[cell[0]][cell[1]] = math.NaN()
		}
		scales := collapsed.Scales{SigmaX: ratio, SigmaA: 1}
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		y := z
		if intercept {
			y, data = collapsed.WithOnes(z), intercepted(t, x)
		}
		var c collapsed.Cells
		c.Reset(data, y, scales)
		current := data.Detach()
		sums, products := make([]float64, 7), mat.NewDense(7, 7, nil)
		for range draws {
			c.Draw(rng, current)
			v := current.Values(nil) // by row: (1,1) (1,2) (2,1) (2,2) (3,3) (5,1) (5,2)
			for a := range v {
				sums[a] += v[a] / draws
				for b := range v {
					products.Set(a, b, products.At(a, b)+v[a]*v[b]/draws)
				}
			}
		}
		cov := gaussian(z.Rows(), scales)
		for j, places := range [][]int{{0, 2, 5}, {1, 3, 6}, {4}} {
			_, mean, want, _ := conditional(x, j, cov, intercept)
			for a, pa := range places {
				sd := math.Sqrt(want.At(a, a))
				if z := math.Abs(sums[pa]-mean.AtVec(a)) / sd * math.Sqrt(draws); z > 5 {
					t.Errorf("ratio %g, column %d, cell %d: mean off by %.1f standard errors", ratio, j+1, a+1, z)
				}
				for b, pb := range places {
					got := products.At(pa, pb) - sums[pa]*sums[pb]
					se := math.Sqrt((want.At(a, a)*want.At(b, b) + want.At(a, b)*want.At(a, b)) / draws)
					if z := math.Abs(got-want.At(a, b)) / se; z > 5 {
						t.Errorf("ratio %g, column %d, cells %d and %d: covariance off by %.1f standard errors", ratio, j+1, a+1, b+1, z)
					}
				}
			}
			// Different columns are independent.
			for p := range sums {
				for _, pa := range places {
					if j == 0 && (p == 1 || p == 3 || p == 6) {
						other := products.At(p, p) - sums[p]*sums[p]
						square := products.At(pa, pa) - sums[pa]*sums[pa]
						if r := (products.At(p, pa) - sums[p]*sums[pa]) / math.Sqrt(other*square); math.Abs(r) > 5/math.Sqrt(draws) {
							t.Errorf("ratio %g: correlation %.3f of cells of two columns", ratio, r)
						}
					}
				}
			}
		}
	}
}
