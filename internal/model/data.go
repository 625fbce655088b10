package model

// The data and the covariates that a spec names.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/spec"
	"aibd/internal/words"
)

// form returns how tables are read.
func form(d spec.Data) []dataset.Option {
	return []dataset.Option{dataset.Marks(d.Missing...), dataset.Header(d.Header)}
}

// aboutHeader adds to the error of a table without a header what to do if it has one.
func aboutHeader(err error) error {
	if errors.Is(err, dataset.ErrHeader) {
		return fmt.Errorf("%w (--header takes the numbers for names)", err)
	}
	return err
}

// ReadNamed reads a table of items that are named as in the data.
func ReadNamed(r io.Reader, name string, names Names, d spec.Data) (*dataset.Table, error) {
	t, err := dataset.ReadNamed(r, name, names.Column, names.Numbers, form(d)...)
	return t, aboutHeader(err)
}

// named reads a table of items that are named as in the data of a run. It must have names if
// the spec names their column.
func (in *Input) named(file string, names Names) (*dataset.Table, error) {
	d := in.spec.Data
	t, err := read(in, file, in.memory.holds, func(r io.Reader, name string) (*dataset.Table, error) {
		return ReadNamed(r, name, names, d)
	})
	if err == nil && t.IDs == nil && d.ID != "" && d.ID != dataset.None {
		return nil, fmt.Errorf("%s: %w", file, hint.Unknown("column", d.ID, t.Columns))
	}
	return t, err
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

// tables reads the data and the covariates.
func (in *Input) tables() (tables, error) {
	t, err := in.items()
	if err != nil {
		return tables{}, err
	}
	return t.withSide(in)
}

// items reads the data. Built-in data and presets come with covariates.
func (in *Input) items() (tables, error) {
	d := in.spec.Data
	if d.Builtin != "" {
		set, err := dataset.Load(d.Builtin)
		if err != nil {
			return tables{}, err
		}
		return tables{items: set.X, side: set.Side}, nil
	}
	if d.Preset == "alzheimers" {
		set, err := read(in, d.File, anyExtent, dataset.ParseAlzheimers)
		if err != nil {
			return tables{}, err
		}
		return tables{items: set.X, side: set.Side}, nil
	}
	items, err := read(in, d.File, in.extent, func(r io.Reader, name string) (*dataset.Table, error) {
		t, err := dataset.ReadTable(r, name, d.ID, form(d)...)
		return t, aboutHeader(err)
	})
	if err != nil {
		return tables{}, err
	}
	t := tables{items: items}
	if items.EmptyRows > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%s: %s with only empty cells at the end: not used", items.Name, words.Plural(items.EmptyRows, "row")))
	}
	if items.NumericHeader {
		t.notes = append(t.notes, fmt.Sprintf("%s: the first line names the columns by numbers: %s", items.Name, hint.Listed(items.Columns, 4)))
	}
	if looksLikeNames(items) {
		t.items, t.numericID = items.NamedByNumbers(), true
	}
	return t, nil
}

// withSide replaces the covariates of a set by those of the side file, if there is one. Its
// ids are in the column that has them in the data file. The data file itself may be named again.
func (t tables) withSide(in *Input) (tables, error) {
	d := in.spec.Data
	if d.Side == "" || d.Side == d.File || d.Preset == "alzheimers" {
		return t, nil
	}
	side, err := in.named(d.Side, t.names(d))
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

// A covariate is a column of the side table or of the data file, without transformations.
type covariate struct {
	values []float64
	dates  bool // the values are days since 1970
}

// unit returns what differences of the covariate are in.
func (c covariate) unit(column string) string {
	if c.dates {
		return "days of " + column
	}
	return column
}

// covariate returns a column of numbers or dates.
func (t tables) covariate(column string) (c covariate, err error) {
	if t.items == nil {
		return c, fmt.Errorf("found column %q and no data, expected a file or a built-in set", column)
	}
	from, inItems := t.items, t.items.Has(column)
	if t.side != nil {
		inSide := t.side.Has(column)
		switch {
		case inItems && inSide:
			return c, fmt.Errorf("found column %q both in %s and in %s, expected it in one of them", column, t.items.Name, t.side.Name)
		case inSide:
			from = t.side
		case !inItems && !t.named(column):
			return c, fmt.Errorf("%s and %s: %w", t.side.Name, t.items.Name,
				hint.Unknown("column", column, slices.Concat(t.side.Columns, t.items.Columns)))
		}
	}
	cells := t.items.IDs // dates may name the items
	if !t.named(column) || from.Has(column) {
		if cells, err = from.Strings(column); err != nil {
			return c, err
		}
	}
	if c.values, c.dates = days(cells); !c.dates {
		c.values, err = from.Float(column)
	}
	return c, err
}

// named reports whether a column has the names of the items.
func (t tables) named(column string) bool { return t.items.IDs != nil && t.items.IDColumn == column }

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
