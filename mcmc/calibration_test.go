package mcmc

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"aibd/draws"
	"aibd/internal/oracle/fixture"
	"aibd/internal/parallel"
)

// The tests of this file ask of every kernel alone and of each default scan
// whether it leaves the posterior invariant, by ranks that are exactly uniform if
// it does. docs/theory/calibration.md explains the tests and shows their results.
//
// The joint test (Geweke, 2004): unknowns are drawn from the prior, data given
// them, and the kernel makes some steps; the data are drawn anew, and so on a few
// times. Whatever the data, unknowns and data then have the same joint distribution as at
// first. Each test quantity of this state is ranked among as many states
// drawn independently: the ranks are uniform and independent between replicates,
// whatever the autocorrelation and the convergence of the kernel.
//
// Simulation-based calibration: unknowns are drawn from the prior, data given them,
// and the whole sampler, started from another draw of the prior, with its warmup
// and its tuning, draws from the posterior; the truth is ranked among the draws.
// This tests convergence too. The ranks are uniform only if the draws are
// independent.
//
// Each test raises a false alarm with probability at most alarmRate; all of them
// together with at most 1e-3, which TestCalibration checks. The seed is fixed.
//
// To add a kernel: a line in the table of calibration_kernels_test.go, and one for
// each mutant in one of the tables of mutants_*_test.go. A kernel of a default scan
// without a line, or a line without a mutant, fails TestCalibrationIsComplete.

const alarmRate = 4.4e-6

var pictures = flag.Bool("pictures", false, "with -long: write the pictures and the table of docs/theory/calibration.md")

// plan is how much is done in a form.
type plan struct {
	joint, sbc           Sequential
	mutants, scanMutants []int // replicates to try, until a mutant is caught
	cells                int   // ranks are 0 to cells-1
}

var (
	// Whole scans of some models only: rows, columns, scales and everything else of a default scan in the
	// joint test, and scans with a mutant instead of a kernel.
	shortPlan = plan{
		joint:       Sequential{Alpha: alarmRate, Stages: 4, First: 125, Later: 500},
		scanMutants: []int{63, 125, 250, 500, 1000, 2000},
		cells:       8,
	}
	longPlan = plan{
		joint:       Sequential{Alpha: alarmRate, Stages: 4, First: 1000, Later: 4000},
		sbc:         Sequential{Alpha: alarmRate, Stages: 4, First: 400, Later: 1600},
		mutants:     []int{63, 125, 250, 500, 1000, 2000, 4000, 8000, 16_000},
		scanMutants: []int{25, 50, 100, 200, 400},
		cells:       16,
	}
)

// hardModels have mutants that need more replicates than those of other models: how many times
// the replicates of others their kernels get in the long form.
var hardModels = map[string]int{
	ofOrder.name: 2, ofNoise.name: 2, ofDecays.name: 2, ofOrdinal.name: 2, ofWeightedGaps.name: 4, ofCommon.name: 2,
	ofMany.name: 8, ofThreeIntercept.name: 8, ofBusy.name: 16,
}

// jointTest returns the test of the correct kernels of a model in the long form. Its first stage has as many
// replicates as the weakest mutant of the model needs, which TestCalibration checks, so that each of
// the mutants would be caught in place of a correct kernel.
func (p plan) jointTest(m model) Sequential {
	s, times := p.joint, max(1, hardModels[m.name])
	s.First, s.Later = times*s.First, times*s.Later
	return s
}

// subject is a kernel under test, alone or as a scan.
type subject struct {
	kernel string // its Name, or that of the scan
	what   string // which form of it
	on     []model
	make   func(post *Posterior) kernel // for one draw of data
	rounds int                          // draws of data; 0: 4
	steps  int                          // between them; 0: 5
}

// share is the number of replicates that have a stream of their own. Cores take turns with the shares of a test,
// so that a long one does not hold a single core when the others are done.
const share = 250

// shares calls do with the numbers of replicates from one to another, a share at a time, in any order.
func shares(begin, end int, do func(begin, end int)) {
	parallel.Do((end-begin+share-1)/share, func(i int) {
		index := begin + i*share
		do(index, min(index+share, end))
	})
}

// references are states of a model drawn independently, in groups of cells-1. Replicate i
// of each joint test ranks its state in group i. Tests of the same model share the groups:
// the replicates of one test stay independent, and the bound on the false alarms of all
// tests together needs no independence between tests.
type references struct {
	model
	size   int // of a group
	mutex  sync.Mutex
	shares []func() [][]float32 // groups by the share of replicates that ranks in them, quantity by quantity
}

var (
	referencesMutex sync.Mutex
	referencesOf    = map[string]*references{} // by name of the model and number of cells
)

func newReferences(m model, cells int) *references {
	referencesMutex.Lock()
	defer referencesMutex.Unlock()
	key := fmt.Sprintf("%s, %d", m.name, cells)
	r := referencesOf[key]
	if r == nil {
		r = &references{model: m, size: cells - 1}
		referencesOf[key] = r
	}
	return r
}

// group returns the values of the quantities in group i.
func (r *references) group(i int) []float32 {
	r.mutex.Lock()
	for index := len(r.shares); index <= i/share; index++ {
		r.shares = append(r.shares, sync.OnceValue(func() [][]float32 { return r.drawn(index) }))
	}
	streams := r.shares[i/share]
	r.mutex.Unlock()
	return streams()[i%share]
}

// drawn draws the groups of a share of replicates.
func (r *references) drawn(index int) (groups [][]float32) {
	stream, qs := NewStream(1, fmt.Sprintf("references %d, %s", index, r.name)), r.testQuantities()
	for range share {
		values := make([]float32, len(qs)*r.size)
		for j := range r.size {
			state := r.draw(stream.Rand)
			for q := range qs {
				values[q*r.size+j] = float32(qs[q].f(state))
			}
		}
		groups = append(groups, values)
	}
	return groups
}

// joint adds replicates of the joint test to ranks: those with the given numbers.
func joint(s subject, m model, rng *rand.Rand, ranks *Ranks, begin, end int) {
	rounds, steps := s.rounds, s.steps
	if rounds == 0 {
		rounds = 4
	}
	if steps == 0 {
		steps = 5
	}
	qs := m.testQuantities()
	one, refs := make([]int, len(qs)), newReferences(m, ranks.Cells())
	for i := begin; i < end; i++ {
		state := m.draw(rng)
		for round := range rounds {
			if round > 0 {
				m.redraw(rng, state)
			}
			kernel := s.make(state.post) // which may depend on the data, but on no past ones
			for range steps {
				kernel.Step(rng, state)
			}
		}
		group := refs.group(i)
		for q := range qs {
			one[q] = Rank(rng, float32(qs[q].f(state)), group[q*refs.size:(q+1)*refs.size])
		}
		ranks.Add(one)
	}
}

// How long the chains of simulation-based calibration are.
const (
	sbcWarmup = 100
	sbcThin   = 10
)

// sbc adds n replicates of simulation-based calibration to ranks.
func sbc(s sampler, stream *Stream, ranks *Ranks, n int) {
	m := s.on
	qs := m.testQuantities()
	one, refs := make([]int, len(qs)), make2(len(qs), ranks.Cells()-1)
	for range n {
		truth, elsewhere := m.draw(stream.Rand), m.draw(stream.Rand)
		start := elsewhere.start()
		if m.ends != nil || m.levels != nil {
			start.Cells = nil // they would be beyond the bounds of the truth
		}
		state := must(newState(truth.post, start))
		chain := s.chain(state, ranks.Cells()-1, stream)
		err := chain.Run(context.Background(), recorder(func(d *draws.Draw) error {
			for q := range qs {
				refs[q][d.Iteration] = qs[q].f(state)
			}
			return nil
		}))
		if err != nil {
			panic(err)
		}
		for q := range qs {
			one[q] = Rank(stream.Rand, qs[q].f(truth), refs[q])
		}
		ranks.Add(one)
	}
}

type recorder = draws.RecorderFunc

// outcome is a row of docs/theory/calibration.csv.
type outcome struct {
	test, kernel, what string
	on                 model
	verdict            Verdict
	ranks              *Ranks // of the last stage
}

// worst returns the name of the least uniform quantity.
func (o outcome) worst() string { return o.on.testQuantities()[o.verdict.Worst].name }

func (o outcome) String() string {
	return fmt.Sprintf("%s, %s, %s, on %s", o.test, o.kernel, o.what, o.on.name)
}

// trial is a test that is still to be run: o without verdict and ranks, and add, which adds
// replicates with the given numbers to ranks.
type trial struct {
	o     outcome
	cells int
	add   func(stream *Stream, ranks *Ranks, begin, end int)
}

func jointTrial(test string, s subject, m model, cells int) trial {
	return trial{
		outcome{test: test, kernel: s.kernel, what: s.what, on: m}, cells,
		func(stream *Stream, ranks *Ranks, begin, end int) {
			joint(s, m, stream.Rand, ranks, begin, end)
		},
	}
}

func sbcTrial(s sampler, cells int) trial {
	return trial{
		outcome{test: "simulation-based calibration", kernel: "scan", what: s.what, on: s.on}, cells,
		func(stream *Stream, ranks *Ranks, begin, end int) { sbc(s, stream, ranks, end-begin) },
	}
}

// addAll adds the replicates with the given numbers.
func (c *trial) addAll(begin, end int) {
	var mutex sync.Mutex
	shares(begin, end, func(begin, end int) {
		ranks := c.newRanks()
		c.add(NewStream(1, fmt.Sprintf("%v, %d", c.o, begin)), ranks, begin, end)
		mutex.Lock()
		defer mutex.Unlock()
		c.o.ranks.Merge(ranks)
	})
}

func (c *trial) newRanks() *Ranks {
	return NewRanks(len(c.o.on.testQuantities()), c.cells)
}

// passes runs the sequential test. Each stage has replicates of its own.
func (c *trial) passes(s Sequential) Verdict {
	done := 0
	return s.Test(func(_, n int) (float64, int) {
		c.o.ranks = c.newRanks()
		c.addAll(done, done+n)
		done += n
		return c.o.ranks.P()
	})
}

// detects adds replicates until the trial is rejected.
func (c *trial) detects(sizes []int) Verdict {
	c.o.ranks = c.newRanks()
	return Detect(alarmRate, sizes, func(_, n int) (float64, int) {
		c.addAll(c.o.ranks.N(), n)
		return c.o.ranks.P()
	})
}

// rightTrials returns those that are to pass: of kernels and scans by the joint
// test, and of samplers by simulation-based calibration; in the short form of scans by
// the joint test.
func rightTrials(cells int) (joints, sbcs []trial) {
	scans := scanSubject
	scans.on = shortScanModels
	subjects := []subject{scans}
	if *fixture.Long {
		subjects = append(slices.Clone(kernelSubjects), scanSubject)
		for _, c := range controls {
			joints = append(joints, jointTrial("joint test", c.subject(), c.on, cells))
		}
		for _, s := range samplers {
			sbcs = append(sbcs, sbcTrial(s, cells))
		}
	}
	for _, s := range subjects {
		for _, m := range s.on {
			joints = append(joints, jointTrial("joint test", s, m, cells))
		}
	}
	return joints, sbcs
}

// wrongTrials returns those that are to be caught.
func wrongTrials(cells int) (joints, sbcs []trial) {
	if !*fixture.Long {
		for _, m := range jointScanMutants {
			in := m.scan()
			if slices.Contains(aloneInShort, m.kernel) {
				in = m.subject()
			}
			joints = append(joints, jointTrial("joint test of a mutant", in, m.on, cells))
		}
		for _, m := range aloneMutants {
			joints = append(joints, jointTrial("joint test of a mutant", m.subject(), m.on, cells))
		}
		return joints, nil
	}
	for _, m := range mutants {
		joints = append(joints, jointTrial("joint test of a mutant", m.subject(), m.on, cells))
	}
	for _, m := range scanMutants {
		sbcs = append(sbcs, sbcTrial(m.sampler(), cells))
	}
	return joints, sbcs
}

// runAll runs the trials side by side, each with the given test, and returns what
// came of them in the same order. Each share of one has a stream of its own, so that it
// depends neither on the others nor on the cores.
func runAll(t *testing.T, group string, trials []trial, test func(*trial) Verdict, wantAlarm bool) []outcome {
	t.Run(group, func(t *testing.T) {
		for i := range trials {
			t.Run(trials[i].o.String(), func(t *testing.T) {
				t.Parallel()
				c := &trials[i]
				v := test(c)
				c.o.verdict = v
				switch {
				case v.Alarm && !wantAlarm:
					t.Errorf("alarm: p = %.2g for %s, after %d replicates", v.P, c.o.worst(), v.Replicates)
				case v.Alarm:
					t.Logf("caught: p = %.2g for %s with %d replicates", v.P, c.o.worst(), v.Replicates)
				case wantAlarm:
					t.Errorf("not caught: p = %.2g for %s with %d replicates", v.P, c.o.worst(), v.Replicates)
				}
			})
		}
	})
	outcomes := make([]outcome, len(trials))
	for i, c := range trials {
		outcomes[i] = c.o
	}
	return outcomes
}

func TestCalibration(t *testing.T) {
	p := shortPlan
	if *fixture.Long {
		p = longPlan
	}
	right, rightSBC := rightTrials(p.cells)
	wrong, wrongSBC := wrongTrials(p.cells)
	if n := len(right) + len(rightSBC); float64(n)*alarmRate > 1e-3 {
		t.Errorf("%d tests of %g each: false alarms beyond 1e-3", n, alarmRate)
	}
	// Small states are made by the million; the collector need not run for each.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	var r report
	r.plan = p
	passesSBC := func(c *trial) Verdict { return c.passes(p.sbc) }
	detects := func(sizes []int) func(*trial) Verdict {
		return func(c *trial) Verdict { return c.detects(sizes) }
	}
	if !*fixture.Long {
		runAll(t, "scans", right, func(c *trial) Verdict { return c.passes(p.joint) }, false)
		runAll(t, "mutants", wrong, detects(p.scanMutants), true)
		t.Logf("short form: %d right scans, %d mutants", len(right), len(wrong))
		return
	}
	r.kernels = runAll(t, "kernels and scans", right, func(c *trial) Verdict { return c.passes(p.jointTest(c.o.on)) }, false)
	r.samplers = runAll(t, "samplers", rightSBC, passesSBC, false)
	r.mutants = runAll(t, "mutants", wrong, detects(p.mutants), true)
	for _, o := range r.mutants {
		if n := p.jointTest(o.on).First; o.verdict.Replicates > n {
			t.Errorf("%v: caught by %d replicates, right kernels have %d", o, o.verdict.Replicates, n)
		}
	}
	var inScans []trial
	for _, m := range jointScanMutants {
		inScans = append(inScans, jointTrial("joint test of a mutant", m.scan(), m.on, shortPlan.cells))
	}
	runAll(t, "mutants in scans", inScans, detects(shortPlan.scanMutants), true)
	r.samplerMutants = runAll(t, "mutants of samplers", wrongSBC, detects(p.scanMutants), true)
	t.Logf("long form: %d right kernels and scans, %d right samplers, %d mutants", len(right), len(rightSBC), len(wrong)+len(wrongSBC))
	if *pictures {
		r.write(t)
	}
}

// Every kernel of a default scan is under test alone, and so is a mutant of it;
// annealing has a sampler and a mutant of it.
func TestCalibrationIsComplete(t *testing.T) {
	o := DefaultOptions()
	o.Anneal = annealScans
	inSamplers := []string{"anneal"}
	for _, m := range scanModels {
		scan := scanOf(m.draw(NewStream(1, "complete").Rand).post, o)
		for _, k := range scan.kernels {
			if slices.Contains(inSamplers, k.Name()) {
				continue
			}
			if !slices.ContainsFunc(kernelSubjects, func(s subject) bool { return s.kernel == k.Name() }) {
				t.Errorf("%s: the kernel %s has no line in the table of calibration_kernels_test.go", m.name, k.Name())
			}
		}
	}
	for _, name := range inSamplers {
		if !slices.ContainsFunc(scanMutants, func(m mutant) bool { return m.kernel == name }) {
			t.Errorf("no mutant of the kernel %s", name)
		}
	}
	for _, s := range kernelSubjects {
		if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.kernel == s.kernel }) {
			t.Errorf("no mutant of the kernel %s", s.kernel)
		}
	}
	for _, s := range kernelSubjects {
		if !slices.ContainsFunc(slices.Concat(jointScanMutants, aloneMutants), func(m mutant) bool { return m.kernel == s.kernel }) {
			t.Errorf("no mutant of the kernel %s in the short form", s.kernel)
		}
	}
	for i, m := range mutants {
		if slices.ContainsFunc(mutants[:i], func(o mutant) bool { return o.kernel == m.kernel && o.wrong == m.wrong }) {
			t.Errorf("two mutants %s: %s", m.kernel, m.wrong)
		}
	}
}
