package posterior

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// TestEstimateGOfOnes: where all weights are 1 the loss is the FARO loss, and no larger than that of the
// estimate of Z from the same start.
func TestEstimateGOfOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 7))
	for range 20 {
		truth := randomZ(rng, 10, 3, 0.4)
		var ds []*draws.Draw
		var allocations []*feature.Allocation
		for range 15 {
			z := randomZ(rng, 10, 1+rng.IntN(3), 0.2)
			for k := range truth.K() {
				z.AppendColumn(truth.Column(k))
			}
			d := &draws.Draw{Z: z}
			for range z.Ones() {
				d.Weights = append(d.Weights, 1)
			}
			ds, allocations = append(ds, d), append(allocations, z)
		}
		e, err := EstimateG(rng, ds, EstimateOptions{A: 1, Starts: 15})
		if err != nil {
			t.Fatal(err)
		}
		loss := 0.0
		for _, z := range allocations {
			loss += FARO(z, e.Z, 1) / float64(len(allocations))
		}
		mustEqual(t, "loss", e.Loss, loss, 1e-9)
		for k, weights := range e.Weights {
			for i, w := range weights {
				if w != 0 && w != 1 || (w == 1) != e.Z.Has(i, k) {
					t.Fatalf("found the weight %v", w)
				}
			}
		}
		best, err := EstimateZ(rng, allocations, EstimateOptions{A: 1, Starts: 15})
		if err != nil {
			t.Fatal(err)
		}
		if e.Loss > 1.1*best.Loss+1e-9 {
			t.Errorf("found the loss %v, that of the estimate of Z is %v", e.Loss, best.Loss)
		}
	}
}

// TestEstimateG: draws that differ in the order and the signs of features and in small errors of the
// weights have the common weights as their estimate, up to signs, on any number of cores. So do the
// loadings, which have the signs of the estimate.
func TestEstimateG(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 8))
	x, z, _ := problem(rng, 12, 4, 3, 1, 0.05)
	truth := make([][]float64, z.K())
	for k := range truth {
		truth[k] = make([]float64, z.N())
		for _, i := range z.Members(nil, k) {
			truth[k][i] = rng.NormFloat64() + 0.5
		}
	}
	var ds []*draws.Draw
	for range 30 {
		d := &draws.Draw{Z: feature.New(z.N()), SigmaX: 1, SigmaA: 1}
		for _, k := range rng.Perm(z.K()) {
			d.Z.AppendColumn(z.Column(k))
			sign := float64(1 - 2*rng.IntN(2))
			for _, i := range z.Members(nil, k) {
				d.Weights = append(d.Weights, sign*(truth[k][i]+0.01*rng.NormFloat64()))
			}
		}
		ds = append(ds, d)
	}
	e, err := EstimateG(rand.New(rand.NewPCG(1, 1)), ds, EstimateOptions{A: 1, Starts: 3})
	if err != nil {
		t.Fatal(err)
	}
	cores := runtime.GOMAXPROCS(3)
	again, _ := EstimateG(rand.New(rand.NewPCG(1, 1)), ds, EstimateOptions{A: 1, Starts: 3})
	runtime.GOMAXPROCS(cores)
	if !e.Z.Equal(z) || again.Loss != e.Loss {
		t.Fatalf("found %v, expected %v", e.Z, z)
	}
	matched := Match(z, e.Z)
	for k, weights := range e.Weights {
		sum, want := 0.0, 0.0
		for i, w := range weights {
			sum, want = sum+w, want+truth[matched[k]][i]
		}
		if sum < 0 {
			t.Errorf("found a sum of %v", sum)
		}
		for i, w := range weights {
			mustEqual(t, "weight", w, math.Copysign(1, want)*truth[matched[k]][i], 0.02)
		}
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := AlignLoadings(data, e.Z, ds, LoadingsOptions{Weights: e.Weights})
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range got.Features {
		if f.Matched != 1 {
			t.Errorf("found %v of the draws matched", f.Matched)
		}
		for i, w := range f.Weights {
			mustEqual(t, "mean weight", w, e.Weights[k][i], 0.02)
		}
	}
}

// TestMedian: the median counts zeros and is the one nearest to 0.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		zeros  int
		want   float64
	}{{nil, 3, 0}, {[]float64{2, 1, 3}, 0, 2}, {[]float64{1, 3}, 0, 1}, {[]float64{-3, -1}, 0, -1}, {[]float64{-1, 1}, 0, 0}, {[]float64{1, 2, 3}, 2, 1}, {[]float64{1, 2}, 2, 0}, {[]float64{-2, -1, -3}, 2, -1}} {
		if got := median(c.values, c.zeros); got != c.want {
			t.Errorf("%v and %d zeros: found %v, expected %v", c.values, c.zeros, got, c.want)
		}
	}
}

// TestAxes: the product of weights and mean loadings stays, and the loadings of an axis are orthogonal to
// those of the others, the longest first. Features of other items stay.
func TestAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 9))
	const n, d = 6, 5
	z := feature.New(n)
	for _, bits := range []uint64{0b001111, 0b110000, 0b001111, 0b001111} {
		z.AppendColumn([]uint64{bits})
	}
	normals := func(count int) []float64 {
		x := make([]float64, count)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	e, a := &Estimate{Z: z}, &AlignedLoadings{}
	for k := range z.K() {
		weights := normals(n)
		for i := range weights {
			if !z.Has(i, k) {
				weights[i] = 0
			}
		}
		e.Weights = append(e.Weights, weights)
		a.Features = append(a.Features, FeatureLoadings{Matched: 1, Mean: normals(d), SD: make([]float64, d), Weights: append([]float64(nil), weights...)})
	}
	signal := func(i, v int) (sum float64) {
		for k := range z.K() {
			sum += e.Weights[k][i] * a.Features[k].Mean[v]
		}
		return sum
	}
	var before []float64
	for i := range n {
		for v := range d {
			before = append(before, signal(i, v))
		}
	}
	other := a.Features[1].Mean[0]
	groups := a.Axes(e)
	if len(groups) != 1 || len(groups[0]) != 3 || a.Features[1].Mean[0] != other {
		t.Fatalf("found %v", groups)
	}
	for i := range n {
		for v := range d {
			mustEqual(t, "signal", signal(i, v), before[i*d+v], 1e-12)
		}
	}
	dot := func(k, l int) (sum float64) {
		for v := range d {
			sum += a.Features[k].Mean[v] * a.Features[l].Mean[v]
		}
		return sum
	}
	if math.Abs(dot(0, 2))+math.Abs(dot(0, 3))+math.Abs(dot(2, 3)) > 1e-12 || dot(0, 0) < dot(2, 2) || dot(2, 2) < dot(3, 3) {
		t.Error("found axes that are not orthogonal or not in order")
	}
}
