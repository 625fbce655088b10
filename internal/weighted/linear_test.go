package weighted

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"aibd/internal/vector"
)

// The triangular kernels agree with gonum, on both sides of the length at which loops change.
func TestLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 2*short+1; n++ {
		for _, ld := range []int{n, n + 3} {
			root, padded := mat.NewDense(n, n, nil), make([]float64, n*ld)
			root.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, root)
			c := mat.NewSymDense(n, nil)
			c.SymOuterK(1, root)
			for i := range n {
				c.SetSym(i, i, c.At(i, i)+0.1)
				for j := range i + 1 {
					padded[i*ld+j] = c.At(i, j)
				}
			}
			var factor mat.Cholesky
			factor.Factorize(c)
			var lower mat.TriDense
			factor.LTo(&lower)
			if logDet := vector.Cholesky(padded, n, ld); math.Abs(2*logDet-factor.LogDet()) > 1e-10 {
				t.Errorf("n %d: found the log determinant %v, expected %v", n, 2*logDet, factor.LogDet())
			}
			got := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range i + 1 {
					got.Set(i, j, padded[i*ld+j])
				}
			}
			if !mat.EqualApprox(got, &lower, 1e-10) {
				t.Errorf("n %d: found the factor\n%v, expected\n%v", n, mat.Formatted(got), mat.Formatted(&lower))
			}
			var want mat.SymDense
			if err := factor.InverseTo(&want); err != nil {
				t.Fatal(err)
			}
			full := make([]float64, n*ld)
			inverse(full, padded, ld, n)
			for i := range n {
				for j := range n {
					if x, y := full[i*ld+j], want.At(i, j); math.Abs(x-y) > 1e-8*(1+math.Abs(y)) {
						t.Errorf("n %d: found %v in the inverse, expected %v", n, x, y)
					}
				}
			}
			if ld > n {
				continue
			}
			const d = 3
			b := mat.NewDense(n, d, nil)
			b.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, b)
			var solved mat.Dense
			if err := solved.Solve(lower.T(), b); err != nil {
				t.Fatal(err)
			}
			x := mat.DenseCopyOf(b)
			backward(x.RawMatrix().Data, padded, n, d)
			if !mat.EqualApprox(x, &solved, 1e-8) {
				t.Errorf("n %d: found\n%v backward, expected\n%v", n, mat.Formatted(x), mat.Formatted(&solved))
			}
			var first mat.Dense
			if err := first.Solve(&lower, b.ColView(0)); err != nil {
				t.Fatal(err)
			}
			y := mat.DenseCopyOf(b.ColView(0))
			forward(y.RawMatrix().Data, padded, n)
			if !mat.EqualApprox(y, &first, 1e-8) {
				t.Errorf("n %d: found\n%v forward, expected\n%v", n, mat.Formatted(y), mat.Formatted(&first))
			}
		}
	}
	if logDet := vector.Cholesky([]float64{1, 0, 2, 1}, 2, 2); !math.IsNaN(logDet) {
		t.Errorf("found the log determinant %v of an indefinite matrix, expected NaN", logDet)
	}
}
