package posterior

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/oracle/dense"
	"aibd/lglfm"
)

// TestSignalCovariance compares with the distribution of the loadings, over draws with and without weights.
func TestSignalCovariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 7))
	x, _, ds := problem(rng, 7, 3, 2, 12, 0.2)
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	want := lists.Square(len(x))
	for s, d := range ds {
		if s%2 == 1 {
			for range d.Z.Ones() {
				d.Weights = append(d.Weights, rng.NormFloat64())
			}
		}
		g, k := d.Z.Weighted(nil, d.Weights), d.Z.K()
		var rows, centered [][]float64
		for i := range x {
			rows, centered = append(rows, g[i*k:(i+1)*k]), append(centered, make([]float64, k))
			for a := range k {
				mean := 0.0
				for j := range x {
					mean += g[j*k+a] / float64(len(x))
				}
				centered[i][a] = g[i*k+a] - mean
			}
		}
		mean, covariance := dense.Loadings(x, rows, d.SigmaX, d.SigmaA)
		for i := range x {
			for j := range x {
				for a := range k {
					for b := range k {
						product := covariance[a][b]
						for v := range x[0] {
							product += mean[a][v] * mean[b][v] / float64(len(x[0]))
						}
						want[i][j] += centered[i][a] * centered[j][b] * product / float64(len(ds))
					}
				}
			}
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		got, err := SignalCovariance(data, ds)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			for j := range x {
				mustEqual(t, "covariance", got[i][j], want[i][j], 1e-11)
			}
		}
	}
	for what, ds := range map[string][]*draws.Draw{"no draws": nil, "SigmaX 0": {{Z: ds[0].Z, SigmaA: 1}}} {
		if _, err := SignalCovariance(data, ds); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
