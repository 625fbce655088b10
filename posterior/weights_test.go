package posterior

import (
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
)

// TestLoadingsOfWeights: loadings and mean weights equal those of draws in which no feature changes its
// sign, up to the signs of the draw with the largest log joint density.
func TestLoadingsOfWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 6))
	x, z, ds := problem(rng, 12, 4, 3, 20, 0.05)
	const best = 7
	var other []*draws.Draw // with other signs
	weight := func(i, k int) float64 { return 1.5 - float64((i+k)%3) }
	for s, d := range ds {
		d.LogLik = -1 - float64((s+20-best)%20)
		turned := *d
		matched := Match(d.Z, z)
		for l := range d.Z.K() {
			k := max(slices.Index(matched, l), 0) // any weights, if l is not matched
			sign := float64(1 - 2*rng.IntN(2))
			if s == best {
				sign = float64(1 - 2*(k%2)) // feature 1 is turned
			}
			for _, i := range d.Z.Members(nil, l) {
				d.Weights = append(d.Weights, weight(i, k))
				turned.Weights = append(turned.Weights, sign*weight(i, k))
			}
		}
		other = append(other, &turned)
	}
	want, _ := align(t, x, z, ds, 1)
	got, _ := align(t, x, z, other, 2)
	for k, f := range got {
		sign := float64(1 - 2*(k&1))
		for v := range f.Mean {
			mustEqual(t, "mean", f.Mean[v], sign*want[k].Mean[v], 1e-12)
			mustEqual(t, "sd", f.SD[v], want[k].SD[v], 1e-12)
		}
		for i, w := range f.Weights {
			mean := 0.0
			for _, d := range ds {
				if l := Match(d.Z, z)[k]; l >= 0 && d.Z.Has(i, l) {
					mean += weight(i, k) / float64(len(ds)) / f.Matched
				}
			}
			mustEqual(t, "weight", w, sign*mean, 1e-12)
		}
	}
	for _, d := range ds {
		d.Weights = nil
	}
	if binary, _ := align(t, x, z, ds, 1); binary[0].Weights != nil {
		t.Errorf("binary features have the weights %v", binary[0].Weights)
	}
}
