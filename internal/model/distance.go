package model

// The distances between the items, and what they are measured in.

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"aibd/dataset"
	"aibd/internal/spec"
	"aibd/similarity"
)

// distances returns the matrix that the complete spec asks for and its unit.
func (t tables) distances(d spec.Distance, s *sources) (*similarity.Matrix, string, error) {
	m, unit, err := t.measured(d, s)
	if err != nil {
		return nil, "", err
	}
	if d.Per != 1 {
		if m, err = m.Per(d.Per); err != nil {
			return nil, "", fmt.Errorf("distance.per: %w", err)
		}
		unit = fmt.Sprintf("%s %s", strconv.FormatFloat(d.Per, 'f', -1, 64), unit)
	}
	if d.Shift != 0 {
		m = m.Shift(d.Shift)
	}
	return m, unit, nil
}

// measured returns the distances as they are measured.
func (t tables) measured(d spec.Distance, s *sources) (*similarity.Matrix, string, error) {
	if d.Kind == "matrix" {
		m, err := t.matrix(d.File, s)
		return m, "unit of " + d.File, err
	}
	columns := d.Columns
	if d.Kind == "euclidean" {
		columns = nil
		for _, pattern := range d.Columns {
			found, err := t.matching(pattern)
			if err != nil {
				return nil, "", fmt.Errorf("distance: %w", err)
			}
			columns = append(columns, found...)
		}
	}
	values := make([][]float64, len(columns))
	for j, column := range columns {
		var err error
		if values[j], err = t.covariate(column); err != nil {
			return nil, "", fmt.Errorf("distance: %w", err)
		}
		if d.Standardize {
			if err := standardized(values[j], column); err != nil {
				return nil, "", fmt.Errorf("distance: %w", err)
			}
		}
	}
	unit := strings.Join(columns, ", ")
	if d.Standardize {
		unit = "sd of " + unit
	}
	switch d.Kind {
	case "absolute":
		return similarity.AbsDifference(values[0]), unit, nil
	case "great-circle":
		m, err := similarity.GreatCircle(values[0], values[1])
		if err != nil {
			return nil, "", fmt.Errorf("distance: %s and %s: %w", columns[0], columns[1], err)
		}
		return m, "km", nil
	}
	return similarity.Euclidean(transposed(values)), unit, nil
}

// matrix reads a square matrix of the items.
func (t tables) matrix(file string, s *sources) (*similarity.Matrix, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// It is there twice for a moment.
	e := extent(f)
	n := e.Rows + 1 // at most: the first line is a row unless it has names
	need := need{{"the matrix", 2 * float64(e.Bytes), "fewer items"}}
	if err := s.memory.covers(need, fmt.Sprintf("%s: about %d x %d numbers", file, n, e.Columns)); err != nil {
		return nil, err
	}
	read := dataset.ReadMatrix
	if t.items != nil {
		read = t.items.ReadMatrix
	}
	var m *similarity.Matrix
	err = s.parse(file, f, func(r io.Reader) (err error) {
		m, err = read(r, file)
		return err
	})
	return m, err
}

// transposed returns the rows of the given columns, of which there is at least
// one.
func transposed(columns [][]float64) [][]float64 {
	rows := make([][]float64, len(columns[0]))
	for i := range rows {
		for _, column := range columns {
			rows[i] = append(rows[i], column[i])
		}
	}
	return rows
}
