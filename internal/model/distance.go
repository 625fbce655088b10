package model

// The distances between the items and their unit.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/spec"
	"aibd/similarity"
)

// distances returns the distances of a complete spec, their unit, and notes on their
// matrix if they are from a file.
func (t tables) distances(p spec.Spec, s *sources) (m *similarity.Matrix, unit string, notes []string, err error) {
	d := p.Distance
	if d.Kind == "matrix" {
		if m, err = t.matrix(d.File, s); err == nil && p.Prior.Decay != "given" {
			notes = noteMatrix(d.File, m, p.Prior)
		}
		unit = "unit of " + d.File
	} else {
		m, unit, err = t.measured(d)
	}
	if err != nil {
		return nil, "", nil, err
	}
	if d.Per != 1 {
		unit = fmt.Sprintf("%s %s", strconv.FormatFloat(d.Per, 'f', -1, 64), unit)
	}
	m, err = adjusted(d, m)
	return m, unit, notes, err
}

// adjusted returns the distances after the division and the shift.
func adjusted(d spec.Distance, m *similarity.Matrix) (*similarity.Matrix, error) {
	if d.Per != 1 {
		var err error
		if m, err = m.Per(d.Per); err != nil {
			return nil, spec.Errorf("distance.per", "%w", err)
		}
	}
	if d.Shift != 0 {
		m = m.Shift(d.Shift)
	}
	return m, nil
}

// noteMatrix returns a line for each sign that a matrix does not hold distances.
func noteMatrix(file string, m *similarity.Matrix, law spec.Prior) (notes []string) {
	if m.IgnoredDiagonal() {
		notes = append(notes, file+": the diagonal is not 0 and is ignored; if the matrix has similarities: --decay given")
	}
	switch {
	case m.Symmetric():
	case law.HasPermutation():
		notes = append(notes, file+": the matrix is not symmetric; row i, column j is the distance from the arriving item i to the earlier item j")
	default:
		notes = append(notes, file+": the matrix is not symmetric; row i, column j is the distance at which item i links to item j")
	}
	return notes
}

// measured returns the distances between columns before the division and the shift.
func (t tables) measured(d spec.Distance) (*similarity.Matrix, string, error) {
	columns, err := t.measuredColumns(d)
	if err != nil {
		return nil, "", err
	}
	values, err := t.measuredValues(d, columns)
	if err != nil {
		return nil, "", err
	}
	return measure(d, columns, values)
}

// measuredValues returns the values of the columns to measure, standardized if the spec says so.
func (t tables) measuredValues(d spec.Distance, columns []string) (values [][]float64, err error) {
	values = make([][]float64, len(columns))
	for j, column := range columns {
		if values[j], err = t.covariate(column); err != nil {
			return nil, spec.Errorf("distance.columns", "%w", err)
		}
		if d.Standardize {
			if err := standardized(values[j], column); err != nil {
				return nil, spec.Errorf("distance.columns", "%w", err)
			}
		}
	}
	return values, nil
}

// measuredColumns returns the columns to measure.
func (t tables) measuredColumns(d spec.Distance) (columns []string, err error) {
	if d.Kind != "euclidean" {
		return d.Columns, nil
	}
	for _, pattern := range d.Columns {
		found, err := t.matching(pattern)
		if err != nil {
			return nil, spec.Errorf("distance.columns", "%w", err)
		}
		columns = append(columns, found...)
	}
	return columns, nil
}

// measure returns the distances between the items with the given values of columns.
func measure(d spec.Distance, columns []string, values [][]float64) (*similarity.Matrix, string, error) {
	shown := 4
	if len(columns) > shown {
		shown = 1 // a unit is part of headers and sentences
	}
	unit := hint.Listed(columns, shown)
	if d.Standardize {
		unit = "sd of " + unit
	}
	switch d.Kind {
	case "absolute":
		return similarity.AbsDifference(values[0]), unit, nil
	case "great-circle":
		m, err := similarity.GreatCircle(values[0], values[1])
		if err != nil {
			return nil, "", spec.Errorf("distance.columns", "%s and %s: %w", columns[0], columns[1], err)
		}
		return m, "km", nil
	}
	return similarity.Euclidean(transposed(values)), unit, nil
}

// fillPlace fills in the columns of longitude and latitude by their usual names.
func (t tables) fillPlace(d *spec.Distance) {
	if d.Kind != "great-circle" || len(d.Columns) > 0 {
		return
	}
	columns := slices.Clone(t.items.Columns)
	if t.side != nil {
		columns = append(columns, t.side.Columns...)
	}
	for _, names := range [][]string{{"lon", "long", "lng", "longitude"}, {"lat", "latitude"}} {
		i := slices.IndexFunc(columns, func(c string) bool { return slices.Contains(names, strings.ToLower(c)) })
		if i < 0 {
			d.Columns = append(d.Columns, names[0]) // whose absence is an error later
			continue
		}
		d.Columns = append(d.Columns, columns[i])
	}
}

// matrix reads a square matrix of the items.
func (t tables) matrix(file string, s *sources) (*similarity.Matrix, error) {
	parse := dataset.ReadMatrix
	if t.items != nil {
		parse = t.items.ReadMatrix
	}
	return read(s, file, func(e dataset.Extent) error {
		// Reading needs it twice. The first line is a row unless it has names.
		need := need{{"the matrix", 2 * float64(e.Bytes), "fewer items"}}
		return s.memory.covers(need, fmt.Sprintf("about %d x %d numbers", e.Rows+1, e.Columns))
	}, parse)
}

// transposed returns the rows of at least one column.
func transposed(columns [][]float64) [][]float64 {
	rows := make([][]float64, len(columns[0]))
	for i := range rows {
		for _, column := range columns {
			rows[i] = append(rows[i], column[i])
		}
	}
	return rows
}
