package runs

// The directory of a run: run.json, and a directory for each chain.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

const recordFile = "run.json"

// Run is a run on disk:
//
//	run.json                       what determines it, see Spec
//	chain-1/draws-00001.parquet    the draws of the first chain, 500 a file
//	chain-1/chain.json             how it went, see ChainReport
//	...
//
// run.json and the draws are the same bytes whenever the same spec is run.
type Run struct {
	Dir     string
	Version string // of the program that made it
	Spec    Spec   // complete, as in Problem
	Data    DataInfo

	problem *Problem // nil if the run was opened
	disk    disk
	chains  []progress
	sampled atomic.Bool
}

// Create makes the directory of a new run, which must not exist; its parent must.
// The version is that of the program, for run.json. Create first tries the start of
// every chain, so that a start that cannot be is an error before anything is
// written. Whatever fails, no directory is left behind; if there is one already the
// error is an fs.ErrExist.
func Create(dir string, p *Problem, version string) (*Run, error) {
	return create(dir, p, version, realDisk)
}

func create(dir string, p *Problem, version string, disk disk) (*Run, error) {
	dir = filepath.Clean(dir)
	if err := absent(dir); err != nil {
		return nil, err
	}
	for c := range p.Spec.Sampler.Chains {
		if _, err := p.newChain(c); err != nil {
			return nil, err
		}
	}
	r := &Run{
		Dir: dir, Version: version, Spec: p.Spec,
		Data: DataInfo{
			Hash: p.DataHash, N: len(p.IDs), D: len(p.Columns), Unit: p.Unit,
			IDs: p.IDs, Columns: p.Columns, Sources: p.Sources,
		},
		problem: p, disk: disk,
		chains: make([]progress, p.Spec.Sampler.Chains),
	}
	// The directory gets its name when it is complete.
	temp := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%d.tmp", filepath.Base(dir), os.Getpid()))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return nil, named(dir, err)
	}
	if err := r.fill(temp); err != nil {
		os.RemoveAll(temp)
		return nil, err
	}
	if err := os.Rename(temp, dir); err != nil {
		os.RemoveAll(temp)
		return nil, renamed(dir, err)
	}
	if err := syncDir(filepath.Dir(dir)); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return r, nil
}

// absent reports an error if there is anything at dir or no directory to make it
// in.
func absent(dir string) error {
	_, err := os.Lstat(dir)
	switch {
	case err == nil:
		return existsError(dir)
	case !errors.Is(err, fs.ErrNotExist):
		return named(dir, err)
	}
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return named(filepath.Dir(dir), err)
	}
	if !parent.IsDir() {
		return fmt.Errorf("%s: it is no directory, expected one to make the run in", filepath.Dir(dir))
	}
	return nil
}

// existsError is about a directory that is there already; it is an fs.ErrExist.
type existsError string

func (dir existsError) Error() string {
	return string(dir) + ": it exists already, expected a new directory for the run"
}

func (existsError) Unwrap() error { return fs.ErrExist }

// fill writes run.json to the directory under its temporary name.
func (r *Run) fill(temp string) error {
	name := filepath.Join(r.Dir, recordFile)
	content, err := json.MarshalIndent(record{
		Aibd: r.Version, Format: format,
		Build: buildInfo{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Float: "portable"},
		Seed:  r.Spec.Sampler.Seed, Spec: r.Spec, Data: r.Data,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := r.disk.write(filepath.Join(temp, recordFile), func(w io.Writer) error {
		_, err := w.Write(append(content, '\n'))
		return err
	}); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	return syncDir(temp)
}

// Open reads run.json of a run. The draws may be complete or not.
func Open(dir string) (*Run, error) {
	name := filepath.Join(dir, recordFile)
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err == nil {
			return nil, fmt.Errorf("%s: found no %s, expected the directory of a run", dir, recordFile)
		}
		return nil, named(dir, err)
	}
	if err != nil {
		return nil, named(name, err)
	}
	rec, err := parseRecord(content, name)
	if err != nil {
		return nil, err
	}
	if err := rec.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Run{Dir: dir, Version: rec.Aibd, Spec: rec.Spec, Data: rec.Data}, nil
}

// check reports what readers of a run rely on and the record does not have.
func (r record) check() error {
	if err := r.Spec.Validate(); err != nil {
		return fmt.Errorf("spec: %w", err)
	}
	if d := r.Data; d.N < 2 || len(d.IDs) != d.N || len(d.Columns) != d.D {
		return fmt.Errorf("data: found %d items with %d ids and %d columns with %d names, expected at least 2 items and a name for each", d.N, len(d.IDs), d.D, len(d.Columns))
	}
	return nil
}

// chainDir returns the directory of a chain, numbered from zero.
func (r *Run) chainDir(chain int) string { return filepath.Join(r.Dir, chainName(chain)) }
