package mcmc

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestPassage: rows come out of a passage as often with each column, and with each pair
// of columns changed, as out of a scan in random order that weighs every entry. The
// noise is taken for more than it is, so that entries flip often and bounds are below 1
// all the same; and some columns are there twice, so that much depends on what has
// flipped before. A false alarm has a chance of 1e-4.
func TestPassage(t *testing.T) {
	a := twin(30, 40)
	_, s, stream := warm(t, a.posterior(t), start, 60)
	s.Scales.SigmaX *= 3
	for k := range s.Z.K() {
		if s.Z.Size(k) > 3 {
			s.Z.AppendColumn(s.Z.Column(k))
		}
	}
	plain := &rowsCopy{}
	var p passage
	const runs = 4000
	worst, tests, flips := 0.0, 0, 0
	for _, i := range []int{3, 11, 20, 28} {
		s.refresh()
		k := s.Z.K()
		var counts [2][]float64
		for way := range counts {
			counts[way] = make([]float64, k*k)
			for range runs {
				s.cache.Open(s.Z, i)
				before := make([]bool, k)
				for b := range before {
					before[b] = s.cache.On(b)
				}
				if way == 0 {
					flips += p.run(stream.Rand, s.cache, s.tracker, i, k).Accepted
				} else {
					plain.pass(stream.Rand, s, i)
				}
				var changed []int
				for b, on := range before {
					if s.cache.On(b) != on {
						changed = append(changed, b)
					}
				}
				for _, b := range changed {
					for _, c := range changed {
						counts[way][b*k+c]++
					}
				}
				for _, b := range changed {
					s.cache.Flip(b)
					s.tracker.Flip(i, b)
				}
				s.cache.Close()
			}
		}
		for b, x := range counts[0] {
			if y := counts[1][b]; x+y > 20 && x+y < 2*runs-20 {
				tests++
				mean := (x + y) / 2
				worst = max(worst, math.Abs(x-y)/math.Sqrt(2*mean*(1-mean/runs)))
			}
		}
	}
	// Bonferroni's bound of the tail of the normal distribution.
	if tail := float64(tests) * math.Erfc(worst/math.Sqrt2); tests < 100 || tail < 1e-4 {
		t.Errorf("largest of %d |z|: %.2f", tests, worst)
	}
	t.Logf("%d tests, %d flips, largest |z| %.2f", tests, flips, worst)
}

// TestOnes: the bits of ones are 1 with the given probability. A false alarm has a
// chance of 1e-6.
func TestOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range []float64{0, 1e-300, 0.001, 0.25, 1. / 3, 0.7, 1 - 0x1p-53} {
		const words = 2000
		count := 0
		for range words {
			count += bits.OnesCount64(ones(rng, p))
		}
		n := float64(64 * words)
		if math.Abs(float64(count)-n*p) > 5.4*math.Sqrt(n*p*(1-p))+1e-3 {
			t.Errorf("%d of %v bits are 1, of probability %v", count, n, p)
		}
	}
}
