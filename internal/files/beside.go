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
