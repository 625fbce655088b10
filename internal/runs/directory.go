// Package runs is a run on disk: the directory with the draws of its chains, sampled
// on several cores and read back.
package runs

// The directory of a run: run.json, and a directory for each chain.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"aibd/internal/checksum"
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/model"
)

// Run is a run on disk:
//
//	run.json                       spec, data and program
//	lock                           held by the process that samples it, or shared by those that sample a chain each
//	chain-1/draws-00001.parquet    the draws of the first chain, up to 500 a file
//	chain-1/draws-00001.next       the same of a further round that is not complete
//	chain-1/checkpoint.json        the state of the chain, for Resume
//	chain-1/chain.json             see ChainReport
//	chain-1/lock                   held by the process that samples this chain alone
//	...
//
// run.json and the draws are the same bytes whenever the same spec is run,
// interrupted or not.
type Run struct {
	Dir string
	record
	// CheckpointEvery is the sampling time after which a chain saves a checkpoint: what a
	// crash may cost. 0 saves after each turn.
	CheckpointEvery time.Duration

	source  files.Dir      // of the files of the run, which are read by it alone
	disk    files.Disk     // that writes the directory: source
	inputs  *input.Files   // of the spec
	problem *model.Problem // nil if the run was opened to be read
	lock    lock
	prior   *Run   // the round before, which is complete, if this one is not
	edited  error  // run.json differs from what was written
	tasks   []task // by chain; nil if the run was opened to be read
	resumed bool   // and not created
	sampled atomic.Bool
}

// defaultCheckpointEvery keeps the cost of checkpoints well below a hundredth.
const defaultCheckpointEvery = 10 * time.Second

// Create makes the directory of a new run, which must not exist; its parent must. The
// version is the version of the program. Create first tries the start of every chain, so that an
// impossible start is an error before anything is written. After an error there is no
// directory; if there was one before, the error is an fs.ErrExist. The run is locked until
// Sample returns or Close is called.
func Create(dir string, p *model.Problem, version string) (*Run, error) {
	return create(dir, p, version, plain)
}

// plain writes by a disk as it is. Tests use other disks.
func plain(d files.Disk) files.Disk { return d }

func create(dir string, p *model.Problem, version string, wrap func(files.Disk) files.Disk) (*Run, error) {
	dir = filepath.Clean(dir)
	if err := Absent(dir); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	folder := ""
	if slices.ContainsFunc(p.Sources, func(s model.Source) bool { return !filepath.IsAbs(s.File) }) {
		var err error
		if folder, err = folderOf(dir); err != nil {
			return nil, err
		}
	}
	r := &Run{
		Dir: dir, CheckpointEvery: defaultCheckpointEvery,
		inputs: input.Reopen(files.OS{}), problem: p, disk: wrap(files.OS{}), tasks: newTasks(p.Spec.Sampler.Chains),
		record: record{
			Aibd: version, Format: format, Build: thisProgram(version).Build, Seed: p.Spec.Sampler.Seed, Given: given(p.Given), Spec: p.Spec,
			Data:   DataInfo{p.DataHash, len(p.IDs), len(p.Columns), p.Unit, p.TemperatureUnit, p.IDs, p.Columns, p.Sources, p.Posterior.Data.Bounded(), p.Cutpoints(p.Columns), p.FurtherDistances, p.Noisy(), p.Posterior.Shares(), p.Weights},
			Folder: folder, OtherPrograms: []Program{}, CRC32C: checksum.Zeros,
		},
	}
	// The directory gets its name when it is complete.
	disk := r.disk
	temp := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(dir), rand.Uint32()))
	if err := disk.Mkdir(temp); err != nil {
		return nil, fmt.Errorf("%w, expected a directory that can be made", files.Named(dir, err))
	}
	if err := r.writeRecord(temp); err != nil {
		disk.Remove(temp)
		return nil, err
	}
	if err := disk.Rename(temp, dir); err != nil {
		disk.Remove(filepath.Join(temp, recordFile))
		disk.Remove(temp)
		return nil, files.Named(dir, err)
	}
	var err error
	if r.source, err = files.OpenDir(dir); err != nil {
		return nil, err
	}
	r.disk = wrap(r.source)
	if err = files.Named(filepath.Dir(dir), disk.SyncDir(filepath.Dir(dir))); err == nil {
		r.lock, err = acquire(r.source, dir)
	}
	if err != nil {
		r.removeUnused()
		return nil, err
	}
	return r, nil
}

// removeUnused removes a run without draws, unless its directory has other files.
func (r *Run) removeUnused() {
	r.Close()
	for c := range r.tasks {
		r.disk.Remove(r.chainDir(c)) // which is empty, or stays
	}
	names, err := files.Names(r.source, r.Dir)
	if err != nil || slices.ContainsFunc(names, func(name string) bool { return name != recordFile && name != lockFile }) {
		return
	}
	r.disk.Remove(filepath.Join(r.Dir, recordFile))
	r.disk.Remove(filepath.Join(r.Dir, lockFile))
	os.Remove(r.Dir)
}

// Write writes another file into the run.
func (r *Run) Write(name string, content []byte) error {
	return writeFile(r.disk, filepath.Join(r.Dir, name), bytes.NewReader(content))
}

// Close lets other processes sample the run. Sample does it too.
func (r *Run) Close() { r.lock.release() }

// Absent reports an error if dir exists or its parent is not a directory.
func Absent(dir string) error {
	_, err := os.Lstat(dir)
	switch {
	case err == nil:
		return existsError(dir)
	case !errors.Is(err, fs.ErrNotExist):
		return files.Named(dir, err)
	}
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return fmt.Errorf("%w, expected a directory to make the run in", files.Named(filepath.Dir(dir), err))
	}
	if !parent.IsDir() {
		return fmt.Errorf("%s: not a directory, expected one to make the run in", filepath.Dir(dir))
	}
	return nil
}

// existsError is about a directory that exists; it is an fs.ErrExist.
type existsError string

func (dir existsError) Error() string {
	return string(dir) + ": already exists, expected a new directory for the run"
}

func (existsError) Unwrap() error { return fs.ErrExist }

// Open reads run.json of a run, to read its draws. They may be complete or not, and
// another process may be sampling more.
func Open(dir string) (*Run, error) {
	root, err := files.OpenDir(dir)
	var irregular files.IrregularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w, expected the directory of a run", err)
	case errors.As(err, &irregular):
		return nil, fmt.Errorf("%w of a run", err)
	case err != nil:
		return nil, err
	}
	return open(root, files.OS{}, dir)
}

// OpenBelow opens the run in a directory with the given name below another, as Open does. It
// and the methods of the run read no file that is not in below.
func OpenBelow(below files.Below, name string) (*Run, error) {
	return open(below.Dir(), below, filepath.Join(below.Root.Name(), name))
}

// open opens a run whose files of the spec come from a source.
func open(root files.Dir, source files.Source, dir string) (*Run, error) {
	r, err := reopen(root, nil, dir)
	if err == nil {
		r.inputs = input.Reopen(files.Beside{Source: source, Dirs: r.Folders()})
	}
	return r, err
}

// Folders returns the directories of relative paths in the spec, see files.Beside.
func (r *Run) Folders() []string { return r.folders(r.Dir) }

// reopen opens a run whose files of the spec were read before.
func reopen(root files.Dir, inputs *input.Files, dir string) (*Run, error) {
	name := filepath.Join(dir, recordFile)
	rec, edited, err := readRecord(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := root.Stat(dir); statErr != nil {
			return nil, files.Named(dir, statErr)
		}
		return nil, fmt.Errorf("%s: found no %s, expected the directory of a run", dir, recordFile)
	}
	if err != nil {
		return nil, err
	}
	if err := rec.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &Run{Dir: dir, record: rec, source: root, disk: root, inputs: inputs, edited: edited}
	for c := range r.Spec.Sampler.Chains {
		if err := files.CheckDirectory(root, r.chainDir(c)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return r, nil
}

// chainDir returns the directory of a chain, numbered from zero.
func (r *Run) chainDir(chain int) string { return filepath.Join(r.Dir, model.ChainName(chain)) }
