package model

// The covariates that a spec names.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/names"
)

// A covariate is a column of the side table or of the data file, without transformations.
type covariate struct {
	values []float64
	dates  bool // the values are days since 1970
	table  *dataset.Table
}

// unit returns the unit of differences of the covariate.
func (c covariate) unit(column string) string {
	if c.dates {
		return "day"
	}
	return column
}

// holder returns the table that has a covariate. Its ids are the covariate if it has no such column.
func (in *Input) holder(column string) (*dataset.Table, error) {
	if in.Items == nil {
		return nil, fmt.Errorf("found column %q and no data, expected a file or a built-in set", column)
	}
	if in.Side == nil {
		return in.Items, nil
	}
	inItems, inSide := in.Items.Has(column), in.Side.Has(column)
	switch {
	case inItems && inSide:
		return nil, fmt.Errorf("found column %q both in %s and in %s, expected it in one of them", column, in.Items.Name, in.Side.Name)
	case inSide:
		return in.Side, nil
	case !inItems && !in.named(column):
		return nil, fmt.Errorf("%s and %s: %w", in.Side.Name, in.Items.Name,
			hint.Unknown("column", column, slices.Concat(in.Side.Columns, in.Items.Columns)))
	}
	return in.Items, nil
}

// covariate returns a column of numbers or dates.
func (in *Input) covariate(column string) (c covariate, err error) {
	table, err := in.holder(column)
	if err != nil {
		return c, err
	}
	cells := in.Items.IDs // dates may name the items
	if !in.named(column) || table.Has(column) {
		if cells, err = table.Strings(column); err != nil {
			return c, err
		}
	}
	c.table = table
	if c.values, c.dates = days(cells); !c.dates {
		if c.values, err = table.Float(column); err != nil {
			err = cmp.Or(badDate(table, column, cells, in.named(column)), err)
		}
	}
	return c, err
}

// degrees returns an error if a value of a column, longitudes or latitudes, exceeds limit in absolute value.
func (c covariate) degrees(column, what string, limit float64) error {
	for i, v := range c.values {
		if !(math.Abs(v) <= limit) {
			return fmt.Errorf("%s: found the %s %v, expected degrees from -%[4]v to %[4]v", c.table.Where(i, column), what, v, limit)
		}
	}
	return nil
}

// groups returns a column of labels, of which none is missing.
func (in *Input) groups(column string) ([]string, error) {
	table, err := in.holder(column)
	switch {
	case err != nil:
		return nil, err
	case in.named(column) && !table.Has(column):
		return in.Items.IDs, nil
	}
	return table.Labels(column)
}

// coded returns a code for each label, the same for equal ones, whatever their Unicode form.
func coded(labels []string) []float64 {
	codes, numbers := make([]float64, len(labels)), map[string]float64{}
	for i, label := range labels {
		label = names.Canonical(label)
		if _, ok := numbers[label]; !ok {
			numbers[label] = float64(len(numbers))
		}
		codes[i] = numbers[label]
	}
	return codes
}

// named reports whether a column has the names of the items.
func (in *Input) named(column string) bool { return in.Items.IDs != nil && in.Items.IDColumn == column }

// matching returns the columns that match a name or pattern, first those of the side table.
func (in *Input) matching(pattern string) ([]string, error) {
	if in.Side == nil {
		return in.Items.Select(pattern)
	}
	matches, err := in.Side.Select(pattern)
	itemColumns, itemsErr := in.Items.Select(pattern)
	if err != nil && itemsErr != nil {
		// covariate proposes the nearest of both tables.
		return []string{pattern}, nil
	}
	return append(matches, itemColumns...), nil
}

// standardize divides values by the standard deviation of some of them.
func standardize(values, some []float64, column string) error {
	sd := stat.StdDev(some, nil)
	if slices.Min(some) == slices.Max(some) || !(sd > 0) {
		return fmt.Errorf("column %q: found the same value for all items, expected a standard deviation above 0 to divide by", column)
	}
	for i := range values {
		values[i] /= sd
	}
	return nil
}
