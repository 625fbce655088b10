package predict_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
	"aibd/predict"
)

// The densities belong to the conditionals of the normal distribution of a column of X. A flat
// intercept takes the ones out of its precision.
func TestCellLogLik(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 6, 3
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), 5 * rng.NormFloat64()}
	}
	z, err := feature.FromRows([][]int{{1, 0, 1}, {1, 1, 1}, {0, 1, 0}, {0, 0, 0}, {1, 0, 1}, {0, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	ds := []*draws.Draw{{SigmaX: 0.7, SigmaA: 1.3, Z: z}, {SigmaX: 2, SigmaA: 0.1, Z: feature.New(n)}}
	plain, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	intercepted, err := plain.WithIntercept()
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []*lglfm.Data{plain, intercepted} {
		got, err := predict.CellLogLik(data, ds)
		if err != nil {
			t.Fatal(err)
		}
		for s, draw := range ds {
			covariance := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range n {
					c := draw.SigmaA * draw.SigmaA * float64(draw.Z.Shared(i, j))
					if i == j {
						c += draw.SigmaX * draw.SigmaX
					}
					covariance.Set(i, j, c)
				}
			}
			var precision mat.Dense
			if err := precision.Inverse(covariance); err != nil {
				t.Fatal(err)
			}
			if data.Intercept() {
				var ones mat.VecDense
				ones.MulVec(&precision, mat.NewVecDense(n, slices.Repeat([]float64{1}, n)))
				precision.RankOne(&precision, -1/mat.Sum(&ones), &ones, &ones)
			}
			for i := range n {
				for v := range d {
					variance, shift := 1/precision.At(i, i), 0.0
					for j := range n {
						shift += precision.At(i, j) * x[j][v]
					}
					u := shift * variance
					want := -u*u/2/variance - math.Log(2*math.Pi*variance)/2
					if got := got[s][i*d+v]; math.Abs(got-want) > 1e-10*math.Abs(want) {
						t.Errorf("intercept %v, draw %d, cell %d,%d: got %v, want %v", data.Intercept(), s, i, v, got, want)
					}
				}
			}
		}
	}
}
