package runs

// Runs whose process dies, or whose machine loses power, at any step of writing.

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
)

// dyingDisk does some operations and then no more, as when its process is killed:
// the last write is done in half. With power, what was not synced is lost as well:
// the contents of files, names given and directories made.
type dyingDisk struct {
	remaining int  // operations before it dies; below 0 it is dead
	power     bool // lost with the process
	lies      bool // about having synced files
	steps     []string

	unsynced []*dyingFile
	undo     []undo // of what its directory has not been synced for
}

// on returns the disk that does operations by another one.
func (d *dyingDisk) on(inner files.Disk) files.Disk { return dying{d, inner} }

type dying struct {
	*dyingDisk
	inner files.Disk
}

type undo struct {
	dir string
	do  func()
}

var errDead = errors.New("the process has died")

// step reports whether the disk still does an operation.
func (d *dyingDisk) step(what, path string) bool {
	d.remaining--
	if d.remaining >= 0 {
		d.steps = append(d.steps, what+" "+filepath.Base(path))
		return true
	}
	if d.remaining == -1 && d.power {
		for _, f := range d.unsynced {
			os.Truncate(f.path, f.size/2)
		}
		for _, u := range slices.Backward(d.undo) {
			u.do()
		}
	}
	return false
}

func (d dying) Create(path string, perm fs.FileMode) (files.File, error) {
	if !d.step("create", path) {
		return nil, errDead
	}
	f, err := d.inner.Create(path, perm)
	if err != nil {
		return nil, err
	}
	df := &dyingFile{File: f, disk: d.dyingDisk, path: path}
	d.unsynced = append(d.unsynced, df)
	return df, nil
}

func (d dying) Rename(oldPath, newPath string) error {
	if !d.step("rename", newPath) {
		return errDead
	}
	old, err := os.ReadFile(newPath)
	was := err == nil
	content, _ := os.ReadFile(oldPath)
	if err := d.inner.Rename(oldPath, newPath); err != nil {
		return err
	}
	for _, f := range d.unsynced {
		if f.path == oldPath {
			f.path = newPath
		}
	}
	d.undo = append(d.undo, undo{filepath.Dir(newPath), func() {
		os.RemoveAll(newPath)
		if was {
			os.WriteFile(newPath, old, 0o666)
		}
		if !strings.HasSuffix(oldPath, ".tmp") {
			os.WriteFile(oldPath, content, 0o666)
		}
	}})
	return nil
}

func (d dying) Remove(path string) error {
	if !d.step("remove", path) {
		return errDead
	}
	return d.inner.Remove(path)
}

func (d dying) Mkdir(path string) error {
	if !d.step("mkdir", path) {
		return errDead
	}
	if err := d.inner.Mkdir(path); err != nil {
		return err
	}
	d.undo = append(d.undo, undo{filepath.Dir(path), func() { os.RemoveAll(path) }})
	return nil
}

func (d dying) SyncDir(path string) error {
	if !d.step("syncdir", path) {
		return errDead
	}
	d.undo = slices.DeleteFunc(d.undo, func(u undo) bool { return u.dir == path })
	return nil
}

type dyingFile struct {
	files.File
	disk *dyingDisk
	path string
	size int64
}

func (f *dyingFile) Write(b []byte) (int, error) {
	if !f.disk.step("write", f.path) {
		if f.disk.remaining == -1 {
			f.File.Write(b[:len(b)/2])
		}
		return 0, errDead
	}
	f.size += int64(len(b))
	return f.File.Write(b)
}

func (f *dyingFile) Sync() error {
	if !f.disk.step("sync", f.path) {
		return errDead
	}
	if !f.disk.lies {
		f.disk.unsynced = slices.DeleteFunc(f.disk.unsynced, func(g *dyingFile) bool { return g == f })
	}
	return nil
}

// crashing is a run of one chain. It is to pass the end of a short segment just before its own.
const crashing = `
[data]
file = "x.csv"
columns = ["a", "b"]
[distance]
kind = "absolute"
columns = ["age"]
[sampler]
chains = 1
` + plainScans + "\n"

// lockLost lets the run of a process that has died be locked again.
func lockLost(r *Run) {
	if r != nil {
		r.Close()
	}
}

// runOn makes the run in dir, or resumes it if it exists, until it ends or
// the disk dies. It returns the notes of Resume.
func runOn(t *testing.T, dir string, p *model.Problem, wrap func(files.Disk) files.Disk) (notes []string, err error) {
	oneCore(t)
	t.Helper()
	var r *Run
	if _, e := os.Stat(dir); e == nil {
		r, notes, err = resume(dir, ResumeOptions{Version: "v1"}, wrap)
	} else {
		r, err = create(dir, p, "v1", wrap)
	}
	defer lockLost(r)
	if err != nil {
		return notes, err
	}
	r.CheckpointEvery = 0
	return notes, r.Sample(t.Context())
}

// Wherever the process dies, the run can be resumed, has lost nothing that was said
// to be on disk, and ends with the same bytes. The short form has each step in one of three ways.
func TestEveryCrash(t *testing.T) {
	oneCore(t)
	shortSegments(t, 4)
	put(t, "x.csv", ages)
	p := build(t, crashing+"warmup = 2\ndraws = 6\n")
	whole := &dyingDisk{remaining: 1 << 30}
	if _, err := runOn(t, "whole", p, whole.on); err != nil {
		t.Fatal(err)
	}
	want, steps := timeless(t, "whole"), whole.steps
	if len(steps) < 40 {
		t.Fatalf("the run takes %d steps, expected checkpoints after each turn", len(steps))
	}
	crashes, damaged := 0, 0
	for way, c := range []struct{ power, lies bool }{{false, false}, {true, false}, {true, true}} {
		for step := range steps {
			if !*fixture.Long && step%3 != way {
				continue
			}
			os.RemoveAll("run")
			label := fmt.Sprintf("death at step %d (%s), power lost %v", step, steps[step], c.power)
			if _, err := runOn(t, "run", p, (&dyingDisk{remaining: step, power: c.power, lies: c.lies}).on); !errors.Is(err, errDead) {
				t.Fatalf("%s: ended with %v", label, err)
			}
			crashes++
			if _, err := Open("run"); err != nil {
				if step > 12 && !c.lies {
					t.Errorf("%s: there is no run", label)
				}
				continue // it died before the run had its name, or the liar lost it
			}
			r, notes, err := resume("run", ResumeOptions{Version: "v1"}, (&dyingDisk{remaining: 1 << 30}).on)
			if err == nil {
				err = r.Sample(t.Context())
			}
			if err != nil {
				t.Fatalf("%s: resumed: %v", label, err)
			}
			if len(notes) > 0 {
				damaged++
				if !c.lies {
					t.Errorf("%s: resumed with %q", label, notes)
				}
			}
			if got := timeless(t, "run"); !maps.Equal(got, want) {
				t.Fatalf("%s: the resumed run differs: files %q", label, slices.Sorted(maps.Keys(got)))
			}
		}
	}
	if damaged == 0 {
		t.Error("a disk that does not sync damages nothing: this test would not notice")
	}
	t.Logf("%d crashes", crashes)
}

// A run that dies again and again gets to its end.
func TestManyCrashes(t *testing.T) {
	for name, text := range map[string]string{"binary": "thin = 8\n", "weighted": "thin = 8\n" + weighted, "graded": "thin = 8\n" + graded} {
		if name != "graded" && !*fixture.Long {
			continue
		}
		t.Run(name, func(t *testing.T) { testManyCrashes(t, crashing+"warmup = 5\ndraws = 25\n"+text) })
	}
}

func testManyCrashes(t *testing.T, text string) {
	shortSegments(t, 20)
	put(t, "x.csv", ages)
	p := build(t, text)
	if _, err := runOn(t, "whole", p, plain); err != nil {
		t.Fatal(err)
	}
	crashes := 0
	for ; ; crashes++ {
		_, err := runOn(t, "run", p, (&dyingDisk{remaining: 16 + crashes%23, power: crashes%2 == 0}).on)
		if err == nil {
			break
		}
		if !errors.Is(err, errDead) {
			t.Fatal(err)
		}
	}
	if !maps.Equal(timeless(t, "run"), timeless(t, "whole")) {
		t.Error("the run that died differs")
	}
	if crashes < 15 {
		t.Errorf("%d crashes", crashes)
	}
}
