package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/mcmc"
)

// fullDisk is a disk that has room for some bytes only.
type fullDisk struct {
	files.Disk
	remaining *int
}

func newFullDisk(room int) func(files.Disk) files.Disk {
	return func(disk files.Disk) files.Disk { return fullDisk{disk, &room} }
}

func (d fullDisk) Create(path string, perm fs.FileMode) (files.File, error) {
	f, err := d.Disk.Create(path, perm)
	return fullFile{f, d.remaining}, err
}

type fullFile struct {
	files.File
	remaining *int
}

func (f fullFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b[:min(len(b), *f.remaining)])
	*f.remaining -= n
	if err == nil && n < len(b) {
		err = &os.PathError{Op: "write", Path: "a temporary name", Err: syscall.ENOSPC}
	}
	return n, err
}

func TestCreateAndOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	p := build(t, small)
	r, err := Create("run/", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, "run"); !reflect.DeepEqual(got, []string{"lock", "run.json"}) || r.Dir != "run" {
		t.Errorf("%s holds %q", r.Dir, got)
	}
	if got := names(t, "."); !reflect.DeepEqual(got, []string{"run"}) {
		t.Errorf("beside the run: %q", got)
	}
	o, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o.Spec, p.Spec) || !reflect.DeepEqual(o.Data, r.Data) || o.Aibd != "v1" || o.Data.N != 50 || o.Data.D != 4 || o.Data.Unit != "1000 km" || o.Data.Hash != p.DataHash {
		t.Errorf("opened %+v, expected %+v", o, r)
	}
	_, _, err = o.Scalars()
	wantError(t, err, "run: found no draws")
	if reports, note := o.Reports(); note != "" || len(reports) != 0 {
		t.Errorf("reports %v, note %q", reports, note)
	}
}

// A run is never written over, and where one cannot be made nothing is left.
func TestCreateErrors(t *testing.T) {
	put(t, "file", "content")
	p := build(t, small)
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	outside := build(t, small)
	outside.Spec.Prior.SigmaX.Value, outside.Posterior.SigmaX = new(0.5), mcmc.ScalePrior{Max: 1e-9}
	for _, c := range []struct {
		dir  string
		p    *model.Problem
		disk func(files.Disk) files.Disk
		want string
	}{
		{"empty", p, plain, "empty: already exists, expected a new directory for the run"},
		{"file", p, plain, "file: already exists, expected a new directory for the run"},
		{"none/run", p, plain, "none: no such file or directory, expected a directory to make the run in"},
		{"file/run", p, plain, "file/run: not a directory"},
		{"run", outside, plain, "chain-1: start: SigmaX 0."},
		{"run", p, newFullDisk(100), "run/run.json: no space left on device"},
		{"run", p, newFullDisk(0), "run/run.json: no space left on device"},
	} {
		_, err := create(c.dir, c.p, "v1", c.disk)
		if c.p == outside {
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(err.Error(), "outside its prior, uniform on (0, 1e-09)") {
				t.Errorf("a start outside the prior: %v", err)
			}
		} else {
			wantError(t, err, c.want)
		}
		if exists := strings.Contains(c.want, "already exists"); errors.Is(err, fs.ErrExist) != exists {
			t.Errorf("%v is fs.ErrExist: %v", err, !exists)
		}
		if got := names(t, "."); !reflect.DeepEqual(got, []string{"empty", "file"}) || len(names(t, "empty")) != 0 {
			t.Errorf("%s: left behind %q", c.dir, got)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Create("run", build(t, small), "v1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("other", 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := Open("none")
	wantError(t, err, "none: no such file or directory, expected the directory of a run")
	_, err = Open("other")
	wantError(t, err, "other: found no run.json, expected the directory of a run")
	_, err = Open("run/run.json")
	wantError(t, err, "run/run.json: found a file, expected a directory of a run")

	name := filepath.Join("run", recordFile)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"format": 2`, `"format": 9`, "run/run.json: found format 9, expected the run.json of a run, format 2"},
		{`"chains": 3`, `"chains": 0`, "run/run.json: spec: sampler.chains: found 0, expected 1 to 1000"},
		{`"n": 50`, `"n": 49`, "run/run.json: data: found 49 items with 50 ids and 4 columns with 4 names, expected at least 2 items and a name for each"},
		{`"distance": [`, `"distance": [{"kind": "same", "columns": ["lon"]},`, "run/run.json: data: found 0 distances after the first, expected 1 as in the spec"},
		{string(good[500:]), "", fmt.Sprintf("run/run.json: line %d: unexpected end of JSON input", 1+bytes.Count(good[:500], []byte("\n")))},
	} {
		i := strings.LastIndex(string(good), c.old)
		text := string(good[:i]) + strings.Replace(string(good[i:]), c.old, c.new, 1)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = Open("run")
		wantError(t, err, c.want)
	}
}

// An error while a file is written leaves the file of that name as it was.
func TestWriteLeavesOldFile(t *testing.T) {
	put(t, "file", "old")
	content := func(w io.Writer) error {
		_, err := io.WriteString(w, "new and long")
		return err
	}
	wantError(t, files.Replace(newFullDisk(5)(files.OS{}), "temp", "file", content), "file: no space left on device")
	if got := tree(t, "."); len(got) != 1 || got["file"] != "old" {
		t.Errorf("files %q", got)
	}
	if err := files.Replace(files.OS{}, "temp", "file", content); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, "."); len(got) != 1 || got["file"] != "new and long" {
		t.Errorf("files %q", got)
	}
}
