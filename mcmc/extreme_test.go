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
					t.Fatalf("%s: log likelihood %v, log prior %v at temperature %v", name, s.LogLik(), s.LogPrior(), s.Temperature)
				}
				ones[s.Z.Ones()] = true
			}
			if len(ones) < 5 {
				t.Errorf("%s: the chain does not move", name)
			}
		}
	}
}

// TestWithoutNoise: on data without noise the posterior has no bound as SigmaX
// falls towards 0. The chain stays where the likelihood can be computed.
func TestWithoutNoise(t *testing.T) {
	rng := NewStream(3, "without noise")
	a := make2(3, 8)
	for k := range a {
		for j := range a[k] {
			a[k][j] = rng.NormFloat64()
		}
	}
	x := make2(20, 8)
	for i := range x {
		for k := range a {
			if rng.IntN(2) == 0 {
				for j := range x[i] {
					x[i][j] += a[k][j]
				}
			}
		}
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	law, err := prior.NewIBP(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	post := &Posterior{Data: data, Law: law, Mass: &Gamma{1, 1}, SigmaX: ScalePrior{Max: 2}, SigmaA: ScalePrior{Max: 2}}
	s, err := NewState(post, Start{Scales: lglfm.Scales{SigmaX: 1.5, SigmaA: 1}})
	if err != nil {
		t.Fatal(err)
	}
	cycle, err := NewScan(post, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	chain, err := NewChain(Config{Warmup: 300, Draws: 700, Thin: 1}, cycle, s, rng)
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Run(t.Context(), averager{}); err != nil {
		t.Fatal(err)
	}
	if x := s.LogLik() + s.LogPrior(); math.IsNaN(x) || s.Z.K() > 50 {
		t.Errorf("log joint %v with %d features", x, s.Z.K())
	}
	// A start beyond is refused.
	if _, err := NewState(post, Start{Scales: lglfm.Scales{SigmaX: 1e-6, SigmaA: 1}}); err == nil {
		t.Error("a start at SigmaX 1e-6 is taken")
	}
}

// TestSingletonBeyondDoubles: where nu of a singleton underflows but the likelihood
// asks for one all the same, it is drawn.
func TestSingletonBeyondDoubles(t *testing.T) {
	const n, d = 200, 2000
	x := make2(n, d)
	for j := range d {
		x[0][j] = 30
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	// Item 1 arrives first and all others are attracted by it alone.
	rows := make2(n, n)
	for i := range rows {
		for j := range rows {
			if i != j && j != 0 {
				rows[i][j] = 1
			}
		}
	}
	dist, err := similarity.NewMatrix(rows)
	if err != nil {
		t.Fatal(err)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(dist, similarity.Exponential{}), 1, 50, prior.Identity(n))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewState(&Posterior{Data: data, Law: law}, Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if nu := s.tracker.LogSingleton(0); nu > -745 {
		t.Fatalf("log nu = %g does not underflow", nu)
	}
	s.cache.Open(s.Z, 0)
	if j := new(ExactSingletons).draw(NewStream(1, "beyond").Rand, s, 0); j == 0 {
		t.Error("no singleton is drawn")
	}
}
