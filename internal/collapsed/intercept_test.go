package collapsed_test

// The likelihood with an intercept against the density of differences of rows.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/dense"
)

// intercepted returns data with an intercept.
func intercepted(t testing.TB, x [][]float64) *collapsed.Data {
	t.Helper()
	data, err := collapsed.NewData(x)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shifted adds a number to each column of X.
func shifted(rng *rand.Rand, x [][]float64, sd float64) [][]float64 {
	for f := range x[0] {
		mean := sd * rng.NormFloat64()
		for i := range x {
			x[i][f] += mean
		}
	}
	return x
}

// Sizes and scales.
var interceptCases = []struct {
	n, d, k int
	sigmaX  float64
}{
	{12, 4, 6, 0.7}, {5, 40, 3, 0.7}, {8, 8, 8, 0.7}, {6, 4, 15, 0.7}, {6, 30, 15, 0.7}, {70, 3, 9, 0.7},
	{7, 5, 0, 0.7}, {2, 3, 0, 0.7}, {2, 3, 2, 0.7}, {2, 1, 4, 0.7}, {3, 2, 2, 0.7},
	{7, 1, 6, 0.7}, {7, 1, 7, 0.7}, {7, 1, 8, 0.7}, // as many contrasts as features, and one more or fewer
	{12, 4, 6, 0.02}, {12, 4, 6, 6e-3}, {6, 4, 15, 6e-3}, {2, 3, 3, 6e-3}, {8, 20, 9, 6e-3},
}

// interceptProblem returns X and Z, which has a column of all items and equal columns now and
// then.
func interceptProblem(rng *rand.Rand, n, d, k int) ([][]float64, *feature.Allocation) {
	x, z := shifted(rng, collapsed.RandomX(rng, n, d), 5), collapsed.RandomZ(rng, n, k, 0.4)
	if k > 1 && rng.IntN(2) == 0 {
		z.AppendColumn(collapsed.WithOnes(z).Column(0))
		z.AppendColumn(z.Column(0))
	}
	return x, z
}

// TestIntercept: fresh, by rows and at all scales the likelihood is the density of the contrasts. It
// is far from those of faulty twins: a ridge for the column of ones, N rows instead of
// N - 1, and no intercept.
func TestIntercept(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for _, c := range interceptCases {
		for range 1 + 20/(c.n*c.n) {
			x, z := interceptProblem(rng, c.n, c.d, c.k)
			data, y := intercepted(t, x), collapsed.WithOnes(z)
			scales := collapsed.Scales{SigmaX: c.sigmaX, SigmaA: 0.5 + rng.Float64()}
			what := fmt.Sprintf("%+v, %+v", c, scales)
			want := dense.LogLikIntercept(x, z.Rows(), scales.SigmaX, scales.SigmaA)
			var s collapsed.Spectrum
			s.Reset(data, y)
			mustAgree(t, what, map[string]float64{
				"LogLik":   collapsed.LogLik(data, y, scales),
				"Spectrum": s.LogLik(scales),
				"Cache":    rowByRow(t, data, z, scales).LogLik(),
				"Power":    collapsed.LogLik(data.Power(0.25), y, scales) / 0.25,
			}, want, 1e-9)
			other := collapsed.Scales{SigmaX: 0.9, SigmaA: 1.1}
			mustAgree(t, what+", other scales", map[string]float64{"Spectrum": s.LogLik(other)},
				dense.LogLikIntercept(x, z.Rows(), other.SigmaX, other.SigmaA), 1e-9)
			for name, twin := range map[string]float64{
				"a ridge for the column of ones": dense.LogLikExact(x, y.Rows(), scales.SigmaX, scales.SigmaA),
				"N rows":                         want - float64(c.d)*(math.Log(2*math.Pi)/2+math.Log(scales.SigmaX)),
				"no intercept":                   dense.LogLikExact(x, z.Rows(), scales.SigmaX, scales.SigmaA),
			} {
				if c.sigmaX > 0.01 && math.Abs(twin-want) < 1e-6*math.Abs(want) {
					t.Errorf("%s: %s goes unnoticed", what, name)
				}
			}
		}
	}
	for want, x := range map[string][][]float64{
		"found 0 items, expected at least 2 for an intercept": nil,
		"found 1 item, expected at least 2 for an intercept":  {{1}},
	} {
		if data, err := collapsed.NewData(x); err != nil {
			t.Fatal(err)
		} else if _, err := data.WithIntercept(); err == nil || err.Error() != want {
			t.Errorf("intercept: error %v, expected %s", err, want)
		}
	}
}

// TestInterceptMoves: with an intercept every change of the likelihood equals the one of the
// contrasts, to the promise of the package.
func TestInterceptMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 4))
	for _, c := range interceptCases {
		if c.k == 0 || c.n > 20 {
			continue
		}
		for range 1 + 20/(c.n*c.n) {
			x, z := interceptProblem(rng, c.n, c.d, c.k)
			data, y := intercepted(t, x), collapsed.WithOnes(z)
			scales := collapsed.Scales{SigmaX: c.sigmaX, SigmaA: 1}
			logLik := func(y *feature.Allocation) float64 {
				z := y.From(1)
				return dense.LogLikIntercept(x, z.Rows(), scales.SigmaX, scales.SigmaA)
			}
			near := func(what string, got, before, after float64) {
				t.Helper()
				size := math.Max(1, math.Max(math.Abs(before), math.Abs(after)))
				if want := after - before; !(math.Abs(got-want) <= 1e-7*size) {
					t.Fatalf("%+v: %s: %.17g, want %.17g; Z is\n%v", c, what, got, want, y)
				}
			}
			cache := collapsed.NewCache(data, y, scales)
			before := logLik(y)
			for k := 1; k < y.K(); k++ {
				next := y.Clone()
				next.Remove(k)
				near("removed", cache.LogRemove(k), before, logLik(next))
				next = y.Clone()
				next.AppendColumn(y.Column(k))
				near("added", cache.LogAppend(y, y.Column(k)), before, logLik(next))
				if y.Size(k) == c.n {
					continue
				}
				// The complement, and then on with the cache that has it.
				column := make([]uint64, y.Words())
				for i := range c.n {
					if !y.Has(i, k) {
						column[i>>6] |= 1 << (uint(i) & 63)
					}
				}
				y.AppendColumn(column)
				y.Remove(k)
				cache.Complement(y, k)
				near("complement", cache.LogLik(), 0, before)
			}
			for i := range c.n {
				cache.Open(y, i)
				now, start := y.Clone(), cache.LogLik()
				sum := 0.0
				for k := 1; k < y.K(); k++ {
					if !cache.Shared(k) || rng.IntN(2) == 0 {
						continue
					}
					change, was := cache.LogFlip(k), logLik(now)
					now.Flip(i, k)
					near("flip", change, was, logLik(now))
					cache.Flip(k)
					sum += change
				}
				cache.SetSingletons(rng.IntN(3))
				cache.Close()
				near(fmt.Sprintf("row of %g", start), cache.LogLik(), 0, logLik(y))
			}
		}
	}
}

// TestInterceptLoadings compares the intercept, loadings, residuals and leverages with the dense
// formula.
func TestInterceptLoadings(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 4))
	for _, c := range interceptCases {
		x, z := interceptProblem(rng, c.n, c.d, c.k)
		data, s := intercepted(t, x), collapsed.Scales{SigmaX: c.sigmaX, SigmaA: 1}
		l := collapsed.NewLoadings(data, x, 0)
		if err := l.Reset(z, nil, s, nil); err != nil {
			t.Fatal(err)
		}
		mean, covariance := dense.LoadingsIntercept(x, z.Rows(), s.SigmaX, s.SigmaA)
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-7*math.Max(1, math.Abs(want))) {
				t.Errorf("%+v: %s: %.17g, want %.17g", c, what, got, want)
			}
		}
		for i, want := range dense.OneMinusLeveragesIntercept(z.Rows(), s.SigmaX, s.SigmaA) {
			near("1 - leverage", l.OneMinusLeverage(i, 0)/want, 1)
		}
		mu := l.Intercept()
		for f := range c.d {
			near("variance", l.InterceptVariance(f)/covariance[0][0], 1)
			near("intercept", mu[f], mean[0][f])
			for i, row := range x {
				want := row[f] - mean[0][f]
				for a := range z.K() {
					if z.Has(i, a) {
						want -= mean[1+a][f]
					}
				}
				near("residual", l.Residual(i)[f], want)
			}
		}
		for a := range z.K() {
			for f := range c.d {
				near("mean", l.Mean(a)[f], mean[1+a][f])
			}
			for b := range z.K() {
				near("covariance", l.Covariance(a, b), covariance[1+a][1+b])
			}
		}
	}
}
