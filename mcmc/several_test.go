package mcmc

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// Chains with two temperatures, all else but Z fixed, are compared with the posterior by enumeration
// of Z and quadrature of the temperatures. Twins with a second temperature that the law does not
// follow, with one that has the prior of the first, and with the decays exchanged, are rejected.
func TestExactPosteriorTwoTemperatures(t *testing.T) {
	for name, c := range map[string]struct {
		decays        [2]similarity.Decay
		furtherPriors []*Gamma
	}{
		"one decay and prior": {[2]similarity.Decay{similarity.Exponential{}, similarity.Exponential{}}, nil},
		"each its own":        {[2]similarity.Decay{similarity.Reciprocal{Shift: 0.1}, similarity.Exponential{}}, []*Gamma{{Shape: 4, Rate: 3}}},
	} {
		if *fixture.Long || c.furtherPriors != nil {
			t.Run(name, func(t *testing.T) { testTwoTemperatures(t, c.decays, c.furtherPriors) })
		}
	}
}

func testTwoTemperatures(t *testing.T, decays [2]similarity.Decay, furtherPriors []*Gamma) {
	const maxK = 4
	batches := 300 // of 100 scans: enough for the weakest of the broken twins
	if *fixture.Long {
		batches *= 2
	}
	x := [][]float64{{1.2, -0.3}, {0.9, 0.1}, {-0.8, 1.1}}
	scales := lglfm.Scales{SigmaX: 0.7, SigmaA: 1}
	distances := similarity.Several{similarity.AbsDifference([]float64{0, 2, 0.5}), similarity.Same([]string{"a", "a", "b"})}
	lawOf := func(first, second similarity.Decay) prior.Law {
		return must(prior.NewAIBD(prior.NewAffinity(distances, first, second), 1.2, 1, []int{2, 0, 1}))
	}
	law := lawOf(decays[0], decays[1]).(prior.Attraction)
	post := enumerated{x: x, law: law}.posterior(t)
	post.Temperature, post.FurtherTemperatures, post.TemperatureUnits = &Gamma{Shape: 2, Rate: 2}, furtherPriors, []float64{1, 0.5}
	functions := []struct {
		name    string
		density func(z *feature.Allocation, first, second float64) float64
	}{
		{"first temperature", func(_ *feature.Allocation, a, _ float64) float64 { return a }},
		{"second temperature", func(_ *feature.Allocation, _, b float64) float64 { return b }},
		{"second temperature squared", func(_ *feature.Allocation, _, b float64) float64 { return b * b }},
		{"product of temperatures", func(_ *feature.Allocation, a, b float64) float64 { return a * b }},
		{"sharing of 1 and 2", func(z *feature.Allocation, _, _ float64) float64 { return float64(z.Shared(0, 1)) }},
		{"second temperature by sharing of 1 and 3", func(z *feature.Allocation, _, b float64) float64 { return b * float64(z.Shared(0, 2)) }},
		{"features", func(z *feature.Allocation, _, _ float64) float64 { return float64(z.K()) }},
	}
	want, sum := make([]float64, len(functions)), 0.0
	logLik := map[uint64]float64{}
	feature.Enumerate(3, maxK, func(z *feature.Allocation) bool {
		logLik[code(z)] = lglfm.LogLik(post.Data, z, scales)
		return true
	})
	step, end := 0.3, 9.0
	if *fixture.Long {
		step /= 2
	}
	for a := step / 2; a < end; a += step {
		for b := step / 2; b < 2*end; b += 2 * step {
			conditional := law.WithFurtherTemperatures([]float64{b}).With(a, law.Permutation())
			density := post.temperaturePrior(0).LogDensity(a) + post.temperaturePrior(1).LogDensity(b)
			feature.Enumerate(3, maxK, func(z *feature.Allocation) bool {
				p := math.Exp(prior.LogProb(conditional, z) + logLik[code(z)] + density)
				sum += p
				for f, function := range functions {
					want[f] += p * function.density(z, a, b)
				}
				return true
			})
		}
	}
	type twin struct {
		post  func(*Posterior)
		state func(*target)
	}
	worst := func(name string, candidate twin) (float64, string) {
		p := *post
		if candidate.post != nil {
			candidate.post(&p)
		}
		s, err := newState(&p, Start{Scales: scales, Temperature: 1, FurtherTemperatures: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{OtherUpdates: 2, StepTemperature: 1, StepX: 1, StepA: 1, Births: 1}
		cycle := scanOf(&p, o)
		if candidate.state != nil {
			candidate.state(s)
		}
		rng := NewStream(1, "two temperatures, "+name).Rand
		means, count := make2(len(functions), batches), make([]float64, batches)
		for b := range batches {
			for range 100 {
				cycle.Step(rng, s)
				if s.Z().K() > maxK {
					continue
				}
				count[b]++
				z := s.Z().Clone()
				for f, function := range functions {
					means[f][b] += function.density(z, s.Temperature(), s.Temperatures().Value(1))
				}
			}
		}
		largest, which := 0.0, ""
		for f, function := range functions {
			for b := range means[f] {
				means[f][b] /= count[b]
			}
			mean, sd := stat.MeanStdDev(means[f], nil)
			if z := math.Abs(mean-want[f]/sum) / (sd / math.Sqrt(float64(batches))); !(z <= largest) {
				largest, which = z, function.name
			}
		}
		return largest, which
	}
	if z, what := worst("right", twin{}); !(z < limit) {
		t.Errorf("|z| = %.2f for %s, want below %v", z, what, limit)
	}
	twins := map[string]twin{
		"second temperature of the law does not move": {state: func(s *target) {
			s.under(func(t intensity.Tracker) intensity.Tracker { return firstTracker{t} })
		}},
		"prior of the first temperature for the second": {post: func(p *Posterior) { p.FurtherTemperatures, p.TemperatureUnits = nil, []float64{1, 1} }},
	}
	if furtherPriors != nil && *fixture.Long {
		twins["decays exchanged"] = twin{post: func(p *Posterior) { p.Law = lawOf(decays[1], decays[0]) }}
	}
	for name, candidate := range twins {
		z, what := worst(name, candidate)
		t.Logf("%s: |z| = %.1f for %s", name, z, what)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f for %s", name, z, what)
		}
	}
}

// firstTracker is a tracker that keeps the second temperature at 1.
type firstTracker struct{ intensity.Tracker }

func (f firstTracker) Propose(t intensity.Temperatures, perm []int) (float64, float64) {
	return f.Tracker.Propose(intensity.Temperatures{First: t.First, Tail: []float64{1}}, perm)
}

// A chain with two temperatures goes on from a checkpoint as if it had never stopped, and does not
// start or resume with another number of them.
func TestCheckpointOfTwoTemperatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make2(len(places), 2)
	for i := range x {
		x[i][0], x[i][1] = rng.NormFloat64(), rng.NormFloat64()
	}
	post, err := NewPosterior(x, ofTwo.post.Law)
	if err != nil {
		t.Fatal(err)
	}
	if post.Temperature.Rate != 2 || len(post.TemperatureUnits) != 2 || post.TemperatureUnits[1] != 1 {
		t.Fatalf("prior %v in units %v", post.Temperature, post.TemperatureUnits)
	}
	cfg := Config{Warmup: 30, Draws: 30, Thin: 1}
	o := OptionsFor(post, cfg.Warmup)
	start := Start{Scales: lglfm.Scales{SigmaX: 0.8, SigmaA: 0.8}, Temperature: 0.5, FurtherTemperatures: []float64{0.7}}
	whole, err := NewChain(post, start, o, cfg, NewStream(1, "two"))
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Run(t.Context(), new(tape)); err != nil {
		t.Fatal(err)
	}
	part, err := NewChain(post, start, o, Config{Warmup: 30, Draws: 10, Thin: 1}, NewStream(1, "two"))
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Run(t.Context(), new(tape)); err != nil {
		t.Fatal(err)
	}
	p, err := part.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := Resume(post, o, cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := resumed.Run(t.Context(), new(tape)); err != nil {
		t.Fatal(err)
	}
	a, b := whole.State(), resumed.State()
	if a.Temperature != b.Temperature || len(a.FurtherTemperatures) != 1 || a.FurtherTemperatures[0] != b.FurtherTemperatures[0] || a.FurtherTemperatures[0] == 0.7 || a.LogPrior != b.LogPrior || a.Z.Key() != b.Z.Key() {
		t.Errorf("%+v, expected %+v", b, a)
	}
	if s := resumed.Steps(); s.Temperature == 0 || len(s.FurtherTemperatures) != 1 || s.FurtherTemperatures[0] == 0 {
		t.Errorf("steps %+v", s)
	}
	broken := p
	broken.FurtherTemperatures = nil
	if _, err := Resume(post, o, cfg, broken); err == nil || err.Error() != "checkpoint: found 0 further temperatures with 1 walks, expected 1" {
		t.Errorf("error %v", err)
	}
	start.FurtherTemperatures = []float64{1, 2}
	if _, err := NewChain(post, start, o, cfg, NewStream(1, "two")); err == nil {
		t.Error("a chain with three temperatures")
	}
}

// A temperature without a prior stays where the law has it, at 0 too, through starts, scans, draws of the
// prior and checkpoints, be it that of the first or of the second distance.
func TestOneTemperatureIsFixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := make2(len(places), 2)
	for i := range x {
		x[i][0], x[i][1] = rng.NormFloat64(), rng.NormFloat64()
	}
	for fixed, value := range []float64{0, 0.7} {
		points := []float64{1, 1}
		points[fixed] = value
		law := ofTwo.post.Law.(prior.Attraction).WithFurtherTemperatures(points[1:]).With(points[0], prior.Identity(len(places)))
		post, err := NewPosterior(x, law)
		if err != nil {
			t.Fatal(err)
		}
		post.FurtherTemperatures = []*Gamma{{Shape: 2, Rate: 3}}
		if fixed == 0 {
			post.Temperature = nil
		} else {
			post.FurtherTemperatures[0] = nil
		}
		cfg := Config{Warmup: 10, Draws: 10, Thin: 1}
		start, err := post.DrawStart(rng, Start{}, InitPrior)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewChain(post, start, OptionsFor(post, cfg.Warmup), cfg, NewStream(1, "fixed"))
		if err != nil {
			t.Fatal(err)
		}
		temperatures := func(d *draws.Draw) []float64 { return append([]float64{d.Temperature}, d.FurtherTemperatures...) }
		before := temperatures(c.State())
		if err := c.Run(t.Context(), new(tape)); err != nil {
			t.Fatal(err)
		}
		p, err := c.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		if c, err = Resume(post, OptionsFor(post, cfg.Warmup), cfg, p); err != nil {
			t.Fatal(err)
		}
		if a, b := before, temperatures(c.State()); a[fixed] != value || b[fixed] != value || a[1-fixed] == 1 || a[1-fixed] == b[1-fixed] {
			t.Errorf("temperature %d is fixed at %v: %v, and then %v", fixed+1, value, a, b)
		}
		if s := c.Steps(); (s.Temperature == 0) != (fixed == 0) || (s.FurtherTemperatures == nil || s.FurtherTemperatures[0] == 0) != (fixed == 1) {
			t.Errorf("temperature %d is fixed: steps %+v", fixed+1, s)
		}
		var drawn tape
		if err := post.DrawPrior(rng, start, 5, &drawn); err != nil {
			t.Fatal(err)
		}
	}
}
