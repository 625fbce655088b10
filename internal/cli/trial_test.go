package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"aibd/fit"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/mcmc"
)

func TestDescribeTrial(t *testing.T) {
	s := spec.Sampler{Chains: 4, Warmup: 1000, Draws: 200, Thin: 5, Until: spec.UntilAgreed}
	trial := runs.Trial{Start: 10 * time.Second, Scans: 3, Scan: 700 * time.Millisecond, Memory: 300e6, Chain: 100e6, Draw: 50e3}
	const want = "about 47 min 0 s on 2 cores: the start of a chain takes 10 s, a scan 700 ms, and there are 4 chains of 2000 scans in the first round; draws take at most about 40 MB on disk, the process about 600 MB of memory (from 3 scans)"
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	if got := describeTrial(trial, s); got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
}

// A run of many items and many scans is tried, others of fixed length are not.
func TestTry(t *testing.T) {
	t.Chdir(t.TempDir())
	var csv strings.Builder
	csv.WriteString("a,b\n")
	for i := range mcmc.MaxClustered + 1 {
		fmt.Fprintf(&csv, "%d.5,%d.25\n", i%7, i%5)
	}
	if err := os.WriteFile("x.csv", []byte(csv.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := spec.ParseTOML([]byte("[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'\n[sampler]\ninit = 'empty'\n"), "s.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := input.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	for warmup, want := range map[int]string{1000: `^Takes     about .* and there are 4 chains of 2000 scans; .* \(from [0-9]+ scans?\)\n$`, 10: "^$"} {
		o := fitOptions{flags: &specFlags{onFile: true}}
		p.Spec.Sampler.Until, p.Spec.Sampler.Warmup, p.Spec.Sampler.Draws, p.Spec.Sampler.Thin = spec.UntilDraws, warmup, warmup, 1
		var log strings.Builder
		if _, err := o.plan(&log, p); err != nil || !regexp.MustCompile(want).MatchString(log.String()) {
			t.Errorf("%d scans of warmup: found %q and error %v, expected %s", warmup, log.String(), err, want)
		}
	}
}

// The first round is the longest that fits, and there is always one.
func TestFirstLength(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for scan, want := range map[time.Duration]int{time.Millisecond: 1000, 2 * time.Millisecond: 500, 15 * time.Millisecond: 100, 150 * time.Millisecond: 10, time.Hour: 10} {
		if got := firstLength(runs.Trial{Start: time.Second, Scan: scan}, 4, 8*time.Second); got != want {
			t.Errorf("scans of %v: found %d scans of warmup, expected %d", scan, got, want)
		}
	}
}

// The first round of runs with many items thins, and no rule shortens what the command line or a spec says.
func TestPlan(t *testing.T) {
	problem := func(items int, until string) *model.Problem {
		p := &model.Problem{Spec: spec.Default()}
		p.IDs, p.Spec.Sampler.Until = make([]string, items), until
		return p
	}
	for _, c := range []struct {
		items               int
		until               string
		budget              fit.Budget
		warmup, draws, thin int
		short               bool
	}{
		{50, spec.UntilAgreed, fit.Budget{Scans: 5000}, 1000, 1000, 1, false},
		{50, spec.UntilAgreed, fit.Budget{Scans: 600}, 300, 300, 1, true},
		{50, spec.UntilAgreed, fit.Budget{Scans: 1}, 100, 100, 1, true},
		{1000, spec.UntilAgreed, fit.Budget{}, 1000, 1000, 1, false},
		{1000, spec.UntilDraws, fit.Budget{Time: 5 * time.Minute}, 1000, 1000, 1, false},
		{20_000, spec.UntilAgreed, fit.Budget{Scans: 1000}, 500, 200, 2, true},
		{20_000, spec.UntilDraws, fit.Budget{Time: 5 * time.Minute}, 1000, 200, 5, false},
	} {
		o := fitOptions{flags: &specFlags{}, sampling: samplingOptions{budget: budget{c.budget}, quiet: true}}
		p := problem(c.items, c.until)
		short, err := o.plan(io.Discard, p)
		if s := p.Spec.Sampler; err != nil || s.Warmup != c.warmup || s.Draws != c.draws || s.Thin != c.thin || short != c.short {
			t.Errorf("%+v: found %d, %d, %d, %v, %v", c, s.Warmup, s.Draws, s.Thin, short, err)
		}
	}
	o := fitOptions{flags: &specFlags{onFile: true}, sampling: samplingOptions{budget: budget{fit.Budget{Scans: 600}}}}
	p := problem(1000, spec.UntilAgreed)
	if short, err := o.plan(io.Discard, p); short || err != nil || p.Spec.Sampler.Warmup != 1000 {
		t.Error("the first round of a spec is shortened")
	}
	o.again = true
	if short, err := o.plan(io.Discard, problem(1000, spec.UntilAgreed)); !short || err != nil {
		t.Error("the first round of runs that are compared is not shortened")
	}
}
