package mcmc

import (
	"math"
	"math/rand/v2"
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
// correct scan one |z| beyond limit has probability 1e-7; there are at most 20
// of them in each of at most 6 chains here, so that a false alarm is due once in
// 80,000 seeds. The seed is fixed.

// scalePrior is narrow enough for a scan to mix over.
var scalePrior = ScalePrior{Gamma: &Gamma{Shape: 8, Rate: 10}}

// jointPosterior is of n items with data of d columns, which may be none. The
// prior of the mass is narrow, so that prior draws of Z stay small.
func jointPosterior(t *testing.T, n, d int, attracts bool) *Posterior {
	t.Helper()
	data, err := lglfm.NewData(make2(n, d))
	if err != nil {
		t.Fatal(err)
	}
	post := &Posterior{Data: data, Mass: &Gamma{6, 5}, SigmaX: scalePrior, SigmaA: scalePrior}
	if !attracts {
		if post.Law, err = prior.NewIBP(n, 1); err != nil {
			t.Fatal(err)
		}
		return post
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i*i) / 3
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(x), similarity.Exponential{}), 1, 1, prior.Identity(n))
	if err != nil {
		t.Fatal(err)
	}
	post.Law, post.Temperature, post.Permutation = law, &Gamma{3, 3}, true
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

// quantities returns functions whose prior means are known: moments of the
// gammas; K, ones and sharing by the laws' exact moments, averaged over the
// mass, the temperature by quadrature and the permutation exactly.
func quantities(t *testing.T, post *Posterior) []quantity {
	t.Helper()
	n := post.Law.N()
	h, mass := post.Law.TotalIntensity(), post.Mass.Shape/post.Mass.Rate
	second := func(g Gamma) float64 { return g.Shape * (g.Shape + 1) / (g.Rate * g.Rate) }
	qs := []quantity{
		{"mass", func(s *State) float64 { return s.Mass }, mass},
		{"mass squared", func(s *State) float64 { return s.Mass * s.Mass }, second(*post.Mass)},
		{"SigmaX", func(s *State) float64 { return s.Scales.SigmaX }, 0.8},
		{"SigmaX squared", func(s *State) float64 { return s.Scales.SigmaX * s.Scales.SigmaX }, second(*scalePrior.Gamma)},
		{"SigmaA", func(s *State) float64 { return s.Scales.SigmaA }, 0.8},
		{"SigmaA squared", func(s *State) float64 { return s.Scales.SigmaA * s.Scales.SigmaA }, second(*scalePrior.Gamma)},
		{"SigmaX times SigmaA", func(s *State) float64 { return s.Scales.SigmaX * s.Scales.SigmaA }, 0.64},
		{"features", func(s *State) float64 { return float64(s.Z.K()) }, mass * h},
		{"features squared", func(s *State) float64 { return float64(s.Z.K() * s.Z.K()) }, mass*h + second(*post.Mass)*h*h},
		{"features times SigmaX", func(s *State) float64 { return float64(s.Z.K()) * s.Scales.SigmaX }, mass * h * 0.8},
		{"ones", func(s *State) float64 { return float64(s.Z.Ones()) }, mass * float64(n)},
	}
	law, ok := post.Law.(*prior.AIBD)
	if !ok {
		return append(qs, quantity{"sharing of 1 and 2", func(s *State) float64 { return float64(s.Z.Shared(0, 1)) }, mass / 2})
	}
	qs = append(qs,
		quantity{"temperature", func(s *State) float64 { return s.Temperature }, 1},
		quantity{"temperature squared", func(s *State) float64 { return s.Temperature * s.Temperature }, second(*post.Temperature)},
		quantity{"position of item 1", func(s *State) float64 {
			for p, i := range s.Permutation {
				if i == 0 {
					return float64(p)
				}
			}
			return math.NaN()
		}, float64(n-1) / 2},
	)
	for _, pair := range [][2]int{{0, 1}, {0, n - 1}} {
		// Midpoint rule in the temperature; the integrand is smooth and beyond 20
		// below 1e-20.
		mean, step := 0.0, 0.005
		for x := step / 2; x < 20; x += step {
			shared, err := prior.ExpectedSharingAveraged(law.WithMass(mass).(*prior.AIBD).WithTemperature(x))
			if err != nil {
				t.Fatal(err)
			}
			mean += step * math.Exp(post.Temperature.LogDensity(x)) * shared[pair[0]][pair[1]]
		}
		qs = append(qs, quantity{"sharing", func(s *State) float64 { return float64(s.Z.Shared(pair[0], pair[1])) }, mean})
		if pair[0] == 0 && pair[1] == 1 {
			qs = append(qs, quantity{"same position of 1 and last", func(s *State) float64 {
				if s.Permutation[0] == 0 || s.Permutation[n-1] == 0 {
					return 1
				}
				return 0
			}, 2 / float64(n)})
		}
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
	qs := quantities(t, post)
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
	for _, attracts := range []bool{false, true} {
		if z, name := worstJoint(t, "without data", jointPosterior(t, 6, 0, attracts), 0, 100_000, nil); !(z < limit) {
			t.Errorf("attraction %v: |z| = %.2f for %s, want below %v", attracts, z, name, limit)
		}
	}
}

func TestGeweke(t *testing.T) {
	for _, attracts := range []bool{false, true} {
		if z, name := worstJoint(t, "joint", jointPosterior(t, 5, 2, attracts), 2, 100_000, nil); !(z < limit) {
			t.Errorf("attraction %v: |z| = %.2f for %s, want below %v", attracts, z, name, limit)
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

// wrongMass draws the mass as if H were 1.
type wrongMass struct{}

func (wrongMass) Name() string { return "wrong mass" }

func (wrongMass) Step(rng *rand.Rand, s *State) Info {
	s.Mass = (s.post.Mass.Shape + float64(s.Z.K())) / (s.post.Mass.Rate + 1) * (0.5 + rng.Float64())
	return Info{1, 1}
}

func TestGewekeRejects(t *testing.T) {
	for name, broken := range map[string]Kernel{"scales without prior": wrongScales{}, "mass with a wrong rate": wrongMass{}} {
		z, _ := worstJoint(t, name, jointPosterior(t, 5, 2, true), 2, 50_000, broken)
		t.Logf("%s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", name, z)
		}
	}
}
