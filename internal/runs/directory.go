// Package runs is a run on disk: the directory with the draws of its chains, sampled
// on several cores and read back.
package runs

// The directory of a run: run.json, and a directory for each chain.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/internal/spec"
)

const recordFile = "run.json"

// Run is a run on disk:
//
//	run.json                       what determines it, see Spec
//	lock                           held by the process that samples it
//	chain-1/draws-00001.parquet    the draws of the first chain, up to 500 a file
//	chain-1/checkpoint.json        where the chain stands, for Resume
//	chain-1/chain.json             how it went, see ChainReport
//	...
//
// run.json and the draws are the same bytes whenever the same spec is run,
// interrupted or not.
type Run struct {
	Dir     string
	Version string    // of the program that made it
	Spec    spec.Spec // complete, as in Problem
	Data    DataInfo
	// CheckpointEvery is how long a chain samples, its turns added up, before where
	// it stands is written to disk: what a crash may cost. 0 writes after each turn.
	CheckpointEvery time.Duration

	problem *model.Problem // nil if the run was opened to be read
	disk    disk
	lock    lock
	record  record
	tasks   []task // by chain; nil if the run was opened to be read
	resumed bool   // and not created
	sampled atomic.Bool
}

// defaultCheckpointEvery keeps the cost of checkpoints well below a hundredth.
const defaultCheckpointEvery = 10 * time.Second

// Create makes the directory of a new run, which must not exist; its parent must.
// The version is that of the program, for run.json. Create first tries the start of
// every chain, so that a start that cannot be is an error before anything is
// written. Whatever fails, no directory is left behind; if there is one already the
// error is an fs.ErrExist. The run is locked until Sample returns or Close is
// called.
func Create(dir string, p *model.Problem, version string) (*Run, error) {
	return create(dir, p, version, realDisk{})
}

func create(dir string, p *model.Problem, version string, disk disk) (*Run, error) {
	dir = filepath.Clean(dir)
	if err := absent(dir); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	r := &Run{
		Dir: dir, Version: version, Spec: p.Spec,
		Data: DataInfo{
			Hash: p.DataHash, N: len(p.IDs), D: len(p.Columns), Unit: p.Unit,
			IDs: p.IDs, Columns: p.Columns, Sources: p.Sources,
		},
		CheckpointEvery: defaultCheckpointEvery,
		problem:         p, disk: disk, tasks: newTasks(p.Spec.Sampler.Chains),
	}
	r.record = record{Aibd: version, Format: format, Build: thisBuild(), Seed: p.Spec.Sampler.Seed, Spec: p.Spec, Data: r.Data, Others: []Other{}}
	// The directory gets its name when it is complete.
	temp := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(dir), rand.Uint32()))
	if err := disk.mkdir(temp); err != nil {
		return nil, files.Named(dir, err)
	}
	if err := r.writeRecord(temp); err != nil {
		disk.remove(temp)
		return nil, err
	}
	if err := disk.rename(temp, dir); err != nil {
		disk.remove(filepath.Join(temp, recordFile))
		disk.remove(temp)
		return nil, files.Named(dir, err)
	}
	err := syncDir(disk, filepath.Dir(dir))
	if err == nil {
		r.lock, err = acquire(dir)
	}
	if err != nil {
		r.removeUnused()
		return nil, err
	}
	return r, nil
}

// removeUnused removes what a run without draws has left, if nobody has put
// anything beside it.
func (r *Run) removeUnused() {
	r.Close()
	for c := range r.tasks {
		r.disk.remove(r.chainDir(c)) // which is empty, or stays
	}
	left, err := os.ReadDir(r.Dir)
	if err != nil {
		return
	}
	for _, f := range left {
		if f.Name() != recordFile && f.Name() != lockFile {
			return
		}
	}
	for _, name := range []string{recordFile, lockFile, "."} {
		r.disk.remove(filepath.Join(r.Dir, name))
	}
}

// Close lets other processes sample the run. Sample does it too.
func (r *Run) Close() { r.lock.release() }

// absent reports an error if there is anything at dir or no directory to make it
// in.
func absent(dir string) error {
	_, err := os.Lstat(dir)
	switch {
	case err == nil:
		return existsError(dir)
	case !errors.Is(err, fs.ErrNotExist):
		return files.Named(dir, err)
	}
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return files.Named(filepath.Dir(dir), err)
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

// writeRecord writes run.json to a directory, which is that of the run or has a
// temporary name.
func (r *Run) writeRecord(dir string) error {
	name := filepath.Join(r.Dir, recordFile)
	content, err := json.MarshalIndent(r.record, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := replace(r.disk, filepath.Join(dir, recordFile), func(w io.Writer) error {
		_, err := w.Write(append(content, '\n'))
		return err
	}); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	return nil
}

// Open reads run.json of a run, to read its draws. They may be complete or not, and
// another process may be sampling more.
func Open(dir string) (*Run, error) {
	name := filepath.Join(dir, recordFile)
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err == nil {
			return nil, fmt.Errorf("%s: found no %s, expected the directory of a run", dir, recordFile)
		}
		return nil, files.Named(dir, err)
	}
	if err != nil {
		return nil, files.Named(name, err)
	}
	rec, err := parseRecord(content, name)
	if err != nil {
		return nil, err
	}
	if err := rec.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Run{Dir: dir, Version: rec.Aibd, Spec: rec.Spec, Data: rec.Data, record: rec}, nil
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
func (r *Run) chainDir(chain int) string { return filepath.Join(r.Dir, model.ChainName(chain)) }
