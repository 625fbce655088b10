package collapsed

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
)

// belowMoments returns the mean and the standard deviation of x/limit where x is a gamma variable
// given that it is at most limit, by quadrature.
func belowMoments(shape, limit float64) (mean, sd float64) {
	top := math.Min(1, (shape-1)/limit) // of the density
	log := func(y float64) float64 { return (shape-1)*math.Log(y/top) - limit*(y-top) }
	if shape == 1 {
		log = func(y float64) float64 { return -limit * y }
	}
	width := 40 * math.Min(1, (1+math.Sqrt(shape))/limit)
	if slope := shape - 1 - limit; slope > 0 {
		width = math.Min(width, 40*math.Max(1/slope, 1e-3*math.Min(1, 1/math.Sqrt(shape))))
	}
	low, high := math.Max(0, top-width), math.Min(1, top+width)
	moment := func(power float64) float64 {
		return quad.Fixed(func(y float64) float64 { return math.Pow(y, power) * math.Exp(log(y)) }, low, high, 2000, nil, 0)
	}
	mass := moment(0)
	mean = moment(1) / mass
	return mean, math.Sqrt(math.Max(0, moment(2)/mass-mean*mean))
}

// TestDrawBelow compares means of truncated gamma variables with quadrature, from limits far below
// the mean to far above.
func TestDrawBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range []float64{1, 1 + 1e-6, 1.5, 3, 21, 500, 1e5} {
		for _, share := range []float64{1e-12, 1e-3, 0.3, 0.5, 0.9, 0.99, 1, 1.01, 2, 1e3} {
			limit := shape * share
			values := make([]float64, 20_000)
			for i := range values {
				values[i] = drawBelow(rng, shape, limit) / limit
				if !(values[i] > 0 && values[i] <= 1) {
					t.Fatalf("shape %v, limit %v: found %v of the limit", shape, limit, values[i])
				}
			}
			want, sd := belowMoments(shape, limit)
			mean := stat.Mean(values, nil)
			if z := math.Abs(mean-want) / (sd / math.Sqrt(float64(len(values)))); !(z < 5) {
				t.Errorf("shape %v, limit %v: mean %v of the limit, want %v, |z| = %.1f", shape, limit, mean, want, z)
			}
		}
	}
	for _, limit := range []float64{1e-300, 0.5} { // a slope of 0 in the second
		if x := drawBelow(rng, 1.5, limit); !(x > 0 && x <= limit) {
			t.Errorf("limit %v: found %v", limit, x)
		}
	}
}

// TestNoisePrior: the prior density of a noise scale has the integral 1, prior draws have its mean,
// and a scale beyond the bound has the density 0.
func TestNoisePrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	data := mustData(t, [][]float64{{1}, {2}})
	for _, lower := range []float64{0, 1e-6, 0.3, 1, 40} {
		noisy, err := data.WithNoiseScales([]float64{lower})
		if err != nil {
			t.Fatal(err)
		}
		scales := Scales{SigmaX: 0.5, SigmaA: 1}
		limit := math.Pow(scales.SigmaX/lower, 2)
		density := func(v float64) float64 { // of v = s^-2
			if err := noisy.SetNoiseScales([]float64{1 / math.Sqrt(v)}); err != nil {
				t.Fatal(err)
			}
			return math.Exp(noisy.LogNoiseScales(scales)) * math.Pow(v, -1.5) / 2
		}
		top := math.Min(limit, 50)
		mass := quad.Fixed(density, 0, top, 500, nil, 0)
		mean := quad.Fixed(func(v float64) float64 { return v * density(v) }, 0, top, 500, nil, 0)
		if !(math.Abs(mass-1) < 1e-8) {
			t.Errorf("lower bound %v: the density has the integral %v", lower, mass)
		}
		values := make([]float64, 20_000)
		for i := range values {
			s := noisy.DrawPriorNoiseScales(rng, scales)[0]
			values[i] = 1 / (s * s)
		}
		got, sd := stat.MeanStdDev(values, nil)
		if z := math.Abs(got-mean) / (sd / math.Sqrt(float64(len(values)))); !(z < 5) {
			t.Errorf("lower bound %v: mean %v of prior draws, want %v, |z| = %.1f", lower, got, mean, z)
		}
		if lower > 0 && density(1.001*limit) != 0 {
			t.Errorf("lower bound %v: a scale beyond it has the density %v", lower, density(1.001*limit))
		}
	}
}
