package dataset

// Sparse matrices of distances or similarities from CSV text.

import (
	"fmt"
	"io"
	"strconv"

	"aibd/internal/hint"
	"aibd/similarity"
)

// ReadEdges reads a sparse symmetric matrix of distances, or of similarities, between the items
// of the table from CSV text: a header line, and then in each line two items and a number of at
// least 0, at most once for each pair of items. Items are given by their ids, or by their
// numbers from 1 if the table has no ids. Errors name the line and the column.
func (t *Table) ReadEdges(r io.Reader, name string) (*similarity.Edges, error) {
	rows := newRecords(r, name)
	header, line, err := rows.begin("two items and their distance in each line")
	if err != nil {
		return nil, err
	}
	if len(header) != 3 {
		return nil, fmt.Errorf("%s: line %d: found %d columns, expected three: two items and their distance", name, line, len(header))
	}
	if _, err := strconv.ParseFloat(header[2], 64); err == nil {
		return nil, fmt.Errorf("%s: line %d: found the distance %s, expected a header line", name, line, hint.Quoted(header[2]))
	}
	rowOf := t.Lookup()
	item := func(cell string, line, column int) (int, error) {
		i, ok := rowOf(cell)
		switch {
		case ok:
			return i, nil
		case t.IDs == nil:
			return 0, fmt.Errorf("%s: line %d, column %d: found %s, expected the number of an item, from 1 to %d", name, line, column, hint.Quoted(cell), t.N())
		}
		return 0, fmt.Errorf("%s: line %d, column %d: %w", name, line, column, hint.Unknown("item", cell, t.IDs))
	}
	type pair struct{ i, j int }
	var edges []similarity.Edge
	lines := map[pair]int{}
	err = rows.rest(func(row []string, line int) error {
		i, err := item(row[0], line, 1)
		if err != nil {
			return err
		}
		j, err := item(row[1], line, 2)
		if err != nil {
			return err
		}
		d, err := strconv.ParseFloat(row[2], 64)
		key := pair{min(i, j), max(i, j)}
		switch {
		case i == j:
			return fmt.Errorf("%s: line %d: found item %s twice, expected two items", name, line, hint.Quoted(row[0]))
		case err != nil || !(d >= 0):
			return fmt.Errorf("%s: line %d, column 3: found %s, expected a number of at least 0", name, line, hint.Quoted(row[2]))
		case lines[key] != 0:
			return fmt.Errorf("%s: line %d: found items %s and %s, expected them once: they are in line %d", name, line, hint.Quoted(row[0]), hint.Quoted(row[1]), lines[key])
		}
		lines[key] = line
		edges = append(edges, similarity.Edge{I: i, J: j, Distance: d})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(edges) == 0 {
		return nil, fmt.Errorf("%s: found a header only, expected two items and their distance in each line", name)
	}
	s, err := similarity.NewEdges(t.N(), edges)
	if err != nil {
		panic("dataset: " + err.Error()) // checked above
	}
	return s, nil
}
