package collapsed_test

// The likelihood in all three ways of this package against the formula as printed,
// computed densely.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/dense"
)

// ways returns log p(X | Z) computed afresh, by a Spectrum, and by a Cache that
// comes to z row by row from the allocation without features.
func ways(t *testing.T, x [][]float64, z *feature.Allocation, scales collapsed.Scales) map[string]float64 {
	t.Helper()
	data, err := collapsed.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	var s collapsed.Spectrum
	s.Reset(data, z)
	return map[string]float64{
		"LogLik":   collapsed.LogLik(data, z, scales),
		"Spectrum": s.LogLik(scales),
		"Cache":    rowByRow(t, data, z, scales).LogLik(),
	}
}

// rowByRow returns a Cache at z, reached by one move of each row: an item takes the
// columns that an earlier one has by flips, the others as singletons.
func rowByRow(t *testing.T, data *collapsed.Data, z *feature.Allocation, scales collapsed.Scales) *collapsed.Cache {
	t.Helper()
	now, ones := feature.New(z.N()), 0
	if data.Intercept() {
		now, ones = collapsed.WithOnes(now), 1
		z = collapsed.WithOnes(z)
	}
	c := collapsed.NewCache(data, now, scales)
	firsts := make([][]int, z.N()) // columns of z by their first member
	for k := ones; k < z.K(); k++ {
		i := z.Members(nil, k)[0]
		firsts[i] = append(firsts[i], k)
	}
	var column []int // of z, for each of now
	for i, first := range firsts {
		c.Open(now, i)
		for k, entries := range column {
			if z.Has(i, entries) {
				c.Flip(ones + k)
			}
		}
		c.SetSingletons(len(first))
		c.Close()
		column = append(column, first...)
	}
	if !now.Equal(z) {
		t.Fatalf("the moves lead to\n%v\nwant\n%v", now, z)
	}
	return c
}

func mustAgree(t *testing.T, what string, got map[string]float64, want, tol float64) {
	t.Helper()
	for way, l := range got {
		if !(math.Abs(l-want) <= tol*math.Abs(want)) {
			t.Errorf("%s, %s: %.17g, want %.17g", what, way, l, want)
		}
	}
}

func TestAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, size := range []struct{ n, d, k int }{
		{12, 4, 6},  // D < N
		{5, 40, 3},  // D > N
		{8, 8, 8},   // all equal
		{6, 4, 15},  // K > N, D < N
		{6, 30, 15}, // K > N, D > N
		{70, 3, 9},  // two words a column
		{7, 5, 0},   // no features
		{5, 0, 4},   // no variables: the likelihood is 1
		{3, 0, 0},
		{1, 1, 1}, // one item
		{1, 6, 3},
		{1, 2, 0},
	} {
		for range 20 {
			x, z := collapsed.RandomX(rng, size.n, size.d), collapsed.RandomZ(rng, size.n, size.k, 0.3)
			scales := collapsed.Scales{SigmaX: 0.2 + rng.ExpFloat64(), SigmaA: 0.2 + rng.ExpFloat64()}
			want := dense.LogLik(x, z.Rows(), scales.SigmaX, scales.SigmaA)
			if size.d == 0 && want != 0 {
				t.Fatalf("the reference is %v without data", want)
			}
			mustAgree(t, fmt.Sprintf("%+v, %+v", size, scales), ways(t, x, z, scales), want, 1e-10)
		}
	}
	data, err := collapsed.NewData(nil)
	if err != nil || collapsed.LogLik(data, feature.New(0), collapsed.Scales{SigmaX: 1, SigmaA: 1}) != 0 {
		t.Errorf("no items: error %v, or a likelihood that is not 1", err)
	}
}

// Columns that are equal or sums of others, items that are equal or without
// features: Z'Z and ZZ' are singular, and only rI makes the difference.
func TestDependentColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	z, err := feature.FromRows([][]int{
		{1, 1, 1, 0, 1, 0},
		{1, 1, 1, 0, 1, 0},
		{0, 0, 0, 1, 1, 0},
		{0, 0, 0, 0, 0, 0},
		{1, 1, 0, 1, 1, 1},
		{0, 0, 0, 1, 1, 1},
		{1, 1, 1, 0, 1, 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	wide := z.Clone()
	for k := range z.K() {
		wide.AppendColumn(z.Column(k))
	}
	for _, z := range []*feature.Allocation{z, wide} {
		for _, d := range []int{3, 20} {
			x := collapsed.RandomX(rng, z.N(), d)
			for _, sigmaX := range []float64{1, 0.1, 0.01} {
				scales := collapsed.Scales{SigmaX: sigmaX, SigmaA: 1}
				want := dense.LogLik(x, z.Rows(), sigmaX, 1)
				mustAgree(t, fmt.Sprintf("%d features, D = %d, %+v", z.K(), d, scales), ways(t, x, z, scales), want, 1e-9)
			}
		}
	}
}

// det(Z'Z + rI) is beyond the largest double in the first two problems and below
// the smallest in the third. The test checks that.
func TestDeterminantsBeyondDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for _, tc := range []struct {
		n, d, k int
		scales  collapsed.Scales
		det     float64
	}{
		{400, 20, 250, collapsed.Scales{SigmaX: 0.5, SigmaA: 1}, math.Inf(1)},
		{400, 450, 250, collapsed.Scales{SigmaX: 0.5, SigmaA: 1}, math.Inf(1)},
		{20, 30, 250, collapsed.Scales{SigmaX: 0.1, SigmaA: 1}, 0},
	} {
		x, z := collapsed.RandomX(rng, tc.n, tc.d), collapsed.RandomZ(rng, tc.n, tc.k, 0.2)
		gram := mat.NewSymDense(tc.k, nil)
		for a := range tc.k {
			members := z.Members(nil, a)
			for b := range a + 1 {
				for _, i := range members {
					if z.Has(i, b) {
						gram.SetSym(a, b, gram.At(a, b)+1)
					}
				}
			}
			gram.SetSym(a, a, gram.At(a, a)+tc.scales.SigmaX*tc.scales.SigmaX/(tc.scales.SigmaA*tc.scales.SigmaA))
		}
		var chol mat.Cholesky
		if !chol.Factorize(gram) || chol.Det() != tc.det {
			t.Errorf("%+v: determinant %v, want %v", tc, chol.Det(), tc.det)
		}
		want := dense.LogLik(x, z.Rows(), tc.scales.SigmaX, tc.scales.SigmaA)
		if math.IsNaN(want) || math.IsInf(want, 0) {
			t.Fatalf("%+v: the reference is %v", tc, want)
		}
		mustAgree(t, fmt.Sprintf("%+v", tc), ways(t, x, z, tc.scales), want, 1e-9)
	}
}
