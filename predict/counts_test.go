package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// TestChecksOfCounts: counts are checked as counts, beside a column of numbers, which has neither zeros nor a
// variance over a mean. Without features the share of zeros of a replicate has a binomial distribution.
func TestChecksOfCounts(t *testing.T) {
	counts := []float64{0, 0, 1, 0, 3, 12, 0, 2, 0, 0}
	x := make([][]float64, len(counts))
	d := &draws.Draw{Z: feature.New(len(counts)), SigmaX: 1.5, SigmaA: 1}
	var bounds []lglfm.Bound
	for i, y := range counts {
		x[i] = []float64{float64(i), math.NaN()}
		bounds = append(bounds, lglfm.Bound{Item: i, Variable: 1, Lower: math.Log(y), Upper: math.Log(y + 1)})
		d.Cells = append(d.Cells, math.Log(y+0.5))
	}
	data, err := lglfm.NewBounded(x, bounds)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplicator(data)
	if err != nil {
		t.Fatal(err)
	}
	r.Counts = []func(float64) float64{nil, func(latent float64) float64 { return math.Floor(math.Exp(latent)) }}
	c, rng := NewChecker(r), rand.New(rand.NewPCG(1, 1))
	for range 4000 {
		y, err := r.Draw(d, rng)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(d, y)
	}
	mean, variance := stat.MeanVariance(counts, nil)
	want := map[string]float64{Zeros: 0.6, Dispersions: variance / mean, Maxima: 12, Means: mean}
	zeros := distuv.Binomial{N: 10, P: 0.5}
	for _, kind := range c.Checks() {
		observed, ok := want[kind.Name]
		delete(want, kind.Name)
		for _, check := range kind.Checks {
			if !ok || check.Indices[0] == 0 && kind.Name != Zeros && kind.Name != Dispersions {
				continue
			}
			if check.Indices[0] != 1 || math.Abs(check.Observed-observed) > 1e-12 {
				t.Errorf("%s: %+v, want %v of column 1", kind.Name, check, observed)
			}
			if p := 1 - zeros.CDF(6) + zeros.Prob(6)/2; kind.Name == Zeros && math.Abs(check.P-p) > 0.03 {
				t.Errorf("share of zeros: p %v, want about %v", check.P, p)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not checked: %v", want)
	}
}
