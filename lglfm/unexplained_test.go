package lglfm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/lglfm"
)

// One column is a function of two others with noise 0.5, another of none. Missing cells change the
// estimates little, other units only the unit, and a column without values has 0.
func TestUnexplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, 4000)
	for i := range x {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x[i] = []float64{a, 1000 * b, 3*a - 2*b + 0.5*rng.NormFloat64(), rng.NormFloat64() + 7, math.NaN(), 5}
	}
	check := func(name string, tolerance float64) {
		t.Helper()
		// Given the others, a has variance 1/(1 + 9/0.25) and b has 1/(1 + 4/0.25).
		want := []float64{1 / math.Sqrt(37), 1000 / math.Sqrt(17), 0.5, 1, 0, 0}
		for j, got := range lglfm.Unexplained(x) {
			if !(math.Abs(got-want[j]) <= tolerance*want[j]) {
				t.Errorf("%s, column %d: found %v, expected %v", name, j, got, want[j])
			}
		}
	}
	check("all cells", 0.04)
	for i, row := range x {
		row[i%4] = math.NaN()
	}
	check("a quarter of the cells missing", 0.08)
	for _, residual := range lglfm.Unexplained(x[:3]) {
		if residual != 0 {
			t.Errorf("three rows of four columns: found %v, expected 0", residual)
		}
	}
	if got := lglfm.Unexplained(nil); got != nil {
		t.Errorf("no rows: found %v, expected none", got)
	}
}

// A sum of other columns is explained wholly, and identical columns have an answer.
func TestUnexplainedExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([][]float64, 50)
	for i := range x {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x[i] = []float64{a, b, a + b, rng.NormFloat64()}
	}
	for j, residual := range lglfm.Unexplained(x) {
		if j < 3 && !(residual < 1e-4) || j == 3 && !(residual > 0.5) {
			t.Errorf("column %d: found %v", j, residual)
		}
	}
}
