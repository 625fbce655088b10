package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Beside is a Source whose relative paths count from the working directory, and where no such file is, from Dir.
type Beside struct {
	Source
	Dir string
}

// Open opens a file for reading.
func (b Beside) Open(path string) (*os.File, error) { return either(b, path, b.Source.Open) }

// Stat describes a file.
func (b Beside) Stat(path string) (fs.FileInfo, error) { return either(b, path, b.Source.Stat) }

// Path returns the path at which a file is: from Dir, if it is only there.
func (b Beside) Path(path string) string {
	if filepath.IsAbs(path) || path == "" {
		return path
	}
	if _, err := b.Source.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := b.Source.Stat(filepath.Join(b.Dir, path)); err == nil {
			return filepath.Join(b.Dir, path)
		}
	}
	return path
}

// either calls get with path, and with the path from Dir if there is no such file. If both fail, the first error counts.
func either[T any](b Beside, path string, get func(string) (T, error)) (T, error) {
	found, err := get(path)
	if !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(path) {
		return found, err
	}
	if beside, second := get(filepath.Join(b.Dir, path)); second == nil {
		return beside, nil
	}
	return found, err
}
