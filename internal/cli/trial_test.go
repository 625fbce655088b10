package cli

import (
	"fmt"
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

// TestTry: a run of many items and many scans is tried, others are not.
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
	for draws, want := range map[int]string{1000: `^Takes     about .* and there are 4 chains of 2000 scans in the first round; .* \(from [0-9]+ scans?\)\n$`, 1: "^$"} {
		if p.Spec.Sampler.Draws = draws; draws == 1 {
			p.Spec.Sampler.Warmup = 10
		} else {
			p.Spec.Sampler.Warmup = 1000
		}
		var log strings.Builder
		if err := (samplingOptions{}).try(&log, p, "run", time.Millisecond); err != nil || !regexp.MustCompile(want).MatchString(log.String()) {
			t.Errorf("%d draws: found %q and error %v, expected %s", draws, log.String(), err, want)
		}
	}
}

// TestShorten: the first round is shorter with many items and little time, unless the command
// line says otherwise.
func TestShorten(t *testing.T) {
	problem := func(items int, until string) *model.Problem {
		p := &model.Problem{Spec: spec.Default()}
		p.IDs, p.Spec.Sampler.Until = make([]string, items), until
		return p
	}
	for _, c := range []struct {
		items               int
		until               string
		budget              time.Duration
		warmup, draws, thin int
		short               bool
	}{
		{50, spec.UntilAgreed, 5 * time.Minute, 1000, 1000, 1, false},
		{50, spec.UntilAgreed, time.Second, 800, 800, 1, true},
		{1000, spec.UntilAgreed, 5 * time.Minute, 600, 600, 1, true},
		{1000, spec.UntilAgreed, time.Hour, 1000, 1000, 1, false},
		{1000, spec.UntilAgreed, 0, 1000, 1000, 1, false},
		{1000, spec.UntilDraws, 5 * time.Minute, 1000, 1000, 1, false},
		{20_000, spec.UntilAgreed, 5 * time.Minute, 100, 100, 1, true},
		{20_000, spec.UntilAgreed, 3 * time.Hour, 540, 200, 2, true},
		{20_000, spec.UntilDraws, 5 * time.Minute, 1000, 200, 5, false},
	} {
		o := fitOptions{flags: &specFlags{}, sampling: samplingOptions{budget: budget{fit.Budget{Time: c.budget}}}}
		p := problem(c.items, c.until)
		short := o.shorten(p)
		if s := p.Spec.Sampler; s.Warmup != c.warmup || s.Draws != c.draws || s.Thin != c.thin || short != c.short {
			t.Errorf("%+v: found %d, %d, %d, %v", c, s.Warmup, s.Draws, s.Thin, short)
		}
	}
	o := fitOptions{flags: &specFlags{onFile: true}, sampling: samplingOptions{budget: budget{fit.Budget{Time: time.Second}}}}
	if p := problem(1000, spec.UntilAgreed); o.shorten(p) || p.Spec.Sampler.Warmup != 1000 {
		t.Error("the first round of a spec is shortened")
	}
	o.again = true
	if p := problem(1000, spec.UntilAgreed); !o.shorten(p) {
		t.Error("the first round of runs that are compared is not shortened")
	}
}
