package dataset

// Matrices of distances or similarities from CSV text.

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/names"
	"aibd/internal/permutation"
	"aibd/similarity"
)

// ReadMatrix reads a square matrix of numbers of at least 0 from CSV text. The first line,
// the first column or both may hold the names of the items; both must hold the same names
// in the same order. Row i, column j is for the arriving item i and the earlier item j.
// ReadMatrix ignores the diagonal. Items keep the order of the file; Table.ReadMatrix puts
// them in the order of a table.
func ReadMatrix(r io.Reader, name string) (*similarity.Matrix, error) {
	s, err := readSquare(r, name, Decimals{})
	if err != nil {
		return nil, err
	}
	return s.matrix(nil), nil
}

// ReadMatrix reads a matrix like the function ReadMatrix, for the items of the table, and returns
// it in their order. Its names and those of the items are matched as by Align, with a note on what
// is not evident. Names in the file that a program made by counting (1, 2, ..., V1, V2, ... or X1, X2, ...) are not
// names of items that have other names.
func (t *Table) ReadMatrix(r io.Reader, name string) (m *similarity.Matrix, note string, err error) {
	s, err := readSquare(r, name, t.decimals)
	if err != nil {
		return nil, "", err
	}
	ids, counting := s.ids, ""
	if t.IDs != nil && counts(ids) && madeNames.MatchString(ids[0]) && !contains(ids, t.IDs) {
		stems := names.Stems(t.IDs)
		if idStems := names.Stems(ids); slices.Equal(stems, idStems) || !contains(idStems, stems) {
			if wholeNumbers(stems) != nil {
				counting = fmt.Sprintf("%s: its rows are taken in the order of %s: the names %s, %s and so on only count", name, t.Name, hint.Quoted(ids[0]), hint.Quoted(ids[len(ids)-1]))
			}
			ids = nil
		}
	}
	order, note, err := t.align(name, ids, len(s.lines), counts(ids))
	if err != nil {
		return nil, "", err
	}
	note = cmp.Or(counting, note)
	if s.form != "" {
		note = strings.TrimSuffix(fmt.Sprintf("%s: %s; %s", name, s.form, strings.TrimPrefix(note, name+": ")), "; ")
	}
	return s.matrix(order), note, nil
}

// madeNames matches the first name of rows that programs count.
var madeNames = regexp.MustCompile(`^[VX]?1$`)

// square is a matrix as read.
type square struct {
	ids    []string // nil if the file has none
	lines  []int    // of the rows
	values [][]float64
	form   string // how numbers are written, if not as in Go
}

// matrix returns the matrix of the items in the given order, or in the order of the file
// if order is nil. It reuses the memory of the square.
func (s *square) matrix(order []int) *similarity.Matrix {
	values := s.values
	if order != nil {
		values = make([][]float64, len(order))
		old := make([]float64, len(s.values))
		for i, row := range order {
			copy(old, s.values[row])
			values[i] = s.values[row][:len(order)]
			for j, column := range order {
				values[i][j] = old[column]
			}
		}
	}
	m, err := similarity.NewMatrix(values)
	if err != nil {
		panic("dataset: " + err.Error()) // readSquare checked every entry
	}
	return m
}

// readSquare reads a matrix. It keeps the first line and the first column as text too, as
// they may hold names.
func readSquare(r io.Reader, name string, like Decimals) (*square, error) {
	rows := newRecords(r, name)
	first, line, err := rows.begin("a square matrix of numbers")
	if err != nil {
		return nil, err
	}
	across, down := cloned(first), []string{strings.Clone(first[0])}
	c := newCells(len(first))
	if rows.separator.mark != ',' {
		c.points = make([]int, len(first))
	}
	c.add(first, line)
	err = rows.each(func(row []string, line int) error {
		down = append(down, strings.Clone(row[0]))
		c.add(row, line)
		return nil
	})
	if err != nil {
		return nil, err
	}

	if last := len(across) - 1; last > 0 && !slices.ContainsFunc(c.column(last), func(cell string) bool { return cell != "" }) { // a separator ends all rows
		across, c = across[:last], c.part(permutation.Identity(len(down)), permutation.Identity(last))
	}
	header, ids := labels(c, across, down)
	top, left := 0, 0
	if header {
		top = 1
	}
	if ids {
		left = 1
	}
	s := &square{lines: c.lines[top:]}
	n := len(s.lines)
	switch d := len(across) - left; {
	case n > d:
		return nil, fmt.Errorf("%s: line %d: found row %d, expected %d rows as there are %d columns", name, s.lines[d], d+1, d, d)
	case n < d:
		return nil, fmt.Errorf("%s: line %d, column %d: found column %d, expected %d columns as there are %d rows", name, line, left+n+1, n+1, n, n)
	}
	if ids {
		s.ids = down[top:]
	}
	if header {
		if err := s.join(across[left:], name, line); err != nil {
			return nil, err
		}
	}
	if err := s.checkIDs(name); err != nil {
		return nil, err
	}
	c = c.part(permutation.Identity(len(down))[top:], permutation.Identity(len(across))[left:])
	columns := lists.Make(n, func(j int) string { return cmp.Or(across[left+j], strconv.Itoa(left+j+1)) })
	written, _ := c.plain(rows.separator.mark, columns, make([]bool, n), like)
	s.form = strings.Join(written, ", ")
	values := c.values
	withoutRounding(values)
	for i, row := range values {
		for j, v := range row {
			if i != j && !(v >= 0) {
				return nil, fmt.Errorf("%s: line %d, column %d: %s", name, s.lines[i], left+j+1, badCell(c.cell(i, j), "a number of at least 0"))
			}
		}
	}
	s.values = values
	return s, nil
}

// roundingShare is the part of the largest distance that is 0 up to rounding.
const roundingShare = 1e-9

// withoutRounding replaces negative numbers off the diagonal that are 0 up to rounding by 0, and both
// numbers of a pair that are equal up to rounding by their mean.
func withoutRounding(values [][]float64) {
	largest := 0.0
	for i, row := range values {
		for j, v := range row {
			if i != j && v > largest && !math.IsInf(v, 1) { // not NaN
				largest = v
			}
		}
	}
	for i, row := range values {
		for j := range i {
			a, b := &row[j], &values[j][i]
			for _, v := range []*float64{a, b} {
				if *v < 0 && *v >= -roundingShare*largest {
					*v = 0
				}
			}
			if *a != *b && math.Abs(*a-*b) <= roundingShare*min(largest, max(*a, *b, roundingShare*largest)) {
				*a += (*b - *a) / 2
				*b = *a
			}
		}
	}
}

// labels reports whether the first line and the first column of a file hold names. Names
// are text, or numbers if nothing else explains the shape of the file.
func labels(c *cells, across, down []string) (header, ids bool) {
	n, d := len(down), len(across)
	isText := func(cells []string) bool {
		c, _, _ := contentsOf(cells)
		return c == text && !slices.ContainsFunc(cells, decimalComma)
	}
	textAcross, textDown := isText(across[1:]), isText(down[1:])
	switch {
	case n == d:
		// Both hold names or neither does. The corner of a matrix without names is on
		// its diagonal and may hold anything. A symmetric matrix has an equal first
		// line and column that are not names.
		_, corner := number(across[0])
		_, diagonal := c.number(min(1, n-1), min(1, n-1))
		both := !corner && (textAcross || textDown || diagonal && slices.Equal(across, down))
		return both, both
	case n == d+1 && !textDown:
		return isText(across) || counts(across), false
	case d == n+1 && !textAcross:
		return false, isText(down) || counts(down)
	}
	return textAcross, textDown
}

// counts reports whether the labels only count: 1, 2, ... after a common prefix that ends in no digit.
func counts(labels []string) bool {
	if len(labels) == 0 {
		return false
	}
	prefix, ok := strings.CutSuffix(labels[0], "1")
	ok = ok && strings.TrimRight(prefix, "0123456789") == prefix
	for i, l := range labels {
		ok = ok && l == prefix+strconv.Itoa(i+1)
	}
	return ok
}

// join combines the names of the first line, on the given line, with those of the first
// column if there are any.
func (s *square) join(across []string, name string, line int) error {
	switch {
	case s.ids == nil || counts(s.ids) && !counts(across):
		s.ids = across
	case counts(across):
	default:
		for i, id := range s.ids {
			if across[i] != id {
				return fmt.Errorf("%s: line %d, column %d: found %s, expected %s as in line %d", name, line, i+2, hint.Quoted(across[i]), hint.Quoted(id), s.lines[i])
			}
		}
	}
	return nil
}

// checkIDs returns an error for a repeated name.
func (s *square) checkIDs(name string) error {
	seen := make(map[string]int, len(s.ids))
	for i, id := range s.ids {
		if before, ok := seen[id]; ok {
			return fmt.Errorf("%s: line %d: found the name %s as in line %d, expected distinct names", name, s.lines[i], hint.Quoted(id), s.lines[before])
		}
		seen[id] = i
	}
	return nil
}
