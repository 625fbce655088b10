package runs

// One process at a time samples a chain.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"aibd/internal/files"
)

const lockFile = "lock"

// maxLock is the max size of a lock file that is read.
const maxLock = 1 << 12

// lock holds a run, or a chain of it, for this process. The operating system releases it when
// the process ends in any way; the files stay.
//
// A process that samples all chains locks the file of the run. A process that samples one
// chain shares the lock of the run and locks the file of the chain. While a file is locked,
// and not shared, it has the id of the process and the name of its machine.
type lock []*flock.Flock

// HeldError is about a run or a chain that another process is sampling.
type HeldError struct{ text string }

func (e HeldError) Error() string { return e.text }

// acquire locks the run in a directory that exists. It does nothing if the file system
// has no locks.
func acquire(dir string) (lock, error) {
	l, held, err := lockFileOf(dir, (*flock.Flock).TryLock)
	if held {
		err = HeldError{dir + ": another process is sampling this run, expected none"}
		if shared, held, _ := lockFileOf(dir, (*flock.Flock).TryRLock); !held {
			shared.release()
			err = HeldError{dir + ": other processes are sampling chains of this run, expected none"}
		}
	}
	return l, err
}

// acquireChain locks a chain, numbered from zero. It makes its directory.
func (r *Run) acquireChain(c int) (lock, error) {
	run, held, err := lockFileOf(r.Dir, (*flock.Flock).TryRLock)
	if held {
		err = HeldError{r.Dir + ": another process is sampling all chains of this run, expected none"}
	}
	if err != nil {
		return nil, err
	}
	var chain lock
	if err = r.makeChainDir(c); err == nil {
		chain, held, err = lockFileOf(r.chainDir(c), (*flock.Flock).TryLock)
	}
	if held {
		who := "another process"
		if text, err := files.ReadRegular(r.source, filepath.Join(r.chainDir(c), lockFile), maxLock); err == nil {
			if words := strings.Fields(string(text)); len(words) == 2 {
				who = fmt.Sprintf("process %s on %s", words[0], words[1])
			}
		}
		err = HeldError{fmt.Sprintf("%s: %s is sampling this chain, expected none", r.chainDir(c), who)}
	}
	if err != nil {
		run.release()
		return nil, err
	}
	return append(run, chain...), nil
}

// lockFileOf locks the file of a run or of a chain in a directory, as try does. It reports
// whether another process holds the lock.
func lockFileOf(dir string, try func(*flock.Flock) (bool, error)) (l lock, held bool, err error) {
	name := filepath.Join(dir, lockFile)
	if f, _, err := files.OpenRegular(files.OS{}, name, maxBytes); err == nil {
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err // flock would wait for a pipe
	}
	f := flock.New(name)
	// Sampler holds the lock for an instant. The tries are counted, not timed: on a slow
	// machine one try may take longer than a short timeout.
	ok, err := try(f)
	for tries := 1; !ok && err == nil && tries < 20; tries++ {
		time.Sleep(5 * time.Millisecond)
		ok, err = try(f)
	}
	switch {
	case ok:
		if f.Locked() {
			// Without the id, other processes cannot stop this one. That is all.
			host, _ := os.Hostname()
			_ = os.WriteFile(name, fmt.Appendf(nil, "%d %s\n", os.Getpid(), host), 0o666)
		}
	case err == nil:
		return nil, true, nil
	case !errors.Is(err, errors.ErrUnsupported):
		return nil, false, files.Named(name, err)
	}
	return lock{f}, false, nil
}

// release lets another process have the run.
func (l lock) release() {
	for _, f := range slices.Backward(l) {
		if f.Locked() {
			_ = os.Truncate(f.Path(), 0) // see lockFileOf
		}
		f.Close()
	}
}

// Sampler reports whether a process samples the run or a chain of it. The id is that of the
// process that samples all chains, if it is known and runs on this machine, and otherwise 0.
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

// holder reports whether a process locks the file in a directory, and its id, which is 0 if it
// is not known or the process runs on another machine.
func (r *Run) holder(dir string) (held bool, pid int) {
	name := filepath.Join(dir, lockFile)
	text, err := files.ReadRegular(r.source, name, maxLock)
	if err != nil {
		return false, 0
	}
	l := flock.New(name, flock.SetFlag(os.O_RDONLY))
	defer l.Close()
	if free, err := l.TryRLock(); free || err != nil {
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
