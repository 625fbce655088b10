package mcmc

import (
	"math"
	"testing"

	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// The default prior of the temperature scales with the unit of distance, where temperature
// multiplies distance.
func TestDefaultTemperature(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 1}, {0, 5}}
	for _, c := range []struct {
		decay similarity.Decay
		per   float64
		rate  float64
	}{
		{similarity.Exponential{}, 1, 3}, // the median of 1, 3 and 4
		{similarity.Exponential{}, 1000, 3e-3},
		{similarity.Window{Width: 2}, 0.5, 3},
		{similarity.Reciprocal{Shift: 1}, 0.5, 1},
	} {
		d, err := similarity.AbsDifference([]float64{1, 2, 5}).Per(c.per)
		if err != nil {
			t.Fatal(err)
		}
		law, err := prior.NewAIBD(prior.NewAffinity(d, c.decay), 1, 1, prior.Identity(3))
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPosterior(x, law)
		if err != nil || math.Abs(p.Temperature.Rate-c.rate) > 1e-15*c.rate || p.Temperature.Shape != 1 {
			t.Errorf("%v per %v: prior %+v, %v, expected rate %v", c.decay, c.per, p.Temperature, err, c.rate)
		}
	}
}

// Data that no posterior has are errors.
func TestNewPosteriorErrors(t *testing.T) {
	law, err := prior.NewIBP(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    [][]float64
		want string
	}{
		{nil, ""},
		{[][]float64{{1, 2}, {3}}, ""},
		{[][]float64{{1, 2}, {3, math.Inf(1)}}, ""},
		{[][]float64{{1, 2}, {3, 4}, {5, 7}}, "the data have 3 rows and the law of Z is of 2 items"},
	} {
		if _, err := NewPosterior(c.x, law); err == nil || c.want != "" && err.Error() != c.want {
			t.Errorf("%v: found %v, expected an error %s", c.x, err, c.want)
		}
	}
}

// The ratio of densities is the difference of their logarithms.
func TestGammaLogRatio(t *testing.T) {
	for _, g := range []Gamma{{1, 1}, {3, 0.5}, {0.25, 100}} {
		for _, x := range []float64{1e-8, 0.3, 7} {
			if got, want := g.logRatio(x, 2), g.LogDensity(x)-g.LogDensity(2); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%+v at %v and 2: log ratio %v, expected %v", g, x, got, want)
			}
		}
	}
}

// An exponential prior has the right mean, density and ratio of densities.
func TestExponentialPrior(t *testing.T) {
	p, sum := ScalePrior{Mean: 3}, 0.0
	rng := NewStream(1, "exponential").Rand
	for range 10000 {
		sum += p.rand(rng, 0)
	}
	if mean := sum / 10000; math.Abs(mean-3) > 0.15 {
		t.Errorf("mean %v of draws, expected 3", mean)
	}
	if want := -2.0/3 - math.Log(3); math.Abs(p.LogDensity(2)-want) > 1e-15 || !math.IsInf(p.LogDensity(0), -1) {
		t.Errorf("log densities %v and %v, expected %v and -Inf", p.LogDensity(2), p.LogDensity(0), want)
	}
	if want := p.LogDensity(2) - p.LogDensity(5); math.Abs(p.logRatio(2, 5)-want) > 1e-15 {
		t.Errorf("log ratio %v, expected %v", p.logRatio(2, 5), want)
	}
	if x := p.randAbove(rng); !(x >= 3) || !p.Random() || p.valid("") != nil || (ScalePrior{Mean: -1}).valid("") == nil {
		t.Errorf("start at %v, or a prior that is fixed or not valid", x)
	}
}

// The noise is measured about the means of the columns. Loadings must reach the means, unless
// there is an intercept.
func TestDefaultScales(t *testing.T) {
	x := [][]float64{{1, 10}, {2, 10}, {3, 13}}
	centered := [][]float64{{-1, -1}, {0, -1}, {1, 2}}
	a, b, c := DefaultScales(x, false, false), DefaultScales(centered, false, false), DefaultScales(x, true, false)
	if want := math.Sqrt(8. / 5); math.Abs(a.SigmaX-want) > 1e-15 || math.Abs(b.SigmaX-want) > 1e-15 {
		t.Errorf("SigmaX %v, centered %v, expected %v", a.SigmaX, b.SigmaX, want)
	}
	if want := math.Sqrt(3 + 121); math.Abs(a.SigmaA-want) > 1e-14 || math.Abs(b.SigmaA-math.Sqrt(3)) > 1e-15 {
		t.Errorf("SigmaA %v, centered %v, expected %v and %v", a.SigmaA, b.SigmaA, want, math.Sqrt(3))
	}
	if c != b {
		t.Errorf("found %v with an intercept, expected %v", c, b)
	}
	// With noise scales a column of another unit, or with one value, changes little.
	nan := math.NaN()
	scales := DefaultScales([][]float64{{1, 1e6, 2, nan}, {3, 3e6, 5, nan}, {5, 5e6, 8, 7}}, true, true)
	if want := (lglfm.Scales{SigmaX: 3, SigmaA: 3}); scales != want {
		t.Errorf("with noise scales: found %v, expected %v", scales, want)
	}
	if scales := DefaultScales([][]float64{{3, 1}, {5, 1}, {4, 1}}, false, true); math.Abs(scales.SigmaA-(math.Sqrt(17)+1)/2) > 1e-15 || scales.SigmaX != 0.5 {
		t.Errorf("with noise scales and without an intercept: found %v", scales)
	}
}
