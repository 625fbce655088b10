package cli

// Files that the verbs write: all or nothing.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readFile reads a whole file. Errors begin with its name.
func readFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	return b, named(path, err)
}

// named returns the error of the operating system about a file, as "file: what is
// wrong"; nil for nil.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// createFiles writes new files into a directory, which it makes if need be. If
// one of them exists already or cannot be written it leaves none behind.
func createFiles(dir string, files []namedFile) (err error) {
	_, statErr := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return named(dir, err)
	}
	var written []string
	defer func() {
		if err == nil {
			return
		}
		for _, path := range written {
			os.Remove(path)
		}
		if os.IsNotExist(statErr) {
			os.Remove(dir)
		}
	}()
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return named(path, err)
		}
		written = append(written, path)
		_, err = out.Write(f.content)
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return named(path, err)
		}
	}
	return nil
}

type namedFile struct {
	name    string
	content []byte
}

// replaceFile writes a file that may exist already, which then either keeps its
// old content or has all of the new.
func replaceFile(path string, content []byte) error {
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return named(path, err)
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
		var at *os.LinkError
		if errors.As(err, &at) {
			err = at.Err // not about the temporary name
		}
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return named(path, err)
}

// writeJSON writes one value, indented.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
