package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Beside is a Source of files in the working directory or in Dir. A relative path counts from the working directory. If
// no file is there, it counts from Dir.
type Beside struct {
	Source
	Dir string
}

// Open opens a file for reading.
func (b Beside) Open(path string) (*os.File, error) { return b.Source.Open(b.Path(path)) }

// Stat describes a file.
func (b Beside) Stat(path string) (fs.FileInfo, error) { return b.Source.Stat(b.Path(path)) }

// Path returns the path from Dir if a file is there and not at path, and else path.
func (b Beside) Path(path string) string {
	if filepath.IsAbs(path) || path == "" {
		return path
	}
	if _, err := b.Source.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path
	}
	beside := filepath.Join(b.Dir, path)
	if _, err := b.Source.Stat(beside); err != nil {
		return path
	}
	return beside
}
