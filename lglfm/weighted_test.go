package lglfm

import (
	"math"
	"testing"

	"aibd/draws"
	"aibd/internal/oracle/dense"
	"aibd/internal/oracle/fixture"
)

// weighted returns problem with weights, and the rows of their matrix.
func weighted(t *testing.T) (x [][]float64, d *draws.Draw, rows [][]float64) {
	x, z, s := problem(t)
	d = &draws.Draw{Z: z, SigmaX: s.SigmaX, SigmaA: s.SigmaA}
	for c := range z.Ones() {
		d.Weights = append(d.Weights, float64(c)/8-0.5)
	}
	g := z.Weighted(nil, d.Weights)
	for i := range x {
		rows = append(rows, g[i*z.K():(i+1)*z.K()])
	}
	return x, d, rows
}

// TestWeighted compares likelihood, loadings and fitted values of weighted features with dense
// formulas, in which the matrix of weights takes the place of Z.
func TestWeighted(t *testing.T) {
	x, d, rows := weighted(t)
	s := ScalesOf(d)
	for _, intercept := range []bool{false, true} {
		data, first := mustData(t, x), 0
		want := dense.LogLikExact(x, rows, s.SigmaX, s.SigmaA)
		mean, covariance := dense.Loadings(x, rows, s.SigmaX, s.SigmaA)
		complements := dense.OneMinusLeverages(rows, s.SigmaX, s.SigmaA)
		if intercept {
			data, first = must(data.WithIntercept()), 1
			want = dense.LogLikIntercept(x, rows, s.SigmaX, s.SigmaA)
			mean, covariance = dense.LoadingsIntercept(x, rows, s.SigmaX, s.SigmaA)
			complements = dense.OneMinusLeveragesIntercept(rows, s.SigmaX, s.SigmaA)
		}
		near(t, "log likelihood", LogLikWeighted(data, d.Z, d.Weights, s), want)
		l := NewLoadings(data)
		if err := l.ResetDraw(d); err != nil {
			t.Fatal(err)
		}
		fitted := make([]float64, len(x[0]))
		for i, row := range rows {
			l.Fitted(i, fitted)
			near(t, "1 - leverage", l.OneMinusLeverage(i, 0), complements[i])
			for v := range fitted {
				want := 0.0
				if intercept {
					want = mean[0][v]
				}
				for k, g := range row {
					want += g * mean[first+k][v]
				}
				near(t, "fitted value", fitted[v], want)
			}
		}
		for k := range d.Z.K() {
			near(t, "mean", l.Mean(k)[2], mean[first+k][2])
			near(t, "variance", l.Variance(k, 2), covariance[first+k][first+k])
		}
		if intercept {
			near(t, "variance of the intercept", l.InterceptVariance(2), covariance[0][0])
		}
	}
}

// TestWeightedCells: the density of an unknown cell is the ratio of the likelihoods with and without
// it, in which with an intercept a contrast has the factor sqrt(n/(n-1)). Columns may have noise
// scales: then X over them is as X without, in the covariances of signals too.
func TestWeightedCells(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		x, d, _ := weighted(t)
		newData := func() *Data {
			if intercept {
				return must(mustData(t, x).WithIntercept())
			}
			return mustData(t, x)
		}
		x[4][1] = math.NaN()
		gap := newData()
		conditional := NewCells(gap)
		if err := conditional.ResetDraw(d); err != nil {
			t.Fatal(err)
		}
		var mean, sd float64
		conditional.Each(func(_, _ int, m, s float64) { mean, sd = m, s })
		for _, v := range []float64{mean, mean + sd, 0, -3} {
			x[4][1] = v
			e := (v - mean) / sd
			want := -e*e/2 - math.Log(sd) - math.Log(2*math.Pi)/2
			if intercept {
				want += math.Log(6./5) / 2
			}
			near(t, "log density of a cell", LogLikWeighted(newData(), d.Z, d.Weights, ScalesOf(d))-LogLikWeighted(gap, d.Z, d.Weights, ScalesOf(d)), want)
		}

		x[4][1] = math.NaN()
		pairs := [][2]int{{0, 1}, {2, 5}, {4, 4}}
		want, got := make([]float64, len(pairs)), make([]float64, len(pairs))
		l := NewLoadings(newData())
		if err := l.ResetDraw(d); err != nil {
			t.Fatal(err)
		}
		l.SignalCovariances(pairs, want)
		d.NoiseScales = []float64{1, 2, 0.5}
		for i := range x {
			for j, s := range d.NoiseScales {
				x[i][j] *= s
			}
		}
		scaled := NewCells(must(newData().WithNoiseScales(nil)))
		if err := scaled.ResetDraw(d); err != nil {
			t.Fatal(err)
		}
		scaled.Each(func(_, _ int, m, s float64) {
			near(t, "mean under a noise scale", m, 2*mean)
			near(t, "standard deviation under a noise scale", s, 2*sd)
		})
		l = NewLoadings(must(newData().WithNoiseScales(nil)))
		if err := l.ResetDraw(d); err != nil {
			t.Fatal(err)
		}
		l.SignalCovariances(pairs, got)
		for p := range pairs {
			near(t, "covariance of signals under noise scales", got[p], want[p])
		}
	}
}

func TestWeightsMisused(t *testing.T) {
	x, d, _ := weighted(t)
	data, want := mustData(t, x), "collapsed: another number of weights than ones of Z"
	d.Weights = d.Weights[1:]
	fixture.WantPanic(t, want, func() { LogLikWeighted(data, d.Z, d.Weights, ScalesOf(d)) })
	fixture.WantPanic(t, want, func() { _ = NewLoadings(data).ResetDraw(d) })
	fixture.WantPanic(t, want, func() { _ = NewCells(data).ResetDraw(d) })
}
