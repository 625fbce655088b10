package cli

// Files that the verbs write: all or nothing.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"aibd/internal/files"
)

// mostRead is more than any file has that is read whole: specs, permutations,
// allocations.
const mostRead = 1 << 26

// readFile reads a whole file. Errors begin with its name; that it never ends is one.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Named(path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if err == nil && len(b) > mostRead {
		err = fmt.Errorf("found more than %d MB, expected less", mostRead>>20)
	}
	return b, files.Named(path, err)
}

// createFiles writes new files into a directory, which it makes if need be. If
// one of them exists already or cannot be written it leaves none behind.
func createFiles(dir string, all []namedFile) (err error) {
	_, statErr := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return files.Named(dir, err)
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
	for _, f := range all {
		path := filepath.Join(dir, f.name)
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return files.Named(path, err)
		}
		written = append(written, path)
		_, err = out.Write(f.content)
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return files.Named(path, err)
		}
	}
	return nil
}

type namedFile struct {
	name    string
	content []byte
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
