package runs

// One process at a time samples a run.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"aibd/internal/files"
)

const lockFile = "lock"

// lock holds a run for this process. The operating system releases it when the process
// ends in any way; the file stays. While the lock is held, the file has the id of the
// process.
type lock struct{ *flock.Flock }

// acquire locks the run in a directory that exists. It does nothing if the file system
// has no locks.
func acquire(dir string) (lock, error) {
	name := filepath.Join(dir, lockFile)
	if f, _, err := files.OpenRegular(files.OS{}, name, maxBytes); err == nil {
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return lock{}, err // flock would wait for a pipe
	}
	l := lock{flock.New(name)}
	// Sampler holds the lock for an instant.
	ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	ok, err := l.TryLockContext(ctx, 5*time.Millisecond)
	switch {
	case ok:
		// Without the id, other processes cannot stop this one. That is all.
		_ = os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o666)
	case errors.Is(err, errors.ErrUnsupported):
	case errors.Is(err, context.DeadlineExceeded):
		return lock{}, fmt.Errorf("%s: another process is sampling this run, expected none", dir)
	default:
		return lock{}, files.Named(name, err)
	}
	return l, nil
}

// release lets another process have the run.
func (l lock) release() {
	if l.Flock == nil {
		return
	}
	if l.Locked() {
		_ = os.Truncate(l.Path(), 0) // see acquire
	}
	l.Close()
}

// Sampler reports whether a process samples the run, and its id, which is 0 if it is not
// known.
func (r *Run) Sampler() (sampling bool, pid int) {
	name := filepath.Join(r.Dir, lockFile)
	text, err := files.ReadRegular(r.source, name, 1<<12)
	if err != nil {
		return false, 0
	}
	l := flock.New(name, flock.SetFlag(os.O_RDONLY))
	defer l.Close()
	if free, err := l.TryRLock(); free || err != nil {
		return false, 0
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil || pid <= 0 {
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
