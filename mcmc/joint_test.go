package mcmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/oracle/fixture"
	"aibd/prior"
)

// The tests of this file run one long chain without data, everything random: it
// must return the prior, whose moments are computed exactly, without any draw of it.
// With data, calibration_test.go asks.
//
// Each mean is compared by a z test with the error from 500 batch means. Under a
// correct scan one |z| beyond limit has probability 1e-7; there are at most 17
// of them in each of 4 chains here, so that a false alarm is due once in 140,000
// seeds. The seed is fixed.

// withoutData are the laws over five items, the AIBD with a random permutation.
func withoutData() []model {
	affinity := nearness(places[:5])
	return []model{
		newModel("IBP", 0, must(prior.NewIBP(5, 1))),
		newModel("AIBD", 0, must(prior.NewAIBD(affinity, 1, 1, prior.Identity(5)))),
		newModel("dd-IBP, sequential", 0, must(prior.NewSequentialDDIBP(affinity, 1, 1, prior.Identity(5)))),
		newModel("dd-IBP, symmetric", 0, must(prior.NewDDIBP(affinity, 1, 1))),
	}
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
	f    func(*target) float64
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

// quantities returns functions with their prior means.
func quantities(post *Posterior) []quantity {
	n, m, mass := post.Law.N(), moments(post), post.Mass.Shape/post.Mass.Rate
	second := func(g Gamma) float64 { return g.Shape * (g.Shape + 1) / (g.Rate * g.Rate) }
	qs := []quantity{
		{"mass", func(s *target) float64 { return s.Mass }, mass},
		{"mass squared", func(s *target) float64 { return s.Mass * s.Mass }, second(*post.Mass)},
		{"SigmaX", func(s *target) float64 { return s.Scales().SigmaX }, 0.8},
		{"SigmaX squared", func(s *target) float64 { return s.Scales().SigmaX * s.Scales().SigmaX }, second(*gammaScale.Gamma)},
		{"SigmaA", func(s *target) float64 { return s.Scales().SigmaA }, 0.8},
		{"SigmaA squared", func(s *target) float64 { return s.Scales().SigmaA * s.Scales().SigmaA }, second(*gammaScale.Gamma)},
		{"SigmaX times SigmaA", func(s *target) float64 { return s.Scales().SigmaX * s.Scales().SigmaA }, 0.64},
		{"features", func(s *target) float64 { return float64(s.Z().K()) }, mass * m.h},
		{"features squared", func(s *target) float64 { return float64(s.Z().K() * s.Z().K()) }, mass*m.h + second(*post.Mass)*m.h2},
		{"features times SigmaX", func(s *target) float64 { return float64(s.Z().K()) * s.Scales().SigmaX }, mass * m.h * 0.8},
		{"sharing of 1 and 2", func(s *target) float64 { return float64(s.Z().Shared(0, 1)) }, mass * m.first},
		{"sharing of 1 and last", func(s *target) float64 { return float64(s.Z().Shared(0, n-1)) }, mass * m.second},
	}
	if _, ok := post.Law.(*prior.DDIBP); !ok {
		qs = append(qs, quantity{"ones", func(s *target) float64 { return float64(s.Z().Ones()) }, mass * float64(n)})
	}
	if post.Temperature != nil {
		qs = append(qs,
			quantity{"temperature", func(s *target) float64 { return s.Temperature() }, 1},
			quantity{"temperature squared", func(s *target) float64 { return s.Temperature() * s.Temperature() }, second(*post.Temperature)})
	}
	if post.Permutation {
		position := func(s *target, item int) int { return slices.Index(s.Permutation(), item) }
		qs = append(qs,
			quantity{"position of 1", func(s *target) float64 { return float64(position(s, 0)) }, float64(n-1) / 2},
			quantity{"1 first or last", func(s *target) float64 {
				return indicator(position(s, 0) == 0 || position(s, 0) == n-1)
			}, 2 / float64(n)})
	}
	return qs
}

// worstMoment returns the largest |z| over the quantities, and its name. broken, if
// not nil, runs after each scan. The chain may stop halfway, as in TestExactPosterior.
func worstMoment(t *testing.T, m model, scans int, broken kernel) (float64, string) {
	t.Helper()
	o := smallOptions()
	o.OtherUpdates, o.ShuffleSize, o.StepTemperature, o.StepX, o.StepA, o.Correlation = 2, 3, 1, 0.4, 0.4, 0
	rng := NewStream(1, "without data, "+m.name).Rand
	s := m.draw(rng)
	cycle := scanOf(s.post, o)
	if broken != nil {
		cycle = newCycle(cycle, broken)
	}
	qs := quantities(s.post)
	const batches = 500
	size := scans / batches
	means := make2(len(qs), batches)
	worst, name := 0.0, ""
	for b := range batches {
		for range size {
			cycle.Step(rng, s)
			for q := range qs {
				means[q][b] += qs[q].f(s) / float64(size)
			}
		}
		if done := b + 1; done == batches/2 || done == batches {
			worst, name = 0, ""
			for q := range qs {
				mean, sd := stat.MeanStdDev(means[q][:done], nil)
				if z := math.Abs(mean-qs[q].mean) / (sd / math.Sqrt(float64(done))); !(z <= worst) {
					worst, name = z, qs[q].name
				}
			}
			if worst < halfway || worst >= limit {
				break
			}
		}
	}
	return worst, name
}

func TestWithoutDataIsPrior(t *testing.T) {
	for _, m := range withoutData() {
		if !*fixture.Long && m.name != "AIBD" && m.name != "dd-IBP, symmetric" {
			continue
		}
		if z, what := worstMoment(t, m, 20_000, nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f for %s, want below %v", m.name, z, what, limit)
		}
	}
}

func TestWithoutDataRejects(t *testing.T) {
	m := withoutData()[3]
	z, what := worstMoment(t, m, 10_000, named("temperature", "H left out, symmetric dd-IBP", m).make())
	t.Logf("|z| = %.1f for %s", z, what)
	if z < limit {
		t.Errorf("a broken kernel passes with |z| = %.2f for %s", z, what)
	}
}
