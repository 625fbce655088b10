package runs

// One process at a time samples a chain.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"aibd/internal/files"
	"aibd/internal/visible"
)

const lockFile = "lock"

// maxLock is the max size of a lock file.
const maxLock = 1 << 12

// lock holds a run, or a chain of it, for this process. The operating system releases it when
// the process ends in any way; the files stay.
//
// A process that samples all chains locks the file of the run. A process that samples one
// chain shares the lock of the run and locks the file of the chain. While a file is locked,
// and not shared, it has the id of the process and the name of its machine.
type lock []lockedFile

// lockedFile is a file that is locked or shared.
type lockedFile struct {
	*os.File
	signed bool // it has the id of this process
}

// HeldError is about a run or a chain that another process is sampling.
type HeldError struct{ text string }

func (e HeldError) Error() string { return e.text }

// acquire locks the run in a directory that exists. It does nothing if the file system
// has no locks.
func acquire(in files.Dir, dir string) (lock, error) {
	f, err := in.Update(filepath.Join(dir, lockFile), maxLock)
	if err == nil {
		err = lockRun(f, dir)
	}
	if err != nil {
		return nil, err
	}
	return lock{sign(f)}, nil
}

// acquireToRead keeps other processes from sampling the run. It writes nothing, and does
// nothing if the run has no lock.
func (r *Run) acquireToRead() (lock, error) {
	name := filepath.Join(r.Dir, lockFile)
	f, _, err := files.OpenRegular(r.source, name, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if writable, err := r.source.Update(name, maxLock); err == nil { // NFS locks no other files
		f.Close()
		f = writable
	}
	if err := lockRun(f, r.Dir); err != nil {
		return nil, err
	}
	return lock{{File: f}}, nil
}

// lockRun locks the open lock of the run in a directory. It closes the file if it returns an
// error.
func lockRun(f *os.File, dir string) error {
	held, err := tryLock(f, false)
	if held {
		err = HeldError{dir + ": another process is sampling this run, expected none"}
		if held, _ := tryLock(f, true); !held {
			err = HeldError{dir + ": other processes are sampling chains of this run, expected none"}
		}
	}
	if err != nil {
		f.Close()
	}
	return err
}

// acquireChain locks a chain, numbered from zero, and shares the lock of the run. It makes the
// directory of the chain.
func (r *Run) acquireChain(c int) (lock, error) {
	f, err := r.source.Update(filepath.Join(r.Dir, lockFile), maxLock)
	if err != nil {
		return nil, err
	}
	held, err := tryLock(f, true)
	if held {
		err = HeldError{r.Dir + ": another process is sampling all chains of this run, expected none"}
	}
	var chain lockedFile
	if err == nil {
		chain, err = r.lockChain(c)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return lock{{File: f}, chain}, nil
}

// lockChain locks the file of a chain, see acquireChain.
func (r *Run) lockChain(c int) (lockedFile, error) {
	if err := r.makeChainDir(c); err != nil {
		return lockedFile{}, err
	}
	f, err := r.source.Update(filepath.Join(r.chainDir(c), lockFile), maxLock)
	if err != nil {
		return lockedFile{}, err
	}
	held, err := tryLock(f, false)
	if held {
		who := "another process"
		if text, err := io.ReadAll(io.LimitReader(f, maxLock)); err == nil {
			if words := strings.Fields(string(text)); len(words) == 2 {
				who = visible.Clipped(fmt.Sprintf("process %s on %s", words[0], words[1]), 100)
			}
		}
		err = HeldError{fmt.Sprintf("%s: %s is sampling this chain, expected none", r.chainDir(c), who)}
	}
	if err != nil {
		f.Close()
		return lockedFile{}, err
	}
	return sign(f), nil
}

// sign writes the id of this process into a lock that it holds. Without the id, other
// processes cannot stop this one. That is all. A file with a second name is not written: it
// may be more than a lock.
func sign(f *os.File) lockedFile {
	signed := files.Alone(f)
	if signed {
		host, _ := os.Hostname()
		_ = f.Truncate(0)
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d %s\n", os.Getpid(), host), 0)
	}
	return lockedFile{f, signed}
}

// tryLock locks or shares an open file, if the file system has locks. It reports whether another
// process holds the lock. Errors begin with the name of the file.
func tryLock(f *os.File, shared bool) (held bool, err error) {
	// Sampler holds the lock for an instant. The tries are counted, not timed: on a slow
	// machine one try may take longer than a short timeout.
	ok, err := files.TryLock(f, shared)
	for tries := 1; !ok && err == nil && tries < 20; tries++ {
		time.Sleep(5 * time.Millisecond)
		ok, err = files.TryLock(f, shared)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return false, nil
	}
	return !ok && err == nil, files.Named(f.Name(), err)
}

// release lets another process have the run.
func (l lock) release() {
	for _, f := range slices.Backward(l) {
		if f.signed {
			_ = f.Truncate(0)
		}
		f.Close()
	}
}

// Sampler reports whether a process samples the run or a chain of it. The id names the
// process that samples all chains, if the lock has it and it runs on this machine, and otherwise is 0.
func (r *Run) Sampler() (sampling bool, pid int) {
	if sampling, pid = r.holder(r.Dir); sampling {
		return true, pid
	}
	for c := range r.Spec.Sampler.Chains {
		if sampling, _ := r.holder(r.chainDir(c)); sampling {
			return true, 0
		}
	}
	return false, 0
}

// holder reports whether a process locks the file in a directory, and its id, which is 0 if the
// lock does not have it or the process runs on another machine.
func (r *Run) holder(dir string) (held bool, pid int) {
	name := filepath.Join(dir, lockFile)
	f, _, err := files.OpenRegular(r.source, name, maxLock)
	if err != nil {
		return false, 0
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return false, 0
	}
	if free, err := files.TryLock(f, true); free || err != nil {
		return false, 0
	}
	host, _ := os.Hostname()
	id, on, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if pid, err = strconv.Atoi(id); err != nil || pid <= 0 || on != host {
		return true, 0
	}
	return true, pid
}

// Interrupt asks a process to stop, as ^C does. It returns an error unless the process
// samples the run for certain. A second signal ends the process at once.
func (r *Run) Interrupt(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	defer p.Release()
	// From here on p is one process, even if the id gets a new owner.
	info, err := r.source.Stat(filepath.Join(r.Dir, lockFile))
	if err != nil {
		return files.Named(r.Dir, err)
	}
	if _, now := r.Sampler(); pid <= 0 || now != pid || !holdsLock(pid, info) {
		return fmt.Errorf("%s: process %d does not hold the lock of this run, expected that it does: stop the run with ^C", r.Dir, pid)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	return nil
}
