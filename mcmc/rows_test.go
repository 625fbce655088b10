package mcmc

import (
	"testing"

	"aibd/internal/intensity"
	"aibd/prior"
	"aibd/similarity"
)

// TestLazyRejection: bounds decide as the full test does with the same number, at
// every entry of some scans under each law that bounds anything. It compares, so that it
// raises no false alarms; a bound that is 1 too low must be seen.
func TestLazyRejection(t *testing.T) {
	a := twin(30, 40)
	affinity := prior.NewAffinity(similarity.AbsDifference(a.ages).Shift(0.00001), similarity.Exponential{})
	aibd := a.posterior(t).Law
	sequential, err := prior.NewSequentialDDIBP(affinity, 1, 0.4, prior.Identity(len(a.x)))
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range []prior.Law{aibd, sequential} {
		post := a.posterior(t)
		post.Law = law
		cycle, s, stream := warm(t, post, start, 60)
		decided, flipped, twins := 0, 0, 0
		for range 5 {
			cycle.Step(stream.Rand, s)
			s.Refresh()
			low := &target{State: s.State, post: s.post}
			low.under(func(t intensity.Tracker) intensity.Tracker { return shortBound{t} })
			for i := range s.Z().N() {
				s.Open(i)
				low.Open(i)
				for k := range s.K() {
					if !s.Shared(k) {
						continue
					}
					log := s.LogFlip(k) + s.Law().LogFlip(i, k)
					// Around the threshold as well, where a bound may be wrong.
					for _, e := range []float64{stream.Rand.ExpFloat64(), -log - 1e-6, -log + 1e-6, -log + 0.5} {
						want := log+e > 0
						if got := flips(s, i, k, e); got != want {
							t.Fatalf("%v: item %d, column %d, log ratio %v, e = %v: flips %v", law, i, k, log, e, got)
						}
						if flips(low, i, k, e) != want {
							twins++
						}
						decided++
						if want {
							flipped++
						}
					}
				}
				s.Close(stream.Rand)
				low.Close(stream.Rand)
			}
		}
		if twins == 0 {
			t.Errorf("%v: a bound that is too low is not seen", law)
		}
		t.Logf("%v: %d decisions, %d flips", law, decided, flipped)
	}
}

// shortBound is a tracker whose bound is too low.
type shortBound struct{ intensity.Tracker }

func (l shortBound) FlipBound(i, k int) float64 { return l.Tracker.FlipBound(i, k) - 1 }
