package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A published value: R penalized 0.9 with lambda2 = 14/13 on a standardized
// covariate, which equals lrm with penalty 1 (R-help, 3 December 2009).
func TestLogisticOfR(t *testing.T) {
	raw := []float64{-2, -2, -2, -2, -1, -1, -1, 2, 2, 2, 3, 3, 3, 3}
	z := []int{0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1}
	mean, square := 0.0, 0.0
	for _, v := range raw {
		mean += v / 14
	}
	for _, v := range raw {
		square += (v - mean) * (v - mean) / 14
	}
	var x [][]float64
	var y []bool
	for i, v := range raw {
		x = append(x, []float64{(v - mean) / math.Sqrt(square)})
		y = append(y, z[i] == 1)
	}
	for _, c := range []struct{ lambda, intercept, slope float64 }{
		{14. / 13, -0.1620727, 0.3241454},
		{1, -0.1651565, 0.3303130},
	} {
		f := Logistic{Lambda: c.lambda}
		if err := f.Fit(x, y); err != nil {
			t.Fatal(err)
		}
		slope := f.Coef[0] / math.Sqrt(square)
		if math.Abs(slope-c.slope) > 1e-7 || math.Abs(f.Intercept-slope*mean-c.intercept) > 1e-7 {
			t.Errorf("lambda %v: intercept %v and slope %v, expected %v and %v", c.lambda, f.Intercept-slope*mean, slope, c.intercept, c.slope)
		}
	}
}

// What LogisticRegression(C=1/0.7) of scikit-learn 1.2.1 gives.
func TestLogisticOfScikitLearn(t *testing.T) {
	x := [][]float64{{1.62, -0.61, -0.53}, {-1.07, 0.87, -2.3}, {1.74, -0.76, 0.32}, {-0.25, 1.46, -2.06}, {-0.32, -0.38, 1.13}, {-1.1, -0.17, -0.88}, {0.04, 0.58, -1.1}, {1.14, 0.9, 0.5}}
	f := Logistic{Lambda: 0.7}
	if err := f.Fit(x, []bool{false, true, false, true, true, false, false, true}); err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{-0.45327593, 1.18182483, 0.44209452, 0.04539578} {
		got := append(f.Coef, f.Intercept)[j]
		if math.Abs(got-want) > 2e-7 {
			t.Errorf("coefficient %d: %v, expected %v", j, got, want)
		}
	}
}

// gradient returns the largest derivative of the penalized log likelihood, by its
// definition.
func gradient(f *Logistic, x [][]float64, y []bool) float64 {
	worst, sum := 0.0, 0.0
	residual := make([]float64, len(x))
	for i, row := range x {
		residual[i] = -1 / (1 + math.Exp(-f.Score(row)))
		if y[i] {
			residual[i] = 1 / (1 + math.Exp(f.Score(row)))
		}
		sum += residual[i]
	}
	worst = math.Abs(sum)
	for j := range f.Coef {
		g := -f.Lambda * f.Coef[j]
		for i, row := range x {
			g += residual[i] * row[j]
		}
		worst = math.Max(worst, math.Abs(g))
	}
	return worst
}

// At the maximum all derivatives vanish: with fewer and with more columns than
// rows, columns that repeat, classes that can be separated, and tiny penalties.
func TestLogisticIsAMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := Logistic{}
	for _, c := range []struct {
		n, p    int
		lambda  float64
		density float64 // of entries 1, else normal
	}{{20, 2, 1, 0}, {20, 2, 1e-6, 0}, {32, 224, 1e-6, 0}, {32, 75, 1e-6, 0.5}, {32, 5, 1e-6, 0.5}, {200, 10, 1e-3, 0}, {2, 1, 1e-6, 0}, {5, 0, 1, 0}, {40, 40, 1e-9, 0.5},
		// Sparse, and wider than a block of LAPACK.
		{40, 80, 1, 0.05}, {60, 120, 1, 0.05}, {60, 120, 1e-6, 0.02}} {
		x, y := make([][]float64, c.n), make([]bool, c.n)
		for i := range x {
			for range c.p {
				v := rng.NormFloat64()
				if c.density > 0 {
					v = 0
					if rng.Float64() < c.density {
						v = 1
					}
				}
				x[i] = append(x[i], v)
			}
			if c.p > 3 {
				x[i][1] = x[i][0]
			}
			y[i] = i%3 == 0
		}
		f.Lambda = c.lambda
		if err := f.Fit(x, y); err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		scale := 0.0
		for _, b := range f.Coef {
			scale = math.Max(scale, math.Abs(b))
		}
		if g := gradient(&f, x, y); !(g < 1e-9*(1+scale)) {
			t.Errorf("%+v: a derivative is %g, coefficients up to %g", c, g, scale)
		}
	}
}

// The same data turned by a rotation, or with columns in another order, have the
// same scores.
func TestLogisticIsInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, p = 12, 30
	x, turned, y := make([][]float64, n), make([][]float64, n), make([]bool, n)
	for i := range x {
		x[i], turned[i] = make([]float64, p), make([]float64, p)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
			turned[i][p-1-j] = x[i][j]
		}
		y[i] = rng.IntN(2) == 0
	}
	y[0], y[1] = true, false
	a, b := Logistic{Lambda: 1e-3}, Logistic{Lambda: 1e-3}
	if err := a.Fit(x, y); err != nil {
		t.Fatal(err)
	}
	if err := b.Fit(turned, y); err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if d := math.Abs(a.Score(x[i]) - b.Score(turned[i])); d > 1e-8 {
			t.Errorf("score %d differs by %g", i, d)
		}
	}
}

func TestLogisticErrors(t *testing.T) {
	x := [][]float64{{1}, {2}}
	for _, c := range []struct {
		lambda float64
		x      [][]float64
		y      []bool
		want   string
	}{
		{0, x, []bool{true, false}, "lambda: found 0, expected a positive finite number"},
		{1, x, []bool{true, true}, "labels: found 2 positive ones of 2, expected both labels"},
		{1, [][]float64{{1}, {math.Inf(1)}}, []bool{true, false}, "row 2, column 1: found +Inf, expected a finite number"},
	} {
		f := Logistic{Lambda: c.lambda}
		if err := f.Fit(c.x, c.y); err == nil || err.Error() != c.want {
			t.Errorf("error %v, expected %s", err, c.want)
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, y := make([][]float64, 32), make([]bool, 32)
	for i := range x {
		for range 74 {
			x[i] = append(x[i], float64(rng.IntN(2)))
		}
		y[i] = i < 14
	}
	f := Logistic{Lambda: 1e-6}
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Fit(x, y); err != nil {
			b.Fatal(err)
		}
	}
}
