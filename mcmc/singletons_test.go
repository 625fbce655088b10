package mcmc

import (
	"math/rand/v2"
	"testing"
)

// TestSingletonsEarly: a series that ends as soon as the draw is known gives what a long
// one gives with the same random number, for rows with many expected singletons and few.
func TestSingletonsEarly(t *testing.T) {
	a := twin(30, 40)
	_, s, stream := warm(t, a.posterior(t), start, 60)
	exact, long := new(exactSingletons), seriesCopy{}
	early, draws := 0, 0
	for _, factor := range []float64{0.01, 1, 100} {
		s.Mass *= factor
		for i := range s.Z().N() {
			s.Open(i)
			for range 100 {
				twin := *stream.source
				got := exact.draw(stream.Rand, s, i)
				if want := long.draw(rand.New(&twin), s, i); got != want {
					t.Fatalf("mass %v, item %d: %d singletons, of the long series %d", s.Mass, i, got, want)
				}
				draws++
				if len(exact.weights.logs) <= got+2 {
					early++
				}
			}
			s.Close(stream.Rand)
		}
		s.Mass /= factor
	}
	if early < draws/2 {
		t.Errorf("%d of %d draws are known early", early, draws)
	}
}
