package model

// Which columns of a table are X, which one has the names of the items, and what is done
// to X.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/spec"
)

// looksLikeNames reports whether the first column of a table without ids, of several,
// holds distinct whole numbers that increase or whose column is called like names.
func looksLikeNames(t *dataset.Table) bool {
	if t.IDs != nil || len(t.Columns) < 2 {
		return false
	}
	values, err := t.Float(t.Columns[0])
	if err != nil {
		return false
	}
	increasing, seen := len(values) >= minIncreasing, map[float64]bool{}
	for i, v := range values {
		if v != math.Trunc(v) || seen[v] {
			return false
		}
		seen[v] = true
		increasing = increasing && (i == 0 || v > values[i-1])
	}
	return increasing || slices.Contains(calledLikeNames, strings.ToLower(t.Columns[0]))
}

// minIncreasing is the number of items from which on increasing numbers are names: fewer
// measurements may increase by chance.
const minIncreasing = 5

var calledLikeNames = []string{
	"case", "code", "date", "individual", "item", "key", "no", "nr", "observation", "participant", "patient",
	"patient_id", "person", "sample", "sample_id", "site", "station", "subject_id", "year",
}

// named returns the table with the numbers of its first column as ids too.
func named(t *dataset.Table) *dataset.Table {
	ids, err := t.Strings(t.Columns[0])
	if err != nil {
		panic("model: " + err.Error()) // the column exists
	}
	u := *t
	u.IDColumn, u.IDs = t.Columns[0], ids
	return &u
}

// LeftOut is a column that is not in X.
type LeftOut struct{ Column, Reason string }

// chosen returns the columns of X. If the spec does not name them, these are the numeric
// ones but the names of the items and columns of the distances; leftOut are the others.
func (t tables) chosen(s spec.Spec) (columns []string, leftOut []LeftOut, err error) {
	if t.items.N() < 2 {
		return nil, nil, fmt.Errorf("%s: found %d item, expected at least 2", t.items.Name, t.items.N())
	}
	if len(s.Data.Columns) > 0 {
		columns, err = t.items.Select(s.Data.Columns...)
		return columns, nil, err
	}
	reasons := map[string]string{}
	// Also if the law does not use them: X must not depend on the law.
	for _, pattern := range s.Distance.Columns {
		// A column that does not exist is an error where the distances are measured.
		measured, _ := t.items.Select(pattern)
		for _, c := range measured {
			reasons[c] = "for the distances (--columns names those of X)"
		}
	}
	if t.numericID {
		reasons[t.items.IDColumn] = "names of the items, as whole numbers that increase or a column of this name (--id - makes it data)"
	}
	numeric := t.items.NumericColumns()
	if len(numeric) == 0 {
		return nil, nil, fmt.Errorf("%s: found no column of numbers, expected at least one", t.items.Name)
	}
	rest := numeric
	for _, c := range t.items.Columns {
		isNumber := len(rest) > 0 && rest[0] == c
		if isNumber {
			rest = rest[1:]
		}
		switch reason, ok := reasons[c]; {
		case ok:
			leftOut = append(leftOut, LeftOut{c, reason})
		case isNumber:
			columns = append(columns, c)
		default:
			leftOut = append(leftOut, LeftOut{c, "not numbers"})
		}
	}
	if len(columns) == 0 {
		return nil, nil, spec.Errorf("data.columns", "%s: found no column of numbers but names and columns of the distances, expected the columns of X", t.items.Name)
	}
	return columns, leftOut, nil
}

// maxSpread is the max ratio of standard deviations of columns that are taken to have one
// unit, see docs/decisions/units.md.
const maxSpread = 5

// Observed is what a fit sees of X, and what it does not see.
type Observed struct {
	X      [][]float64   // N x D, after the transformations; NaN for unknown cells
	Units  dataset.Units // of X
	Held   []Held        // held-out cells, which are unknown in X
	Spread float64       // ratio of the largest and the smallest standard deviation of a column before columns are scaled
}

// observations returns the given columns after the transformations. If the spec leaves open
// whether columns are scaled, observations decides.
func (t tables) observations(s *spec.Spec, files *sources, columns []string) (o Observed, err error) {
	d := &s.Data
	if o.X, err = t.items.Observations(columns); err != nil {
		return Observed{}, err
	}
	if o.Held, err = t.hide(*s, files, columns, o.X); err != nil {
		return Observed{}, err
	}
	// Patterns refer to all columns of the file: some may not be in X.
	var logs []string
	if len(d.Log) > 0 {
		if logs, err = t.items.Select(d.Log...); err != nil {
			return Observed{}, spec.Errorf("data.log", "%w", err)
		}
		logs = slices.DeleteFunc(logs, func(c string) bool { return !slices.Contains(columns, c) })
	}
	first, err := dataset.Transform{Log: logs}.Fit(columns, o.X)
	if err == nil {
		if o.Spread = spreadOf(o.X); d.Scale == nil {
			d.Scale = new(!(o.Spread <= maxSpread)) // constant columns too, which are then refused
		}
		o.Units, err = dataset.Transform{Center: d.Center, Scale: *d.Scale}.Fit(columns, o.X)
	}
	if err != nil {
		return Observed{}, fmt.Errorf("%s: %w", t.items.Name, err)
	}
	o.Units = first.Then(o.Units)
	for _, c := range o.Held {
		if o.Units.Log(c.Variable) && !(c.Value > 0) {
			return Observed{}, fmt.Errorf("%s: item %d, column %s: found %v, expected a value above 0 to take its log", t.items.Name, c.Item+1, hint.Quoted(columns[c.Variable]), c.Value)
		}
	}
	return o, nil
}

// spreadOf returns the ratio of the largest and the smallest standard deviation of a column.
func spreadOf(x [][]float64) float64 {
	low, high, column := math.Inf(1), 0.0, make([]float64, 0, len(x))
	for j := range x[0] {
		column = column[:0]
		for _, row := range x {
			if !math.IsNaN(row[j]) {
				column = append(column, row[j])
			}
		}
		sd := stat.StdDev(column, nil)
		low, high = min(low, sd), max(high, sd)
	}
	return high / low
}
