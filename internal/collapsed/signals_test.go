package collapsed_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/dense"
)

// signalCovariances returns those of all pairs, each item with itself too.
func signalCovariances(t *testing.T, data *collapsed.Data, x [][]float64, z *feature.Allocation, weights []float64, s collapsed.Scales, noise []float64) []float64 {
	t.Helper()
	var pairs [][2]int
	for i := range x {
		for j := range i + 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	l, out := collapsed.NewLoadings(data, x, 0), make([]float64, len(pairs))
	if err := l.Reset(z, weights, s, nil); err != nil {
		t.Fatal(err)
	}
	l.SignalCovariances(pairs, noise, out)
	return out
}

// TestSignalCovariances compares with the moments of the loadings of each variable given its observed
// cells, in as many digits as it takes: by cells and by loadings, with and without weights,
// an intercept and noise scales.
func TestSignalCovariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 4))
	for trial := range 96 {
		n, d, k := 8, 3, []int{3, 1, 12}[trial%3]
		ratio := []float64{0.7, 4e-3}[trial/3%2]
		intercept, gaps, weighted, scaled := trial/6%2 == 1, trial/12%2 == 1, trial/24%2 == 1, trial/48%2 == 1
		z, x := collapsed.RandomZ(rng, n, k, 0.4), collapsed.RandomX(rng, n, d)
		if gaps { // column 0 is complete
			for _, cell := range [][2]int{{1, 1}, {1, 2}, {3, 2}, {4, 2}, {6, 2}} {
				x[cell[0]][cell[1]] = math.NaN()
			}
		}
		var weights, noise []float64
		if weighted {
			weights = randomWeights(rng, z)
		}
		if scaled {
			noise = []float64{0.5, 1, 3}
		}
		s := collapsed.Scales{SigmaX: 2 * ratio, SigmaA: 2}
		data, err := collapsed.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		if intercept {
			data = intercepted(t, x)
		}
		g := matrix(z, weights)
		mean := make([]float64, k)
		for a := range mean {
			for i := range g {
				mean[a] += g[i][a] / float64(n)
			}
		}
		want := make([]float64, n*(n+1)/2)
		for v := range d {
			var column, rows [][]float64
			for i, row := range x {
				if !math.IsNaN(row[v]) {
					column, rows = append(column, row[v:v+1]), append(rows, g[i])
				}
			}
			first := 0
			means, covariance := dense.Loadings(column, rows, s.SigmaX, s.SigmaA)
			if intercept {
				first = 1
				means, covariance = dense.LoadingsIntercept(column, rows, s.SigmaX, s.SigmaA)
			}
			square := 1.0 // the covariance has it too
			if scaled {
				square = noise[v] * noise[v]
			}
			p := 0
			for i := range n {
				for j := range i + 1 {
					si, sj := 0.0, 0.0
					for a := range k {
						si += (g[i][a] - mean[a]) * means[first+a][0]
						sj += (g[j][a] - mean[a]) * means[first+a][0]
						for b := range k {
							want[p] += (g[i][a] - mean[a]) * (g[j][b] - mean[b]) * covariance[first+a][first+b] / float64(d)
						}
					}
					want[p] += si * sj / square / float64(d)
					p++
				}
			}
		}
		tol := 1e-10
		if ratio < 0.1 {
			tol = 1e-8
		}
		for p, got := range signalCovariances(t, data, x, z, weights, s, noise) {
			if !(math.Abs(got-want[p]) <= tol*(1+math.Abs(want[p]))) {
				t.Errorf("trial %d, pair %d: %.12g, want %.12g", trial, p, got, want[p])
			}
		}
	}
}

// TestSignalCovariancesInvariant: signs, rotations of features of the same items, and with an intercept
// a feature of all items do not matter; the scale of a feature does.
func TestSignalCovariancesInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 5))
	for range 20 {
		x, z, s := collapsed.RandomX(rng, 9, 4), collapsed.RandomZ(rng, 9, 3, 0.5), collapsed.Scales{SigmaX: 0.6, SigmaA: 1}
		z.AppendColumn(z.Column(2))
		x[1][0], x[4][0], x[5][3] = math.NaN(), math.NaN(), math.NaN()
		data, weights := intercepted(t, x), randomWeights(rng, z)
		want := signalCovariances(t, data, x, z, weights, s, nil)
		off := func(z *feature.Allocation, weights []float64) (largest float64) {
			for p, got := range signalCovariances(t, data, x, z, weights, s, nil) {
				largest = max(largest, math.Abs(got-want[p]))
			}
			return largest
		}
		turned := append([]float64(nil), weights...)
		for c := range z.Size(0) {
			turned[c] = -turned[c]
		}
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		first, second := len(weights)-2*z.Size(2), len(weights)-z.Size(2)
		for c := range z.Size(2) {
			a, b := weights[first+c], weights[second+c]
			turned[first+c], turned[second+c] = cos*a-sin*b, sin*a+cos*b
		}
		if largest := off(z, turned); largest > 1e-11 {
			t.Errorf("a sign and a rotation change a covariance by %g", largest)
		}
		for c := range z.Size(0) {
			turned[c] *= 2
		}
		if off(z, turned) < 1e-4 {
			t.Error("the scale of a feature goes unnoticed")
		}
		z.AppendColumn(collapsed.WithOnes(z).Column(0))
		for range z.N() {
			weights = append(weights, 1.5)
		}
		if largest := off(z, weights); largest > 1e-11 {
			t.Errorf("a feature of all items changes a covariance by %g", largest)
		}
	}
}
