package runs

// The observations and the covariates that a spec names.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/similarity"
)

// sources reads files and keeps a note of each.
type sources []Source

// read returns the content of a file. Errors begin with its name as given.
func (s *sources) read(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, named(file, err)
	}
	sum := sha256.Sum256(content)
	*s = append(*s, Source{File: file, SHA256: hex.EncodeToString(sum[:])})
	return content, nil
}

// named returns the error of the operating system about a file, as "file: what is
// wrong".
func named(file string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// tables holds the tables of the items: the data file, and the covariates beside
// it in the same order, if any. A law may have neither.
type tables struct {
	items *dataset.Table
	side  *dataset.Table // nil if there is none
}

// load reads the tables that the complete spec names.
func load(d Data, s *sources) (tables, error) {
	if d.Builtin != "" {
		set, err := dataset.Load(d.Builtin)
		if err != nil {
			return tables{}, err
		}
		return withSide(set.X, set.Side, d, s)
	}
	content, err := s.read(d.File)
	if err != nil {
		return tables{}, err
	}
	if d.Preset == "alzheimers" {
		set, err := dataset.ParseAlzheimers(bytes.NewReader(content), d.File)
		if err != nil {
			return tables{}, err
		}
		return tables{set.X, set.Side}, nil
	}
	items, err := dataset.ReadTable(bytes.NewReader(content), d.File, d.ID)
	if err != nil {
		return tables{}, err
	}
	return withSide(items, nil, d, s)
}

// withSide replaces the covariates of a set by those of the side file, if one is
// given. The id column of the data file is looked for there too.
func withSide(items, side *dataset.Table, d Data, s *sources) (tables, error) {
	if d.Side == "" {
		return tables{items, side}, nil
	}
	content, err := s.read(d.Side)
	if err != nil {
		return tables{}, err
	}
	if side, err = dataset.ReadTable(bytes.NewReader(content), d.Side, d.ID); err != nil {
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

// observations returns X after everything that is done to it, N x D, and the names
// of its columns.
func (t tables) observations(d Data) (x [][]float64, columns []string, err error) {
	name := t.items.Name
	if t.items.N() < 2 {
		return nil, nil, fmt.Errorf("%s: found %d item, expected at least 2", name, t.items.N())
	}
	if len(d.Columns) > 0 {
		columns, err = t.items.Select(d.Columns...)
	} else if columns = t.items.NumericColumns(); len(columns) == 0 {
		err = fmt.Errorf("%s: found no column of numbers, expected at least one", name)
	}
	if err != nil {
		return nil, nil, err
	}
	if x, err = t.items.Floats(columns); err != nil {
		return nil, nil, err
	}
	// Patterns are of the columns of the file, so that a choice of columns may
	// leave out some of which logs are taken.
	var logs []string
	if len(d.Log) > 0 {
		if logs, err = t.items.Select(d.Log...); err != nil {
			return nil, nil, fmt.Errorf("log: %w", err)
		}
		logs = slices.DeleteFunc(logs, func(c string) bool { return !slices.Contains(columns, c) })
	}
	transform := dataset.Transform{Log: logs, Center: d.Center, Scale: d.Scale}
	if err := transform.Apply(columns, x); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, columns, nil
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
