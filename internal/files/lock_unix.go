//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks an open file, for this process alone or shared with others. It reports false
// if another process has the lock. Closing the file releases it, and so does the end of the
// process. The error is an errors.ErrUnsupported if the file system has no locks.
func TryLock(f *os.File, shared bool) (bool, error) {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Alone reports whether an open file has one name. A file with two may be somebody else's.
func Alone(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
