package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// File is an open file; an *os.File is one.
type File interface {
	io.WriteCloser
	Sync() error
	Chmod(mode fs.FileMode) error
}

// Disk is the file system as writers use it. Tests replace it by one that is full or
// that fails after some operations.
type Disk interface {
	Create(path string, perm fs.FileMode) (File, error) // a new file
	Rename(oldPath, newPath string) error
	Remove(path string) error
	Mkdir(path string) error
	SyncDir(path string) error // makes names in a directory survive a crash
}

// OS is the Disk of the operating system.
type OS struct{}

// Create creates a file, which must not exist. The umask restricts perm.
func (OS) Create(path string, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err // not a nil *os.File in a File
	}
	return f, nil
}

// Rename renames a file and replaces an existing one.
func (OS) Rename(oldPath, newPath string) error { return os.Rename(oldPath, newPath) }

// Remove removes a file or an empty directory.
func (OS) Remove(path string) error { return os.Remove(path) }

// Mkdir creates a directory.
func (OS) Mkdir(path string) error { return os.Mkdir(path, 0o777) }

// SyncDir syncs a directory. It does nothing where the file system cannot, or where
// the directory may be written but not read.
func (OS) SyncDir(path string) error { return syncDir(os.Open(path)) }

// syncDir syncs and closes an open directory.
func syncDir(f *os.File, err error) error {
	if err == nil {
		err = f.Sync()
		f.Close()
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Replace gives the file at path new content: it writes the file temp, in the same
// directory, syncs it, renames it to path and syncs the directory. If it fails before
// the rename, it removes temp and leaves path as it was. Errors begin with path.
func Replace(d Disk, temp, path string, write func(io.Writer) error) error {
	err := stage(d, temp, 0o666, func(f File) error { return write(f) })
	if err == nil {
		err = commit(d, temp, path)
	}
	return Named(path, err)
}

// stage writes and syncs a new file. It removes the file after an error.
func stage(d Disk, path string, perm fs.FileMode, write func(File) error) error {
	f, err := d.Create(path, perm)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		d.Remove(path)
	}
	return err
}

// commit renames a staged file.
func commit(d Disk, temp, path string) error {
	if err := d.Rename(temp, path); err != nil {
		d.Remove(temp)
		return err
	}
	return d.SyncDir(filepath.Dir(path))
}
