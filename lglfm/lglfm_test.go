package lglfm

import (
	"math"
	"testing"

	"go.uber.org/goleak"

	"aibd/internal/oracle/dense"
	"aibd/internal/oracle/fixture"
)

// TestMain proves that the tests leave no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScalesValid(t *testing.T) {
	for _, test := range []struct {
		scales Scales
		want   string
	}{
		{Scales{0, 1}, "SigmaX: found 0, expected a positive finite number"},
		{Scales{math.NaN(), 1}, "SigmaX: found NaN, expected a positive finite number"},
		{Scales{1, -2}, "SigmaA: found -2, expected a positive finite number"},
		{Scales{1, math.Inf(1)}, "SigmaA: found +Inf, expected a positive finite number"},
	} {
		if err := test.scales.Valid(); err == nil || err.Error() != test.want {
			t.Errorf("%v: error %v, want %q", test.scales, err, test.want)
		}
	}
	if err := (Scales{0.5, 1e-3}).Valid(); err != nil {
		t.Error(err)
	}
}

// TestLogLik compares the likelihood with the dense formula, to a power, with an intercept,
// and with unknown cells, which are left out of their columns.
func TestLogLik(t *testing.T) {
	x, z, s := problem(t)
	data := mustData(t, x)
	want := dense.LogLikExact(x, z.Rows(), s.SigmaX, s.SigmaA)
	near(t, "log likelihood", LogLik(data, z, s), want)
	near(t, "at the power 0.3", LogLik(data.Power(0.3), z, s), 0.3*want)
	near(t, "with an intercept", LogLik(must(data.WithIntercept()), z, s), dense.LogLikIntercept(x, z.Rows(), s.SigmaX, s.SigmaA))
	if data.N() != 6 || data.D() != 3 || data.Intercept() || data.Unknown() != 0 {
		t.Errorf("found %d x %d, intercept %v, %d unknown cells", data.N(), data.D(), data.Intercept(), data.Unknown())
	}

	x[4][1] = math.NaN()
	data, want = mustData(t, x), 0
	for v := range data.D() {
		var column [][]float64
		var rows [][]int
		for i, row := range x {
			if !math.IsNaN(row[v]) {
				column, rows = append(column, row[v:v+1]), append(rows, z.Rows()[i])
			}
		}
		want += dense.LogLikExact(column, rows, s.SigmaX, s.SigmaA)
	}
	near(t, "with an unknown cell", LogLik(data, z, s), want)
	if count := data.UnknownCells(); data.Unknown() != 1 || count[0] != [2]int{4, 1} {
		t.Errorf("found the unknown cells %v", count)
	}
}

// TestRefuses: data and scales without a likelihood are errors.
func TestRefuses(t *testing.T) {
	x, z, s := problem(t)
	refuses := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	_, err := NewData([][]float64{{1, 2}, {3}})
	refuses("rows of two lengths", err)
	_, err = NewData([][]float64{{1, math.Inf(1)}})
	refuses("an infinite entry", err)
	_, err = mustData(t, x[:1]).WithIntercept()
	refuses("an intercept of one row", err)
	data, tiny := mustData(t, x), Scales{SigmaX: 1e-12, SigmaA: 1}
	refuses("a tiny SigmaX", data.Check(tiny))
	refuses("loadings at a tiny SigmaX", NewLoadings(data).Reset(z, tiny))
	if l := LogLik(data, z, tiny); !math.IsNaN(l) {
		t.Errorf("log likelihood %v at a tiny SigmaX, want NaN", l)
	}
	for i := range 5 {
		x[i][0] = math.NaN()
	}
	gaps := mustData(t, x)
	_, err = gaps.WithIntercept()
	refuses("an intercept of one observed cell", err)
	refuses("unknown cells at a tiny SigmaX", NewCells(gaps).Reset(z, tiny))
	refuses("invalid scales", NewCells(gaps).Reset(z, Scales{SigmaX: -1, SigmaA: 1}))
	fixture.WantPanic(t, "lglfm: Power of data with unknown cells", func() { gaps.Power(0.5) })
	fixture.WantPanic(t, "collapsed: data without an intercept", func() { NewLoadings(data).Intercept() })
	if err := data.Check(s); err != nil {
		t.Error(err)
	}
}

// TestX: the data give back X to the bit, with an intercept, noise scales and bounds too.
func TestX(t *testing.T) {
	x, _, _ := problem(t)
	x[0][0], x[1][2], x[4][1] = 0.1+0.2, math.NaN(), math.NaN()
	data, err := NewBounded(x, []Bound{{Item: 1, Variable: 2, Lower: -1, Upper: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []*Data{data, must(data.WithIntercept()), must(must(data.WithIntercept()).WithNoiseScales(nil))} {
		for i, row := range model.X() {
			for v, got := range row {
				if got != x[i][v] && !(math.IsNaN(got) && math.IsNaN(x[i][v])) {
					t.Errorf("cell %d %d: found %v, expected %v", i, v, got, x[i][v])
				}
			}
		}
	}
}
