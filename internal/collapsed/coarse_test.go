package collapsed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
)

// TestWithPower: the likelihood to a power is the integral over the loadings of their density times
// that of the observed cells, or of orthonormal contrasts, to the power; here by the trapezoid rule for
// one feature. The cache and the spectrum agree, and missing cells in the state do not matter.
func TestWithPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 77))
	for trial := range 24 {
		const n = 4
		intercept, gaps, noisy, power := trial%2 == 1, trial/2%2 == 1, trial/4%2 == 1, []float64{1, 0.5, 0.1}[trial/8]
		x := [][]float64{{1.3, 0.2}, {0.4, -0.6}, {-1.1, 0.9}, {0.7, 1.6}}
		if gaps {
			x[2][0] = math.NaN()
		}
		z, err := feature.FromRows([][]int{{1}, {0}, {1}, {1}})
		if err != nil {
			t.Fatal(err)
		}
		data, err := collapsed.NewData(x)
		noise := []float64{1, 1}
		if err == nil && noisy {
			data, err = data.WithNoiseScales(nil)
		}
		if err == nil && intercept {
			data, err = data.WithIntercept()
		}
		if err == nil {
			data, err = data.WithPower(power)
		}
		if err != nil {
			t.Fatal(err)
		}
		if noisy {
			data, noise = data.Own(), []float64{0.7, 1.9}
			if err := data.SetNoiseScales(noise); err != nil {
				t.Fatal(err)
			}
		}
		scales := collapsed.Scales{SigmaX: 0.3 + rng.Float64(), SigmaA: 0.5 + rng.Float64()}
		want := 0.0
		for j := range x[0] {
			var y, feature []float64
			for i := range n {
				if !math.IsNaN(x[i][j]) {
					y, feature = append(y, x[i][j]), append(feature, float64(z.Rows()[i][0]))
				}
			}
			if intercept {
				y, feature = contrasts(y), contrasts(feature)
			}
			want += math.Log(integral(y, feature, scales.SigmaX*noise[j], scales.SigmaA*noise[j], power))
		}
		y := z
		if intercept {
			y = collapsed.WithOnes(z)
		}
		var spectrum collapsed.Spectrum
		spectrum.Reset(data, y)
		for name, got := range map[string]float64{"observed": collapsed.LogLik(data, y, scales), "spectrum": spectrum.LogLik(scales) - missing(data, y, scales)} {
			if math.Abs(got-want) > 1e-8*math.Abs(want) {
				t.Errorf("trial %d, %s: log likelihood %v, want %v", trial, name, got, want)
			}
		}
	}
}

// missing returns the log density of the unknown cells of data, at their values.
func missing(data *collapsed.Data, z *feature.Allocation, scales collapsed.Scales) float64 {
	var c collapsed.Cells
	if data.Unknown() == 0 || !c.Reset(data, z, scales) {
		return 0
	}
	return c.LogDensity(data)
}

// integral returns the integral over the loading a of N(a; 0, sigmaA^2) times the product of
// N(y_i; f_i a, sigmaX^2)^power.
func integral(y, f []float64, sigmaX, sigmaA, power float64) (sum float64) {
	const width = 0.01
	normal := func(e, sigma float64) float64 {
		return math.Exp(-e*e/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi))
	}
	for a := -20.0; a < 20; a += width {
		p := normal(a, sigmaA) * width
		for i := range y {
			p *= math.Pow(normal(y[i]-f[i]*a, sigmaX), power)
		}
		sum += p
	}
	return sum
}

// contrasts returns orthonormal contrasts of y (Helmert).
func contrasts(y []float64) (c []float64) {
	sum := y[0]
	for i := 1; i < len(y); i++ {
		m := float64(i)
		c = append(c, (sum-m*y[i])/math.Sqrt(m*(m+1)))
		sum += y[i]
	}
	return c
}

// TestWithPowerErrors: a power above 1 or of 0 is refused, and so is one below 1 with limits.
func TestWithPowerErrors(t *testing.T) {
	data, err := collapsed.NewBounded([][]float64{{math.NaN()}, {1}, {2}}, []collapsed.Bound{{Item: 0, Variable: 0, Lower: 0, Upper: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, power := range []float64{0, -1, 1.1, math.NaN(), 0.5} {
		if _, err := data.WithPower(power); err == nil {
			t.Errorf("power %v: found no error", power)
		}
	}
	if _, err := data.WithPower(1); err != nil {
		t.Error(err)
	}
}
