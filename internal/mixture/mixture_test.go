package mixture

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Quantiles of mixtures far apart and of very different widths, against bisection.
func TestQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	for range 300 {
		var m Normals
		for range 1 + rng.IntN(30) {
			m.Mean = append(m.Mean, math.Round(3*rng.NormFloat64())*math.Pow(10, float64(rng.IntN(3))))
			m.SD = append(m.SD, math.Pow(10, float64(rng.IntN(12)-10)))
		}
		mean, sd := m.Moments()
		for _, p := range []float64{0.025, 0.5, 0.975} {
			got := m.Quantile(p, mean, sd)
			low, _ := m.Evaluate(got - Tolerance*sd)
			high, _ := m.Evaluate(got + Tolerance*sd)
			if !(low <= p && high >= p) {
				t.Fatalf("found the quantile %v at %v, where the distribution goes from %v to %v, of %+v", got, p, low, high, m)
			}
		}
	}
}
