package mcmc

import (
	"errors"
	"fmt"
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
			s, err := newState(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			cycle := scanOf(post, DefaultOptions())
			rng := NewStream(1, name)
			ones := map[int]bool{}
			for range 60 {
				cycle.Step(rng.Rand, s)
				if x := s.LogLik() + s.LogPrior(); math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s: log likelihood %v, log prior %v at temperature %v", name, s.LogLik(), s.LogPrior(), s.Temperature())
				}
				ones[s.Z().Ones()] = true
			}
			if len(ones) < 5 {
				t.Errorf("%s: the chain does not move", name)
			}
		}
	}
}

// TestWithoutNoise: on data without noise the posterior has no bound as SigmaX
// falls toward 0. The chain stays where the likelihood can be computed.
func TestWithoutNoise(t *testing.T) {
	rng := NewStream(3, "without noise")
	a := make2(3, 8)
	for k := range a {
		for j := range a[k] {
			a[k][j] = rng.Rand.NormFloat64()
		}
	}
	x := make2(20, 8)
	for i := range x {
		for k := range a {
			if rng.Rand.IntN(2) == 0 {
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
	chain, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 1.5, SigmaA: 1}}, DefaultOptions(), Config{Warmup: 300, Draws: 700, Thin: 1}, rng)
	if err != nil {
		t.Fatal(err)
	}
	s := chain.target
	if err := chain.Run(t.Context(), averager{}); err != nil {
		t.Fatal(err)
	}
	if x := s.LogLik() + s.LogPrior(); math.IsNaN(x) || s.Z().K() > 50 {
		t.Errorf("log joint %v with %d features", x, s.Z().K())
	}
	// A start beyond is refused.
	if _, err := newState(post, Start{Scales: lglfm.Scales{SigmaX: 1e-12, SigmaA: 1}}); err == nil {
		t.Error("a start at SigmaX 1e-12 is taken")
	}
}

// TestSingletonBeyondDoubles: a singleton whose nu underflows is drawn if its likelihood is
// large enough.
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
	s, err := newState(&Posterior{Data: data, Law: law}, Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if nu := s.Law().LogSingleton(0); nu > -745 {
		t.Fatalf("log nu = %g does not underflow", nu)
	}
	s.Open(0)
	if j := new(exactSingletons).draw(NewStream(1, "beyond").Rand, s, 0); j == 0 {
		t.Error("no singleton is drawn")
	}
}

// extremeLaws returns every law over items at distances 0, 1 and 1e300.
func extremeLaws(t *testing.T, n int, mass, temperature float64) []prior.Law {
	t.Helper()
	x := make([]float64, n)
	for i := range x {
		x[i] = []float64{0, 0, 1, 1e300}[i%4]
	}
	affinity, perm := prior.NewAffinity(similarity.AbsDifference(x), similarity.Exponential{}), prior.Identity(n)
	ibp, err1 := prior.NewIBP(n, mass)
	aibd, err2 := prior.NewAIBD(affinity, mass, temperature, perm)
	sequential, err3 := prior.NewSequentialDDIBP(affinity, mass, temperature, perm)
	symmetric, err4 := prior.NewDDIBP(affinity, mass, temperature)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	return []prior.Law{ibp, aibd, sequential, symmetric}
}

// TestExtremeProblems runs a few scans at extreme but legal values under every law.
// The state equals one computed from scratch.
func TestExtremeProblems(t *testing.T) {
	rng := NewStream(4, "problems")
	for _, c := range []struct {
		name                     string
		n, d                     int
		unit                     float64 // of X
		same                     bool    // all rows of X are equal
		sigmaX, sigmaA           float64
		mass, temperature        float64
		minFeatures, maxFeatures int
	}{
		{"SigmaX 4e-3", 7, 3, 1, false, 4e-3, 1, 1, 1, 1, 200},
		{"SigmaX and SigmaA 1e-8", 3, 2, 1, false, 1e-8, 1e-8, 1, 1, 200, 200},
		{"SigmaX 1e8", 7, 3, 1, false, 1e8, 1, 1, 1, 0, 200},
		{"X of 1e150", 7, 3, 1e150, false, 1e150, 1e150, 1, 1, 0, 200},
		{"X of 1e300", 7, 3, 1e300, false, 1e298, 1e300, 1, 1, 0, 200},
		{"equal rows", 7, 3, 1, true, 4e-3, 1, 1, 1, 1, 200},
		{"D = 1, N = 2", 2, 1, 1, false, 0.1, 1, 1, 1, 0, 200},
		{"no features", 7, 3, 1, false, 1, 1, 1e-300, 1, 0, 0},
		{"hundreds of singletons", 3, 1, 1, false, 1, 1, 100, 1, 100, 400},
		{"temperature 0", 7, 3, 1, false, 0.5, 1, 1, 0, 0, 200},
		{"temperature 1e6", 7, 3, 1, false, 0.5, 1, 1, 1e6, 0, 200},
	} {
		x := make2(c.n, c.d)
		for i := range x {
			for j := range x[i] {
				if x[i][j] = c.unit * rng.Rand.NormFloat64(); c.same {
					x[i][j] = x[0][j]
				}
			}
		}
		data, err := lglfm.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, law := range extremeLaws(t, c.n, c.mass, c.temperature) {
			t.Run(fmt.Sprintf("%s, %v", c.name, law), func(t *testing.T) {
				post := &Posterior{Data: data, Law: law}
				limit := MaxFeatures
				if c.maxFeatures < 400 {
					limit = coreMax
				}
				s, err := newTarget(post, Start{Scales: lglfm.Scales{SigmaX: c.sigmaX, SigmaA: c.sigmaA}}, true, limit)
				if err != nil {
					t.Fatal(err)
				}
				cycle := scanOf(post, DefaultOptions())
				for range 2 {
					cycle.Step(rng.Rand, s)
				}
				checkState(t, s, x, limit)
				if k := s.Z().K(); k < c.minFeatures || k > c.maxFeatures {
					t.Errorf("%d features, expected %d to %d", k, c.minFeatures, c.maxFeatures)
				}
			})
		}
	}
}

// TestStartsRefused: what cannot be computed or held is refused, with the reason.
func TestStartsRefused(t *testing.T) {
	data, err := lglfm.NewData([][]float64{{1}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mass   float64
		scales lglfm.Scales
		want   string
	}{
		{1, lglfm.Scales{SigmaX: 1e-11, SigmaA: 1}, "start: SigmaX: found 1e-11, expected at least 4e-10, below which rounding of X dominates the likelihood"},
		{1e5, lglfm.Scales{SigmaX: 1, SigmaA: 1}, "start: found 0 features and mass 100000, which expects 1.5e+05, together more than 10000"},
	} {
		law, err := prior.NewIBP(2, c.mass)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newState(&Posterior{Data: data, Law: law}, Start{Scales: c.scales}); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
