package model

// Binary and ordinal columns.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/names"
	"aibd/internal/spec"
	"aibd/lglfm"
)

// Categories are the values of a binary or ordinal column of X.
type Categories struct {
	Labels []string // as in the file, in ascending order
	Binary bool
	values []float64 // see Value
	key    spec.Key  // of the setting that names the column
}

// maxCategories is the max number of categories of an ordinal column.
const maxCategories = 100

// newCategories returns categories with the given labels.
func newCategories(labels []string, binary bool) *Categories {
	c := &Categories{Labels: labels, Binary: binary}
	numbers := !binary
	for i, label := range labels {
		v, err := strconv.ParseFloat(label, 64)
		numbers = numbers && err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) && (i == 0 || v > c.values[i-1])
		c.values = append(c.values, v)
	}
	for i := range labels {
		switch {
		case binary:
			c.values[i] = float64(i)
		case !numbers:
			c.values[i] = float64(i + 1)
		}
	}
	return c
}

// Value returns a category, from zero, as a number that increases with it: of a binary column 0 or
// 1, else the label if all labels are ascending finite numbers, or the number of the category from 1.
func (c *Categories) Value(level int) float64 { return c.values[level] }

// levels returns the category of each item of a column, from zero, NaN if it is missing.
func (c *Categories) levels(t *dataset.Table, column string) ([]float64, error) {
	cells, err := t.Strings(column)
	if err != nil {
		return nil, err
	}
	level := map[any]int{} // by label, as text and as a number
	for l, label := range slices.Backward(c.Labels) {
		level[names.Canonical(label)] = l
		if x, err := strconv.ParseFloat(label, 64); err == nil {
			level[x] = l
		}
	}
	levels := make([]float64, len(cells))
	for i, cell := range cells {
		if dataset.IsMissing(cell) {
			levels[i] = math.NaN()
			continue
		}
		l, ok := level[names.Canonical(cell)]
		if x, err := strconv.ParseFloat(cell, 64); !ok && err == nil {
			l, ok = level[x]
		}
		if !ok {
			return nil, fmt.Errorf("%s: found %s, expected one of %s", t.Where(i, column), hint.Quoted(cell), strings.Join(c.Labels, ", "))
		}
		levels[i] = float64(l)
	}
	return levels, nil
}

// categories returns those of the columns that the spec calls binary or ordinal, nil for others.
func (in *Input) categories(d spec.Data, columns []string) ([]*Categories, error) {
	categories, places := make([]*Categories, len(columns)), lists.Positions(columns)
	add := func(key spec.Key, patterns []string, read func(name string) (*Categories, error)) error {
		names, err := in.Items.Select(patterns...)
		if err != nil {
			return spec.Errorf(key, "%w", err)
		}
		for _, name := range names {
			j, ok := places[name]
			if !ok {
				continue
			}
			if categories[j] != nil && categories[j].key != key {
				return spec.Errorf(key, "%s: column %s: found it among the binary columns, expected one of both", in.Items.Name, hint.Quoted(name))
			}
			if categories[j], err = read(name); err != nil {
				return err
			}
			categories[j].key = key
		}
		return nil
	}
	if err := add("data.binary", d.BinaryColumns(columns), in.binaryColumn); err != nil {
		return nil, err
	}
	for _, o := range d.OrdinalColumns() {
		if err := add("data.ordinal", []string{o.Pattern}, func(name string) (*Categories, error) {
			if o.Labels != nil {
				return in.labelled(name, o.Labels)
			}
			return in.wholeNumbers(name)
		}); err != nil {
			return nil, err
		}
	}
	return categories, nil
}

// binaryColumn returns the two values of a column.
func (in *Input) binaryColumn(name string) (*Categories, error) {
	labels, err := in.labels(name)
	if err != nil {
		return nil, err
	}
	if len(labels) != 2 {
		return nil, spec.Errorf("data.binary", "%s: column %s: found %d different values, expected two", in.Items.Name, hint.Quoted(name), len(labels))
	}
	return newCategories(labels, true), nil
}

// wholeNumbers returns the values of a column of whole numbers.
func (in *Input) wholeNumbers(name string) (*Categories, error) {
	labels, err := in.labels(name)
	if err != nil {
		return nil, err
	}
	for _, label := range labels {
		if v, err := strconv.ParseFloat(label, 64); err != nil || v != math.Trunc(v) || math.IsInf(v, 0) {
			cells, _ := in.Items.Strings(name) // as labels did
			return nil, spec.Errorf("data.ordinal", "%s: found %s, expected whole numbers, or labels in ascending order such as %s=low,mid,high", in.Items.Where(slices.Index(cells, label), name), hint.Quoted(label), name)
		}
	}
	if len(labels) < 2 || len(labels) > maxCategories {
		return nil, spec.Errorf("data.ordinal", "%s: column %s: found %d different values, expected 2 to %d", in.Items.Name, hint.Quoted(name), len(labels), maxCategories)
	}
	return newCategories(labels, false), nil
}

// labelled returns a column's categories with the given labels. A label that is in no cell but names
// a column is an error: the column was meant.
func (in *Input) labelled(name string, labels []string) (*Categories, error) {
	present, err := in.labels(name)
	if err != nil {
		return nil, err
	}
	for _, label := range labels {
		if in.Items.Has(label) && !slices.Contains(present, label) {
			return nil, spec.Errorf("data.ordinal", "%s: column %s: found the label %s, which is another column, expected columns with labels last", in.Items.Name, hint.Quoted(name), hint.Quoted(label))
		}
	}
	return newCategories(labels, false), nil
}

// labels returns the different values of a column, as numbers or else as text in ascending order.
func (in *Input) labels(name string) ([]string, error) {
	cells, err := in.Items.Strings(name)
	if err != nil {
		return nil, err
	}
	different := slices.Compact(slices.Sorted(slices.Values(cells)))
	different = slices.DeleteFunc(different, dataset.IsMissing)
	slices.SortFunc(different, func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return different, nil
}

// ordinal returns the binary and ordinal columns of X, whose cells have categories, and makes these
// cells unknown.
func (o *Observed) ordinal() (all []lglfm.Ordinal) {
	for j, c := range o.Categories {
		if c == nil {
			continue
		}
		column := lglfm.Ordinal{Variable: j, Levels: len(c.Labels)}
		for _, row := range o.X {
			level := -1
			if !math.IsNaN(row[j]) {
				level = int(row[j])
			}
			column.Level, row[j] = append(column.Level, level), math.NaN()
		}
		all = append(all, column)
	}
	return all
}

// Cutpoints returns the names of the unknown cutpoints, such as "stars 2|3" for that between 2 and 3.
func (o *Observed) Cutpoints(columns []string) (names []string) {
	for j, c := range o.Categories {
		if c != nil {
			for level := 1; level+1 < len(c.Labels); level++ {
				names = append(names, fmt.Sprintf("%s %s|%s", columns[j], c.Labels[level], c.Labels[level+1]))
			}
		}
	}
	return names
}

// Likelihood returns the data of the likelihood, with noise scales and with an intercept if the
// spec has them. It returns the errors of lglfm.NewBounded and lglfm.Data.WithIntercept.
func (o *Observed) Likelihood(d spec.Data) (*lglfm.Data, error) {
	data, err := lglfm.NewBounded(o.X, o.Bounds, o.Ordinal...)
	if err == nil && d.HasNoiseScales() {
		data, err = data.WithNoiseScales(o.MinNoise)
	}
	if err != nil || !d.HasIntercept() {
		return data, err
	}
	return data.WithIntercept()
}

// hash hashes the bounds and the categories. Those of binary columns are hashed as bounds of
// their latent values.
func (o *Observed) hash(h *hasher) {
	for _, b := range o.Bounds {
		h.ints([]int{b.Item, b.Variable})
		h.floats([]float64{b.Lower, b.Upper})
	}
	for i := range o.X {
		for _, column := range o.Ordinal {
			if j := column.Variable; o.Categories[j].Binary && column.Level[i] >= 0 {
				h.ints([]int{i, j})
				h.floats([][]float64{{math.Inf(-1), 0}, {0, math.Inf(1)}}[column.Level[i]])
			}
		}
	}
	for _, column := range o.Ordinal {
		if !o.Categories[column.Variable].Binary {
			h.ints([]int{column.Variable, column.Levels})
			h.ints(column.Level)
		}
	}
}
