package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/draws"
	"aibd/feature"
)

// allocation returns Z of entries that are not 0, by feature.
func allocation(g [][]float64) *feature.Allocation {
	z := feature.New(len(g[0]))
	for _, w := range g {
		k := z.Append()
		for i, x := range w {
			if x != 0 {
				z.Flip(i, k)
			}
		}
	}
	return z
}

// Draws that rotate two features by up to 45 degrees turn them: by 0.43 without noise. Draws with the same noise that rotate
// nothing do not, and neither do features of other items.
func TestTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 100
	truth := make([][]float64, 3)
	for k := range truth {
		truth[k] = make([]float64, n)
		for i := range truth[k] {
			if k < 2 || i < n/2 {
				truth[k][i] = rng.NormFloat64()
			}
		}
	}
	newEstimate := func(angle float64) (e *Estimate, ds []*draws.Draw) {
		for range 100 {
			var weights []float64
			angle := (2*rng.Float64() - 1) * angle
			sin, cos := math.Sincos(angle)
			for k, w := range truth {
				for i, x := range w {
					switch {
					case x == 0:
						continue
					case k == 0:
						x = cos*x + sin*truth[1][i]
					case k == 1:
						x = cos*x - sin*truth[0][i]
					}
					weights = append(weights, x+0.3*rng.NormFloat64())
				}
			}
			z := allocation(truth)
			ds = append(ds, &draws.Draw{Z: z, Weights: weights})
		}
		return &Estimate{Z: allocation(truth), Weights: truth}, ds
	}
	for angle, want := range map[float64]float64{0: 0, math.Pi / 4: 0.4} {
		turns := Turns(newEstimate(angle))
		if got := turns[0][1]; math.Abs(got-want) > 0.04 || turns[1][0] != got {
			t.Errorf("rotated by up to %.2f: found %.3f, expected about %.2f", angle, got, want)
		}
		if turns[0][2] > 0.15 || turns[1][2] > 0.15 {
			t.Errorf("found %v, expected nothing for the third feature", turns)
		}
	}
}
