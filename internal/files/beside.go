package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"aibd/internal/words"
)

// Beside is a Source of files in some directories. A relative path counts from the first of them that has the file; ""
// is the working directory.
type Beside struct {
	Source
	Dirs []string
}

// Open opens a file for reading.
func (b Beside) Open(path string) (*os.File, error) {
	target, err := b.find(path)
	if err != nil {
		return nil, err
	}
	return b.Source.Open(target)
}

// Stat describes a file.
func (b Beside) Stat(path string) (fs.FileInfo, error) {
	target, err := b.find(path)
	if err != nil {
		return nil, err
	}
	return b.Source.Stat(target)
}

// Path returns the path of a file from the working directory, or path if no directory has it.
func (b Beside) Path(path string) string {
	if target, err := b.find(path); err == nil {
		return target
	}
	return path
}

// find returns the path of a file from the working directory. The error is a PathError about path.
func (b Beside) find(path string) (string, error) {
	if path == "" || filepath.IsAbs(path) {
		return path, nil
	}
	var failed error = nowhereError(b.Dirs)
	for _, dir := range b.Dirs {
		target := filepath.Join(dir, path)
		_, err := b.Source.Stat(target)
		if err == nil {
			return target, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && errors.Is(failed, fs.ErrNotExist) {
			failed = err
		}
	}
	var pathError *fs.PathError
	if errors.As(failed, &pathError) {
		failed = pathError.Err
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: failed}
}

// nowhereError is about a file that none of some directories has. It is an fs.ErrNotExist.
type nowhereError []string

func (dirs nowhereError) Error() string {
	var names []string
	for _, dir := range dirs {
		if dir = filepath.Clean(dir); dir == "." {
			dir = "the working directory"
		}
		if !slices.Contains(names, dir) {
			names = append(names, dir)
		}
	}
	return "no such file in " + words.And(names)
}

func (nowhereError) Unwrap() error { return fs.ErrNotExist }
