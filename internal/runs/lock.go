package runs

// One process at a time samples a run.

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"

	"aibd/internal/files"
)

const lockFile = "lock"

// lock holds a run for this process. The operating system lets go of it when the
// process ends, however that comes about; the empty file stays.
type lock struct{ *flock.Flock }

// acquire locks the run in a directory that exists. Where the file system knows no
// locks, it does without.
func acquire(dir string) (lock, error) {
	name := filepath.Join(dir, lockFile)
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
