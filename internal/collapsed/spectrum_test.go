package collapsed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

// TestSpectrumOfManyRows compares products of the columns with rotated rows: for columns that
// depend on each other, for data far from zero, and for so little noise that only rotated rows have
// enough digits.
func TestSpectrumOfManyRows(t *testing.T) {
	const n, d = manyRows + 1, 4
	for _, intercept := range []bool{false, true} {
		for _, noise := range []float64{1, 0.01, 1e-6} {
			what := fmt.Sprintf("intercept %v, noise %v", intercept, noise)
			rng := rand.New(rand.NewPCG(1, 2))
			z := feature.New(n)
			column := make([]uint64, z.Words())
			for k := range 12 {
				clear(column)
				for i := range n {
					if rng.Float64() < 0.3 {
						column[i>>6] |= 1 << (uint(i) & 63)
					}
				}
				z.AppendColumn(column)
				if k%5 == 4 {
					z.AppendColumn(column)
				}
			}
			x := make([][]float64, n)
			for i := range x {
				x[i] = make([]float64, d)
				for j := range x[i] {
					if x[i][j] = noise * rng.NormFloat64(); intercept {
						x[i][j] += 20 * float64(j)
					}
					for k := range z.K() {
						if z.Has(i, k) {
							x[i][j] += math.Sin(float64(7*k + 3*j))
						}
					}
				}
			}
			data, err := NewData(x)
			if err != nil {
				t.Fatal(err)
			}
			if intercept {
				if data, err = data.WithIntercept(); err != nil {
					t.Fatal(err)
				}
				features := z
				z = feature.New(n)
				for i := range column {
					column[i] = ^uint64(0)
				}
				column[len(column)-1] = 1<<(n&63) - 1
				z.AppendColumn(column)
				for k := range features.K() {
					z.AppendColumn(features.Column(k))
				}
			}
			var s, rotated Spectrum
			s.Reset(data, z)
			rotated.Reset(data, z)
			rotated.normal = false
			rotated.rotate()
			if !s.normal {
				t.Fatalf("%s: rows are rotated, expected products", what)
			}
			for _, scales := range []Scales{{1, 1}, {0.1, 2}, {0.01, 2}, {noise, 1}} {
				got, want := s.LogLik(scales), rotated.LogLik(scales)
				if math.Abs(got-want) > 1e-10*math.Abs(want) {
					t.Errorf("%s: log likelihood at %v is %.17g, of rotated rows %.17g", what, scales, got, want)
				}
			}
			if s.normal == (noise < 1e-3) {
				t.Errorf("%s: products %v", what, s.normal)
			}
			s.Reset(data, z)
			if got, want := s.LogLik(Scales{1, 1}), rotated.LogLik(Scales{1, 1}); math.Abs(got-want) > 1e-10*math.Abs(want) {
				t.Errorf("%s: log likelihood after another Reset is %.17g, of rotated rows %.17g", what, got, want)
			}
		}
	}
}
