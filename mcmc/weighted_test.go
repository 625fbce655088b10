package mcmc

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
)

// TestWeightedDoesNotAllocate: a scan of features with weights does not allocate once it has held the
// largest problem.
func TestWeightedDoesNotAllocate(t *testing.T) {
	for _, weights := range []*WeightPrior{nil, {}, {Near: []Nearness{nearStates(t)}}} {
		cycle, s, stream := warmedStates(t, Weighted, weights, 300)
		if n := testing.AllocsPerRun(50, func() { cycle.Step(stream.Rand, s) }); n > 0 {
			t.Errorf("%v: %v allocations a scan", weights, n)
		}
	}
}

// TestWeightedRefuses: what chains of features with weights do not support is refused.
func TestWeightedRefuses(t *testing.T) {
	data := must(lglfm.NewData([][]float64{{1}, {2}}))
	post := &Posterior{Data: data, Law: must(prior.NewIBP(2, 1)), Features: Weighted, Weights: &WeightPrior{}}
	base := Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}
	chain := func(o Options) error {
		_, err := NewChain(post, base, o, Config{Draws: 1, Thin: 1}, NewStream(1, "refuses"))
		return err
	}
	start := func(change func(*Posterior, *Start)) error {
		p, s := *post, base
		change(&p, &s)
		return p.CheckStart(s)
	}
	two := must(feature.FromRows([][]int{{1}, {1}}))
	for _, c := range []struct {
		want string
		got  error
	}{
		{"", chain(DefaultOptions())},
		{"truncation divisor: found 1000 and features with weights, expected 0", chain(Options{StepTemperature: 1, StepX: 1, StepA: 1, Truncation: 1000})},
		{"found 1 weights, expected 2, one for each one of Z", start(func(_ *Posterior, s *Start) { s.Z, s.Weights = two, []float64{1} })},
		{"found weight NaN, expected a finite number", start(func(_ *Posterior, s *Start) { s.Z, s.Weights = two, []float64{1, math.NaN()} })},
		{"found shares [1] and rates [] of the weights, expected positive shares below 1", start(func(_ *Posterior, s *Start) { s.Shares = []float64{1} })},
		{"found shares [0.5] and rates [] of the weights, expected", start(func(p *Posterior, s *Start) { p.Weights, s.Shares = nil, []float64{0.5} })},
		{"found weights or shares, expected neither with binary features", start(func(p *Posterior, s *Start) { p.Features, p.Weights, s.Weights = Binary, nil, []float64{} })},
		{`features: found "heavy", expected binary or weighted`, start(func(p *Posterior, _ *Start) { p.Features = "heavy" })},
	} {
		switch {
		case c.got == nil && c.want != "":
			t.Errorf("found no error, expected %q", c.want)
		case c.got != nil && (c.want == "" || !strings.Contains(c.got.Error(), c.want)):
			t.Errorf("found %q, expected %q", c.got, c.want)
		}
	}
}

// BenchmarkFeatures measures a default scan of the 50 states, with a noise scale for each column and an
// intercept, for each kind of features.
func BenchmarkFeatures(b *testing.B) {
	for _, c := range []struct {
		name     string
		features Features
		weights  *WeightPrior
	}{{"binary", Binary, nil}, {"independent weights", Weighted, nil}, {"common part", Weighted, &WeightPrior{}}, {"near weights", Weighted, &WeightPrior{Near: []Nearness{nearStates(b)}}}} {
		b.Run(c.name, func(b *testing.B) {
			cycle, s, stream := warmedStates(b, c.features, c.weights, 1000)
			benchmarkSteps(b, cycle, s, stream)
		})
	}
}

// nearStates returns the distances between the states as weights follow them.
func nearStates(tb testing.TB) Nearness {
	tb.Helper()
	d := mixedStates(tb).post.Law.(prior.Attraction).Affinity().Distance(0)
	return Nearness{Distances: d, MinRate: 0.5 / d.Median(), MaxRate: 10 / d.Median()}
}

// warmedStates returns a chain of the built-in states after some scans.
func warmedStates(tb testing.TB, features Features, weights *WeightPrior, scans int) (*cycle, *target, *Stream) {
	tb.Helper()
	post := mixedStates(tb).post
	data, err := post.Data.WithNoiseScales(nil)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		tb.Fatal(err)
	}
	post.Data, post.Features, post.Weights = data, features, weights
	s, err := newState(post, Start{Scales: lglfm.Scales{SigmaX: 0.9, SigmaA: 0.6}})
	if err != nil {
		tb.Fatal(err)
	}
	stream := NewStream(1, "warmed states")
	o := OptionsFor(post, 1000)
	cycle := newCycle(o.scan(post, &tuner{Tuning: newTuning(o), on: true}).kernels...)
	for range scans {
		cycle.Step(stream.Rand, s)
	}
	return cycle, s, stream
}

// The likelihood at a start with weights is the normal distribution of the columns, whatever the order of features.
func TestLogLikOfWeights(t *testing.T) {
	x := [][]float64{{0.3, -1.2}, {1.7, 0.4}, {-0.6, 2.1}}
	scales := lglfm.Scales{SigmaX: 0.7, SigmaA: 1.3}
	g := [][]float64{{0.5, 0, -2}, {1.5, 1, 0}, {0, -0.8, 0}} // the last feature has one item
	z := must(feature.FromRows([][]int{{1, 0, 1}, {1, 1, 0}, {0, 1, 0}}))
	weights := []float64{0.5, 1.5, 1, -0.8, -2}
	post := &Posterior{Data: must(lglfm.NewData(x)), Law: must(prior.NewIBP(3, 1)), Features: Weighted}
	got, err := post.LogLik(Start{Z: z, Weights: weights, Scales: scales})
	if err != nil {
		t.Fatal(err)
	}
	covariance := mat.NewSymDense(3, nil)
	for i := range g {
		for j := range i + 1 {
			covariance.SetSym(i, j, scales.SigmaA*scales.SigmaA*floats.Dot(g[i], g[j]))
		}
		covariance.SetSym(i, i, covariance.At(i, i)+scales.SigmaX*scales.SigmaX)
	}
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		t.Fatal("the covariance is not positive definite")
	}
	want := 0.0
	for d := range x[0] {
		var solved mat.VecDense
		column := mat.NewVecDense(3, []float64{x[0][d], x[1][d], x[2][d]})
		if err := factor.SolveVecTo(&solved, column); err != nil {
			t.Fatal(err)
		}
		want -= (mat.Dot(column, &solved) + factor.LogDet() + 3*math.Log(2*math.Pi)) / 2
	}
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("found %v, want %v", got, want)
	}
	if _, err := post.LogLik(Start{Z: z, Weights: weights[1:], Scales: scales}); err == nil {
		t.Error("found no error of a weight that is missing")
	}
}
