package input

// Files that are read once.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"aibd/dataset"
	"aibd/internal/files"
	"aibd/internal/model"
)

// Files opens files, each at most once, and keeps what it read: all that is built from one Files is
// of the same bytes. It is safe for concurrent use.
type Files struct {
	source  files.Source
	memory  func() model.Memory // that is available
	regular bool                // pipes are refused: they cannot be read again

	mu   sync.Mutex
	read map[reading]any
	sums map[string]string // SHA-256 by file
}

// A reading is a file and what it was read as.
type reading struct{ file, as string }

// New returns the files of new problems, relative to the working directory.
func New() *Files { return newFiles(files.OS{}, available, false) }

// Reopen returns the files of runs. It refuses pipes.
func Reopen(source files.Source) *Files { return newFiles(source, available, true) }

func newFiles(source files.Source, memory func() model.Memory, regular bool) *Files {
	return &Files{source: source, memory: sync.OnceValue(memory), regular: regular, read: map[reading]any{}, sums: map[string]string{}}
}

// once returns what get returned for the key, without an error.
func once[T any](f *Files, key reading, get func() (T, error)) (v T, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if value, ok := f.read[key]; ok {
		return value.(T), nil
	}
	if v, err = get(); err == nil {
		f.read[key] = v
	}
	return v, err
}

// read returns what parse makes of a file, all of which it must read. as says all that this depends
// on, beside the type. Before that, check gets the approximate extent of the table in the file. Errors
// begin with its name.
func read[T any](r *reader, file, as string, check func(dataset.Extent) error, parse func(text io.Reader, name string) (T, error)) (T, error) {
	f := r.Files
	v, err := once(f, reading{file, reflect.TypeFor[T]().String() + " " + as}, func() (v T, err error) {
		opened, err := f.open(file)
		if err != nil {
			return v, err
		}
		defer opened.Close()
		if err := check(extent(opened)); err != nil {
			return v, fmt.Errorf("%s: %w", file, err)
		}
		sum := sha256.New()
		text := io.TeeReader(content{opened}, sum)
		v, err = parse(text, file)
		if err != nil {
			if !f.regular {
				return v, err
			}
			if _, broken := io.Copy(io.Discard, text); broken != nil { // the file may have changed
				return v, err
			}
		}
		f.sums[file] = hex.EncodeToString(sum.Sum(nil))
		return v, err
	})
	if err == nil && !slices.ContainsFunc(r.in.Sources, func(s model.Source) bool { return s.File == file }) {
		r.in.Sources = append(r.in.Sources, model.Source{File: file, SHA256: f.sum(file)})
	}
	return v, err
}

// sum returns the SHA-256 of a file that was read, or "".
func (f *Files) sum(file string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sums[file]
}

// open opens a file. Errors begin with its name.
func (f *Files) open(file string) (*os.File, error) {
	if f.regular {
		opened, _, err := files.OpenRegular(f.source, file, math.MaxInt64)
		return opened, err
	}
	opened, err := f.source.Open(file)
	if err != nil {
		return nil, files.Named(file, err)
	}
	if info, err := opened.Stat(); err == nil && info.IsDir() {
		opened.Close()
		err := fmt.Errorf("%s: found a directory, expected a file", file)
		if spec := filepath.Join(file, "run.json"); isFile(f.source, spec) {
			return nil, fmt.Errorf("%w; %s repeats the run", err, spec)
		}
		return nil, err
	}
	return opened, nil
}

// isFile reports whether there is a regular file.
func isFile(s files.Source, path string) bool {
	info, err := s.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// anyExtent is a check that a file of any extent passes.
func anyExtent(dataset.Extent) error { return nil }

// content reads a file. Its errors do not repeat the name of the file.
type content struct{ f *os.File }

func (c content) Read(b []byte) (int, error) {
	n, err := c.f.Read(b)
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return n, err
}

// extent returns the approximate extent of the table in a file, 0 for a pipe.
func extent(f *os.File) (e dataset.Extent) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return e
	}
	for sample := int64(256 << 10); e.Rows == 0; sample *= 16 {
		b := make([]byte, min(sample, info.Size()))
		if n, err := f.ReadAt(b, 0); err != nil || n == 0 {
			return e
		}
		e = dataset.Extrapolate(b, info.Size())
		if sample >= min(info.Size(), 64<<20) {
			return e
		}
	}
	return e
}
