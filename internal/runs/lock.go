package runs

// One process at a time samples a run.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gofrs/flock"

	"aibd/internal/files"
)

const lockFile = "lock"

// lock holds a run for this process. The operating system releases it when the process
// ends in any way; the empty file stays.
type lock struct{ *flock.Flock }

// acquire locks the run in a directory that exists. It does nothing if the file system
// has no locks.
func acquire(dir string) (lock, error) {
	name := filepath.Join(dir, lockFile)
	if f, _, err := files.OpenRegular(name, maxBytes); err == nil {
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return lock{}, err // flock would wait for a pipe
	}
	l := lock{flock.New(name)}
	ok, err := l.TryLock()
	if errors.Is(err, errors.ErrUnsupported) {
		return l, nil
	}
	if err != nil {
		return lock{}, files.Named(name, err)
	}
	if !ok {
		return lock{}, fmt.Errorf("%s: another process is sampling this run, expected none", dir)
	}
	return l, nil
}

// release lets another process have the run.
func (l lock) release() {
	if l.Flock != nil {
		l.Close()
	}
}
