package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aibd/draws"
	"aibd/fit"
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
)

// doubling is a fast run of two chains. The rounds of the others take two segments each.
const (
	doubling = tiny + `
warmup = 5
`
	twoSegments = doubling + "draws = 505\n"
	brief       = doubling + "draws = 7\n"   // with shortSegments
	thinned     = doubling + "draws = 810\n" // enough draws for rounds that thin them
)

// growths of the second, third and fourth round of roundsOn.
var growths = []float64{1.5, 2, 1.5}

// roundsOn makes the run in dir, or continues it, up to a round or until the disk dies.
// It reads the draws after each round.
func roundsOn(t *testing.T, dir string, p *model.Problem, wrap func(files.Disk) files.Disk, rounds int, every time.Duration) (notes []string, err error) {
	oneCore(t)
	t.Helper()
	var r *Run
	if _, e := os.Stat(dir); e == nil {
		r, notes, err = resume(dir, ResumeOptions{Version: "v1"}, wrap)
	} else {
		r, err = create(dir, p, "v1", wrap)
	}
	for err == nil {
		r.CheckpointEvery = every
		if err = r.Sample(t.Context()); err == nil {
			if traces, note, e := r.Scalars(); e != nil || note != "" || len(traces) != 2 {
				t.Fatalf("round %d: %d traces, note %q, %v", r.Spec.Sampler.Round, len(traces), note, e)
			}
			if r.Spec.Sampler.Round >= rounds {
				return notes, nil
			}
			var added []string
			r, added, err = resume(dir, ResumeOptions{Version: "v1", Growth: growths[r.Spec.Sampler.Round-1]}, wrap)
			notes = append(notes, added...)
		}
	}
	lockLost(r)
	return notes, err
}

// Each round has the bytes of a run of fixed length with its skip and thinning, and of the
// run.json it writes.
func TestRounds(t *testing.T) {
	shortSegments(t, 5)
	put(t, "x.csv", ages)
	settings := []string{"draws = 7\n", "round = 2\nskip = 1\ndraws = 10\n", "round = 3\nskip = 5\ndraws = 20\n"}
	for round, fixedTo := range settings {
		dir := fmt.Sprint("rounds", round)
		if _, err := roundsOn(t, dir, build(t, brief), plain, round+1, time.Hour); err != nil {
			t.Fatal(err)
		}
		fixed := fmt.Sprint("fixed", round)
		sampled(t, fixed, build(t, doubling+fixedTo), 2)
		if got, want := timeless(t, dir), timeless(t, fixed); !maps.Equal(got, want) {
			t.Errorf("round %d differs from the run of its length: files %q, expected %q", round+1, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		s, _, err := ReadSpec(dir+"/run.json", "v1")
		if err != nil || s.Sampler.Round != round+1 {
			t.Errorf("run.json has round %d, %v, expected %d", s.Sampler.Round, err, round+1)
		}
		p, err := input.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		sampled(t, "again"+dir, p, 1)
		if !maps.Equal(timeless(t, dir), timeless(t, "again"+dir)) {
			t.Errorf("round %d is not repeated by its run.json", round+1)
		}
	}
}

// Wherever the process dies in the second round, readers find the draws of one complete round,
// and the resumed run ends with the bytes of a run without deaths. The first round is a run of
// fixed length, which TestEveryCrash covers. The short form has every third step, and all near the switch, with and
// without power in turn.
func TestEveryCrashInRounds(t *testing.T) {
	shortSegments(t, 2) // the draws of the first round that the second has fill more than one
	put(t, "x.csv", ages)
	p := build(t, doubling+"draws = 4\n")
	const rounds = 2
	if _, err := roundsOn(t, "whole", p, plain, rounds, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := roundsOn(t, "first", p, plain, 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	want := timeless(t, "whole")
	afterFirst := func(wrap func(files.Disk) files.Disk) (notes []string, err error) {
		os.RemoveAll("run")
		if err := os.CopyFS("run", os.DirFS("first")); err != nil {
			t.Fatal(err)
		}
		return roundsOn(t, "run", p, wrap, rounds, time.Hour)
	}
	whole := &dyingDisk{remaining: 1 << 30}
	if _, err := afterFirst(whole.on); err != nil {
		t.Fatal(err)
	}
	draws := map[string][][]*draws.Draw{} // by fingerprint
	for _, dir := range []string{"first", "whole"} {
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, draws[r.fingerprint()], _, err = r.Kept(); err != nil {
			t.Fatal(err)
		}
	}
	if end := whole.steps[len(whole.steps)-10:]; end[0] != "rename "+recordFile || end[9] != "syncdir chain-2" {
		t.Fatalf("ends with the steps %q", end)
	}
	for step := range whole.steps {
		for _, power := range []bool{false, true} {
			near := step >= len(whole.steps)-26
			if power != (step%2 == 0) && !(near && *fixture.Long) || step%3 != 0 && !near && !*fixture.Long {
				continue
			}
			label := fmt.Sprintf("death at step %d (%s), power lost %v", step, whole.steps[step], power)
			if _, err := afterFirst((&dyingDisk{remaining: step, power: power}).on); !errors.Is(err, errDead) {
				t.Fatalf("%s: ended with %v", label, err)
			}
			r, err := Open("run")
			if err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			_, kept, note, err := r.Kept()
			if err != nil || note != "" {
				t.Fatalf("%s: round %d has note %q, %v", label, r.Spec.Sampler.Round, note, err)
			}
			for c, expected := range draws[r.fingerprint()] {
				for i, d := range expected {
					if kept[c][i].LogLik != d.LogLik || !kept[c][i].Z.Equal(d.Z) {
						t.Fatalf("%s: draw %d of chain %d is of another round", label, i, c)
					}
				}
			}
			if notes, err := roundsOn(t, "run", p, plain, rounds, time.Hour); err != nil || len(notes) > 0 {
				t.Fatalf("%s: resumed: notes %q, %v", label, notes, err)
			}
			if got := timeless(t, "run"); !maps.Equal(got, want) {
				t.Fatalf("%s: the resumed run differs: files %q", label, slices.Sorted(maps.Keys(got)))
			}
		}
	}
	t.Logf("%d steps", len(whole.steps))
}

// A run that dies again and again gets through its rounds.
func TestManyCrashesInRounds(t *testing.T) {
	shortSegments(t, 5)
	put(t, "x.csv", ages)
	p := build(t, brief)
	if _, err := roundsOn(t, "whole", p, plain, 4, time.Hour); err != nil {
		t.Fatal(err)
	}
	for crashes := 0; ; crashes++ {
		_, err := roundsOn(t, "run", p, (&dyingDisk{remaining: 20 + crashes%23, power: crashes%2 == 0}).on, 4, 0)
		if err == nil {
			if crashes < 15 {
				t.Errorf("%d crashes", crashes)
			}
			break
		}
		if !errors.Is(err, errDead) {
			t.Fatal(err)
		}
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the run that died differs")
	}
}

// A run that was stopped in a round has the draws of the round before.
func TestStopInRound(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	p := build(t, twoSegments)
	if _, err := roundsOn(t, "whole", p, plain, 2, time.Hour); err != nil {
		t.Fatal(err)
	}
	sampled(t, "run", p, 2)
	first := timeless(t, "run")
	stopped := func() {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		r, notes, err := resume("run", ResumeOptions{Version: "v1", Growth: growths[0]}, (&stepping{remaining: 5, stop: stop}).on)
		if err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		if r.Scans() != 5+505/4+757 || r.Spec.Sampler.Round != 2 {
			t.Errorf("round %d of %d scans", r.Spec.Sampler.Round, r.Scans())
		}
		r.CheckpointEvery = 0
		if err := r.Sample(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended with %v", err)
		}
	}
	stopped()
	stopped()
	for name, content := range first {
		if timeless(t, "run")[name] != content {
			t.Errorf("%s has changed", name)
		}
	}
	r, err := Open("run")
	if err != nil || r.Next() == nil {
		t.Errorf("found no round that has begun, %v", err)
	}
	// The reports are of the complete round.
	reports, note := r.Reports()
	for _, report := range reports {
		if !report.Complete || report.Draws != r.Spec.Sampler.Draws || note != "" {
			t.Errorf("found a report of %d draws, complete %v, expected a complete one of %d; %s", report.Draws, report.Complete, r.Spec.Sampler.Draws, note)
		}
	}
	_, _, err = Resume("run", ResumeOptions{Version: "v1", AddedDraws: 5})
	wantError(t, err, "run: found draws of a further round, expected none: aibd resume run completes that round, then it can be lengthened")
	// A damaged segment of the complete round is sampled again.
	if err := os.Remove("run/chain-2/draws-00002.parquet"); err != nil {
		t.Fatal(err)
	}
	_, _, err = Resume("run", ResumeOptions{Version: "v1", Growth: growths[0]})
	wantError(t, err, "run: found run/chain-2: found 500 draws, expected at least the 505 before the checkpoint; chain-2 is sampled again from its start, with the same draws, expected a complete round before the next: aibd resume run completes it")
	if notes := resumed(t, "run", 0); len(notes) != 1 || !strings.HasSuffix(notes[0], "; chain-2 is sampled again from its start, with the same draws") {
		t.Errorf("notes %q", notes)
	}
	if notes, err := roundsOn(t, "run", p, plain, 2, time.Hour); err != nil || len(notes) > 0 {
		t.Error(notes, err)
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the run differs")
	}
}

// A further round that is stopped when its draws come from more scans than those of the round before replaces it, and is
// then continued.
func TestStopReplaces(t *testing.T) {
	oneCore(t)
	shortSegments(t, 100)
	put(t, "x.csv", ages)
	p := build(t, thinned)
	growths := []float64{2} // which thins
	if _, err := roundsOn(t, "whole", p, plain, 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	sampled(t, "run", p, 2)
	r, _, err := Resume("whole", ResumeOptions{Version: "v1", Growth: growths[0]})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, _, err = Resume("run", ResumeOptions{Version: "v1", Growth: growths[0]})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	o := r.sampling(&Store{Run: r})
	o.Progress = func(fit.Progress) {
		if slices.Min(r.Done()) >= r.Spec.Sampler.Config().ScanOf(450) {
			stop()
		}
	}
	if err := fit.Sample(ctx, p.Posterior, o); err != context.Canceled {
		t.Fatalf("ended with %v", err)
	}
	now, err := Open("run")
	if err != nil || now.Spec.Sampler.Round != 2 || now.Next() != nil {
		t.Fatalf("found round %d, %v, expected round 2", now.Spec.Sampler.Round, err)
	}
	traces, note, err := now.Scalars()
	if err != nil || traces[0].Len() < 405 || traces[0].Len() > 500 || !strings.HasPrefix(note, "the run is not complete: ") || strings.Contains(note, "segment") {
		t.Errorf("found %d draws, note %q, %v", traces[0].Len(), note, err)
	}
	if notes := resumed(t, "run", 0); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the run differs")
	}
}

// A process that dies in a round before its first checkpoint leaves segments. The next process may
// sample a round of another length: it discards them.
func TestOtherGrowth(t *testing.T) {
	shortSegments(t, 300)
	put(t, "x.csv", ages)
	p := build(t, thinned)
	sampled(t, "run", p, 2)
	if err := os.CopyFS("whole", os.DirFS("run")); err != nil {
		t.Fatal(err)
	}
	next := func(dir string, growth float64, wrap func(files.Disk) files.Disk) error {
		t.Helper()
		r, notes, err := resume(dir, ResumeOptions{Version: "v1", Growth: growth}, wrap)
		if err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		r.CheckpointEvery = time.Hour
		err = r.Sample(t.Context())
		lockLost(r)
		return err
	}
	if err := next("run", 2, (&dyingDisk{remaining: 8}).on); !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	if files, err := filepath.Glob("run/chain-*/draws-*.next"); err != nil || len(files) == 0 {
		t.Fatalf("found segments %q, %v, expected some", files, err)
	}
	if r, err := Open("run"); err != nil || r.Next() != nil {
		t.Fatalf("a round has begun, %v", err)
	}
	for _, dir := range []string{"run", "whole"} {
		if err := next(dir, 4, plain); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the run differs")
	}
}

// A reader that opened a run before its round was replaced reads the new round.
func TestReaderBetweenRounds(t *testing.T) {
	shortSegments(t, 5)
	put(t, "x.csv", ages)
	p := build(t, brief)
	sampled(t, "run", p, 2)
	r, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := roundsOn(t, "run", p, plain, 2, time.Hour); err != nil {
		t.Fatal(err)
	}
	traces, kept, note, err := r.Kept()
	if err != nil || note != "" || len(traces) != 2 || len(kept) != 2 || len(kept[0]) != 10 || r.Spec.Sampler.Round != 2 {
		t.Fatalf("%d chains of round %d, note %q, %v", len(kept), r.Spec.Sampler.Round, note, err)
	}
	for c, chain := range kept {
		for i, d := range chain {
			if d.LogLik != traces[c].Values[draws.KeyLogLik][i] {
				t.Errorf("draw %d of chain %d is not that of the trace", i, c)
			}
		}
	}
}

// Skipped scans and thinning drop draws of the same chain.
func TestSkip(t *testing.T) {
	put(t, "x.csv", ages)
	all := sampled(t, "all", build(t, tiny+"warmup = 5\ndraws = 40"), 1)
	some := sampled(t, "some", build(t, tiny+"warmup = 5\nskip = 13\nthin = 2\ndraws = 10"), 1)
	_, every, _, err := all.Kept()
	if err != nil {
		t.Fatal(err)
	}
	_, kept, _, err := some.Kept()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range kept[1] {
		if want := every[1][13+2*i+1]; d.LogLik != want.LogLik || !d.Z.Equal(want.Z) || d.Iteration != i {
			t.Errorf("draw %d is not that of scan %d", i, 13+2*i+2)
		}
	}
}
