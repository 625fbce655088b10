package collapsed_test

// Weighted features: the matrix of weights takes the place of Z in the likelihood, the loadings and
// the unknown cells.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/dense"
	"aibd/internal/oracle/fixture"
)

// randomWeights returns normal weights of the ones of Z with few digits, so that differences of them
// are exact.
func randomWeights(rng *rand.Rand, z *feature.Allocation) []float64 {
	weights := make([]float64, z.Ones())
	for c := range weights {
		weights[c] = math.Round(64*rng.NormFloat64()) / 64
	}
	return weights
}

// matrix returns the matrix of weights, of ones if weights is nil.
func matrix(z *feature.Allocation, weights []float64) [][]float64 {
	g := make([][]float64, z.N())
	for i := range g {
		g[i] = make([]float64, z.K())
	}
	for k := range z.K() {
		for _, i := range z.Members(nil, k) {
			g[i][k] = 1
			if weights != nil {
				g[i][k], weights = weights[0], weights[1:]
			}
		}
	}
	return g
}

// Sizes and scales.
var weightedCases = []struct{ n, d, k int }{
	{12, 4, 6}, {5, 20, 3}, {6, 4, 15}, {6, 20, 15}, {30, 3, 7}, {7, 5, 0}, {5, 2, 4}, {2, 1, 1}, {3, 6, 3},
}

var weightedScales = []collapsed.Scales{
	{SigmaX: 1e20, SigmaA: 1}, {SigmaX: 30, SigmaA: 0.2}, {SigmaX: 0.5, SigmaA: 1}, {SigmaX: 0.05, SigmaA: 1},
	{SigmaX: 0.02, SigmaA: 1}, {SigmaX: 4e-3, SigmaA: 1},
}

// weightedProblem returns Z and weights. Every third problem has two equal columns, one with twice the
// weights of the other: the matrix has less than full rank. Every third has a column of all items with
// the weight 1.5, the contrasts of which are 0.
func weightedProblem(rng *rand.Rand, n, k, trial int) (*feature.Allocation, []float64) {
	z := collapsed.RandomZ(rng, n, k, 0.4)
	weights := randomWeights(rng, z)
	switch {
	case k == 0:
	case trial%3 == 1:
		for c := range z.Size(0) {
			weights = append(weights, 2*weights[c])
		}
		z.AppendColumn(z.Column(0))
	case trial%3 == 2:
		z.AppendColumn(collapsed.WithOnes(z).Column(0))
		for range n {
			weights = append(weights, 1.5)
		}
	}
	return z, weights
}

// TestWeightedLogLik compares the log likelihood with the one in as many digits as it takes, from
// large noise to hardly any.
func TestWeightedLogLik(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	for _, c := range weightedCases {
		for trial := range 3 {
			for _, s := range weightedScales {
				x := collapsed.RandomX(rng, c.n, c.d)
				z, weights := weightedProblem(rng, c.n, c.k, trial)
				data, err := collapsed.NewData(x)
				if err != nil {
					t.Fatal(err)
				}
				tol := 1e-12
				if s.SigmaX < 0.1*s.SigmaA {
					tol = 1e-9
				}
				near := func(what string, got, want float64) {
					t.Helper()
					if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
						t.Errorf("%+v, %+v, trial %d: %s %.17g, want %.17g (off by %.1e)", c, s, trial, what, got, want, math.Abs(got-want)/max(1, math.Abs(want)))
					}
				}
				near("log likelihood", collapsed.LogLikWeighted(data, z, weights, s), dense.LogLikExact(x, matrix(z, weights), s.SigmaX, s.SigmaA))
				y, v := collapsed.WithOnesWeighted(z, weights)
				near("with an intercept", collapsed.LogLikWeighted(intercepted(t, x), y, v, s), dense.LogLikIntercept(x, matrix(z, weights), s.SigmaX, s.SigmaA))
			}
		}
	}
}

// TestWeightedLoadings compares means, covariances, residuals and leverages with those in as many
// digits as it takes.
func TestWeightedLoadings(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 2))
	for _, c := range weightedCases {
		x := collapsed.RandomX(rng, c.n, c.d)
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		l := collapsed.NewLoadings(data, x, 0)
		for trial := range 3 {
			for _, s := range weightedScales {
				z, weights := weightedProblem(rng, c.n, c.k, trial)
				if err := l.Reset(z, weights, s, nil); err != nil {
					t.Fatal(err)
				}
				tol := 1e-10
				if s.SigmaX < 0.1*s.SigmaA {
					tol = 1e-8
				}
				mustHave(t, fmt.Sprintf("%+v, %+v, trial %d", c, s, trial), l, x, matrix(z, weights), s, tol)
			}
		}
	}
}

// TestWeightedOnes: with ones for weights all is as without, to rounding, and other weights are
// noticed.
func TestWeightedOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 3))
	for trial := range 40 {
		ratio, intercept := []float64{0.7, 4e-3}[trial%2], trial%4 >= 2
		z, x := collapsed.RandomZ(rng, 9, 4, 0.4), withGaps(rng, collapsed.RandomX(rng, 9, 3), 0.2)
		for j := range x[0] {
			x[0][j], x[2][j] = rng.NormFloat64(), rng.NormFloat64()
		}
		s := collapsed.Scales{SigmaX: ratio, SigmaA: 1}
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		if intercept {
			data = intercepted(t, x)
		}
		// everything returns all that is computed.
		everything := func(weights []float64) (all []float64) {
			l := collapsed.NewLoadings(data, x, 0)
			if err := l.Reset(z, weights, s, nil); err != nil {
				t.Fatal(err)
			}
			for k := range z.K() {
				all = append(append(all, l.Mean(k)...), l.Variance(k, 0), l.Covariance(k, 0))
			}
			y, v := z, weights
			if intercept {
				y, v = collapsed.WithOnesWeighted(z, weights)
				all = append(append(all, l.Intercept()...), l.InterceptVariance(1))
			}
			var c collapsed.Cells
			c.ResetWeighted(data, y, v, s)
			c.Moments(func(_, _ int, mean, sd float64) { all = append(all, mean, sd) })
			return append(all, collapsed.LogLikWeighted(data, y, v, s))
		}
		ones := make([]float64, z.Ones())
		for c := range ones {
			ones[c] = 1
		}
		want, tol := everything(nil), 1e-12
		if ratio < 0.1 {
			tol = 1e-9
		}
		for c, got := range everything(ones) {
			if !(math.Abs(got-want[c]) <= tol*max(1, math.Abs(want[c]))) {
				t.Errorf("trial %d, number %d: %.17g, want %.17g", trial, c, got, want[c])
			}
		}
		for c := range ones {
			ones[c] = 0.99
		}
		if got := everything(ones); math.Abs(got[len(got)-1]-want[len(want)-1]) < 1e-6 {
			t.Errorf("trial %d: weights of 0.99 go unnoticed", trial)
		}
	}
}

// TestWeightsMisused: another number of weights than ones is a panic.
func TestWeightsMisused(t *testing.T) {
	x := [][]float64{{1, 2}, {3, math.NaN()}}
	data, err := collapsed.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	z := feature.New(2)
	z.AppendColumn([]uint64{3})
	s, want := collapsed.Scales{SigmaX: 1, SigmaA: 1}, "collapsed: another number of weights than ones of Z"
	weights := []float64{1}
	fixture.WantPanic(t, want, func() { collapsed.LogLikWeighted(data, z, weights, s) })
	fixture.WantPanic(t, want, func() { _ = collapsed.NewLoadings(data, x, 0).Reset(z, weights, s, nil) })
	fixture.WantPanic(t, want, func() { new(collapsed.Cells).ResetWeighted(data, z, weights, s) })
}
