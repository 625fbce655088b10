package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/state"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// The exact tests of this file compare the evidence and the particles of small populations with
// enumeration of Z (up to eight features, six in the short form) and quadrature of everything
// else. Each quantity has a t test of its mean over populations. The smallest of the p values,
// times the number of quantities, goes into a sequential test. Right populations raise a false
// alarm with probability at most 3e-5 a test, 4e-4 for all of them. The seed is fixed.
// (The means are biased by one over the number of particles, a fraction of their errors.)

// populationTest is the test of right populations. Its first stage of 20 stops at a bias that
// a single stage of 40 would show at the same false alarm rate.
var populationTest = Sequential{Alpha: 3e-5, Stages: 3, First: 20, Later: 40}

// populationTwinSizes are the sizes at which twins are tested.
var populationTwinSizes = []int{5, 10, 15, 20, 25, 30, 35, 40}

// populationLaws are the laws of three items on which populations are tested.
func populationLaws(t testing.TB) map[string]*Posterior {
	t.Helper()
	ibp, err := prior.NewIBP(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	aff := prior.NewAffinity(similarity.AbsDifference([]float64{0, 0.4, 2}), similarity.Exponential{})
	aibd, err := prior.NewAIBD(aff, 1, 1, []int{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := prior.NewSequentialDDIBP(aff, 1, 1, []int{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	symmetric, err := prior.NewDDIBP(aff, 1, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	data, err := lglfm.NewData([][]float64{{1.9, -0.8, 2.4, 0.2}, {1.7, -0.9, 2.2, 0.5}, {-1.2, 1.5, 0.7, 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	post := func(law prior.Law) *Posterior {
		return &Posterior{Data: data, Law: law, Mass: &Gamma{2, 3}, SigmaX: ScalePrior{Max: 1.5}, SigmaA: ScalePrior{Gamma: &Gamma{3, 2}}}
	}
	posts := map[string]*Posterior{"ibp": post(ibp), "aibd": post(aibd), "sequential": post(sequential), "symmetric": post(symmetric)}
	for _, name := range []string{"aibd", "sequential"} {
		posts[name].Temperature, posts[name].Permutation = &Gamma{2, 1}, true
	}
	return posts
}

// smallPopulation returns the size of the populations of the form.
func smallPopulation() PopulationConfig {
	if *form == "short" {
		return PopulationConfig{Members: 20, Scans: 20}
	}
	return PopulationConfig{Members: 40, Scans: 40}
}

// populationOptions are of a scan with every kind of move, short because the problems are
// small.
func populationOptions() Options {
	o := DefaultOptions()
	o.Clusters, o.Sums, o.Combinations, o.Others = 1, 2, 2, 2
	o.StepX, o.StepA = 0.3, 0.5
	return o
}

var populationStart = Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}

func newPopulation(t testing.TB, post *Posterior, cfg PopulationConfig, label string) *Population {
	t.Helper()
	start := populationStart
	if cfg.SigmaX != 0 {
		start.Scales.SigmaX = 1.45 // near the maximum, from where it falls
	}
	p, err := NewPopulation(post, start, populationOptions(), cfg, 1, label)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// populationQuantities are the names of the compared quantities: means over particles of three items, and
// the evidence over the exact one.
var populationQuantities = []string{
	"mass", "SigmaX", "SigmaA", "temperature", "item 1 first", "item 2 first",
	"shared 1 2", "shared 1 3", "shared 2 3", "no feature", "1 feature", "2 features", "3 features", "4 features",
	"evidence",
}

// addQuantities adds a weight times those of a state to sums.
func addQuantities(sums []float64, weight float64, at state.Unknowns) {
	first, temperature := -1, at.Temperature
	if math.IsNaN(temperature) {
		temperature = 0
	}
	if at.Permutation != nil {
		first = at.Permutation[0]
	}
	for q, x := range []float64{
		at.Mass, at.Scales.SigmaX, at.Scales.SigmaA, temperature, indicator(first == 0), indicator(first == 1),
		float64(at.Z.Shared(0, 1)), float64(at.Z.Shared(0, 2)), float64(at.Z.Shared(1, 2)),
		indicator(at.Z.K() == 0), indicator(at.Z.K() == 1), indicator(at.Z.K() == 2), indicator(at.Z.K() == 3), indicator(at.Z.K() == 4),
		1,
	} {
		sums[q] += weight * x
	}
}

// node is a value with its prior probability.
type node struct{ x, p float64 }

// nodes returns n nodes of Gauss-Legendre quadrature over the quantiles of a prior.
func nodes(n int, quantile func(float64) float64) []node {
	x, w := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	out := make([]node, n)
	for i := range out {
		out[i] = node{quantile(x[i]), w[i]}
	}
	return out
}

func (g Gamma) nodes(n int) []node {
	return nodes(n, distuv.Gamma{Alpha: g.Shape, Beta: g.Rate}.Quantile)
}

// exact is the log evidence and the posterior means of a posterior.
type exact struct {
	logZ float64
	want []float64
}

// exacts are those that were computed, by name.
var exacts = map[string]exact{}

// exactly returns the log evidence and the posterior means of a posterior of
// populationLaws, or of one like them, which the name stands for.
func exactly(t testing.TB, name string, post *Posterior) (float64, []float64) {
	t.Helper()
	if e, ok := exacts[name]; ok {
		return e.logZ, e.want
	}
	settings := []state.Unknowns{{}}
	laws, probs := []prior.Law{post.Law}, []float64{1}
	if a, ok := post.Law.(prior.Attraction); ok {
		settings[0] = state.Unknowns{Temperature: a.Temperature(), Permutation: a.Permutation()}
		if post.Permutation {
			settings, laws, probs = nil, nil, nil
			for _, tau := range post.Temperature.nodes(24) {
				for _, perm := range permutations(3) {
					settings = append(settings, state.Unknowns{Temperature: tau.x, Permutation: perm})
					laws = append(laws, a.With(tau.x, perm))
					probs = append(probs, tau.p/6)
				}
			}
		}
	}
	intensities := make([][8]float64, len(laws))
	for i, law := range laws {
		for c := uint64(1); c < 8; c++ {
			intensities[i][c] = law.LogIntensity([]uint64{c})
		}
	}
	maxK := 8
	if *form == "short" {
		maxK = 6 // which changes no quantity by more than 0.005
	}
	sums := make([]float64, len(populationQuantities))
	parts := observedParts(t, post.Data)
	sigmaX := nodes(32, func(u float64) float64 { return u * post.SigmaX.Max })
	sigmaA := post.SigmaA.Gamma.nodes(12)
	feature.Enumerate(3, maxK, func(z *feature.Allocation) bool {
		// The likelihood depends on the scales and the prior of Z on all else.
		for _, part := range parts {
			part.reset(z)
		}
		lik, x, a := 0.0, 0.0, 0.0
		for _, sx := range sigmaX {
			for _, sa := range sigmaA {
				log := 0.0
				for _, part := range parts {
					log += part.LogLik(lglfm.Scales{SigmaX: sx.x, SigmaA: sa.x})
				}
				l := math.Exp(log) * sx.p * sa.p
				lik, x, a = lik+l, x+l*sx.x, a+l*sa.x
			}
		}
		k, g := float64(z.K()), *post.Mass
		at, _ := math.Lgamma(g.Shape + k)
		from, _ := math.Lgamma(g.Shape)
		for i, s := range settings {
			h := laws[i].TotalIntensity()
			p := at - from + g.Shape*math.Log(g.Rate) - (g.Shape+k)*math.Log(g.Rate+h) - z.LogMultiplicities()
			for c := range z.K() {
				p += intensities[i][z.Column(c)[0]]
			}
			s.Z, s.Mass, s.Scales = z, (g.Shape+k)/(g.Rate+h), lglfm.Scales{SigmaX: x / lik, SigmaA: a / lik}
			addQuantities(sums, math.Exp(p)*probs[i]*lik, s)
		}
		return true
	})
	evidence := sums[len(sums)-1]
	for q := range sums {
		sums[q] /= evidence
	}
	exacts[name] = exact{math.Log(evidence), sums}
	return math.Log(evidence), sums
}

// observedPart is the complete part of data: the variables that are observed for the same items,
// at these items.
type observedPart struct {
	collapsed.Spectrum
	data  *collapsed.Data
	items []int
}

// observedParts returns the parts of data, one for each set of items.
func observedParts(t testing.TB, data *lglfm.Data) (parts []*observedPart) {
	x := collapsed.Of(data).Completed()
	if x == nil {
		return []*observedPart{{data: collapsed.Of(data), items: prior.Identity(data.N())}}
	}
	for _, at := range data.UnknownCells() {
		x[at[0]][at[1]] = nan
	}
	for j := range x[0] {
		var items []int
		var column [][]float64
		for i := range x {
			if !math.IsNaN(x[i][j]) {
				items, column = append(items, i), append(column, []float64{x[i][j]})
			}
		}
		of, err := collapsed.NewData(column)
		if err == nil && data.Intercept() {
			of, err = of.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, &observedPart{data: of, items: items})
	}
	return parts
}

// reset prepares for the likelihood of the part at z.
func (p *observedPart) reset(z *feature.Allocation) {
	of := feature.New(len(p.items))
	for k := range z.K() {
		var column uint64
		for a, i := range p.items {
			if z.Has(i, k) {
				column |= 1 << a
			}
		}
		if column != 0 {
			of.AppendColumn([]uint64{column})
		}
	}
	if p.data.Intercept() {
		of = collapsed.WithOnes(of)
	}
	p.Reset(p.data, of)
}

// TestPopulationCells: with unknown cells, without and with an intercept, the evidence is that
// of the observed cells. A population that leaves the reference law out of its weights is
// noticed.
func TestPopulationCells(t *testing.T) {
	x := [][]float64{{1.9, -0.8, 2.4, nan}, {1.7, nan, nan, nan}, {-1.2, 1.5, 0.7, 0.1}}
	with := [][]float64{{5.9, -0.8, nan, 2.4}, {5.7, -0.7, 2.2, nan}, {2.2, nan, 0.7, 0.1}}
	for name, x := range map[string][][]float64{"cells": x, "cells with an intercept": with} {
		post := *populationLaws(t)["aibd"]
		post.Temperature, post.Permutation = nil, false
		data, err := lglfm.NewData(x)
		if err == nil && name != "cells" {
			data, err = data.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		post.Data = data
		logZ, want := exactly(t, name, &post)
		c := populations{post: &post, logZ: logZ, want: want, label: name, cfg: smallPopulation(), scheduled: true}
		c.pass(t)
		if name != "cells" {
			continue
		}
		own := collapsed.Of(data).Own()
		c.label, c.twin.before = "weights without the reference law", func(p *Population) {
			for _, particles := range p.members {
				for i := range particles {
					if err := own.SetValues(particles[i].Cells); err != nil {
						t.Fatal(err)
					}
					log := own.LogReference()
					particles[i].slope += log
					particles[i].rest -= p.power * log
				}
			}
		}
		c.fail(t)
	}
}

// populations are populations of a posterior whose log evidence and means are known.
type populations struct {
	post  *Posterior
	logZ  float64
	want  []float64
	label string // of their streams too
	cfg   PopulationConfig
	twin  populationTwin
	// scheduled says that each has the schedule of a pilot.
	scheduled bool

	runs  int
	found [][]float64 // by quantity, of those that count
}

// add runs n more populations.
func (c *populations) add(t testing.TB, n int) {
	t.Helper()
	if c.found == nil {
		c.found = make([][]float64, len(populationQuantities))
	}
	for range n {
		cfg := c.cfg
		if c.scheduled {
			pilot := newPopulation(t, c.post, cfg, fmt.Sprint(c.label, c.runs, "pilot"))
			for !pilot.Done() {
				if err := pilot.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			cfg.Schedule = pilot.Schedule()
		}
		p := newPopulation(t, c.post, cfg, fmt.Sprint(c.label, c.runs))
		c.runs++
		if c.twin.around != nil {
			p.scan = func(post *Posterior, t *tuner) *cycle { return newCycle(c.twin.around(p.options.scan(post, t))) }
		}
		for {
			if err := p.move(t.Context()); err != nil {
				t.Fatal(err)
			}
			if p.Done() {
				break
			}
			if c.twin.before != nil {
				c.twin.before(p)
			}
			p.advance()
			if c.twin.after != nil {
				c.twin.after(p)
			}
		}
		sums := make([]float64, len(populationQuantities))
		for _, x := range slices.Concat(p.members...) {
			addQuantities(sums, 1/float64(c.cfg.Members*c.cfg.Scans), x.Unknowns)
		}
		sums[len(sums)-1] = math.Exp(p.LogEvidence() - c.logZ)
		for q, x := range sums {
			c.found[q] = append(c.found[q], x)
		}
	}
}

// p returns the smallest p value of a quantity, times their number, and the quantity.
func (c *populations) p() (p float64, worst int) {
	p = math.Inf(1)
	for q, xs := range c.found {
		mean, sd := stat.MeanStdDev(xs, nil)
		if sd < 1e-12 && math.Abs(mean-c.want[q]) < 1e-9 {
			continue // fixed
		}
		n := float64(len(xs))
		z := math.Abs(mean-c.want[q]) / (sd / math.Sqrt(n))
		if x := 2 * float64(len(c.found)) * (distuv.StudentsT{Sigma: 1, Nu: n - 1}).Survival(z); !(x >= p) {
			p, worst = x, q
		}
	}
	return p, worst
}

// describe says what a test found.
func (c *populations) describe(v Verdict) string {
	return fmt.Sprintf("%s: p = %.2g for %s %.4f (exact %.4f), after %d populations",
		c.label, v.P, populationQuantities[v.Worst], stat.Mean(c.found[v.Worst], nil), c.want[v.Worst], v.Replicates)
}

// pass reports populations that the test rejects.
func (c *populations) pass(t *testing.T) {
	t.Helper()
	v := populationTest.Test(func(_, n int) (float64, int) {
		c.found = nil
		c.add(t, n)
		return c.p()
	})
	t.Log(c.describe(v))
	if v.Alarm || math.IsNaN(v.P) {
		t.Error("the right populations are rejected")
	}
}

// fail reports twins that are not caught at the false alarm rate of the test.
func (c *populations) fail(t *testing.T) {
	t.Helper()
	c.found = nil
	v := Detect(populationTest.Alpha, populationTwinSizes, func(_, n int) (float64, int) {
		done := 0
		if c.found != nil {
			done = len(c.found[0])
		}
		c.add(t, n-done)
		return c.p()
	})
	t.Log(c.describe(v))
	if !v.Alarm {
		t.Error("the twin is not caught")
	}
}

func TestPopulationExact(t *testing.T) {
	for name, post := range populationLaws(t) {
		if *form == "short" && (name == "ibp" || name == "sequential") {
			continue
		}
		logZ, want := exactly(t, name, post)
		c := populations{post: post, logZ: logZ, want: want, label: name, cfg: smallPopulation()}
		c.pass(t)
	}
}

// TestPopulationHeld: populations that hold SigmaX have the same evidence and, once it is drawn,
// the same particles. They are noticed if they weigh the particles at the SigmaX of their own stage,
// or leave out what the release of SigmaX adds.
//
// They hold it at 0.7, half of where it starts. At 0.9 the likelihood is on average as large as at
// the start, so that the first twin is not caught.
func TestPopulationHeld(t *testing.T) {
	post := populationLaws(t)["aibd"]
	logZ, want := exactly(t, "aibd", post)
	cfg := smallPopulation()
	cfg.SigmaX = 0.7
	for _, twin := range []struct {
		label string
		populationTwin
	}{
		{label: "held"},
		{"weights at the SigmaX of the stage", populationTwin{before: func(p *Population) {
			for _, particles := range p.members {
				for i, x := range particles {
					if p.power > 0 && p.power < 1 {
						particles[i].slope = -x.rest / p.power
					}
				}
			}
		}}},
		{"release without weights", populationTwin{before: func(p *Population) {
			for _, particles := range p.members {
				for i := range particles {
					if p.power == 1 {
						particles[i].rest = 0
					}
				}
			}
		}}},
	} {
		c := populations{post: post, logZ: logZ, want: want, label: twin.label, cfg: cfg, twin: twin.populationTwin}
		if twin.label == "held" {
			c.pass(t)
		} else {
			c.fail(t)
		}
	}
}

// populationTwin is one fault of a population.
type populationTwin struct {
	around func(scan kernel) kernel // takes the place of the scan
	before func(*Population)        // before a stage is weighed
	after  func(*Population)        // after its ancestors are resampled
}

// TestPopulationTwins shows that the test above rejects populations with one fault.
func TestPopulationTwins(t *testing.T) {
	uniform, posts := NewStream(1, "uniform").Rand, populationLaws(t)
	logZ, want := map[string]float64{}, map[string][]float64{}
	for _, law := range []string{"aibd", "sequential", "symmetric"} {
		logZ[law], want[law] = exactly(t, law, posts[law])
	}
	mutated := func(m mutant) populationTwin {
		return populationTwin{around: func(scan kernel) kernel { return newCycle(m.replace(scan.(*cycle).kernels)...) }}
	}
	for name, c := range map[string]struct {
		law  string
		cfg  PopulationConfig
		twin populationTwin
	}{
		"members move at 0.8 times the power": {"aibd", smallPopulation(), populationTwin{around: func(scan kernel) kernel {
			return step(func(rng *rand.Rand, s *target) Info {
				power := s.Power()
				s.SetPower(0.8 * power)
				info := scan.Step(rng, s)
				s.SetPower(power)
				return info
			})
		}}},
		"the log likelihood stays that of the ancestor": {"aibd", smallPopulation(), populationTwin{before: func(p *Population) {
			for _, particles := range p.members {
				for i := range particles {
					if p.stage > 0 {
						particles[i].slope, particles[i].rest = particles[0].slope, particles[0].rest
					}
				}
			}
		}}},
		"ancestors by the weights of the stage before, which are equal": {"aibd", PopulationConfig{Members: 300, Scans: 2}, populationTwin{after: func(p *Population) {
			for m := range p.ancestors {
				p.ancestors[m] = p.ancestors[uniform.IntN(m+1)]
			}
		}}},
		"H left out of the ratio of temperatures": {"sequential", smallPopulation(), mutated(named("temperature", "H left out, sequential dd-IBP", ofSequential))},
		"sequential nu in the symmetric dd-IBP":   {"symmetric", smallPopulation(), mutated(named("rows", "sequential nu in the symmetric dd-IBP", ofSymmetric))},
	} {
		if *form == "short" && c.law == "sequential" {
			continue // TestCalibration has this twin in the symmetric dd-IBP
		}
		twins := populations{post: posts[c.law], logZ: logZ[c.law], want: want[c.law], label: name, cfg: c.cfg, twin: c.twin}
		twins.fail(t)
	}
}

// TestPopulationWithoutData: the evidence of no data is 1, exactly, after one stage.
func TestPopulationWithoutData(t *testing.T) {
	post := *populationLaws(t)["aibd"]
	post.Data, _ = lglfm.NewData([][]float64{{}, {}, {}})
	p := newPopulation(t, &post, PopulationConfig{Members: 4, Scans: 3}, "empty")
	for !p.Done() {
		if err := p.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if log := p.LogEvidence(); log != 0 || p.Stage() != 1 {
		t.Errorf("log evidence %v after %d stages, want 0 after 1", log, p.Stage())
	}
}

// countdown is a context that is done after Err was asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestPopulationSame: particles and evidence are the same bytes on any number of cores and
// after stops anywhere.
func TestPopulationSame(t *testing.T) {
	cfg := PopulationConfig{Members: 7, Scans: 6}
	for name, post := range populationLaws(t) {
		run := func(cores, scans int) []string {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			p := newPopulation(t, post, cfg, name)
			for !p.Done() {
				ctx := &countdown{Context: context.Background()}
				ctx.left.Store(int64(scans))
				if err := p.Next(ctx); err != nil && err != context.Canceled {
					t.Fatal(err)
				}
			}
			found := []string{fmt.Sprint(p.LogEvidence(), p.Stage())}
			err := p.Record(recorder(func(d *draws.Draw) error {
				found = append(found, fmt.Sprint(*d))
				return nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		want := run(1, math.MaxInt)
		if n := cfg.Members*cfg.Scans + 1; len(want) != n {
			t.Fatalf("%s: found %d lines, want %d", name, len(want), n)
		}
		for _, c := range []struct{ cores, scans int }{{2, math.MaxInt}, {5, math.MaxInt}, {1, 23}, {3, 60}} {
			if !slices.Equal(run(c.cores, c.scans), want) {
				t.Errorf("%s: other particles on %d cores with a stop after %d scans", name, c.cores, c.scans)
			}
		}
	}
}

// TestNextPower: of one particle and three that are L below, the effective sample size
// is half the number where 3w^2 + 6w = 1 for the weight w = exp(-step L).
func TestNextPower(t *testing.T) {
	const l = 100
	w := (math.Sqrt(48) - 6) / 6
	for power, want := range map[float64]float64{0.1: 0.1 - math.Log(w)/l, 0.99: 1} {
		p := Population{power: power, weights: make([]float64, 4)}
		var particles []particle
		for _, log := range []float64{-3 - l, -3, -3 - l, -3 - l} {
			particles = append(particles, particle{slope: log, rest: -power * log})
		}
		if got := p.nextPower(particles); math.Abs(got-want) > 1e-12 {
			t.Errorf("nextPower = %v, want %v", got, want)
		}
	}
}

func TestSystematic(t *testing.T) {
	if got, want := systematic([]float64{1, 2, 0, 1}, 4, 0.5), []int{0, 1, 1, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("systematic = %v, want %v", got, want)
	}
}

// TestPopulationErrors: what cannot be sampled is an error, not an endless loop.
func TestPopulationErrors(t *testing.T) {
	post := *populationLaws(t)["ibp"]
	for _, cfg := range []PopulationConfig{{Members: 1, Scans: 10}, {Members: 10, Scans: 1}, {Members: 10, Scans: 10, SigmaX: -1}, {Members: 10, Scans: 10, SigmaX: 1.5}} {
		if _, err := NewPopulation(&post, populationStart, populationOptions(), cfg, 1, ""); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
	if _, err := NewPopulation(&post, Start{}, populationOptions(), smallPopulation(), 1, ""); err == nil {
		t.Error("no scales: no error")
	}
	o := populationOptions()
	o.Anneal = 1
	if _, err := NewPopulation(&post, populationStart, o, smallPopulation(), 1, ""); err == nil {
		t.Error("annealing: no error")
	}
	post.Mass = &Gamma{1, 1e-15}
	p := newPopulation(t, &post, smallPopulation(), "")
	if err := p.Next(t.Context()); err == nil {
		t.Error("a prior of too many features: no error")
	}
}
