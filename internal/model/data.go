package model

// The data and the covariates that a spec names.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/files"
	"aibd/internal/hint"
	"aibd/internal/spec"
)

// sources reads files as streams and lists them.
type sources struct {
	list   []Source
	memory memory       // that there is
	from   files.Source // nil: the operating system
}

func (s *sources) source() files.Source {
	if s.from == nil {
		return files.OS{}
	}
	return s.from
}

// read returns what parse makes of a file, all of which it must read. Before that, check
// gets the approximate extent of the table in the file. Errors begin with its name.
func read[T any](s *sources, file string, check func(dataset.Extent) error, parse func(r io.Reader, name string) (T, error)) (v T, err error) {
	f, err := s.source().Open(file)
	if err != nil {
		return v, files.Named(file, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return v, fmt.Errorf("%s: found a directory, expected a file", file)
	}
	if err := check(extent(f)); err != nil {
		return v, fmt.Errorf("%s: %w", file, err)
	}
	sum := sha256.New()
	if v, err = parse(io.TeeReader(content{f}, sum), file); err != nil {
		return v, err
	}
	s.list = append(s.list, Source{File: file, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return v, nil
}

// anyExtent is a check that a file of any extent passes.
func anyExtent(dataset.Extent) error { return nil }

// table reads a table.
func (s *sources) table(file string, d spec.Data, check func(dataset.Extent) error) (*dataset.Table, error) {
	return read(s, file, check, func(r io.Reader, name string) (*dataset.Table, error) {
		return dataset.ReadTable(r, name, d.ID, d.Missing...)
	})
}

// named reads a table of items that are named as in the data of a run. It must have names if
// the spec names their column.
func (s *sources) named(file string, d spec.Data, names Names) (*dataset.Table, error) {
	t, err := read(s, file, s.memory.holds, func(r io.Reader, name string) (*dataset.Table, error) {
		return dataset.ReadNamed(r, name, names.Column, names.Numbers, d.Missing...)
	})
	if err == nil && t.IDs == nil && d.ID != "" && d.ID != dataset.None {
		return nil, fmt.Errorf("%s: %w", file, hint.Unknown("column", d.ID, t.Columns))
	}
	return t, err
}

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

// Source is a file that was read.
type Source struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// tables holds the data and the covariates, with the same items in the same order. A law
// may have neither.
type tables struct {
	items *dataset.Table
	side  *dataset.Table // nil if there is none
	// numericID tells that the ids of the items are the numbers of the first column,
	// which is a covariate too.
	numericID bool
	notes     []string // on how their rows are matched
}

// load reads the tables that the complete spec names. Before each, check gets its
// approximate extent.
func load(d spec.Data, s *sources, check func(dataset.Extent) error) (tables, error) {
	if d.Builtin != "" {
		set, err := dataset.Load(d.Builtin)
		if err != nil {
			return tables{}, err
		}
		return tables{items: set.X, side: set.Side}.withSide(d, s)
	}
	if d.Preset == "alzheimers" {
		set, err := read(s, d.File, anyExtent, dataset.ParseAlzheimers)
		if err != nil {
			return tables{}, err
		}
		return tables{items: set.X, side: set.Side}, nil
	}
	items, err := s.table(d.File, d, check)
	if err != nil {
		return tables{}, err
	}
	t := tables{items: items}
	if looksLikeNames(items) {
		t.items, t.numericID = items.NamedByNumbers(), true
	}
	return t.withSide(d, s)
}

// withSide replaces the covariates of a set by those of the side file, if there is one. Its
// ids are in the column that has them in the data file. The data file itself may be named again.
func (t tables) withSide(d spec.Data, s *sources) (tables, error) {
	if d.Side == "" || d.Side == d.File {
		return t, nil
	}
	side, err := s.named(d.Side, d, t.names(d))
	if err != nil {
		return tables{}, err
	}
	var note string
	if t.side, note, err = t.items.Align(side); note != "" {
		t.notes = append(t.notes, note)
	}
	return t, err
}

// Names says where tables have the names of the items, for dataset.ReadNamed.
type Names struct {
	Column  string
	Numbers bool // the names are the numbers of the column, which is data too
}

// names returns where the data have the names of the items.
func (t tables) names(d spec.Data) Names {
	if t.items.IDs == nil {
		return Names{Column: d.ID}
	}
	return Names{t.items.IDColumn, t.numericID}
}

// ids returns the names of the items, their numbers from 1 if they have none.
func (t tables) ids() []string {
	if t.items.IDs != nil {
		return t.items.IDs
	}
	ids := make([]string, t.items.N())
	for i := range ids {
		ids[i] = strconv.Itoa(i + 1)
	}
	return ids
}

// covariate returns the values of a column of the side table or of the data file, without
// transformations.
func (t tables) covariate(column string) ([]float64, error) {
	if t.items == nil {
		return nil, fmt.Errorf("found column %q and no data, expected a file or a built-in set", column)
	}
	inItems := slices.Contains(t.items.Columns, column)
	if t.side == nil {
		return t.items.Float(column)
	}
	inSide := slices.Contains(t.side.Columns, column)
	switch {
	case inItems && inSide:
		return nil, fmt.Errorf("found column %q both in %s and in %s, expected it in one of them", column, t.items.Name, t.side.Name)
	case inItems:
		return t.items.Float(column)
	case inSide:
		return t.side.Float(column)
	}
	return nil, fmt.Errorf("%s and %s: %w", t.side.Name, t.items.Name,
		hint.Unknown("column", column, slices.Concat(t.side.Columns, t.items.Columns)))
}

// matching returns the columns that match a name or pattern, first those of the side table.
func (t tables) matching(pattern string) ([]string, error) {
	if t.side == nil {
		return t.items.Select(pattern)
	}
	found, err := t.side.Select(pattern)
	more, itemsErr := t.items.Select(pattern)
	if err != nil && itemsErr != nil {
		// covariate proposes the nearest of both tables.
		return []string{pattern}, nil
	}
	return append(found, more...), nil
}

// standardized divides values by their standard deviation.
func standardized(values []float64, column string) error {
	return standardizedBy(values, values, column)
}

// standardizedBy divides values by the standard deviation of others.
func standardizedBy(others, values []float64, column string) error {
	sd := stat.StdDev(others, nil)
	if slices.Min(others) == slices.Max(others) || !(sd > 0) {
		return fmt.Errorf("column %q: found the same value for all items, expected a standard deviation above 0 to divide by", column)
	}
	for i := range values {
		values[i] /= sd
	}
	return nil
}

// Observations returns what the run of a spec saw of the given columns. It reads the data
// again, from the files of a source that the spec names, relative to the working directory.
// The files must have the SHA-256 noted, and the items must have the given ids. An error
// names the file and its SHA-256.
func Observations(source files.Source, s spec.Spec, noted []Source, ids, columns []string) (*Observed, error) {
	s.Data.Side = "" // covariates are not in X
	from := sources{memory: available(), from: source}
	t, err := reload(s.Data, &from, noted, ids, s.Data.HoldoutFile)
	if err != nil {
		return nil, err
	}
	o, err := t.observations(&s, &from, columns)
	return &o, err
}

// reload reads the data of a run again. Their files and the other one, unless it is "", must have
// the SHA-256 noted, and the items must have the given ids.
func reload(d spec.Data, from *sources, noted []Source, ids []string, other string) (tables, error) {
	for _, file := range []string{d.File, d.Side, other} {
		if file != "" {
			if err := unchanged(file, noted, from); err != nil {
				return tables{}, err
			}
		}
	}
	t, err := load(d, from, from.memory.holds)
	if err == nil && !slices.Equal(t.ids(), ids) {
		err = fmt.Errorf("%s: found other items than those of the run", t.items.Name)
	}
	return t, err
}

// unchanged reports an error unless a file has the content that is noted of it.
func unchanged(file string, noted []Source, s *sources) error {
	i := slices.IndexFunc(noted, func(of Source) bool { return of.File == file })
	if i < 0 {
		return fmt.Errorf("data.sources: found no %s, expected the file of the data", file)
	}
	expected := noted[i].SHA256
	f, _, err := files.OpenRegular(s.source(), file, math.MaxInt64) // a pipe cannot be read twice
	if err != nil {
		return fmt.Errorf("%w: the run read one with SHA-256 %s", err, expected)
	}
	f.Close()
	if _, err := read(s, file, anyExtent, func(r io.Reader, name string) (int64, error) {
		n, err := io.Copy(io.Discard, r)
		return n, files.Named(name, err)
	}); err != nil {
		return err
	}
	if found := s.list[len(s.list)-1].SHA256; found != expected {
		return fmt.Errorf("%s: found a file with SHA-256 %s, expected the one of the run, with %s", file, found, expected)
	}
	return nil
}
