package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is the file system below a directory that may come from somebody else. Names of files
// begin with that of the directory. Nothing outside the directory is read or written, and
// no file is opened by a symbolic link.
type Dir struct{ root *os.Root }

// OpenDir opens a directory. Errors begin with path.
func OpenDir(path string) (Dir, error) {
	if err := CheckDirectory(OS{}, path); err != nil { // a pipe could block
		return Dir{}, err
	}
	root, err := os.OpenRoot(path)
	return Dir{root}, Named(path, err)
}

// name returns the name that path has in the directory.
func (d Dir) name(path string) (string, error) {
	name, err := filepath.Rel(d.root.Name(), path)
	if err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%w %s", errOutside, d.root.Name())
	}
	return name, nil
}

// named calls do with the name that path has in the directory.
func (d Dir) named(path string, do func(name string) error) error {
	name, err := d.name(path)
	if err != nil {
		return err
	}
	return do(name)
}

// Open opens a file for reading. It does not wait for the writer of a pipe.
func (d Dir) Open(path string) (*os.File, error) { return d.open(path, os.O_RDONLY) }

func (d Dir) open(path string, flag int) (*os.File, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0o666)
}

// Stat describes a file, which may be a symbolic link.
func (d Dir) Stat(path string) (fs.FileInfo, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	return d.root.Lstat(name)
}

// Update opens a regular file of at most limit bytes for reading and writing. If there is
// none, it makes an empty one, with mode 0666 under the umask. Errors begin with path.
func (d Dir) Update(path string, limit int64) (*os.File, error) {
	for {
		f, _, err := openRegular(d.Stat, func(path string) (*os.File, error) { return d.open(path, os.O_RDWR) }, path, limit)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = d.open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, fs.ErrExist) { // else another process was faster
			return f, Named(path, err)
		}
	}
}

// Create makes a file. What has its name is removed first, see clear: this program leaves
// files behind when it is killed.
func (d Dir) Create(path string, perm fs.FileMode) (File, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	const flag = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := d.root.OpenFile(name, flag, perm)
	if errors.Is(err, fs.ErrExist) {
		if err := d.clear(name); err != nil {
			return nil, err
		}
		f, err = d.root.OpenFile(name, flag, perm)
	}
	if err != nil {
		return nil, err // not a nil *os.File in a File
	}
	return f, nil
}

// clear removes a file, a link or an empty directory. It renames another directory to
// NAME.moved.
func (d Dir) clear(name string) error {
	err := d.root.Remove(name)
	if info, statErr := d.root.Lstat(name); err != nil && statErr == nil && info.IsDir() {
		return d.root.Rename(name, name+".moved")
	}
	return err
}

// Rename renames a file and replaces what has the new name. A directory of that name goes
// first, see clear.
func (d Dir) Rename(oldPath, newPath string) error {
	old, err := d.name(oldPath)
	if err != nil {
		return err
	}
	name, err := d.name(newPath)
	if err != nil {
		return err
	}
	err = d.root.Rename(old, name)
	if info, statErr := d.root.Lstat(name); err != nil && statErr == nil && info.IsDir() {
		if err := d.clear(name); err != nil {
			return err
		}
		err = d.root.Rename(old, name)
	}
	return err
}

// Remove removes a file, a link or an empty directory.
func (d Dir) Remove(path string) error { return d.named(path, d.root.Remove) }

// Mkdir creates a directory.
func (d Dir) Mkdir(path string) error {
	return d.named(path, func(name string) error { return d.root.Mkdir(name, 0o777) })
}

// SyncDir syncs a directory, see OS.SyncDir.
func (d Dir) SyncDir(path string) error { return syncDir(d.Open(path)) }
