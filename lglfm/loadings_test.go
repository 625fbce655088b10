package lglfm

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/oracle/dense"
)

// problem returns X of 6 items and 3 variables, and Z of 3 features.
func problem(t *testing.T) (x [][]float64, z *feature.Allocation, s Scales) {
	t.Helper()
	rng := rand.New(rand.NewPCG(14, 3))
	for range 6 {
		x = append(x, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
	}
	z, err := feature.FromRows([][]int{{1, 0, 1}, {1, 1, 1}, {0, 1, 0}, {0, 0, 0}, {1, 0, 1}, {0, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return x, z, ScalesOf(&draws.Draw{SigmaX: 0.7, SigmaA: 1.3})
}

func must[D any](d D, err error) D {
	if err != nil {
		panic(err)
	}
	return d
}

func mustData(t *testing.T, x [][]float64) *Data {
	t.Helper()
	data, err := NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestLoadings compares the distribution of the loadings, fitted values, residuals and leverages with
// dense formulas, without and with an intercept, all variables and one of them.
func TestLoadings(t *testing.T) {
	x, z, s := problem(t)
	for _, variables := range [][]int{{0, 1, 2}, {2}} {
		columns := make([][]float64, len(x))
		for i, row := range x {
			for _, v := range variables {
				columns[i] = append(columns[i], row[v])
			}
		}
		for _, intercept := range []bool{false, true} {
			data, first := mustData(t, x), 0
			mean, covariance := dense.Loadings(columns, z.Rows(), s.SigmaX, s.SigmaA)
			complements := dense.OneMinusLeverages(z.Rows(), s.SigmaX, s.SigmaA)
			if intercept {
				data, first = must(data.WithIntercept()), 1 // row 0 is the intercept
				mean, covariance = dense.LoadingsIntercept(columns, z.Rows(), s.SigmaX, s.SigmaA)
				complements = dense.OneMinusLeveragesIntercept(z.Rows(), s.SigmaX, s.SigmaA)
			}
			l := NewLoadingsFrom(data, columns, 0)
			if err := l.Reset(z, s); err != nil {
				t.Fatal(err)
			}
			for k := range z.K() {
				for v, m := range l.Mean(k) {
					near(t, "mean", m, mean[first+k][v])
					near(t, "variance", l.Variance(k, v), covariance[first+k][first+k])
				}
				for other := range z.K() {
					near(t, "covariance", l.Covariance(k, other), covariance[first+k][first+other])
				}
			}
			if intercept {
				for v, m := range l.Intercept() {
					near(t, "intercept", m, mean[0][v])
					near(t, "variance of the intercept", l.InterceptVariance(v), covariance[0][0])
				}
			}
			fitted := make([]float64, len(variables))
			for i, row := range columns {
				l.Fitted(i, fitted)
				for v, residual := range l.Residual(i) {
					want := 0.0
					if intercept {
						want = mean[0][v]
					}
					for k := range z.K() {
						if z.Has(i, k) {
							want += mean[first+k][v]
						}
					}
					near(t, "fitted value", fitted[v], want)
					near(t, "residual", residual, row[v]-want)
					near(t, "1 - leverage", l.OneMinusLeverage(i, v), complements[i])
				}
			}
		}
	}
}

// TestLoadingsOfGaps: the loadings given data with unknown cells are the mixture of those
// given complete data: in mean, and in variance by the law of total variance over one cell.
func TestLoadingsOfGaps(t *testing.T) {
	for _, test := range []struct{ same, intercept bool }{{false, false}, {true, false}, {true, true}} {
		x, z, s := problem(t)
		x[4][0], x[2][2] = math.NaN(), math.NaN()
		if test.same {
			x[2][2], x[4][2] = 0.4, math.NaN()
		}
		testLoadingsOfGaps(t, x, z, s, test.intercept)
	}
}

func testLoadingsOfGaps(t *testing.T, x [][]float64, z *feature.Allocation, s Scales, intercept bool) {
	newLoadings := func() (*Data, *Loadings) {
		data := mustData(t, x)
		if intercept {
			var err error
			if data, err = data.WithIntercept(); err != nil {
				t.Fatal(err)
			}
		}
		l := NewLoadings(data)
		if err := l.Reset(z, s); err != nil {
			t.Fatal(err)
		}
		return data, l
	}
	data, l := newLoadings()
	cells := NewCells(data)
	if err := cells.Reset(z, s); err != nil {
		t.Fatal(err)
	}
	near := func(what string, j, k int, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-10 {
			t.Errorf("intercept %v, variable %d, feature %d: %s %v, want %v", intercept, j+1, k+1, what, got, want)
		}
	}
	cells.Each(func(i, j int, mean, sd float64) {
		given := func(v float64) *Loadings {
			x[i][j] = v
			_, other := newLoadings()
			x[i][j] = math.NaN()
			return other
		}
		below, above := given(mean), given(mean+sd)
		for k := range 3 {
			slope := above.Mean(k)[j] - below.Mean(k)[j]
			near("mean", j, k, l.Mean(k)[j], below.Mean(k)[j])
			near("variance", j, k, l.Variance(k, j), below.Covariance(k, k)+slope*slope)
			if got, want := l.Variance(k, 1), l.Covariance(k, k); got != want {
				t.Errorf("complete variable, feature %d: variance %v, want %v", k+1, got, want)
			}
		}
		if intercept {
			slope := above.Intercept()[j] - below.Intercept()[j]
			near("mean of the intercept", j, -1, l.Intercept()[j], below.Intercept()[j])
			near("variance of the intercept", j, -1, l.InterceptVariance(j), below.InterceptVariance(j)+slope*slope)
		}
	})
}
