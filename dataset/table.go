package dataset

// Tables of items: named columns, one row an item.

import (
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"aibd/similarity"
)

// Table holds N >= 1 items with their columns as text, in the order of the file.
// Cells become numbers when they are asked for, so that a column that nobody
// uses may hold anything. A Table is immutable.
type Table struct {
	Name     string   // of the file, as errors give it
	IDColumn string   // name of the column of ids; may be empty, as in files from R
	IDs      []string // distinct names of the items; nil if the file has none
	Columns  []string // distinct names of the other columns, at least one
	cells    [][]string
	lines    []int // line of each row in the file
}

// None is the idColumn of a table without ids.
const None = "-"

// ReadTable reads a table from CSV text: a header line with the names of the
// columns, then a line for each item. The name is for error messages, which
// give line, column, what was found and what was expected.
//
// idColumn names the column of ids, or is None. If it is empty, the first column
// has the ids if its name is empty (row names written by R), id, name, subject
// or state, or if it holds text and is not the only column. Otherwise there are
// no ids.
func ReadTable(r io.Reader, name, idColumn string) (*Table, error) {
	rows, lines, err := readCSV(r, name)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: found an empty file, expected a header line and a line for each item", name)
	}
	header, rows, first, lines := rows[0], rows[1:], lines[0], lines[1:]
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: line %d: found a header and no rows, expected a line for each item", name, first)
	}
	if len(header) == 1 && strings.ContainsAny(header[0], ";\t") {
		return nil, fmt.Errorf("%s: line %d: found the one column %q, expected columns separated by commas", name, first, header[0])
	}
	if !namesColumns(header) {
		return nil, fmt.Errorf("%s: line %d: found numbers, expected a header with the names of the columns", name, first)
	}

	id := -1
	switch {
	case idColumn == "":
		if id, err = findID(header, rows, lines, name); err != nil {
			return nil, err
		}
	case idColumn != None:
		if id = slices.Index(header, idColumn); id < 0 {
			return nil, fmt.Errorf("%s: %w", name, similarity.Unknown("column", idColumn, header))
		}
	}
	for j, c := range header {
		if c == "" && j != id {
			return nil, fmt.Errorf("%s: line %d, column %d: found no name, expected the name of the column", name, first, j+1)
		}
		if twin := slices.Index(header, c); twin < j {
			return nil, fmt.Errorf("%s: line %d, column %d: found %q as in column %d, expected distinct names", name, first, j+1, c, twin+1)
		}
	}

	t := &Table{Name: name, Columns: header, cells: rows, lines: lines}
	if id < 0 {
		return t, nil
	}
	if len(header) == 1 {
		return nil, fmt.Errorf("%s: line %d: found only the column %q of ids, expected other columns beside it", name, first, header[0])
	}
	t.IDColumn, t.IDs = header[id], cellsOf(rows, id)
	seen := map[string]int{}
	for i, s := range t.IDs {
		if s == "" {
			return nil, fmt.Errorf("%s: line %d, %s: found an empty id, expected the name of the item", name, lines[i], place(header, id))
		}
		if before, ok := seen[s]; ok {
			return nil, fmt.Errorf("%s: line %d, %s: found the id %q as in line %d, expected distinct ids (%q for the id column stands for none)", name, lines[i], place(header, id), s, before, None)
		}
		seen[s] = lines[i]
	}
	t.Columns = slices.Delete(slices.Clone(header), id, id+1)
	for i, row := range rows {
		rows[i] = slices.Delete(row, id, id+1)
	}
	return t, nil
}

// namesColumns reports whether a first line is a header rather than the numbers
// of a first item, which would be lost. Columns may be named by years: whole
// numbers from 1000 in ascending order.
func namesColumns(header []string) bool {
	if _, ok := number(header[0]); !ok && len(header) > 1 {
		header = header[1:]
	}
	last := 0
	for _, name := range header {
		if _, ok := number(name); !ok {
			return true
		}
		whole, err := strconv.Atoi(name)
		if err != nil || whole < 1000 || whole <= last {
			return false
		}
		last = whole
	}
	return true
}

// findID returns the number of the column of ids when the caller names none, -1
// if there is none.
func findID(header []string, rows [][]string, lines []int, name string) (int, error) {
	switch strings.ToLower(header[0]) {
	case "", "id", "name", "subject", "state":
		return 0, nil
	}
	if len(header) == 1 {
		return -1, nil
	}
	cells := cellsOf(rows, 0)
	c, firstText, firstNumber := contentsOf(cells)
	switch c {
	case numbers:
		return -1, nil
	case mixed:
		// A typing error in a column of data must not turn it into ids.
		return -1, fmt.Errorf("%s: line %d, %s: found %q, expected a number as in line %d (or name the column as the id column)", name, lines[firstText], place(header, 0), cells[firstText], lines[firstNumber])
	}
	return 0, nil
}

// place names column j of a file in an error message.
func place(header []string, j int) string {
	if header[j] == "" {
		return fmt.Sprintf("column %d", j+1)
	}
	return fmt.Sprintf("column %q", header[j])
}

// N returns the number of items.
func (t *Table) N() int { return len(t.cells) }

// index returns the number of a column.
func (t *Table) index(column string) (int, error) {
	j := slices.Index(t.Columns, column)
	switch {
	case j >= 0:
		return j, nil
	case t.IDs != nil && column == t.IDColumn:
		return 0, fmt.Errorf("%s: column %q holds the ids, expected a column of data", t.Name, column)
	}
	return 0, fmt.Errorf("%s: %w", t.Name, similarity.Unknown("column", column, t.Columns))
}

// Strings returns the N cells of a column as text.
func (t *Table) Strings(column string) ([]string, error) {
	j, err := t.index(column)
	if err != nil {
		return nil, err
	}
	return cellsOf(t.cells, j), nil
}

// Float returns the N values of a column. It reports an error if one is missing
// or not a finite number.
func (t *Table) Float(column string) ([]float64, error) {
	j, err := t.index(column)
	if err != nil {
		return nil, err
	}
	values := make([]float64, t.N())
	for i, row := range t.cells {
		v, ok := number(row[j])
		if !ok || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: line %d, column %q: %s", t.Name, t.lines[i], column, badCell(row[j], "a finite number"))
		}
		values[i] = v
	}
	return values, nil
}

// Floats returns the values of D columns, N x D, with the errors of Float.
func (t *Table) Floats(columns []string) ([][]float64, error) {
	x := make([][]float64, t.N())
	for i := range x {
		x[i] = make([]float64, len(columns))
	}
	for j, c := range columns {
		values, err := t.Float(c)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			x[i][j] = v
		}
	}
	return x, nil
}

// NumericColumns returns the columns that hold numbers, in the order of the
// table. A column counts if it holds any number, or nothing but missing values:
// that some of its cells are no numbers is for Float to report, not a reason to
// pass over the column in silence.
func (t *Table) NumericColumns() []string {
	var found []string
	for j, name := range t.Columns {
		if c, _, _ := contentsOf(cellsOf(t.cells, j)); c != text {
			found = append(found, name)
		}
	}
	return found
}

// Select returns the columns that match any of the patterns, in the order of the
// table, each once. A pattern is the name of a column or a shell pattern as in
// path.Match: "*SA" stands for all names that end in SA. It reports an error for
// a pattern that matches nothing.
func (t *Table) Select(patterns ...string) ([]string, error) {
	chosen, err := match(t.Columns, patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	var found []string
	for j, c := range t.Columns {
		if chosen[j] {
			found = append(found, c)
		}
	}
	return found, nil
}

// match tells for each column whether any of the patterns matches it.
func match(columns, patterns []string) ([]bool, error) {
	chosen := make([]bool, len(columns))
	for _, p := range patterns {
		if j := slices.Index(columns, p); j >= 0 {
			chosen[j] = true
			continue
		}
		found := false
		for j, c := range columns {
			ok, err := path.Match(p, c)
			if err != nil {
				return nil, fmt.Errorf("found the column pattern %q, expected a name or a shell pattern", p)
			}
			if ok {
				chosen[j], found = true, true
			}
		}
		switch {
		case found:
		case strings.ContainsAny(p, `*?[\`):
			return nil, fmt.Errorf("no column matches the pattern %q", p)
		default:
			return nil, similarity.Unknown("column", p, columns)
		}
	}
	return chosen, nil
}

// rows returns the table of the given rows, in their order.
func (t *Table) rows(order []int) *Table {
	s := &Table{Name: t.Name, IDColumn: t.IDColumn, Columns: t.Columns}
	for _, i := range order {
		s.cells, s.lines = append(s.cells, t.cells[i]), append(s.lines, t.lines[i])
		if t.IDs != nil {
			s.IDs = append(s.IDs, t.IDs[i])
		}
	}
	return s
}

// columns returns the table of the given columns, which must exist.
func (t *Table) columns(names ...string) *Table {
	s := *t
	s.Columns, s.cells = names, make([][]string, t.N())
	for _, name := range names {
		j := slices.Index(t.Columns, name)
		for i, row := range t.cells {
			s.cells[i] = append(s.cells[i], row[j])
		}
	}
	return &s
}

// Rows returns the table of the items with the given ids, in their order. It
// reports an error for an id that is unknown or given twice.
func (t *Table) Rows(ids ...string) (*Table, error) {
	if len(ids) == 0 || t.IDs == nil {
		return nil, fmt.Errorf("%s: found %d ids asked for and %d in the table, expected at least one of each", t.Name, len(ids), len(t.IDs))
	}
	var order []int
	for k, id := range ids {
		i := slices.Index(t.IDs, id)
		if i < 0 {
			return nil, fmt.Errorf("%s: %w", t.Name, similarity.Unknown("id", id, t.IDs))
		}
		if slices.Contains(ids[:k], id) {
			return nil, fmt.Errorf("%s: found the id %q asked for twice, expected distinct ids", t.Name, id)
		}
		order = append(order, i)
	}
	return t.rows(order), nil
}

// Align returns the rows of side in the order of the items of t. If both have
// ids, these must be the same set, and decide; otherwise both must have equally
// many rows, which stay in the order of side.
func (t *Table) Align(side *Table) (*Table, error) {
	order, err := t.align(side.Name, side.IDs, side.lines)
	if err != nil {
		return nil, err
	}
	return side.rows(order), nil
}

// align returns for each item of t the number of its row among those of a file
// with the given ids (nil for none), which stand on the given lines.
func (t *Table) align(name string, ids []string, lines []int) ([]int, error) {
	order := make([]int, t.N())
	if t.IDs == nil || ids == nil {
		if len(lines) != t.N() {
			return nil, fmt.Errorf("%s: found %d items, expected %d as in %s", name, len(lines), t.N(), t.Name)
		}
		for i := range order {
			order[i] = i
		}
		return order, nil
	}
	row := make(map[string]int, len(ids))
	for i, id := range ids {
		row[id] = i
	}
	for i, id := range t.IDs {
		r, ok := row[id]
		if !ok {
			return nil, fmt.Errorf("%s: found no row for the id %q, expected one as in line %d of %s", name, id, t.lines[i], t.Name)
		}
		order[i] = r
		delete(row, id)
	}
	for i, id := range ids {
		if _, ok := row[id]; ok {
			return nil, fmt.Errorf("%s: line %d: found the id %q, expected only ids of %s", name, lines[i], id, t.Name)
		}
	}
	return order, nil
}
