package model

// The observations and the covariates that a spec names.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/files"
	"aibd/internal/spec"
	"aibd/similarity"
)

// sources reads files, as streams, and keeps a note of each.
type sources struct {
	list   []Source
	memory memory // that there is
}

// read calls parse with the content of a file, all of which it must read. Errors
// begin with the name of the file as given.
func (s *sources) read(file string, parse func(io.Reader) error) error {
	f, err := open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.parse(file, f, parse)
}

func (s *sources) parse(file string, f *os.File, parse func(io.Reader) error) error {
	sum := sha256.New()
	if err := parse(io.TeeReader(content{f}, sum)); err != nil {
		return err
	}
	s.list = append(s.list, Source{File: file, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// table reads a table. Before, check is told how large it will be about, unless
// that cannot be known.
func (s *sources) table(file, id string, check func(dataset.Extent) error) (t *dataset.Table, err error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := check(extent(f)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	err = s.parse(file, f, func(r io.Reader) (err error) {
		t, err = dataset.ReadTable(r, file, id)
		return err
	})
	return t, err
}

// open opens a file for reading, and no directory.
func open(file string) (*os.File, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, files.Named(file, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: found a directory, expected a file", file)
	}
	return f, nil
}

// content is what a file holds. Its errors do not repeat the name of the file.
type content struct{ f *os.File }

func (c content) Read(b []byte) (int, error) {
	n, err := c.f.Read(b)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return n, err
}

// extent returns how large the table in a file is about; zero for what has no size,
// such as a pipe.
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

// tables holds the tables of the items: the data file, and the covariates beside
// it in the same order, if any. A law may have neither.
type tables struct {
	items *dataset.Table
	side  *dataset.Table // nil if there is none
}

// load reads the tables that the complete spec names. Before each, check is told
// how large it will be about.
func load(d spec.Data, s *sources, check func(dataset.Extent) error) (tables, error) {
	if d.Builtin != "" {
		set, err := dataset.Load(d.Builtin)
		if err != nil {
			return tables{}, err
		}
		return withSide(set.X, set.Side, d, s)
	}
	if d.Preset == "alzheimers" {
		var set *dataset.Set
		err := s.read(d.File, func(r io.Reader) (err error) {
			set, err = dataset.ParseAlzheimers(r, d.File)
			return err
		})
		if err != nil {
			return tables{}, err
		}
		return tables{set.X, set.Side}, nil
	}
	items, err := s.table(d.File, d.ID, check)
	if err != nil {
		return tables{}, err
	}
	return withSide(items, nil, d, s)
}

// withSide replaces the covariates of a set by those of the side file, if one is
// given. The id column of the data file is looked for there too.
func withSide(items, side *dataset.Table, d spec.Data, s *sources) (tables, error) {
	if d.Side == "" {
		return tables{items, side}, nil
	}
	side, err := s.table(d.Side, d.ID, s.memory.holds)
	if err != nil {
		return tables{}, err
	}
	side, err = items.Align(side)
	return tables{items, side}, err
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

// observations returns the given columns after everything that is done to them,
// N x D.
func (t tables) observations(d spec.Data, columns []string) ([][]float64, error) {
	x, err := t.items.Floats(columns)
	if err != nil {
		return nil, err
	}
	// Patterns are of the columns of the file, so that a choice of columns may
	// leave out some of which logs are taken.
	var logs []string
	if len(d.Log) > 0 {
		if logs, err = t.items.Select(d.Log...); err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		logs = slices.DeleteFunc(logs, func(c string) bool { return !slices.Contains(columns, c) })
	}
	transform := dataset.Transform{Log: logs, Center: d.Center, Scale: d.Scale}
	if err := transform.Apply(columns, x); err != nil {
		return nil, fmt.Errorf("%s: %w", t.items.Name, err)
	}
	return x, nil
}

// chosen returns the columns of X, and those that are left out without the spec
// saying so, as they hold no number.
func (t tables) chosen(d spec.Data) (columns, leftOut []string, err error) {
	if t.items.N() < 2 {
		return nil, nil, fmt.Errorf("%s: found %d item, expected at least 2", t.items.Name, t.items.N())
	}
	if len(d.Columns) > 0 {
		columns, err = t.items.Select(d.Columns...)
		return columns, nil, err
	}
	if columns = t.items.NumericColumns(); len(columns) == 0 {
		return nil, nil, fmt.Errorf("%s: found no column of numbers, expected at least one", t.items.Name)
	}
	if len(columns) == len(t.items.Columns) {
		return columns, nil, nil
	}
	rest := columns
	for _, c := range t.items.Columns {
		if len(rest) > 0 && rest[0] == c {
			rest = rest[1:]
		} else {
			leftOut = append(leftOut, c)
		}
	}
	return columns, leftOut, nil
}

// covariate returns the values of a column of the side table or of the data file
// before anything is done to it.
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
		similarity.Unknown("column", column, slices.Concat(t.side.Columns, t.items.Columns)))
}

// matching returns the columns that match a name or pattern, of the side table
// first.
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
	sd := stat.StdDev(values, nil)
	if slices.Min(values) == slices.Max(values) || !(sd > 0) {
		return fmt.Errorf("column %q: found the same value for all items, expected a standard deviation above 0 to divide by", column)
	}
	for i := range values {
		values[i] /= sd
	}
	return nil
}
