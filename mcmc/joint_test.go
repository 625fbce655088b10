package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// The tests of this file check the whole standard scan, everything random, by
// moments that are known exactly: those of the prior.
//
// Without data the chain must return the prior. With data, Geweke's joint test
// ("Getting it right", 2004) redraws X given the unknowns after each scan; the
// unknowns then have their prior distribution again, if and only if the scan
// leaves the posterior invariant for almost all X.
//
// Each mean is compared by a z test with the error from 500 batch means. Under a
// correct scan one |z| beyond limit has probability 1e-7; there are at most 17
// of them in each of 8 chains here, so that a false alarm is due once in 70,000
// seeds. The seed is fixed.

// scalePrior is narrow enough for a scan to mix over.
var scalePrior = ScalePrior{Gamma: &Gamma{Shape: 8, Rate: 10}}

// The laws of the joint tests.
const (
	ibp = iota
	aibd
	sequential // dd-IBP
	symmetric  // dd-IBP
)

var lawNames = []string{"IBP", "AIBD", "sequential dd-IBP", "symmetric dd-IBP"}

// jointPosterior is of n items with data of d columns, which may be none. The
// prior of the mass is narrow, so that prior draws of Z stay small.
func jointPosterior(t *testing.T, n, d, law int) *Posterior {
	t.Helper()
	data, err := lglfm.NewData(make2(n, d))
	if err != nil {
		t.Fatal(err)
	}
	post := &Posterior{
		Data: data, Mass: &Gamma{6, 5}, Temperature: &Gamma{3, 3}, Permutation: true,
		SigmaX: scalePrior, SigmaA: scalePrior,
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i*i) / 3
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(x), similarity.Exponential{})
	switch law {
	case ibp:
		post.Law, err = prior.NewIBP(n, 1)
		post.Temperature, post.Permutation = nil, false
	case aibd:
		post.Law, err = prior.NewAIBD(affinity, 1, 1, prior.Identity(n))
	case sequential:
		post.Law, err = prior.NewSequentialDDIBP(affinity, 1, 1, prior.Identity(n))
	case symmetric:
		post.Law, err = prior.NewDDIBP(affinity, 1, 1)
		post.Permutation = false
	}
	if err != nil {
		t.Fatal(err)
	}
	return post
}

func make2(n, d int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
	}
	return x
}

// quantity is a function of the state with its prior mean.
type quantity struct {
	name string
	f    func(*State) float64
	mean float64
}

// priorMoments are means under the prior of temperature and permutation, at mass
// 1.
type priorMoments struct {
	h, h2         float64 // total intensity and its square
	first, second float64 // sharing of items 1 and 2, and of item 1 and the last
}

// moments averages over the permutation by all of them and over the temperature by
// the midpoint rule; the integrand is smooth and beyond 12 below 1e-13.
func moments(post *Posterior) priorMoments {
	law, ok := post.Law.WithMass(1).(prior.Attraction)
	if !ok {
		h := post.Law.TotalIntensity()
		return priorMoments{h, h * h, 0.5, 0.5}
	}
	perms := [][]int{nil}
	if post.Permutation {
		perms = permutations(law.N())
	}
	var m priorMoments
	const step = 0.1
	for x := step / 2; x < 12; x += step {
		w := step * math.Exp(post.Temperature.LogDensity(x)) / float64(len(perms))
		for _, perm := range perms {
			one := law.With(x, perm)
			h, s := one.TotalIntensity(), one.ExpectedSharing()
			m.h += w * h
			m.h2 += w * h * h
			m.first += w * s[0][1]
			m.second += w * s[0][law.N()-1]
		}
	}
	return m
}

// quantities returns functions whose prior means are known.
func quantities(post *Posterior) []quantity {
	n, m, mass := post.Law.N(), moments(post), post.Mass.Shape/post.Mass.Rate
	second := func(g Gamma) float64 { return g.Shape * (g.Shape + 1) / (g.Rate * g.Rate) }
	qs := []quantity{
		{"mass", func(s *State) float64 { return s.Mass }, mass},
		{"mass squared", func(s *State) float64 { return s.Mass * s.Mass }, second(*post.Mass)},
		{"SigmaX", func(s *State) float64 { return s.Scales.SigmaX }, 0.8},
		{"SigmaX squared", func(s *State) float64 { return s.Scales.SigmaX * s.Scales.SigmaX }, second(*scalePrior.Gamma)},
		{"SigmaA", func(s *State) float64 { return s.Scales.SigmaA }, 0.8},
		{"SigmaA squared", func(s *State) float64 { return s.Scales.SigmaA * s.Scales.SigmaA }, second(*scalePrior.Gamma)},
		{"SigmaX times SigmaA", func(s *State) float64 { return s.Scales.SigmaX * s.Scales.SigmaA }, 0.64},
		{"features", func(s *State) float64 { return float64(s.Z.K()) }, mass * m.h},
		{"features squared", func(s *State) float64 { return float64(s.Z.K() * s.Z.K()) }, mass*m.h + second(*post.Mass)*m.h2},
		{"features times SigmaX", func(s *State) float64 { return float64(s.Z.K()) * s.Scales.SigmaX }, mass * m.h * 0.8},
		{"sharing of 1 and 2", func(s *State) float64 { return float64(s.Z.Shared(0, 1)) }, mass * m.first},
		{"sharing of 1 and last", func(s *State) float64 { return float64(s.Z.Shared(0, n-1)) }, mass * m.second},
	}
	if _, ok := post.Law.(*prior.DDIBP); !ok {
		qs = append(qs, quantity{"ones", func(s *State) float64 { return float64(s.Z.Ones()) }, mass * float64(n)})
	}
	if post.Temperature != nil {
		qs = append(qs,
			quantity{"temperature", func(s *State) float64 { return s.Temperature }, 1},
			quantity{"temperature squared", func(s *State) float64 { return s.Temperature * s.Temperature }, second(*post.Temperature)})
	}
	if post.Permutation {
		position := func(s *State, item int) int { return slices.Index(s.Permutation, item) }
		qs = append(qs,
			quantity{"position of 1", func(s *State) float64 { return float64(position(s, 0)) }, float64(n-1) / 2},
			quantity{"1 first or last", func(s *State) float64 {
				return indicator(position(s, 0) == 0 || position(s, 0) == n-1)
			}, 2 / float64(n)})
	}
	return qs
}

// redraw replaces the data of s by a draw given its unknowns.
func redraw(rng *rand.Rand, s *State, d int) {
	x := make2(s.Z.N(), d)
	for i := range x {
		for j := range x[i] {
			x[i][j] = s.Scales.SigmaX * rng.NormFloat64()
		}
	}
	for k := range s.Z.K() {
		for j := range d {
			a := s.Scales.SigmaA * rng.NormFloat64()
			for i := range x {
				if s.Z.Has(i, k) {
					x[i][j] += a
				}
			}
		}
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		panic(err)
	}
	s.post.Data = data
	s.cache = lglfm.NewCache(data, s.Z, s.Scales)
	s.spectral = false
}

// worstJoint returns the largest |z| over the quantities, and its name.
func worstJoint(t *testing.T, label string, post *Posterior, d, scans int, broken Kernel) (float64, string) {
	t.Helper()
	o := DefaultOptions()
	o.Others, o.ShuffleSize, o.StepTemperature, o.StepX, o.StepA, o.Correlation = 2, 3, 1, 0.4, 0.4, 0
	cycle, err := NewScan(post, o)
	if err != nil {
		t.Fatal(err)
	}
	if broken != nil {
		cycle = NewCycle(append(cycle.kernels, broken)...)
	}
	s, err := NewState(post, Start{Z: feature.New(post.Law.N()), Scales: lglfm.Scales{SigmaX: 0.8, SigmaA: 0.8}})
	if err != nil {
		t.Fatal(err)
	}
	rng := NewStream(1, label)
	qs := quantities(post)
	const batches = 500
	size := scans / batches
	means := make([][]float64, len(qs))
	for q := range means {
		means[q] = make([]float64, batches)
	}
	for scan := range 100 + size*batches {
		if d > 0 {
			redraw(rng.Rand, s, d)
		}
		cycle.Step(rng.Rand, s)
		if b := scan - 100; b >= 0 {
			for q := range qs {
				means[q][b/size] += qs[q].f(s) / float64(size)
			}
		}
	}
	worst, name := 0.0, ""
	for q := range qs {
		mean, sd := stat.MeanStdDev(means[q], nil)
		if z := math.Abs(mean-qs[q].mean) / (sd / math.Sqrt(batches)); !(z <= worst) {
			worst, name = z, qs[q].name
		}
	}
	return worst, name
}

func TestWithoutDataIsPrior(t *testing.T) {
	for law, name := range lawNames {
		if z, what := worstJoint(t, "without data", jointPosterior(t, 5, 0, law), 0, 100_000, nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f for %s, want below %v", name, z, what, limit)
		}
	}
}

func TestGeweke(t *testing.T) {
	for law, name := range lawNames {
		if z, what := worstJoint(t, "joint", jointPosterior(t, 5, 2, law), 2, 100_000, nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f for %s, want below %v", name, z, what, limit)
		}
	}
}

// wrongScales accepts proposals of the scales by the likelihood alone, without
// their prior.
type wrongScales struct{}

func (wrongScales) Name() string { return "wrong scales" }

func (wrongScales) Step(rng *rand.Rand, s *State) Info {
	next := lglfm.Scales{SigmaX: s.Scales.SigmaX + 0.2*rng.NormFloat64(), SigmaA: s.Scales.SigmaA}
	if next.SigmaX <= 0.1 || next.SigmaX > 3 {
		return Info{1, 0}
	}
	if log := s.likAt(next) - s.likNow(); log > -rng.ExpFloat64() {
		s.Scales, s.logLik, s.atScales = next, s.likAt(next), s.likAt(next)
		return Info{1, 1}
	}
	return Info{1, 0}
}

// fixedTotal updates the temperature as if H did not depend on it.
type fixedTotal struct{}

func (fixedTotal) Name() string { return "fixed total" }

func (fixedTotal) Step(rng *rand.Rand, s *State) Info {
	next := s.Temperature + rng.NormFloat64()
	if next <= 0 {
		return Info{1, 0}
	}
	sum := s.tracker.SumLogIntensity()
	log, _ := s.tracker.Propose(next, s.Permutation)
	log += s.post.Temperature.LogDensity(next) - s.post.Temperature.LogDensity(s.Temperature) - sum
	if log < -rng.ExpFloat64() {
		return Info{1, 0}
	}
	s.tracker.Accept()
	s.Temperature = next
	return Info{1, 1}
}

// wrongMass draws the mass as if H were 1.
type wrongMass struct{}

func (wrongMass) Name() string { return "wrong mass" }

func (wrongMass) Step(rng *rand.Rand, s *State) Info {
	s.Mass = (s.post.Mass.Shape + float64(s.Z.K())) / (s.post.Mass.Rate + 1) * (0.5 + rng.Float64())
	return Info{1, 1}
}

func TestGewekeRejects(t *testing.T) {
	for name, twin := range map[string]struct {
		kernel Kernel
		law    int
	}{
		"scales without prior":     {wrongScales{}, aibd},
		"mass with a wrong rate":   {wrongMass{}, aibd},
		"temperature without H":    {fixedTotal{}, sequential},
		"temperature without H, s": {fixedTotal{}, symmetric},
	} {
		z, _ := worstJoint(t, name, jointPosterior(t, 5, 2, twin.law), 2, 50_000, twin.kernel)
		t.Logf("%s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", name, z)
		}
	}
}
