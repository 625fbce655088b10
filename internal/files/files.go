// Package files names files in errors and replaces them whole.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Named returns the error of the operating system about a file as "file: what is
// wrong", without the name under which the system may have had it; nil for nil.
func Named(path string, err error) error {
	if err == nil {
		return nil
	}
	var at *fs.PathError
	var between *os.LinkError
	if errors.As(err, &at) {
		err = at.Err
	} else if errors.As(err, &between) {
		err = between.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Replace writes a file that may exist already, which then either keeps its old
// content or has all of the new. Errors begin with its name.
func Replace(path string, content []byte) error {
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return Named(path, err)
	}
	_, err = out.Write(content)
	if modeErr := out.Chmod(0o644); err == nil {
		err = modeErr
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return Named(path, err)
}
