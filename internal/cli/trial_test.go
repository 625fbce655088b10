package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/mcmc"
)

func TestDescribeTrial(t *testing.T) {
	s := spec.Sampler{Chains: 4, Warmup: 1000, Draws: 200, Thin: 5, Until: spec.UntilAgreed}
	trial := runs.Trial{Start: 10 * time.Second, Scans: 3, Scan: 700 * time.Millisecond, Memory: 300e6, Chain: 100e6, Draw: 50e3}
	const want = "about 47 min 0 s on 2 cores: the start of a chain takes 10 s, a scan 700 ms, and there are 4 chains of 2000 scans in the first round; draws take at most about 40 MB on disk, the process about 600 MB of memory (from 3 scans)"
	if got := describeTrial(trial, s, 2); got != want {
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
	p, err := model.Build(s)
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
