package fit

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"aibd/dataset"
	"aibd/draws"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// bars returns a small posterior with binary features, which have kernels.
func bars(t testing.TB) *mcmc.Posterior {
	t.Helper()
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 12, 0.5)
	when := make([]float64, len(x))
	for i := range when {
		when[i] = float64(i)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(when), similarity.Exponential{}), 1, 0.1, prior.Identity(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	post, err := mcmc.NewPosterior(x, law)
	if err != nil {
		t.Fatal(err)
	}
	post.Features = mcmc.Binary
	return post
}

// clock is a clock that moves when a chain makes a scan.
type clock struct {
	mutex sync.Mutex
	now   time.Time
}

func (c *clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

// scan returns the moves of a posterior, with one that takes some time.
func (c *clock) scan(post *mcmc.Posterior, takes time.Duration) *mcmc.Options {
	o := mcmc.OptionsFor(post, 5)
	o.Kernels = []mcmc.Kernel{{Name: "clock", Step: func(*rand.Rand, *mcmc.View) mcmc.Info {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.now = c.now.Add(takes)
		return mcmc.Info{}
	}}}
	return &o
}

// oneCore runs the rest of a test on one core: then the scans of a chain take its time and no other.
func oneCore(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// never is a criterion by which chains never agree.
func never([][]*draws.Draw) (*Verdict, error) {
	return &Verdict{Needed: 2, Lines: []string{"They never agree."}}, nil
}

var short = mcmc.Config{Warmup: 5, Draws: 20, Thin: 1}

// Chains that never agree are sampled until the budget ends, and there are draws.
func TestBudget(t *testing.T) {
	oneCore(t)
	post := bars(t)
	for name, test := range map[string]struct {
		budget        Budget
		length        mcmc.Config
		takes         time.Duration
		rounds, draws int
		cut           bool
		reason        string
	}{
		"one round":    {Budget{}, short, time.Second, 1, 20, false, "there is no budget for another round"},
		"time":         {Budget{Time: 150 * time.Second}, short, time.Second, 3, 45, false, "Round 4 would take about "},
		"scans":        {Budget{Scans: 80}, short, time.Hour, 3, 60, false, "Round 4 would take about 45 scans of each chain; 1 scans of each chain left of the budget"},
		"first is cut": {Budget{Time: 40 * time.Second}, mcmc.Config{Warmup: 5, Draws: 1000, Thin: 1}, time.Second, 1, 5, true, "the budget is used up: round 1 is not complete"},
		"first second": {Budget{Time: time.Nanosecond}, mcmc.Config{Warmup: 5, Draws: 1000, Thin: 1}, 40 * time.Millisecond, 1, 6, true, "the budget is used up: round 1 is not complete"},
	} {
		var c clock
		var ends []int // of rounds, by number
		r, err := Fit(t.Context(), post, Options{
			Budget: test.budget, Clock: c.Now, Seed: 1, Store: NewMemory(2, test.length), Scan: c.scan(post, test.takes), Judge: never,
			Progress: func(p Progress) {
				if p.Done > p.All || p.Remaining > test.budget.Time {
					t.Errorf("%s: found progress %+v", name, p)
				}
				if p.Verdict != nil {
					ends = append(ends, p.Round.Number)
				}
			},
		})
		if err != nil {
			t.Fatal(name, err)
		}
		if r.Round.Number != test.rounds || len(r.Draws) != 2 || r.Cut != test.cut || !strings.HasPrefix(r.Why, test.reason) || r.Verdict.Agreed {
			t.Errorf("%s: found round %+v, cut %v, %q", name, r.Round, r.Cut, r.Why)
		}
		if got := len(r.Draws[0]); got != test.draws {
			t.Errorf("%s: found %d draws, expected %d", name, got, test.draws)
		}
		if want := test.rounds; !test.cut && len(ends) != want {
			t.Errorf("%s: found verdicts on the rounds %v, expected %d", name, ends, want)
		}
		for _, chain := range r.Draws {
			for i, d := range chain {
				if d.Iteration != i {
					t.Fatalf("%s: found draw %d at %d", name, d.Iteration, i)
				}
			}
		}
	}
}

// A further round that is cut leaves the draws of the one before, unless its own come from more scans. The same store
// continues it.
func TestCutRound(t *testing.T) {
	oneCore(t)
	post := bars(t)
	for _, test := range []struct {
		slow  time.Duration // a scan of round 2
		draws int
	}{{100 * time.Second, 20}, {2 * time.Second, 27}} {
		var c clock
		scan := c.scan(post, time.Second)
		first := *scan
		store := NewMemory(2, short)
		judged := 0
		o := Options{Budget: Budget{Time: 100 * time.Second}, Clock: c.Now, Seed: 1, Store: store, Scan: scan, Judge: func(d [][]*draws.Draw) (*Verdict, error) {
			judged++
			return never(d)
		}}
		o.Progress = func(p Progress) {
			if p.Verdict != nil { // from here on scans are slow
				scan.Kernels = c.scan(post, test.slow).Kernels
			}
		}
		r, err := Fit(t.Context(), post, o)
		if err != nil || !r.Cut || r.Round.Number != 2 || len(r.Draws[1]) != test.draws {
			t.Fatalf("found %d draws of %+v, %v, expected %d", len(r.Draws[1]), r.Round, err, test.draws)
		}
		if want := map[bool]int{false: 1, true: 2}[test.draws > 20]; judged != want {
			t.Errorf("judged %d times, expected %d", judged, want)
		}
		if took := c.Now().Sub(time.Time{}); took > 100*time.Second+test.slow {
			t.Errorf("took %v", took)
		}
		*scan = first
		o.Budget, o.Progress = Budget{}, nil
		r, err = Fit(t.Context(), post, o)
		if err != nil || r.Cut || r.Round.Number != 2 || len(r.Draws[1]) != 30 {
			t.Fatalf("found %+v, %v, expected round 2", r.Round, err)
		}
		whole, err := Fit(t.Context(), post, Options{Budget: Budget{Scans: 45}, Seed: 1, Store: NewMemory(2, short), Scan: scan, Judge: never})
		if err != nil || !reflect.DeepEqual(whole.Draws, r.Draws) {
			t.Errorf("found other draws than without interruption, %v", err)
		}
	}
}

// The time that judging takes is part of the budget, as is what came before.
func TestJudgingTakesTime(t *testing.T) {
	oneCore(t)
	post := bars(t)
	var c clock
	r, err := Fit(t.Context(), post, Options{
		Budget: Budget{Time: 160 * time.Second}, Clock: c.Now, Began: c.now.Add(-10 * time.Second), Seed: 1, Store: NewMemory(2, short), Scan: c.scan(post, time.Second),
		Judge: func(d [][]*draws.Draw) (*Verdict, error) {
			c.now = c.now.Add(time.Duration(len(d[0])) * time.Second)
			return never(d)
		},
	})
	// Round 1 takes 50 + 20 s, round 2 would take 30 + 30 s and with a margin of a quarter 68 s; round 3 none.
	if took := c.Now().Sub(time.Time{}); err != nil || r.Cut || r.Round.Number != 2 || r.Judging != time.Second || took != 130*time.Second {
		t.Errorf("found %+v, %v, took %v", r, err, took)
	}
}

// A scan that outlasts the budget is abandoned, and made again when the fit continues.
func TestSlowScan(t *testing.T) {
	oneCore(t)
	post := bars(t)
	var c clock
	scan := c.scan(post, 30*time.Second)
	after := 0
	scan.Kernels = append(scan.Kernels, mcmc.Kernel{Name: "after", Step: func(*rand.Rand, *mcmc.View) mcmc.Info {
		after++
		return mcmc.Info{}
	}})
	o := Options{Budget: Budget{Time: 1000 * time.Second}, Clock: c.Now, Seed: 1, Store: NewMemory(2, short), Scan: scan, Judge: never}
	r, err := Fit(t.Context(), post, o)
	// The half of the budget ends in scan 17.
	if err != nil || !r.Cut || after != 16 || c.Now().Sub(time.Time{}) != 510*time.Second {
		t.Fatalf("found %+v, %v after %d scans and %v", r, err, after, c.Now().Sub(time.Time{}))
	}
	o.Budget = Budget{}
	r, err = Fit(t.Context(), post, o)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Fit(t.Context(), post, Options{Seed: 1, Store: NewMemory(2, short), Scan: scan, Judge: never})
	if err != nil || !reflect.DeepEqual(whole.Draws, r.Draws) {
		t.Errorf("found other draws than without interruption, %v", err)
	}
}

// A budget that ends before the first draws is an error.
func TestNoDraws(t *testing.T) {
	post := bars(t)
	var c clock
	_, err := Fit(t.Context(), post, Options{Budget: Budget{Time: time.Second}, Clock: c.Now, Store: NewMemory(2, mcmc.Config{Warmup: 1000, Draws: 10, Thin: 1}), Scan: c.scan(post, time.Second)})
	if !errors.Is(err, ErrNoDraws) {
		t.Errorf("found error %v", err)
	}
}

// A fit that is stopped anywhere continues from its store with the draws that it would have made, which
// mcmc.Sample makes too.
func TestCancel(t *testing.T) {
	for _, features := range []mcmc.Features{mcmc.Binary, mcmc.DefaultFeatures} {
		t.Run(string(features), func(t *testing.T) {
			post := bars(t)
			post.Features = features
			testCancel(t, post)
		})
	}
}

func testCancel(t *testing.T, post *mcmc.Posterior) {
	o := Options{Budget: Budget{Scans: 60}, Seed: 3, Judge: never}
	o.Store = NewMemory(3, short)
	want, err := Fit(t.Context(), post, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Store = NewMemory(3, short)
	stops := 0
	for {
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		o.Progress = func(p Progress) {
			if calls++; calls == 4 {
				stop()
			}
		}
		got, err := Fit(ctx, post, o)
		stop()
		if err == nil {
			if !reflect.DeepEqual(got.Draws, want.Draws) || got.Round != want.Round {
				t.Errorf("found %+v, expected the draws of %+v", got.Round, want.Round)
			}
			break
		}
		if stops++; err != context.Canceled || stops > 100 {
			t.Fatal(err)
		}
	}
	if stops < 3 {
		t.Errorf("stopped %d times", stops)
	}
	var kept [3][]*draws.Draw
	var into []draws.Recorder
	for c := range kept {
		into = append(into, draws.RecorderFunc(func(d *draws.Draw) error {
			kept[c] = append(kept[c], draws.Clone(d))
			return nil
		}))
	}
	if err := mcmc.Sample(t.Context(), post, mcmc.OptionsFor(post, short.Warmup), want.Round.Length, 3, into...); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(kept[:], want.Draws) {
		t.Error("found other draws than those of mcmc.Sample")
	}
}

// An error of one chain, a panic as well, ends the fit.
func TestFailures(t *testing.T) {
	post := bars(t)
	broken := errors.New("out of order")
	start := func(_ context.Context, chain int) (mcmc.Start, error) {
		if chain == 1 {
			return mcmc.Start{}, broken
		}
		return post.DrawStart(mcmc.NewStream(1, "start").Rand, mcmc.Start{}, mcmc.InitEmpty)
	}
	if _, err := Fit(t.Context(), post, Options{Start: start}); !errors.Is(err, broken) {
		t.Errorf("found error %v", err)
	}
	scan := mcmc.OptionsFor(post, 5)
	scan.Kernels = []mcmc.Kernel{{Name: "broken", Step: func(*rand.Rand, *mcmc.View) mcmc.Info { panic("out of order") }}}
	if _, err := Fit(t.Context(), post, Options{Scan: &scan}); err == nil || !strings.Contains(err.Error(), "internal error after 0 scans: out of order (fit/fit_test.go:") {
		t.Errorf("found error %v", err)
	}
	for want, o := range map[string]Options{
		"budget: found 1s without a clock, expected Options.Clock, such as time.Now": {Budget: Budget{Time: time.Second}},
		"budget: found -1s and 0 scans, expected at least 0":                         {Budget: Budget{Time: -time.Second}},
		"budget: found 1s and 5 scans, expected one of them":                         {Budget: Budget{Time: time.Second, Scans: 5}, Clock: time.Now},
		"chains: found 0, expected at least 1":                                       {Store: NewMemory(0, short)},
		"draws: found 0, expected at least 1":                                        {Store: NewMemory(2, mcmc.Config{Thin: 1})},
	} {
		if _, err := Fit(t.Context(), post, o); err == nil || err.Error() != want {
			t.Errorf("found error %v, expected %s", err, want)
		}
	}
}

// Judge refuses draws of another model, and names what differs.
func TestJudgeRefuses(t *testing.T) {
	post := bars(t)
	r, err := Fit(t.Context(), post, Options{Store: NewMemory(2, short), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict.Agreed || !strings.Contains(r.Verdict.String(), "not agree") || r.Verdict.Needed < 2 {
		t.Errorf("20 draws of each chain: found %+v", r.Verdict)
	}
	other := draws.Clone(r.Draws[1][3])
	other.NoiseScales = nil
	for want, chains := range map[string][][]*draws.Draw{
		"found no draws, expected at least one of each chain":           nil,
		"chain 2: found 5 draws, expected 20 as in chain 1":             {r.Draws[0], r.Draws[1][:5]},
		"chain 2, draw 1: found a draw of 12 items with the unknowns {": {r.Draws[0][:1], {other}},
	} {
		if _, err := Judge(post, chains, Names{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("found error %v, expected %s", err, want)
		}
	}
	if _, err := Judge(post, r.Draws, Names{Items: []string{"a"}}); err == nil || err.Error() != "found 1 names, expected one for each item of 12" {
		t.Errorf("found error %v", err)
	}
	all := r.Summary()
	if all[0].Name != "mass" || all[0].Mean <= 0 {
		t.Errorf("found the summary %+v", all[0])
	}
}
