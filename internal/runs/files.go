package runs

// Files that appear whole or not at all.

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"aibd/internal/files"
)

// file is what is written to.
type file interface {
	io.WriteCloser
	Sync() error
}

// disk is all that a run does to the file system when it writes. Tests put one in
// its place that is full, or that dies in the middle.
type disk interface {
	create(path string) (file, error) // or empty it
	rename(from, to string) error
	remove(path string) error
	mkdir(path string) error
	syncDir(path string) error
}

// realDisk is that of the operating system.
type realDisk struct{}

func (realDisk) create(path string) (file, error) { return os.Create(path) }
func (realDisk) rename(from, to string) error     { return os.Rename(from, to) }
func (realDisk) remove(path string) error         { return os.Remove(path) }
func (realDisk) mkdir(path string) error          { return os.Mkdir(path, 0o777) }

// syncDir makes what was created or renamed in a directory last through a crash,
// where the file system can.
func (realDisk) syncDir(path string) error {
	if runtime.GOOS == "windows" { // directories cannot be synced there
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	f.Close()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// replace gives path its content by way of a temporary file beside it, written,
// synced and renamed. If anything fails, no temporary file is left behind and an
// earlier file of that name is as it was; the error begins with path. When replace
// returns nil, the new content lasts through a crash.
func replace(d disk, path string, content func(io.Writer) error) error {
	temp := path + ".tmp"
	if err := writeTemp(d, temp, content); err != nil {
		d.remove(temp)
		return files.Named(path, err)
	}
	if err := d.rename(temp, path); err != nil {
		d.remove(temp)
		return files.Named(path, err)
	}
	return syncDir(d, filepath.Dir(path))
}

func writeTemp(d disk, temp string, content func(io.Writer) error) error {
	f, err := d.create(temp)
	if err != nil {
		return err
	}
	if err = content(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir is that of the disk, with an error that begins with the directory.
func syncDir(d disk, dir string) error {
	if err := d.syncDir(dir); err != nil {
		return files.Named(dir, err)
	}
	return nil
}
