package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"aibd/internal/files"
	"aibd/internal/oracle/fixture"
)

// below returns the files below a directory during a test.
func below(t *testing.T, dir string) files.Below {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return files.Below{Root: root}
}

// overwrite gives a file new content.
func overwrite(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// stepping is a disk that stops a run after some renames.
type stepping struct {
	remaining int
	stop      func()
}

// on returns the disk that does operations by another one.
func (d *stepping) on(disk files.Disk) files.Disk { return steppingDisk{disk, d} }

type steppingDisk struct {
	files.Disk
	*stepping
}

func (d steppingDisk) Rename(oldPath, newPath string) error {
	if d.remaining--; d.remaining == 0 {
		d.stop()
	}
	return d.Disk.Rename(oldPath, newPath)
}

// A reader that looks every few steps of a run in two rounds sees only draws that the complete round
// has, more and more of them, and in the end all.
func TestUnderWay(t *testing.T) {
	oneCore(t)
	shortSegments(t, 20)
	put(t, "x.csv", ages)
	text := tiny + "warmup = 5\ndraws = 50\nuntil = \"agreed\""
	want := [2][]Trace{}
	for round := range want {
		dir := fmt.Sprint("whole", round)
		if _, err := roundsOn(t, dir, build(t, text), plain, round+1, time.Hour); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want[round], _, err = r.Scalars(); err != nil {
			t.Fatal(err)
		}
	}

	steps := 13
	if *fixture.Long {
		steps = 5
	}
	seen, looks := [2]int{}, 0
	look := func() {
		t.Helper()
		r, err := Open("run")
		if err != nil {
			t.Fatal(err)
		}
		reports, damage := r.Reports()
		r = r.UnderWay(reports)
		traces, note, err := r.Scalars()
		if err != nil && !strings.HasSuffix(err.Error(), "found no draws") || damage != "" || strings.Contains(note, "missing") {
			t.Fatalf("found %v, damage %q, note %q", err, damage, note)
		}
		round, drawn := r.Spec.Sampler.Round-1, 0
		for _, trace := range traces {
			n := trace.Len()
			drawn += n
			if !reflect.DeepEqual(trace.cut(n), want[round][trace.Chain].cut(n)) {
				t.Fatalf("round %d: other draws of chain %d than in the complete run", round+1, trace.Chain+1)
			}
		}
		if drawn < seen[round] {
			t.Errorf("round %d: found %d draws after %d", round+1, drawn, seen[round])
		}
		if drawn > seen[round] {
			looks++
		}
		seen[round] = drawn
	}
	for round := range want {
		for {
			ctx, stop := context.WithCancel(t.Context())
			d := &stepping{remaining: steps, stop: stop}
			var r *Run
			var err error
			if _, statErr := os.Stat("run"); statErr != nil {
				r, err = create("run", build(t, text), "v1", d.on)
			} else {
				o := ResumeOptions{Version: "v1"}
				if now, err := Open("run"); err != nil || now.Spec.Sampler.Round == round {
					o.Growth = growths[0]
				}
				r, _, err = resume("run", o, d.on)
			}
			if err != nil {
				t.Fatal(err)
			}
			r.CheckpointEvery = 0
			err = r.Sample(ctx)
			stop()
			look()
			if err == nil {
				break
			}
			if !errors.Is(err, ctx.Err()) {
				t.Fatal(err)
			}
		}
	}
	if all := len(want[0]) * 50; seen != [2]int{all, all * 3 / 2} || looks < 8 {
		t.Errorf("found %v draws of two rounds in %d looks, expected %d and half as many more in at least 8", seen, looks, all)
	}
}

// A run below a directory reads nothing outside it: neither through links nor as data.
func TestOpenBelow(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	if err := os.MkdirAll(filepath.Join("inside", "linked"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"inside/whole":           "../run",
		"inside/linked/run.json": "../../run/run.json",
		"inside/same":            "copy",
	} {
		if err := os.Symlink(target, filepath.FromSlash(link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.CopyFS(filepath.Join("inside", "copy"), os.DirFS("run")); err != nil {
		t.Fatal(err)
	}
	in := below(t, "inside")
	for _, name := range []string{"whole", "linked", "../run", "/"} {
		if r, err := OpenBelow(in, name); err == nil {
			t.Errorf("%s: opened %s", name, r.Dir)
		}
	}
	r, err := OpenBelow(in, "same")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Scalars(); err != nil {
		t.Error(err)
	}
	_, err = r.Problem()
	if err == nil || !strings.Contains(err.Error(), "x.csv: outside the directory inside") {
		t.Errorf("found %v, expected that x.csv is outside", err)
	}
	in.Also = []string{"x.csv"}
	if r, err = OpenBelow(in, "same"); err != nil {
		t.Fatal(err)
	}
	if _, err = r.Problem(); err != nil {
		t.Error(err)
	}
	// A chain that is a link to another place.
	if err := os.RemoveAll(filepath.Join("inside", "copy", "chain-2")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../run/chain-2", filepath.Join("inside", "copy", "chain-2")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Scalars(); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("found %v, expected that the link leaves the directory", err)
	}
	_, err = OpenBelow(in, "copy")
	wantError(t, err, "inside/copy/chain-2: found a symbolic link, expected a directory")
}

// The lock names the process that holds it. A look at it does not keep others from sampling.
func TestSampler(t *testing.T) {
	put(t, "x.csv", ages)
	r, err := Create("run", build(t, tiny+"warmup = 5\ndraws = 20"), "v1")
	if err != nil {
		t.Fatal(err)
	}
	o, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	if busy, pid := o.Sampler(); !busy || pid != os.Getpid() {
		t.Errorf("found %v and process %d, expected this one, %d", busy, pid, os.Getpid())
	}
	r.Close()
	if busy, pid := o.Sampler(); busy || pid != 0 {
		t.Errorf("found %v and process %d, expected none", busy, pid)
	}
	// The id of a process that was killed stays in the file, and stands for nothing.
	overwrite(t, "run/lock", strconv.Itoa(os.Getpid()))
	if busy, _ := o.Sampler(); busy {
		t.Error("found a process, expected none")
	}
	err = o.Interrupt(os.Getpid())
	wantError(t, err, "run: process "+strconv.Itoa(os.Getpid())+" does not hold the lock of this run, expected that it does: stop the run with ^C")

	over, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			default:
				o.Sampler()
			}
		}
	}()
	for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
		r, _, err := Resume("run", ResumeOptions{Version: "v1"})
		if err != nil {
			t.Error(err)
			break
		}
		// The file names another process than the one that holds the lock.
		overwrite(t, "run/lock", strconv.Itoa(os.Getppid()))
		if err := o.Interrupt(os.Getppid()); err == nil {
			t.Fatal("sent a signal to a process that does not hold the lock")
		}
		r.Close()
	}
	close(over)
	<-ended
}
