package posterior

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"aibd/internal/lists"
	"aibd/internal/oracle/dense"
	"aibd/lglfm"
)

// TestClearSharing compares with the distribution of the loadings. Where every part is clear it is the sharing.
func TestClearSharing(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 10))
	x, _, ds := problem(rng, 7, 3, 2, 12, 0.2)
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	const fraction = 0.8
	want, shared := lists.Square(len(x)), lists.Square(len(x))
	for _, d := range ds {
		for range d.Z.Ones() {
			d.Weights = append(d.Weights, rng.NormFloat64())
		}
		g, k := d.Z.Weighted(nil, d.Weights), d.Z.K()
		var rows [][]float64
		for i := range x {
			rows = append(rows, g[i*k:(i+1)*k])
		}
		mean, covariance := dense.Loadings(x, rows, d.SigmaX, d.SigmaA)
		for a := range k {
			size := covariance[a][a]
			for v := range x[0] {
				size += mean[a][v] * mean[a][v] / float64(len(x[0]))
			}
			for i := range x {
				for j := range x {
					if d.Z.Has(i, a) && d.Z.Has(j, a) {
						shared[i][j] += 1 / float64(len(ds))
					}
					if math.Abs(rows[i][a]*rows[j][a])*size > fraction*d.SigmaX*d.SigmaX {
						want[i][j] += 1 / float64(len(ds))
					}
				}
			}
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for cores, fraction := range map[int]float64{1: fraction, 3: 0} {
		runtime.GOMAXPROCS(cores)
		got, err := ClearSharing(data, ds, fraction)
		if err != nil {
			t.Fatal(err)
		}
		expected := want
		if fraction == 0 {
			expected = shared
		}
		for i := range x {
			for j := range x {
				mustEqual(t, "clear", got[i][j], expected[i][j], 1e-12)
			}
		}
	}
	if got, err := ClearSharing(data, nil, fraction); err == nil {
		t.Errorf("no draws: found %v", got)
	}
}
