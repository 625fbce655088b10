package collapsed_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/dense"
)

// mustHave fails the test unless means, covariances and residuals equal those of the
// dense reference: covariances to tol of the standard deviations, means to tol of the
// largest mean, residuals to tol of the largest observation,
// one minus leverages to tol of themselves.
func mustHave[E dense.Entry](t *testing.T, what string, l *collapsed.Loadings, x [][]float64, z [][]E, s collapsed.Scales, tol float64) {
	t.Helper()
	mean, covariance := dense.Loadings(x, z, s.SigmaX, s.SigmaA)
	complements := dense.OneMinusLeverages(z, s.SigmaX, s.SigmaA)
	size, largest := 0.0, 0.0
	for _, row := range x {
		for _, v := range row {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	for _, row := range mean {
		for _, v := range row {
			size = math.Max(size, math.Abs(v))
		}
	}
	for a := range mean {
		for f, want := range mean[a] {
			if got := l.Mean(a)[f]; !(math.Abs(got-want) <= tol*size) {
				t.Errorf("%s: mean %d, %d: %.17g, want %.17g", what, a, f, got, want)
			}
		}
		for b, want := range covariance[a] {
			size := math.Sqrt(covariance[a][a]) * math.Sqrt(covariance[b][b])
			if got := l.Covariance(a, b); !(math.Abs(got-want) <= tol*size) {
				t.Errorf("%s: covariance %d, %d: %.17g, want %.17g", what, a, b, got, want)
			}
		}
	}
	for i, row := range x {
		for f, want := range row {
			for a := range mean {
				want -= float64(z[i][a]) * mean[a][f]
			}
			if got := l.Residual(i)[f]; !(math.Abs(got-want) <= tol*largest) {
				t.Errorf("%s: residual %d, %d: %.17g, want %.17g", what, i, f, got, want)
			}
		}
		if got, want := l.OneMinusLeverage(i, 0), complements[i]; !(math.Abs(got-want) <= tol*want) {
			t.Errorf("%s: 1 - leverage %d: %.17g, want %.17g", what, i, got, want)
		}
	}
}

// From large noise to hardly any, for more features than items and columns that are
// equal or sums of others, D above and below N, one Loadings for all of a size.
func TestLoadings(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	for _, size := range []struct{ n, d, k int }{
		{12, 4, 6}, {5, 20, 3}, {6, 4, 15}, {6, 20, 15}, {70, 3, 9}, {7, 5, 0}, {5, 0, 4}, {1, 1, 1}, {1, 6, 3},
	} {
		x := collapsed.RandomX(rng, size.n, size.d)
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		l := collapsed.NewLoadings(data, x, 0)
		for _, s := range []collapsed.Scales{{SigmaX: 1e60, SigmaA: 1}, {SigmaX: 30, SigmaA: 0.2}, {SigmaX: 0.5, SigmaA: 1}, {SigmaX: 1e-2, SigmaA: 1}, {SigmaX: 4e-3, SigmaA: 1}} {
			for twins := range 3 {
				z := collapsed.RandomZ(rng, size.n, size.k, 0.3)
				for a := range min(twins, z.K()) {
					z.AppendColumn(z.Column(a))
				}
				if err := l.Reset(z, nil, s, nil); err != nil {
					t.Fatal(err)
				}
				mustHave(t, fmt.Sprintf("%+v, %+v, Z\n%v\n", size, s, z), l, x, z.Rows(), s, max(1e-11, 1e-13/(s.SigmaX*s.SigmaX)))
			}
		}
	}
}

// Sparse matrices of more columns than the blocks of blocked routines.
func TestLoadingsOfManyFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 4))
	for _, k := range []int{45, 70} {
		x, z, s := collapsed.RandomX(rng, 50, 3), collapsed.RandomZ(rng, 50, k, 0.05), collapsed.Scales{SigmaX: 0.02, SigmaA: 1}
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		l := collapsed.NewLoadings(data, x, 0)
		if err := l.Reset(z, nil, s, nil); err != nil {
			t.Fatal(err)
		}
		mustHave(t, fmt.Sprintf("%d features", k), l, x, z.Rows(), s, 1e-11)
	}
}

// The loadings of some variables equal those of all, whatever the unit of X.
func TestLoadingsOfSomeVariables(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 4))
	for _, unit := range []float64{1, 1e-120, 1e120} {
		x, z, s := collapsed.RandomX(rng, 9, 5), collapsed.RandomZ(rng, 9, 4, 0.4), collapsed.Scales{SigmaX: unit / 2, SigmaA: unit}
		some := make([][]float64, len(x))
		for i, row := range x {
			for f := range row {
				row[f] *= unit
			}
			some[i] = []float64{row[4], row[1]}
		}
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		l := collapsed.NewLoadings(data, some, 0)
		if err := l.Reset(z, nil, s, nil); err != nil {
			t.Fatal(err)
		}
		mustHave(t, fmt.Sprintf("unit %v", unit), l, some, z.Rows(), s, 1e-12)
	}
}

// What cannot be computed is an error, and another number of items a panic.
func TestLoadingsMisused(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 4}}
	data, err := collapsed.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	s := collapsed.Scales{SigmaX: 1, SigmaA: 1}
	if err := collapsed.NewLoadings(data, x, 0).Reset(feature.New(2), nil, collapsed.Scales{SigmaX: 1e-30, SigmaA: 1}, nil); err == nil {
		t.Error("SigmaX of 1e-30 is no error")
	}
	for name, f := range map[string]func(){
		"rows":    func() { collapsed.NewLoadings(data, x[:1], 0) },
		"ragged":  func() { collapsed.NewLoadings(data, [][]float64{{1}, {2, 3}}, 0) },
		"another": func() { _ = collapsed.NewLoadings(data, x, 0).Reset(feature.New(3), nil, s, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// One Loadings serves chains of problems without allocating.
func TestLoadingsDoNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 4))
	x, z, s := collapsed.RandomX(rng, 20, 30), collapsed.RandomZ(rng, 20, 12, 0.3), collapsed.Scales{SigmaX: 0.5, SigmaA: 1}
	data, err := collapsed.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	l := collapsed.NewLoadings(data, x, 0)
	var means []float64
	if n := testing.AllocsPerRun(5, func() {
		if err := l.Reset(z, nil, s, nil); err != nil {
			t.Error(err)
		}
		means = append(means[:0], l.Mean(3)...)
		means[0] += l.OneMinusLeverage(2, 0)
	}); n > 0 || slices.Max(means) == 0 {
		t.Errorf("%v allocations a run, means %v", n, means)
	}
}
