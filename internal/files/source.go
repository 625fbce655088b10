package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Source is the file system as readers use it.
type Source interface {
	Open(path string) (*os.File, error)
	Stat(path string) (fs.FileInfo, error)
}

// Open opens a file for reading.
func (OS) Open(path string) (*os.File, error) { return os.Open(path) }

// Stat describes a file.
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Below is the Source of the files below a directory. It opens no other file, not by a
// symbolic link either, except those with the names in Also.
type Below struct {
	Root *os.Root
	Also []string
}

// Dir returns the directory as Dir.
func (b Below) Dir() Dir { return Dir{b.Root} }

// errOutside is about a file that is not below the directory.
var errOutside = errors.New("outside the directory")

// Open opens a file below the directory.
func (b Below) Open(path string) (*os.File, error) { return within(b, path, os.Open, b.Root.Open) }

// Stat describes a file below the directory.
func (b Below) Stat(path string) (fs.FileInfo, error) {
	return within(b, path, os.Stat, b.Root.Stat)
}

// within calls below with the name that path has in the directory, or also with path.
func within[T any](b Below, path string, also, below func(string) (T, error)) (value T, err error) {
	if slices.Contains(b.Also, path) {
		return also(path)
	}
	dir, err := filepath.Abs(b.Root.Name())
	if err != nil {
		return value, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return value, err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(name) {
		return value, fmt.Errorf("%w %s", errOutside, b.Root.Name())
	}
	return below(name)
}

// Names returns the names of the files in a directory, in no order. An error begins with path.
func Names(s Source, path string) ([]string, error) {
	if err := CheckDirectory(s, path); err != nil { // a pipe could block
		return nil, err
	}
	dir, err := s.Open(path)
	if err != nil {
		return nil, Named(path, err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return names, Named(path, err)
}
