package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"aibd/internal/checksum"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
)

// A run that is stopped and resumed has the same draws and ends in the same state as an
// uninterrupted one, at any point and on any number of cores.
func TestResume(t *testing.T) {
	for name, text := range map[string]string{
		"binary":   small + "thin = 3\n",
		"weighted": strings.Replace(small, "[data]", "[data]\nholdout = 0.1", 1) + "thin = 3\n" + weighted,
		"graded":   small + "thin = 3\n" + graded,
	} {
		if name == "graded" && !*fixture.Long {
			continue // TestManyCrashes has it
		}
		t.Run(name, func(t *testing.T) { testResume(t, text) })
	}
}

func testResume(t *testing.T, text string) {
	t.Chdir(t.TempDir())
	p := build(t, text)
	sampled(t, "whole", p, 2)
	r, err := Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	stops := 0
	limit := 5 * time.Millisecond
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for cores := 1; ; cores = 3 - cores {
		runtime.GOMAXPROCS(cores)
		r.CheckpointEvery = time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		limit *= 2 // a slow machine ends too
		err := r.Sample(ctx)
		cancel()
		if err == nil {
			break
		}
		if err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		stops++
		done := r.Done()
		var notes []string
		if r, notes, err = Resume("run", ResumeOptions{Version: "v1"}); err != nil || len(notes) != 0 {
			t.Fatalf("notes %q, %v", notes, err)
		}
		if got := r.Done(); !reflect.DeepEqual(got, done) {
			t.Fatalf("resumed at scans %v, stopped at %v", got, done)
		}
	}
	if stops < 3 {
		t.Errorf("stopped %d times", stops)
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the resumed run differs")
	}
	for c := range 3 {
		got, err := r.readCheckpoint(c)
		if err != nil {
			t.Fatal(err)
		}
		want, err := opened(t, "whole").readCheckpoint(c)
		if err != nil || !reflect.DeepEqual(got.State, want.State) {
			t.Errorf("chain %d ends at %+v, expected %+v, %v", c, got.State, want.State, err)
		}
	}
	// A complete run is not changed.
	before := tree(t, "run")
	resumed(t, "run", 0)
	if !maps.Equal(tree(t, "run"), before) {
		t.Error("resuming a complete run has changed it")
	}
}

// A lengthened run is the same as one made with that length at first.
func TestMore(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "whole", build(t, tiny+"warmup = 5\ndraws = 1130\nuntil = 'draws'"), 2)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 520"), 2)
	resumed(t, "run", 480)
	traces, note, err := (func() ([]Trace, string, error) { r, _ := Open("run"); return r.Scalars() })()
	if err != nil || note != "" || traces[0].Len() != 1000 {
		t.Errorf("note %q, %v", note, err)
	}
	resumed(t, "run", 130)
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the longer run differs")
	}
}

// A reader that opened a run before it was made longer reads the longer run.
func TestReaderWhileMore(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	r, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	resumed(t, "run", 3)
	for range 2 { // at once, and as the longer run
		if traces, note, err := r.Scalars(); err != nil || note != "" || traces[0].Len() != 23 || r.Spec.Sampler.Draws != 23 {
			t.Fatalf("note %q, %v, %d draws stated", note, err, r.Spec.Sampler.Draws)
		}
	}
}

// A process that dies while it makes a run longer leaves one that can be read and
// resumed.
func TestCrashWhileMore(t *testing.T) {
	shortSegments(t, 20)
	put(t, "x.csv", ages)
	sampled(t, "whole", build(t, tiny+"warmup = 5\ndraws = 26\nuntil = 'draws'"), 2)
	sampled(t, "short", build(t, tiny+"warmup = 5\ndraws = 24"), 2)
	for step := 0; ; step++ {
		os.RemoveAll("run")
		if err := os.CopyFS("run", os.DirFS("short")); err != nil {
			t.Fatal(err)
		}
		r, _, err := resume("run", ResumeOptions{Version: "v1", AddedDraws: 2}, (&dyingDisk{remaining: step, power: true}).on)
		lockLost(r)
		if err == nil {
			break
		}
		r, err = Open("run")
		if err != nil {
			t.Fatal(err)
		}
		traces, _, err := r.Scalars()
		if err != nil || len(traces) != 2 || traces[1].Len() != 24 {
			t.Fatalf("death at step %d: %d traces, %v", step, len(traces), err)
		}
		resumed(t, "run", 26-r.Spec.Sampler.Draws)
		if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
			t.Fatalf("death at step %d: the longer run differs", step)
		}
	}
}

// A damaged piece is named, its chain sampled again, and the run as it should be.
func TestDamage(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 620"), 2)
	want := timeless(t, "run")
	cut := func(b []byte) []byte { return b[:len(b)/3] }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	none := func([]byte) []byte { return nil }
	for _, c := range []struct {
		file string
		do   func([]byte) []byte
		note string
	}{
		{"chain-1/checkpoint.json", cut, "run/chain-1/checkpoint.json: damaged: found no crc32c; chain-1 is sampled again"},
		{"chain-1/checkpoint.json", flip, "run/chain-1/checkpoint.json: damaged: "},
		{"chain-1/checkpoint.json", none, "run/chain-1/checkpoint.json: damaged: found no crc32c; chain-1 is"},
		{"chain-2/draws-00001.parquet", cut, "run/chain-2/draws-00001.parquet: found no aibd.crc32c"},
		{"chain-2/draws-00001.parquet", flip, "run/chain-2/draws-00001.parquet: damaged: found CRC-32C"},
		{"chain-2/draws-00002.parquet", flip, "run/chain-2/draws-00002.parquet: damaged: found CRC-32C"},
		{"chain-2/draws-00002.parquet", nil, "run/chain-2: found 500 draws, expected at least the 620 before the checkpoint; chain-2 is"},
	} {
		name := "run/" + c.file
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.do == nil {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, c.do(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		notes := resumed(t, "run", 0)
		if len(notes) != 1 || !strings.HasPrefix(notes[0], c.note) || !strings.HasSuffix(notes[0], " is sampled again from its start, with the same draws") {
			t.Errorf("%s: notes %q, expected %q", c.file, notes, c.note)
		}
		if !maps.Equal(timeless(t, "run"), want) {
			t.Errorf("%s: the run differs", c.file)
		}
	}
}

// What is not damaged but of another run is no reason to sample: an error says so
// and everything stays.
func TestResumeErrors(t *testing.T) {
	put(t, "x.csv", ages)
	stopped := func() {
		os.RemoveAll("run")
		sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	}
	edit := func(file, old, new string) func() {
		return func() {
			b, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(b), old) {
				t.Fatalf("%s has no %q, %v", file, old, err)
			}
			b = []byte(strings.Replace(string(b), old, new, 1))
			if strings.HasSuffix(file, ".json") {
				checksum.Seal(b, sealKey)
			}
			if err := os.WriteFile(file, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	rename := func(oldPath, newPath string) func() {
		return func() {
			if err := os.Rename(oldPath, newPath); err != nil {
				t.Fatal(err)
			}
		}
	}
	float, err := json.Marshal(float())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spoil func()
		draws int
		want  string
	}{
		{rename("run/chain-2/checkpoint.json", "run/chain-1/checkpoint.json"), 0, "run/chain-1/checkpoint.json: found the checkpoint of chain 2 of run "},
		{edit("run/run.json", `"thin": 1`, `"thin": 2`), 0, "run/chain-1/checkpoint.json: found the checkpoint of chain 1 of run "},
		{edit("run/run.json", `"draws": 20,`+"\n      "+`"thin"`, `"draws": 10, "thin"`), 0, "run/chain-1/draws-00001.parquet: found a segment of 20 draws per chain, expected at most 10 as in run.json"},
		{edit("run/run.json", `"aibd": "v1"`, `"aibd": "v0"`), 0, "run/run.json: found a run of another build: aibd v0, expected aibd v1"},
		{edit("run/run.json", `"float": `+string(float), `"float": "by abacus"`), 0, "run/run.json: found a run of another build: float by abacus, expected float "},
		{edit("x.csv", "1", "7"), 0, "the data of run: x.csv: found a file with SHA-256 "},
		{rename("x.csv", "y.csv"), 0, "the data of run: x.csv: no such file in the working directory: the run read one with SHA-256 "},
		{rename("y.csv", "x.csv"), math.MaxInt, "sampler.draws: found 2147483667, expected "},
		{rename("run/chain-2/checkpoint.json", "run/chain-1/checkpoint.json"), 5, "run/chain-1/checkpoint.json: found the checkpoint of chain 2 of run "},
	} {
		if _, err := os.Stat("x.csv"); err == nil {
			if err := os.WriteFile("x.csv", []byte(ages), 0o666); err != nil {
				t.Fatal(err)
			}
			stopped()
		}
		c.spoil()
		before := tree(t, ".")
		_, _, err := Resume("run", ResumeOptions{Version: "v1", AddedDraws: c.draws})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, expected %s", err, c.want)
		}
		if !maps.Equal(tree(t, "."), before) {
			t.Errorf("%s: the files have changed", c.want)
		}
	}
}

// Another build resumes a run only with OtherBuild, and run.json records it.
func TestOtherBuild(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	r, _, err := Resume("run", ResumeOptions{Version: "v2", OtherBuild: true, AddedDraws: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err = Open("run"); err != nil {
		t.Fatal(err)
	}
	if got := r.OtherPrograms; r.Aibd != "v1" || !reflect.DeepEqual(got, []Program{thisProgram("v2")}) {
		t.Errorf("made by %s, others %+v", r.Aibd, got)
	}
}

// While a process samples a run no other can; when it has ended or was killed, any
// can.
func TestLock(t *testing.T) {
	put(t, "x.csv", ages)
	p := build(t, tiny+"warmup = 5\ndraws = 20")
	r, err := Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Resume("run", ResumeOptions{Version: "v1"})
	wantError(t, err, "run: another process is sampling this run, expected none")
	r.Close()
	second, _, err := Resume("run", ResumeOptions{Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Resume("run", ResumeOptions{Version: "v1"})
	wantError(t, err, "run: another process is sampling this run, expected none")
	if err := second.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	resumed(t, "run", 0)
}

// Processes may sample different chains of a run at once, and nobody else anything of it. The
// draws equal the draws of one process.
func TestChainLocks(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	p := build(t, tiny+"warmup = 5\ndraws = 20\nuntil = \"draws\"")
	sampled(t, "whole", p, 2)
	r, err := Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	chain := func(number int) (*Run, error) {
		r, _, err := Resume("run", ResumeOptions{Version: "v1", Chain: number})
		return r, err
	}
	_, err = chain(1)
	wantError(t, err, "run: another process is sampling all chains of this run, expected none")
	r.Close()
	first, err := chain(1)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	_, err = chain(1)
	wantError(t, err, fmt.Sprintf("run/chain-1: process %d on %s is sampling this chain, expected none", os.Getpid(), host))
	overwrite(t, "run/chain-1/lock", "")
	_, err = chain(1)
	wantError(t, err, "run/chain-1: another process is sampling this chain, expected none")
	if _, _, err = Resume("run", ResumeOptions{Version: "v1"}); !errors.As(err, new(HeldError)) {
		t.Errorf("found %v, expected a HeldError", err)
	}
	wantError(t, err, "run: other processes are sampling chains of this run, expected none")
	if busy, pid := first.Sampler(); !busy || pid != 0 {
		t.Errorf("found %v and process %d, expected some process", busy, pid)
	}
	_, err = Gather(t.Context(), []string{"run"}, "out")
	wantError(t, err, "run: other processes are sampling chains of this run, expected none")
	second, err := chain(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Run{second, first} {
		if err := r.Sample(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if busy, _ := first.Sampler(); busy {
		t.Error("found a process, expected none")
	}
	_, err = chain(3)
	wantError(t, err, "run: found chain 3, expected 1 to 2")
	got := timeless(t, "run")
	maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasSuffix(name, "/lock") })
	if !maps.Equal(got, timeless(t, "whole")) {
		t.Errorf("found files %q, expected those of one process", slices.Sorted(maps.Keys(got)))
	}
}

// Files of very many items hold fewer draws, and at least one.
func TestSegmentDraws(t *testing.T) {
	for n, want := range map[int]int{0: 500, 2: 500, 10_000: 500, 50_000: 100, 100_000: 50, 10_000_000: 1} {
		if got := model.SegmentDraws(n); got != want {
			t.Errorf("%d items: %d draws a file, expected %d", n, got, want)
		}
	}
}

// A run that is stopped before its first scan can be resumed.
func TestResumeFromNothing(t *testing.T) {
	oneCore(t)
	put(t, "x.csv", ages)
	p := build(t, tiny+"warmup = 5\ndraws = 20")
	sampled(t, "whole", p, 2)
	r, err := Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.CheckpointEvery = 0
	chain, err := p.NewChain(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{Run: r} // as if stopped in that instant
	if checkpoint, err := s.Open(0); err != nil || checkpoint != nil {
		t.Fatal(checkpoint, err)
	}
	if err := s.Save(0, chain, 0, true); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := r.Sample(ctx); err != context.Canceled {
		t.Fatal(err)
	}
	if notes := resumed(t, "run", 0); len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the resumed run differs")
	}
}
