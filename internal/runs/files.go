package runs

// Files that appear whole or not at all.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// file is what is written to.
type file interface {
	io.WriteCloser
	Sync() error
}

// disk makes the files of a run. Tests put a full one in its place.
type disk func(path string) (file, error)

// realDisk creates or empties a file of the operating system.
func realDisk(path string) (file, error) { return os.Create(path) }

// write gives path its content by way of a temporary file beside it, written,
// synced and renamed. If anything fails, nothing is left behind and an earlier
// file of that name is as it was; the error begins with path.
func (d disk) write(path string, content func(io.Writer) error) error {
	temp := path + ".tmp"
	if err := d.writeTemp(temp, content); err != nil {
		os.Remove(temp)
		return named(path, err)
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return renamed(path, err)
	}
	return nil
}

func (d disk) writeTemp(temp string, content func(io.Writer) error) error {
	f, err := d(temp)
	if err != nil {
		return err
	}
	if err = content(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes what was created or renamed in a directory last through a crash,
// where the file system can.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return named(dir, err)
	}
	err = f.Sync()
	f.Close()
	if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return named(dir, err)
	}
	return nil
}

// renamed returns the error of a rename as one about its target.
func renamed(path string, err error) error {
	var at *os.LinkError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
