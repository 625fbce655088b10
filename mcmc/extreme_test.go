package mcmc

import (
	"math"
	"testing"

	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// TestExtremeSimilarities runs chains where similarities underflow, are 0 or are
// infinite: the state stays finite and moves.
func TestExtremeSimilarities(t *testing.T) {
	places := func(scale float64) *similarity.Matrix {
		x := make([]float64, 12)
		for i := range x {
			x[i] = scale * float64(i/2) // in pairs at distance 0
		}
		return similarity.AbsDifference(x)
	}
	a := twin(12, 6)
	data, err := lglfm.NewData(a.x)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dist        *similarity.Matrix
		decay       similarity.Decay
		temperature float64
	}{
		"temperature 400":               {places(1), similarity.Exponential{}, 400},
		"distance 50 at temperature 20": {places(50), similarity.Exponential{}, 20},
		"distance 0":                    {places(1), similarity.Reciprocal{}, 1},
		"window":                        {places(1), similarity.Window{}, 1},
		"distance 1e300":                {places(1e300), similarity.Exponential{}, 1},
		"temperature 0":                 {places(1), similarity.Exponential{}, 0},
	} {
		for _, random := range []bool{false, true} {
			law, err := prior.NewAIBD(prior.NewAffinity(c.dist, c.decay), 1, c.temperature, prior.Identity(12))
			if err != nil {
				t.Fatal(err)
			}
			post := &Posterior{
				Data: data, Law: law, Permutation: true, Mass: &Gamma{1, 1},
				SigmaX: ScalePrior{Max: 2}, SigmaA: ScalePrior{Max: 2},
			}
			if random && c.temperature > 0 {
				post.Temperature = &Gamma{1, 1}
			}
			s, err := NewState(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			cycle, err := NewScan(post, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			rng := NewStream(1, name)
			ones := map[int]bool{}
			for range 60 {
				cycle.Step(rng.Rand, s)
				if x := s.LogLik() + s.LogPrior(); math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s: log joint %v", name, x)
				}
				ones[s.Z.Ones()] = true
			}
			if len(ones) < 5 {
				t.Errorf("%s: the chain does not move", name)
			}
		}
	}
}
