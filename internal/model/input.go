package model

// The files that a spec names.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"

	"aibd/dataset"
	"aibd/internal/files"
	"aibd/internal/spec"
)

// Input is what the files of a spec say. It reads a file when something is first built from it, and
// keeps what it read: all that is built from one Input is of the same bytes, and no file is opened
// twice. An Input is safe for concurrent use.
type Input struct {
	spec   spec.Spec // complete
	from   files.Source
	memory memory
	extent func(dataset.Extent) error // checks that of the data file before it is read
	run    *noted                     // nil: the input of a new problem

	mu   sync.Mutex
	read map[reading]any
	sums map[string]string // SHA-256 by file
	list []Source          // in the order of reading
}

// noted is what a run says of its input.
type noted struct {
	sources []Source
	ids     []string
}

// A reading is a file and the type that it was read as.
type reading struct {
	file string
	as   reflect.Type
}

// Source is a file that was read.
type Source struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

func newInput(source files.Source, s spec.Spec, m memory) *Input {
	return &Input{spec: s, from: source, memory: m, extent: m.holds, list: []Source{}, read: map[reading]any{}, sums: map[string]string{}}
}

// Reopen returns the input of a run with a complete spec. X and the places of the items are built
// from files that have the SHA-256 noted, and from items with the given ids. Pipes are refused: they
// cannot be read twice.
func Reopen(source files.Source, s spec.Spec, sources []Source, ids []string) *Input {
	in := newInput(source, s, available())
	in.run = &noted{sources, ids}
	return in
}

// read returns what parse makes of a file, all of which it must read. Before that, check
// gets the approximate extent of the table in the file. Errors begin with its name.
func read[T any](in *Input, file string, check func(dataset.Extent) error, parse func(r io.Reader, name string) (T, error)) (v T, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	key := reading{file, reflect.TypeFor[T]()}
	if found, ok := in.read[key]; ok {
		return found.(T), nil
	}
	f, err := in.open(file)
	if err != nil {
		return v, err
	}
	defer f.Close()
	if err := check(extent(f)); err != nil {
		return v, fmt.Errorf("%s: %w", file, err)
	}
	sum := sha256.New()
	text := io.TeeReader(content{f}, sum)
	if v, err = parse(text, file); err != nil {
		if in.run != nil { // the file may have changed
			if _, broken := io.Copy(io.Discard, text); broken == nil {
				in.sums[file] = hex.EncodeToString(sum.Sum(nil))
			}
		}
		return v, err
	}
	if in.sums[file] == "" {
		in.sums[file] = hex.EncodeToString(sum.Sum(nil))
		in.list = append(in.list, Source{file, in.sums[file]})
	}
	in.read[key] = v
	return v, nil
}

// sources returns the files that were read, in the order of reading.
func (in *Input) sources() []Source {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.list)
}

// open opens a file. Errors begin with its name.
func (in *Input) open(file string) (*os.File, error) {
	if in.run != nil {
		f, _, err := files.OpenRegular(in.from, file, math.MaxInt64)
		return f, err
	}
	f, err := in.from.Open(file)
	if err != nil {
		return nil, files.Named(file, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: found a directory, expected a file", file)
	}
	return f, nil
}

// anyExtent is a check that a file of any extent passes.
func anyExtent(dataset.Extent) error { return nil }

// content reads a file. Its errors do not repeat the name of the file.
type content struct{ f *os.File }

func (c content) Read(b []byte) (int, error) {
	n, err := c.f.Read(b)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
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

// unchanged reports an error unless a file of a run, "" for none, has the content that is noted of
// it. Reading the file gave the error err, which may be nil.
func (in *Input) unchanged(file string, err error) error {
	if file == "" {
		return err
	}
	i := slices.IndexFunc(in.run.sources, func(of Source) bool { return of.File == file })
	if i < 0 {
		return fmt.Errorf("data.sources: found no %s, expected the file of the data", file)
	}
	expected := in.run.sources[i].SHA256
	in.mu.Lock()
	found := in.sums[file]
	in.mu.Unlock()
	switch {
	case found == "" && err != nil:
		return fmt.Errorf("%w: the run read one with SHA-256 %s", err, expected)
	case found != expected:
		return fmt.Errorf("%s: found a file with SHA-256 %s, expected the one of the run, with %s", file, found, expected)
	}
	return err
}

// again returns the data of a run, and its covariates if side is set.
func (in *Input) again(side bool) (t tables, err error) {
	d := in.spec.Data
	t, err = in.items()
	if err := in.unchanged(d.File, err); err != nil {
		return tables{}, err
	}
	if side {
		t, err = t.withSide(in)
		if err := in.unchanged(d.Side, err); err != nil {
			return tables{}, err
		}
	}
	if !slices.Equal(t.ids(), in.run.ids) {
		return tables{}, fmt.Errorf("%s: found other items than those of the run", t.items.Name)
	}
	return t, nil
}

// Observations returns what a run saw of the given columns. An error names the file and its SHA-256.
func (in *Input) Observations(columns []string) (*Observed, error) {
	t, err := in.again(false) // covariates are not in X
	if err != nil {
		return nil, err
	}
	if file := in.spec.Data.HoldoutFile; file != "" {
		_, err := in.heldOut(file)
		if err := in.unchanged(file, err); err != nil {
			return nil, err
		}
	}
	s := in.spec
	o, err := t.observations(&s, in, columns)
	return &o, err
}
