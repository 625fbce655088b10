package runs

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aibd/draws"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/prior"
)

// sampled makes a run in dir and samples it.
func sampled(t *testing.T, dir string, p *model.Problem, cores int) *Run {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	r, err := Create(dir, p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// The same spec gives the same bytes on any number of cores, and from run.json.
func TestRunsAreRepeated(t *testing.T) {
	t.Chdir(t.TempDir())
	sampled(t, "one", build(t, small), 1)
	sampled(t, "two", build(t, small), 2)
	sampled(t, "all", build(t, small), 0)
	again, notes, err := ReadSpec("one/run.json", "v1")
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	p, err := input.Build(again)
	if err != nil {
		t.Fatal(err)
	}
	sampled(t, "again", p, 2)
	other := build(t, small)
	other.Spec.Sampler.Seed = 2
	sampled(t, "other", other, 2)

	files := func(dir string) map[string]string { return timeless(t, dir) }
	want := files("one")
	if got := slices.Sorted(maps.Keys(tree(t, "one"))); !slices.Equal(got, []string{
		"chain-1/chain.json", "chain-1/checkpoint.json", "chain-1/draws-00001.parquet",
		"chain-2/chain.json", "chain-2/checkpoint.json", "chain-2/draws-00001.parquet",
		"chain-3/chain.json", "chain-3/checkpoint.json", "chain-3/draws-00001.parquet", "lock", "run.json",
	}) {
		t.Errorf("files %q", got)
	}
	for _, dir := range []string{"two", "all", "again"} {
		if !maps.Equal(files(dir), want) {
			t.Errorf("%s differs from one", dir)
		}
	}
	for name, content := range files("other") {
		if content == want[name] && name != lockFile {
			t.Errorf("%s is the same with another seed", name)
		}
	}
}

// tiny is a spec of three items and two chains that needs the file x.csv with the
// text of ages, and may be followed by keys of the sampler.
const tiny = `
[data]
file = "x.csv"
columns = ["a", "b"]
[distance]
kind = "absolute"
columns = ["age"]
[sampler]
chains = 2
` + plainScans + `
`

// plainScans keeps scans short where the tests are about files.
const plainScans = `other_updates = 1`

// kept is a Recorder that keeps everything.
type kept []*draws.Draw

func (k *kept) Record(d *draws.Draw) error {
	c := *d
	c.Permutation, c.Z = slices.Clone(d.Permutation), d.Z.Clone()
	*k = append(*k, &c)
	return nil
}

// What a run gives back is what a chain of package mcmc draws, run by hand, also
// over more than one segment.
func TestDrawsAreThoseOfAChain(t *testing.T) {
	put(t, "x.csv", ages)
	p := build(t, tiny+"draws = 1100\nwarmup = 5\nthin = 2")
	r := sampled(t, "run", p, 2)
	if got := r.Done(); !slices.Equal(got, []int{2205, 2205}) || r.Scans() != 2205 {
		t.Errorf("done %v of %d scans", got, r.Scans())
	}
	r, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	traces, note, err := r.Scalars()
	if err != nil || note != "" || len(traces) != 2 {
		t.Fatalf("%d traces, note %q, %v", len(traces), note, err)
	}
	for c := range 2 {
		chain, err := p.NewChain(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var want kept
		if err := chain.Run(t.Context(), &want); err != nil {
			t.Fatal(err)
		}
		i := 0
		for d, err := range r.Draws(c) {
			if err != nil {
				t.Fatal(err)
			}
			w := want[i]
			if d.Iteration != i || d.Mass != w.Mass || d.Temperature != w.Temperature || d.SigmaX != w.SigmaX || d.SigmaA != w.SigmaA ||
				d.LogLik != w.LogLik || d.LogPrior != w.LogPrior || !slices.Equal(d.Permutation, w.Permutation) || !d.Z.Equal(w.Z) {
				t.Fatalf("chain %d: draw %d is %+v, expected %+v", c, i, d, w)
			}
			tr := traces[c]
			if tr.Values[draws.KeyMass][i] != w.Mass || tr.Values[draws.KeyLogLik][i] != w.LogLik || tr.Values[draws.KeyFeatures][i] != float64(w.Z.K()) || tr.Chain != c {
				t.Fatalf("chain %d: trace at %d differs from %+v", c, i, w)
			}
			// The mean position of the items with odd numbers.
			odd := 0
			for position, item := range w.Permutation {
				if item%2 == 0 {
					odd += position + 1
				}
			}
			if tr.Values[draws.KeyPositionsOfOdd][i] != float64(odd)/2 {
				t.Fatalf("chain %d: odd items at %v on average, expected %v", c, tr.Values[draws.KeyPositionsOfOdd][i], float64(odd)/2)
			}
			i++
		}
		if i != 1100 {
			t.Errorf("chain %d: %d draws", c, i)
		}
	}
	for c := range 2 {
		number := 0
		for s, err := range r.segments(c) {
			if err != nil || s.Header().Chain != c || s.Header().Segment != number || s.Len() != []int{500, 500, 100}[number] {
				t.Errorf("segment %d: %+v, %d draws, %v", number, s.Header(), s.Len(), err)
			}
			number++
		}
		if number != 3 {
			t.Errorf("%d segments", number)
		}
	}
}

// Everything that may be fixed, and the law without distances.
func TestOtherSpecs(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, text := range []string{
		"[prior]\nlaw = 'ibp'",
		"[prior]\nmass = { fixed = true, value = 2 }\ntemperature = { fixed = true, value = 0 }\npermutation = { kind = 'fixed' }\nsigma_x = { fixed = true, value = 0.5 }\nsigma_a = { fixed = true, value = 0.5 }",
		"[prior]\nsigma_x = { shape = 2, rate = 4 }\nsigma_a = { fixed = true, value = 0.5 }",
		"[prior]\ndecay = 'reciprocal'\nsigma_x = { fixed = true, value = 0.5 }",
	} {
		dir := string(rune('a' + i))
		r := sampled(t, dir, build(t, "[sampler]\nchains = 1\nwarmup = 10\ndraws = 10\n"+text), 1)
		traces, note, err := r.Scalars()
		if err != nil || note != "" || len(traces) != 1 || traces[0].Len() != 10 {
			t.Fatalf("%s\n%d traces, note %q, %v", text, len(traces), note, err)
		}
		tr, s := traces[0], r.Spec.Prior
		if ibp := s.Law == "ibp"; (tr.Values[draws.KeyTemperature] == nil) != ibp || (tr.Values[draws.KeyPositionsOfOdd] == nil) != ibp {
			t.Errorf("%s\ntemperature %v, positions %v", text, tr.Values[draws.KeyTemperature], tr.Values[draws.KeyPositionsOfOdd])
		}
		if s.Mass.Fixed && (tr.Values[draws.KeyMass][9] != 2 || tr.Values[draws.KeyTemperature][9] != 0 || tr.Values[draws.KeyPositionsOfOdd][9] != 25) {
			t.Errorf("%s\nmass %v, temperature %v, odd positions %v", text, tr.Values[draws.KeyMass][9], tr.Values[draws.KeyTemperature][9], tr.Values[draws.KeyPositionsOfOdd][9])
		}
	}
}

// A random temperature needs no step size, and every step is tuned in warmup.
func TestReports(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		text     string
		tuned    bool
		expected [4]bool // steps of temperature, SigmaX, SigmaA and the correlation
	}{
		{"tune = true", true, [4]bool{true, true, true, true}},
		{"tune = false", false, [4]bool{true, true, true, true}},
		{"other_updates = 0\n[prior]\nlaw = 'ibp'\nmass = { fixed = true, value = 1 }\nsigma_x = { fixed = true, value = 0.5 }\nsigma_a = { fixed = true, value = 0.5 }", false, [4]bool{}},
		{"[prior]\nlaw = 'ibp'", true, [4]bool{false, true, true, true}},
		{"[prior.sigma_x]\nfixed = true\nvalue = 0.5", true, [4]bool{true, false, true, false}},
		{"[prior.sigma_a]\nfixed = true\nvalue = 0.5", true, [4]bool{true, true, false, false}},
		{"[prior]\nsigma_x = { fixed = true, value = 0.5 }\nsigma_a = { fixed = true, value = 0.5 }", true, [4]bool{true, false, false, false}},
	} {
		os.RemoveAll("run")
		r := sampled(t, "run", build(t, "[sampler]\nchains = 2\nwarmup = 10\ndraws = 10\n"+c.text), 2)
		reports, note := r.Reports()
		if note != "" || len(reports) != 2 {
			t.Fatalf("%d reports, note %q", len(reports), note)
		}
		report, o := reports[1], r.Spec.Sampler
		if report.Chain != 2 || report.Scans != 20 || report.Draws != 10 || !report.Complete || !(report.Seconds > 0) ||
			!slices.ContainsFunc(report.Kernels, func(k KernelReport) bool { return k.Name == "rows" && k.Proposed > 0 }) {
			t.Errorf("%s: report %+v", c.text, report)
		}
		first := [4]float64{o.StepTemperature, o.StepSigmaX, o.StepSigmaA, o.StepCorrelation}
		for i, x := range [4]float64{report.Steps.Temperature, report.Steps.SigmaX, report.Steps.SigmaA, report.Steps.Correlation} {
			if !c.expected[i] && x != 0 || c.expected[i] && (x != first[i]) != c.tuned {
				t.Errorf("%s: step %d is %v, at first %v", c.text, i, x, first[i])
			}
			if c.expected[i] && math.Abs(x) > 20*math.Abs(first[i]) {
				t.Errorf("%s: step %d is %v, at first %v", c.text, i, x, first[i])
			}
		}
	}
}

// An interrupted run keeps what was drawn. The chains finish their scan, and as
// they take turns they are about equally far.
func TestInterrupt(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	p := build(t, tiny+"warmup = 20\ndraws = 1_000_000")
	p.Spec.Sampler.Chains = 5
	r, err := Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Sample(ctx) }()
	for slices.Min(r.Done()) < 700 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
	done := r.Done()
	if slices.Max(done)-slices.Min(done) > 10 {
		t.Errorf("chains are %v scans far", done)
	}
	r, err = Open("run")
	if err != nil {
		t.Fatal(err)
	}
	for c, scans := range done {
		i := 0
		for d, err := range r.Draws(c) {
			if err != nil || d.Iteration != i {
				t.Fatalf("chain %d: draw %d, %v", c, i, err)
			}
			i++
		}
		if i != scans-20 {
			t.Errorf("chain %d has %d draws, expected %d", c, i, scans-20)
		}
	}
	traces, note, err := r.Scalars()
	if err != nil || len(traces) == 0 || !strings.HasPrefix(note, "the run is not complete: the chains have ") {
		t.Errorf("%d traces, note %q, %v", len(traces), note, err)
	}
	reports, note := r.Reports()
	if note != "" || len(reports) != 5 || reports[0].Complete || reports[0].Draws != done[0]-20 {
		t.Errorf("reports %+v, note %q", reports, note)
	}
}

// A disk that is full ends the run with one line that names the file, and keeps
// what was written before. With room again, the run can be resumed.
func TestFullDisk(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	p := build(t, tiny+"draws = 1100")
	sampled(t, "whole", p, 0)
	whole := tree(t, "whole")
	record, first := len(whole["run.json"]), len(whole["chain-1/draws-00001.parquet"])
	r, err := create("run", p, "v1", newFullDisk(record+first+first/2))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, r.Sample(t.Context()), "run/chain-2/draws-00001.parquet: no space left on device")
	if got := slices.Sorted(maps.Keys(tree(t, "run"))); !slices.Equal(got, []string{"chain-1/draws-00001.parquet", "lock", "run.json"}) {
		t.Errorf("files %q", got)
	}
	traces, note, err := r.Scalars()
	if err != nil || len(traces) != 1 || traces[0].Len() != 500 || note != "the run is not complete: the chains have 500, 0 of 1100 draws; the first 500 of chain 1 are used" {
		t.Errorf("%d traces, note %q, %v", len(traces), note, err)
	}
	resumed(t, "run", 0)
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the resumed run differs")
	}
}

// A disk that is full before anything of a chain is on it keeps nothing.
func TestFullDiskBeforeDraws(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	r, err := create("run", build(t, tiny), "v1", newFullDisk(10_000))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, r.Sample(t.Context()), "run/chain-1/draws-00001.parquet: no space left on device")
	if got := names(t, "."); !slices.Equal(got, []string{"x.csv"}) {
		t.Errorf("left %q", got)
	}
}

// faulty is the IBP with an intensity that panics in the given call.
type faulty struct {
	prior.Law
	calls atomic.Int64
	last  int64
}

func (l *faulty) LogIntensity(column []uint64) float64 {
	if l.calls.Add(1) == l.last {
		panic("out of order")
	}
	return l.Law.LogIntensity(column)
}

func (l *faulty) DrawColumn(rng *rand.Rand, column []uint64) {
	for {
		if z := l.Rand(rng); z.K() > 0 {
			copy(column, z.Column(rng.IntN(z.K())))
			return
		}
	}
}

// A panic in a chain is an error that names the chain and the place, and the other
// chains end.
func TestPanic(t *testing.T) {
	t.Chdir(t.TempDir())
	p := build(t, small+"[prior]\nlaw = 'ibp'\n")
	p.Spec.Sampler.Draws = 1_000_000
	law, err := prior.NewLaw(&faulty{Law: p.Posterior.Law, last: 200_000}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p.Posterior.Law = law
	r, err := Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	err = r.Sample(t.Context())
	if err == nil {
		t.Fatal("no error")
	}
	got := regexp.MustCompile(`^chain-([123]): internal error after (\d+) scans: out of order \(runs/sample_test\.go:\d+.*$`).FindStringSubmatch(err.Error())
	if got == nil {
		t.Fatalf("error %v", err)
	}
	chain, _ := strconv.Atoi(got[1])
	scans, _ := strconv.Atoi(got[2])
	// One chain had the panic. None of its draws is lost.
	i := 0
	for _, err := range r.Draws(chain - 1) {
		if err != nil {
			t.Fatal(err)
		}
		i++
	}
	if want := scans - p.Spec.Sampler.Warmup; i != want || want < 1 {
		t.Errorf("%d draws before the panic in scan %d, expected %d, at least 1", i, scans+1, want)
	}
}

// A run can be sampled once, by the one who made it.
func TestSampleTwice(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	r := sampled(t, "run", build(t, tiny+"draws = 10"), 2)
	before := tree(t, "run")
	opened, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Run{r, opened} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("Sample does not panic")
				}
			}()
			r.Sample(t.Context())
		}()
	}
	if !maps.Equal(tree(t, "run"), before) {
		t.Error("the files have changed")
	}
}

// The default problem, with fewer scans, needs little memory: what the whole
// process holds grows by less than 150 MB.
func TestMemory(t *testing.T) {
	held := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Sys - m.HeapReleased
	}
	t.Chdir(t.TempDir())
	p := build(t, "[sampler]\nwarmup = 30\ndraws = 30")
	debug.FreeOSMemory()
	before := held() // by earlier tests
	r := sampled(t, "run", p, 2)
	if now := held(); now > before+150e6 {
		t.Errorf("%d MB, %d MB before", now/1e6, before/1e6)
	}
	if traces, _, err := r.Scalars(); err != nil || len(traces) != 4 || !reflect.DeepEqual(traces[0].Iteration, prior.Identity(30)) {
		t.Errorf("%d traces, %v", len(traces), err)
	}
}
