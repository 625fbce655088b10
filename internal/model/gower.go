package model

// Gower's distance of mixed covariates.

import (
	"fmt"
	"math"
	"slices"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/spec"
	"aibd/similarity"
)

// gower returns Gower's distances of the items of a run and then of new ones in fresh, nil for none. The run
// gives the kinds and ranges of the columns.
func gower(columns []string, run, fresh *Input) (*similarity.Matrix, error) {
	covariates := make([]similarity.Covariate, len(columns))
	for j, column := range columns {
		mixed, err := run.mixed(column, "")
		if err != nil {
			return nil, spec.Errorf("distance.columns", "%w", err)
		}
		values := slices.DeleteFunc(slices.Clone(mixed.values), math.IsNaN)
		if len(values) == 0 {
			return nil, spec.Errorf("distance.columns", "column %s: found no value, expected at least two", hint.Quoted(column))
		}
		switch least, greatest := slices.Min(values), slices.Max(values); {
		case least == greatest:
			return nil, spec.Errorf("distance.columns", "column %s: found the same value for all items, expected at least two", hint.Quoted(column))
		case math.IsInf(greatest-least, 1):
			return nil, spec.Errorf("distance.columns", "column %s: found values from %v to %v, expected a range that is finite", hint.Quoted(column), least, greatest)
		case mixed.kind != labels:
			covariates[j].Range = greatest - least
		}
		if fresh != nil {
			after, err := fresh.mixed(column, mixed.kind)
			if err != nil {
				return nil, err
			}
			mixed.values, mixed.labels = append(mixed.values, after.values...), append(mixed.labels, after.labels...)
		}
		if mixed.kind == labels {
			mixed.values = mixed.codes()
		}
		covariates[j].Values = mixed.values
	}
	m, names := similarity.Gower(covariates), run.IDs()
	if fresh != nil {
		names = slices.Concat(names, fresh.IDs())
	}
	for i, name := range names {
		for j := range min(i, run.Items.N()) { // new items arrive alone
			if !math.IsInf(m.At(i, j), 0) {
				continue
			}
			err := fmt.Errorf("items %s and %s: found no value of %s that both have, expected one at least", hint.Quoted(names[j]), hint.Quoted(name), hint.Listed(columns, 4))
			if fresh != nil {
				return nil, fmt.Errorf("%s: %w", fresh.Items.Name, err)
			}
			return nil, spec.Errorf("distance.columns", "%w", err)
		}
	}
	return m, nil
}

// mixed is a covariate of one of three kinds, with gaps.
type mixed struct {
	kind   string
	values []float64 // NaN: missing
	labels []string  // "": missing
}

// Kinds of mixed covariates.
const (
	numbers = "numbers"
	dates   = "dates"
	labels  = "labels"
)

// mixed returns a column as the given kind, or, if this is "", as what its cells are.
func (in *Input) mixed(column, kind string) (m mixed, err error) {
	table, err := in.holder(column)
	if err != nil {
		return m, err
	}
	cells, numeric := in.Items.IDs, false
	if !in.named(column) || table.Has(column) {
		if cells, err = table.Strings(column); err != nil {
			return m, err
		}
		numeric = slices.Contains(table.NumericColumns(), column)
	}
	present := slices.DeleteFunc(slices.Clone(cells), dataset.IsMissing)
	dayNumbers, dated := days(present)
	if m.kind = kind; kind == "" {
		switch m.kind = labels; {
		case dated:
			m.kind = dates
		case numeric:
			m.kind = numbers
		}
	}
	switch {
	case m.kind == numbers:
		rows, err := table.Observations([]string{column})
		for _, row := range rows {
			m.values = append(m.values, row[0])
		}
		return m, err
	case m.kind == dates && !dated && len(present) > 0:
		return m, fmt.Errorf("%s: column %s: found %s, expected dates as in the run", table.Name, hint.Quoted(column), hint.Quoted(present[0]))
	}
	for _, cell := range cells {
		x := math.NaN()
		if dataset.IsMissing(cell) {
			cell = ""
		} else if m.kind == dates {
			x, dayNumbers = dayNumbers[0], dayNumbers[1:]
		}
		m.values, m.labels = append(m.values, x), append(m.labels, cell)
	}
	if m.kind == labels {
		m.values = m.codes()
	}
	return m, nil
}

// codes returns a code for each label, NaN for missing ones.
func (m mixed) codes() []float64 {
	codes := coded(m.labels)
	for i, label := range m.labels {
		if label == "" {
			codes[i] = math.NaN()
		}
	}
	return codes
}
