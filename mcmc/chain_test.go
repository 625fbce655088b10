package mcmc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// tape records the draws as text.
type tape struct {
	lines []string
	stop  func() // called after each draw, if not nil
}

func (r *tape) Record(d *draws.Draw) error {
	line, err := json.Marshal([]any{d.Iteration, d.Mass, d.Temperature, d.SigmaX, d.SigmaA, d.LogLik, d.LogPrior, d.Permutation, d.Cells, d.Cutpoints, d.Z.String()})
	if err != nil {
		return err
	}
	r.lines = append(r.lines, string(line))
	if r.stop != nil {
		r.stop()
	}
	return nil
}

func newTestChain(t *testing.T, cfg Config) *Chain {
	t.Helper()
	return newTestChainOf(t, cfg, DefaultOptions())
}

func newTestChainOf(t *testing.T, cfg Config, o Options) *Chain {
	t.Helper()
	post := twin(12, 6).posterior(t)
	c, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, o, cfg, NewStream(7, "chain-1"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestResume stops a chain after every scan, stores it as JSON and resumes it in
// a new process's place, during warmup and after it.
func TestResume(t *testing.T) {
	annealed := DefaultOptions()
	annealed.Anneal = 3
	untuned := annealed
	untuned.Tune = false
	for name, o := range map[string]Options{"default": DefaultOptions(), "annealed": annealed, "untuned": untuned} {
		t.Run(name, func(t *testing.T) { testResume(t, o) })
	}
}

func testResume(t *testing.T, o Options) {
	cfg := Config{Warmup: 7, Draws: 12, Thin: 2}
	var whole tape
	straight := newTestChainOf(t, cfg, o)
	if err := straight.Run(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	if len(whole.lines) != cfg.Draws || straight.Done() != cfg.Scans() {
		t.Fatalf("%d draws after %d scans", len(whole.lines), straight.Done())
	}
	var pieces tape
	chain := newTestChainOf(t, cfg, o)
	post := chain.target.post
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := chain.Run(ctx, &pieces); !errors.Is(err, context.Canceled) || chain.Done() != 0 {
		t.Fatalf("a cancelled chain made %d scans, error %v", chain.Done(), err)
	}
	for chain.Done() < cfg.Scans() {
		chain.step()
		kept := chain.Done() + 1 - cfg.Warmup
		if kept > 0 && kept%cfg.Thin == 0 {
			if err := pieces.Record(chain.record(kept/cfg.Thin - 1)); err != nil {
				t.Fatal(err)
			}
		}
		chain.count()
		p, err := chain.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		stored, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back Checkpoint
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatal(err)
		}
		other := cfg
		other.Warmup++
		if _, err := Resume(post, o, other, back); err == nil {
			t.Fatal("another warmup is accepted")
		}
		if chain, err = Resume(post, o, cfg, back); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(straight.history, chain.history) {
		t.Errorf("found the history %+v after resuming, expected %+v", chain.history, straight.history)
	}
	if !reflect.DeepEqual(whole.lines, pieces.lines) {
		for i := range whole.lines {
			if whole.lines[i] != pieces.lines[i] {
				t.Fatalf("draw %d differs after resuming:\n%s\nwant\n%s", i, pieces.lines[i], whole.lines[i])
			}
		}
	}
	if !reflect.DeepEqual(straight.Totals(), chain.Totals()) {
		t.Errorf("totals %v, want %v", chain.Totals(), straight.Totals())
	}
}

// TestRunStops cancels a chain after some draws and lets it go on.
func TestRunStops(t *testing.T) {
	cfg := Config{Warmup: 3, Draws: 9, Thin: 1}
	var whole, parts tape
	if err := newTestChain(t, cfg).Run(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	chain := newTestChain(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	parts.stop = func() {
		if len(parts.lines) == 4 {
			cancel()
		}
	}
	if err := chain.Run(ctx, &parts); !errors.Is(err, context.Canceled) || len(parts.lines) != 4 {
		t.Fatalf("%d draws and error %v, want 4 and cancellation", len(parts.lines), err)
	}
	if err := chain.Run(t.Context(), &parts); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(whole.lines, parts.lines) {
		t.Error("a chain that was stopped in between gives other draws")
	}
}

func TestResumeRefuses(t *testing.T) {
	cfg := Config{Warmup: 2, Draws: 3, Thin: 1}
	chain := newTestChain(t, cfg)
	chain.step()
	chain.count()
	good, err := chain.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Checkpoint){
		"done":        func(p *Checkpoint) { p.Done = 99 },
		"columns":     func(p *Checkpoint) { p.Features = 3 },
		"stream":      func(p *Checkpoint) { p.Stream = p.Stream[:5] },
		"no tuning":   func(p *Checkpoint) { p.Tuning = Tuning{} },
		"infinite":    func(p *Checkpoint) { p.Tuning.Scales.AX = math.Inf(-1) },
		"a count":     func(p *Checkpoint) { p.Tuning.Temperature.Learned = -1 },
		"limited":     func(p *Checkpoint) { p.Limited = 2 },
		"totals":      func(p *Checkpoint) { p.Totals = nil },
		"mass":        func(p *Checkpoint) { p.Mass = -1 },
		"permutation": func(p *Checkpoint) { p.Permutation = []int{0, 0} },
		"a step":      func(p *Checkpoint) { p.Tuning.Temperature.Step = -1 },
	} {
		p := good
		spoil(&p)
		if _, err := Resume(chain.target.post, DefaultOptions(), cfg, p); err == nil {
			t.Errorf("%s: a spoiled checkpoint is taken", name)
		}
	}
}

func TestStream(t *testing.T) {
	// The first numbers of a stream are pinned: all draws depend on them.
	s := NewStream(1, "chain-1")
	got := [3]uint64{s.Rand.Uint64(), s.Rand.Uint64(), s.Rand.Uint64()}
	want := [3]uint64{0x8dd7678c5c46ee3, 0x7843dcfb6a3ff0a4, 0x68540e9afb5b4454}
	if got != want {
		t.Errorf("stream begins %#x, want %#x", got, want)
	}
	if NewStream(1, "chain-2").Rand.Uint64() == got[0] || NewStream(2, "chain-1").Rand.Uint64() == got[0] {
		t.Error("streams of another label or seed begin alike")
	}
}

// TestStartOutside: a start that has no prior density is an error, not a chain
// that never moves.
func TestStartOutside(t *testing.T) {
	window, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference([]float64{0, 1, 10}), similarity.Window{}), 1, 1, prior.Identity(3))
	if err != nil {
		t.Fatal(err)
	}
	data, err := lglfm.NewData([][]float64{{1}, {2}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	far, err := feature.FromRows([][]int{{1, 1}, {0, 0}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	// Item 3 has similarity 0 to both others, so that these count equally; with
	// item 2 near to item 1 only, items 1 and 3 cannot share without it.
	near := prior.NewAffinity(similarity.AbsDifference([]float64{0, 10, 10.5}), similarity.Window{})
	nearLaw, err := prior.NewAIBD(near, 1, 1, prior.Identity(3))
	if err != nil {
		t.Fatal(err)
	}
	ok := lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}
	for _, c := range []struct {
		law   prior.Law
		start Start
		want  string
	}{
		{nearLaw, Start{Z: far, Scales: ok}, "Z has probability 0"},
		{window, Start{Scales: lglfm.Scales{SigmaX: 2, SigmaA: 0.5}}, "SigmaX 2 is outside its prior"},
		{window, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 3}}, "SigmaA 3 is outside its prior"},
		{window, Start{Scales: lglfm.Scales{SigmaX: 0, SigmaA: 1}}, "SigmaX: found 0"},
		{window, Start{Scales: ok, Mass: -1}, "found mass -1"},
		{window, Start{Scales: ok, Temperature: math.Inf(1)}, "found temperature +Inf"},
		{window, Start{Scales: ok, Permutation: []int{0, 1, 1}}, "start: permutation: found item 2 again at position 3, expected each item once"},
		{window, Start{Scales: ok, Z: feature.New(2)}, "found Z of 2 items, expected 3"},
	} {
		post := &Posterior{Data: data, Law: c.law, SigmaX: ScalePrior{Max: 1}, SigmaA: ScalePrior{Max: 1}}
		if _, err := newState(post, c.start); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestPosteriorRefuses(t *testing.T) {
	ibp, err := prior.NewIBP(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := lglfm.NewData([][]float64{{1}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	three, err := prior.NewIBP(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	none, err := lglfm.NewData(nil)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := prior.NewIBP(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for want, post := range map[string]*Posterior{
		"2 rows and the law of Z is of 3":     {Data: data, Law: three},
		"have no rows":                        {Data: none, Law: empty},
		"no temperature that could be random": {Data: data, Law: ibp, Temperature: &Gamma{1, 1}},
		"no permutation that could be random": {Data: data, Law: ibp, Permutation: true},
		"prior of mass: found shape 0":        {Data: data, Law: ibp, Mass: &Gamma{0, 1}},
		"prior of SigmaX: found maximum -1":   {Data: data, Law: ibp, SigmaX: ScalePrior{Max: -1}},
		"prior of SigmaA: found rate -2":      {Data: data, Law: ibp, SigmaA: ScalePrior{Gamma: &Gamma{1, -2}}},
	} {
		if err := post.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Options){
		"births":                  func(o *Options) { o.Births = -1 },
		"other updates":           func(o *Options) { o.OtherUpdates = -1 },
		"shuffle size":            func(o *Options) { o.ShuffleSize = 1 },
		"insertions":              func(o *Options) { o.Insertions = -1 },
		"correlation":             func(o *Options) { o.Correlation = 1 },
		"truncation divisor":      func(o *Options) { o.Truncation = 0.5 },
		"step of the temperature": func(o *Options) { o.StepTemperature = 0 },
		"step of SigmaX":          func(o *Options) { o.StepX = math.NaN() },
		"step of SigmaA":          func(o *Options) { o.StepA = -1 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, cfg := range map[string]Config{"warmup": {Warmup: -1, Draws: 1, Thin: 1}, "skip": {Skip: -1, Draws: 1, Thin: 1}, "draws": {Thin: 1}, "thin": {Draws: 1}} {
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestTuningStops: step sizes move in warmup and stand still after it, and not at
// all if tuning is off.
func TestTuningStops(t *testing.T) {
	steps := func(c *Chain) Tuning { return c.tuner.Tuning }
	chain := newTestChain(t, Config{Warmup: 5, Draws: 5, Thin: 1})
	initial := steps(chain)
	for range 5 {
		chain.step()
		chain.count()
	}
	tuned := steps(chain)
	if reflect.DeepEqual(initial, tuned) {
		t.Error("warmup did not tune")
	}
	if err := chain.Run(t.Context(), new(tape)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(tuned, steps(chain)) {
		t.Error("tuning went on after warmup")
	}
	o := DefaultOptions()
	o.Tune = false
	chain = newTestChainOf(t, Config{Warmup: 5, Draws: 5, Thin: 1}, o)
	if err := chain.Run(t.Context(), new(tape)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(steps(chain), initial) {
		t.Error("kernels are tuned although tuning is off")
	}
}

// failing is a Recorder that fails at one draw.
type failing struct{ index, count int }

func (f *failing) Record(*draws.Draw) error {
	if f.count++; f.count == f.index {
		return errors.New("no space left")
	}
	return nil
}

// TestRecorderFails: a chain that lost a draw does not go on as if it had not.
func TestRecorderFails(t *testing.T) {
	chain := newTestChain(t, Config{Warmup: 2, Draws: 5, Thin: 1})
	rec := &failing{index: 3}
	first := chain.Run(t.Context(), rec)
	if first == nil || first.Error() != "no space left" {
		t.Fatalf("error %v", first)
	}
	if again := chain.Run(t.Context(), rec); again != first || rec.count != 3 {
		t.Errorf("error %v after %d draws", again, rec.count)
	}
	if _, err := chain.Checkpoint(); err != first {
		t.Errorf("checkpoint of a broken chain: error %v", err)
	}
}

// A chain that abandons a scan anywhere continues from a checkpoint of before with the draws that it would have made.
func TestAbandon(t *testing.T) {
	for _, features := range []Features{Binary, Weighted} {
		post := gapped(t, 8, 4, 0.1)
		post.Features = features
		o, cfg := OptionsFor(post, 4), Config{Warmup: 4, Draws: 3, Thin: 1}
		begin := func() *Chain {
			start, err := post.DrawStart(NewStream(1, "start").Rand, Start{}, InitEmpty)
			if err != nil {
				t.Fatal(err)
			}
			c, err := NewChain(post, start, o, cfg, NewStream(1, "chain"))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		run := func(c *Chain) error {
			return c.Run(t.Context(), draws.RecorderFunc(func(*draws.Draw) error { return nil }))
		}
		whole := begin()
		asked := 0
		whole.Abandon(func() bool { asked++; return false })
		if err := run(whole); err != nil {
			t.Fatal(err)
		}
		want, err := whole.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		if items := post.Data.N(); asked < cfg.Scans()*items {
			t.Errorf("%s: asked %d times, expected at least once for each item of each scan", features, asked)
		}
		for index := 1; index <= asked; index += 7 {
			c := begin()
			before, err := c.Checkpoint()
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			c.Abandon(func() bool { calls++; return calls >= index })
			if err := run(c); err != ErrAbandoned {
				t.Fatalf("%s, call %d: ended with %v", features, index, err)
			}
			if _, err := c.Checkpoint(); err != ErrAbandoned {
				t.Errorf("%s, call %d: found a checkpoint, %v", features, index, err)
			}
			if c, err = Resume(post, o, cfg, before); err != nil {
				t.Fatal(err)
			}
			if err := run(c); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Checkpoint(); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, call %d: found another end, %v", features, index, err)
			}
		}
	}
}
