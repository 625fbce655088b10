package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// Distinct keeps the first feature of each set of items, in order.
func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		z := randomZ(rng, 3, rng.IntN(9), 0.5)
		kept, first, count := Distinct(z)
		sum := 0
		for k := range kept.K() {
			if !slices.Equal(kept.Column(k), z.Column(first[k])) {
				t.Fatalf("feature %d is not feature %d of\n%v", k, first[k], z)
			}
			sum += count[k]
			for l := range z.K() {
				if same := slices.Equal(kept.Column(k), z.Column(l)); same && l < first[k] || same && slices.Contains(first, l) && l != first[k] {
					t.Fatalf("feature %d is like feature %d of\n%v", k, l, z)
				}
			}
		}
		if sum != z.K() {
			t.Fatalf("found %v, expected the sum %d", count, z.K())
		}
	}
}

// Copies have the loading of their sum, which is one feature whose weights are the square root of the
// number of copies.
func TestLoadingsOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 20 {
		x, z, _ := problem(rng, 12, 3, 3, 0, 0)
		for range 4 {
			x[rng.IntN(12)][rng.IntN(3)] = math.NaN()
		}
		est, _, _ := Distinct(z)
		copied, weights := feature.New(12), []float64{}
		for k := range est.K() {
			number := 1 + rng.IntN(4)
			for range number {
				copied.AppendColumn(est.Column(k))
			}
			for range est.Size(k) {
				weights = append(weights, math.Sqrt(float64(number)))
			}
		}
		data, err := lglfm.NewData(x)
		if err == nil {
			data, err = data.WithNoiseScales([]float64{0.1, 0.1, 0.1})
		}
		if err == nil {
			data, err = data.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		d := draws.Draw{SigmaX: 0.5 + rng.Float64(), SigmaA: 1, NoiseScales: []float64{1, 0.5, 2}}
		binary, weighted := d, d
		binary.Z, weighted.Z, weighted.Weights = copied, est, weights
		var got [2]*AlignedLoadings
		for i, ds := range []*draws.Draw{&binary, &weighted} {
			if got[i], err = AlignLoadings(data, est, []*draws.Draw{ds}, LoadingsOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		index := 0
		for k, f := range got[0].Features {
			root := weights[index]
			index += est.Size(k)
			for v := range f.Mean {
				want := got[1].Features[k]
				if math.Abs(f.Mean[v]-root*want.Mean[v]) > 1e-9 || math.Abs(f.SD[v]-root*want.SD[v]) > 1e-7 {
					t.Fatalf("%v copies: found %v (%v), expected %v (%v)", root*root, f.Mean[v], f.SD[v], root*want.Mean[v], root*want.SD[v])
				}
			}
		}
	}
}
