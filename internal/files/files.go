// Package files writes files whole and names them in errors.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Named returns the operating system's error about a file as "path: error", without
// the name that the system has for the file. It returns nil if err is nil.
func Named(path string, err error) error {
	if err == nil {
		return nil
	}
	var pathError *fs.PathError
	var between *os.LinkError
	if errors.As(err, &pathError) {
		err = pathError.Err
	} else if errors.As(err, &between) {
		err = between.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
