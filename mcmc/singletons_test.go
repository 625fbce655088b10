package mcmc

import (
	"math/rand/v2"
	"testing"
)

// TestSingletonsEarly: a series that ends as soon as it determines the draw gives the draw of a
// long one with the same random number, for rows with many expected singletons and few.
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
		t.Errorf("%d of %d draws are determined early", early, draws)
	}
}

// TestSingletonsUnobserved: an item without observed cells has a constant likelihood. Flips
// leave rounding errors in it. The series of the item still ends early.
func TestSingletonsUnobserved(t *testing.T) {
	const item = 1
	rng, exact, flips := NewStream(1, "unobserved").Rand, new(exactSingletons), 0
	for range 100 {
		s := ofGaps.draw(rng)
		s.Open(item)
		for k := range s.Z().K() {
			if s.Shared(k) {
				s.Flip(k)
				flips++
			}
		}
		s.SetSingletons(exact.draw(rng, s, item))
		s.Close(rng)
		if n := len(exact.weights.logs); n > 40 || s.Limited {
			t.Fatalf("the series has %d terms, up to MaxFeatures: %v", n, s.Limited)
		}
	}
	if flips < 50 {
		t.Errorf("only %d flips", flips)
	}
}
