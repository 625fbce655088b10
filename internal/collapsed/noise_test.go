package collapsed_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"aibd/internal/collapsed"
)

// withNoise returns the data with noise scales drawn at random.
func withNoise(t *testing.T, rng *rand.Rand, data *collapsed.Data) (*collapsed.Data, []float64) {
	t.Helper()
	data, err := data.WithNoiseScales(nil)
	if err != nil {
		t.Fatal(err)
	}
	noise := data.NoiseScales(nil)
	for j := range noise {
		noise[j] = math.Exp(rng.NormFloat64())
	}
	if err := data.SetNoiseScales(noise); err != nil {
		t.Fatal(err)
	}
	return data, noise
}

// TestNoiseScales: the likelihood of the observed cells, the distribution of the unknown ones and the
// quadratic forms belong to normal columns whose covariance has the squared scale as a factor,
// and the cache follows new scales.
func TestNoiseScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for trial := range 60 {
		n, d, ratio := 7, []int{3, 11}[trial%2], []float64{0.6, 2e-2}[trial/2%2]
		intercept, gaps := trial%3 == 0, []float64{0, 0.2}[trial/4%2]
		z, x := collapsed.RandomZ(rng, n, 4, 0.4), withGaps(rng, collapsed.RandomX(rng, n, d), gaps)
		for j := range d {
			x[0][j], x[1][j] = rng.NormFloat64(), rng.NormFloat64()
		}
		scales, y := collapsed.Scales{SigmaX: ratio, SigmaA: 1}, z
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		if intercept {
			data, y = intercepted(t, x), collapsed.WithOnes(z)
		}
		data, noise := withNoise(t, rng, data)
		want := 0.0
		mean, sd := map[[2]int]float64{}, map[[2]int]float64{}
		for j := range d {
			c := gaussian(z.Rows(), scales)
			c.ScaleSym(noise[j]*noise[j], c)
			unknown, m, cov, log := conditional(x, j, c, intercept)
			want += log
			for a, i := range unknown {
				mean[[2]int{i, j}], sd[[2]int{i, j}] = m.AtVec(a), math.Sqrt(cov.At(a, a))
			}
		}
		if got := collapsed.LogLik(data, y, scales); !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("trial %d: log likelihood %v, want %v", trial, got, want)
		}
		var spectrum collapsed.Spectrum
		spectrum.Reset(data, y)
		if got, want := spectrum.LogLik(scales), collapsed.NewCache(data, y, scales).LogLik(); !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("trial %d: the spectrum has %v, the cache %v", trial, got, want)
		}
		if data.Unknown() > 0 {
			var c collapsed.Cells
			c.Reset(data, y, scales)
			c.Moments(func(i, j int, m, s float64) {
				cell := [2]int{i, j}
				if !(math.Abs(m-mean[cell]) <= 1e-7*(1+math.Abs(mean[cell]))) || !(math.Abs(s/sd[cell]-1) <= 1e-7) {
					t.Errorf("trial %d: cell %v: mean and sd %v, %v, want %v, %v", trial, cell, m, s, mean[cell], sd[cell])
				}
			})
			c.Draw(rng, data)
			x = data.Completed()
		}
		var sampler collapsed.Noise
		precision := precisionOf(t, gaussian(z.Rows(), scales), intercept)
		for j, got := range sampler.Quadratics(data, y, scales) {
			column := mat.NewVecDense(n, nil)
			for i := range n {
				column.SetVec(i, x[i][j])
			}
			if want := mat.Inner(column, precision, column); !(math.Abs(got-want) <= 1e-7*(1+want)) {
				t.Errorf("trial %d: quadratic form %v of column %d, want %v", trial, got, j, want)
			}
		}
	}
}

// precisionOf returns the inverse of a covariance, with an intercept the limit under a flat prior.
func precisionOf(t *testing.T, covariance *mat.SymDense, intercept bool) *mat.SymDense {
	t.Helper()
	var chol mat.Cholesky
	if !chol.Factorize(covariance) {
		t.Fatal("a covariance is singular")
	}
	precision := new(mat.SymDense)
	if err := chol.InverseTo(precision); err != nil {
		t.Fatal(err)
	}
	if intercept {
		n := covariance.SymmetricDim()
		ones, sums := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			ones.SetVec(i, 1)
		}
		sums.MulVec(precision, ones)
		precision.SymRankOne(precision, -1/mat.Sum(sums), sums)
	}
	return precision
}

// TestNoiseScaleErrors: a wrong number of scales, a scale of a column without two distinct
// observed values, and bounds that are negative or too few are errors.
func TestNoiseScaleErrors(t *testing.T) {
	nan := math.NaN()
	plain, err := collapsed.NewBounded([][]float64{{1, nan}, {2, nan}, {nan, nan}}, []collapsed.Bound{
		{Item: 0, Variable: 1, Lower: 0, Upper: math.Inf(1)}, {Item: 1, Variable: 1, Lower: math.Inf(-1), Upper: 0},
		{Item: 2, Variable: 1, Lower: 0, Upper: math.Inf(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := plain.WithNoiseScales(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data   *collapsed.Data
		values []float64
		want   string
	}{
		{plain, []float64{1, 1}, "found 2 noise scales, expected 0"},
		{data, []float64{1}, "found 1 noise scales, expected 2"},
		{data, []float64{0, 1}, "noise scale of column 1: found 0, expected a positive finite number"},
		{data, []float64{math.Inf(1), 1}, "noise scale of column 1: found +Inf, expected a positive finite number"},
		{data, []float64{1, 2}, "noise scale of column 2, which has fewer than two distinct observed values: found 2, expected 1"},
	} {
		if err := test.data.SetNoiseScales(test.values); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, expected %q", test.values, err, test.want)
		}
	}
	if err := data.SetNoiseScales([]float64{3, 1}); err != nil {
		t.Error(err)
	}
	for want, lower := range map[string][]float64{
		"found 1 lower bounds on noise, expected 2":                                              {1},
		"lower bound on the noise of column 2: found -1, expected a nonnegative finite number":   {0, -1},
		"lower bound on the noise of column 1: found NaN, expected a nonnegative finite number":  {nan, 0},
		"lower bound on the noise of column 1: found +Inf, expected a nonnegative finite number": {math.Inf(1), 0},
	} {
		if _, err := plain.WithNoiseScales(lower); err == nil || err.Error() != want {
			t.Errorf("%v: %v, expected %q", lower, err, want)
		}
	}
	constant, err := collapsed.NewData([][]float64{{1, 2, 1}, {1, nan, 2}, {1, nan, nan}})
	if err != nil {
		t.Fatal(err)
	}
	if constant, err = constant.WithNoiseScales([]float64{1, 1, 1}); err != nil || !slices.Equal(constant.FreeNoiseScales(), []bool{false, false, true}) || !slices.Equal(constant.NoiseBounds(), []float64{0, 0, 1}) {
		t.Errorf("columns of 1, 1 and 2 distinct values: unknown scales %v, bounds %v, %v", constant.FreeNoiseScales(), constant.NoiseBounds(), err)
	}
}
