package dataset

// Tables of items: named columns, a row for each item.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/names"
	"aibd/internal/permutation"
	"aibd/internal/words"
)

// Table holds N >= 1 items with their columns, in the order of the file. Cells that are not
// numbers stay text; methods that return numbers return errors for them, so that unused
// columns may hold anything. A Table is immutable and takes about eight bytes for each
// number.
type Table struct {
	Name          string   // of the file, as errors give it
	IDColumn      string   // name of the column of ids; may be empty, as in files from R
	IDs           []string // distinct names of the items; nil if the file has none
	Numbered      bool     // IDs are the numbers of the items in a table of which this is a sample
	Columns       []string // distinct names of the other columns, at least one
	NumericHeader bool     // names of columns are numbers, and the rows prove that they are names
	EmptyRows     int      // number of empty rows at the end of the file; they are not items
	Form          string   // how the file differs from CSV with commas, decimal points and UTF-8, in words
	numbers       []string // see Numbers
	decimals      Decimals
	none          bool         // no column has ids, by request
	cells         *cells       // N x columns
	columnIndex   *names.Index // of Columns
}

// None is the idColumn of a table without ids.
const None = "-"

// ReadTable reads a table from CSV text: a header line with the names of the
// columns, then a line for each item. Errors begin with name and give line, column, what
// was found and what was expected.
//
// idColumn is the name of the column of ids, or None. If idColumn is empty, the first column
// holds ids if its name is empty (row names written by R), or if it is called id, name, subject
// or state or holds text, is not the only column, and more than half of its cells are distinct.
// Ids are the text of the file.
//
// Cells that are empty or in MissingMarks are missing.
//
// Names of columns that are numbers are taken for a first row without a header, which is ErrHeader,
// unless they are ascending years or the column of ids has an empty name, a name as above, or any name
// beside three numbers or more that ascend.
func ReadTable(r io.Reader, name, idColumn string, options ...Option) (*Table, error) {
	return readTable(r, name, func([]string) (string, bool) { return idColumn, false }, options)
}

// ErrHeader is the error of a table without a header.
var ErrHeader = errors.New("found numbers, expected a header with the names of the columns")

// Option is an option of ReadTable and ReadNamed.
type Option func(*reading)

type reading struct {
	marks  []string
	header bool
	like   Decimals
}

// Marks makes cells missing that equal one of the marks, as text or as a number, except in the
// column of ids.
func Marks(marks ...string) Option { return func(o *reading) { o.marks = marks } }

// Header makes the first line a header, also if it has numbers only.
func Header(header bool) Option { return func(o *reading) { o.header = header } }

// Like makes numbers whose mark may be decimal or between thousands, such as 1.234, follow another table.
func Like(d Decimals) Option { return func(o *reading) { o.like = d } }

// Decimals returns how the table writes decimals, and where it does not say, those of the table that it is Like.
func (t *Table) Decimals() Decimals { return t.decimals }

// ReadNamed reads a table of items that are named as in another table. If the file has the
// given column, it holds the ids. If numbers is set, as by NamedByNumbers, the column stays in
// Columns. Otherwise ReadNamed is ReadTable with an empty idColumn, or None if the column is None.
func ReadNamed(r io.Reader, name, column string, numbers bool, options ...Option) (*Table, error) {
	return readTable(r, name, func(header []string) (string, bool) {
		switch {
		case slices.Contains(header, column):
			return column, numbers
		case column == None:
			return None, false
		}
		return "", false
	}, options)
}

// readTable reads a table whose header decides which idColumn it has, and whether that column
// holds data too.
func readTable(r io.Reader, name string, ids func(header []string) (idColumn string, data bool), options []Option) (*Table, error) {
	var o reading
	for _, set := range options {
		set(&o)
	}
	rows := newRecords(r, name)
	header, first, err := rows.begin("a header line and a line for each item")
	if err != nil {
		return nil, err
	}
	width := len(header)
	for width > 1 && header[width-1] == "" { // columns of empty cells, as spreadsheets write them
		width--
	}
	empty := len(header) - width
	header = header[:width]
	idColumn, data := ids(header)
	t := &Table{Name: name, Columns: cloned(header), none: idColumn == None}
	header = t.Columns
	id, err := t.header(idColumn, first, o.header)
	if err != nil {
		return nil, err
	}
	if err := t.read(rows, first, id, data, o.marks); err != nil {
		return nil, err
	}
	if len(header) > 1 {
		t.EmptyRows = t.dropEmptyEnd()
	}
	begin := header // of cells
	if id >= 0 && !data {
		begin = slices.Delete(slices.Clone(header), id, id+1)
	}
	changed := t.convert(rows, begin, o.like)
	if empty > 0 {
		t.Form = strings.TrimPrefix(t.Form+", "+words.Plural(empty, "empty column")+" at the end left out", ", ")
	}
	switch {
	case t.N() == 0:
		return nil, fmt.Errorf("%s: line %d: found a header and no rows, expected a line for each item", name, first)
	case id < noID && changed[0]: // numbers
		id = noID
	case id < noID:
		if id, err = t.findID(id == namedID); err != nil {
			return nil, err
		}
	}
	switch {
	case id < 0:
		t.numbers, t.IDs = wholeNumbers(t.IDs), nil
	case data:
		t.IDColumn = header[id]
	case len(header) == 1:
		return nil, fmt.Errorf("%s: line %d: found only the column %q of ids, expected other columns beside it", name, first, header[0])
	default:
		t.IDColumn, t.Columns = header[id], slices.Delete(slices.Clone(header), id, id+1)
	}
	t.columnIndex = names.NewIndex(t.Columns)
	if t.NumericHeader && t.numbers == nil && len(lists.Positions(t.IDs)) < t.N() {
		return nil, fmt.Errorf("%s: line %d: %w", name, first, ErrHeader)
	}
	if id < 0 {
		return t, nil
	}
	return t, t.distinct(place(header, id))
}

// Values for the number of the column of ids.
const (
	noID      = -1
	unknownID = -2 // the first column if it holds distinct text
	namedID   = -3 // the first column if it holds distinct cells
)

// header checks the names of the columns, on the given line, and returns the number of the
// column of ids.
func (t *Table) header(idColumn string, line int, given bool) (id int, err error) {
	header := t.Columns
	for _, c := range header {
		if strings.Contains(c, "\r") {
			return 0, fmt.Errorf("%s: line %d: found a carriage return in the name of a column, expected lines that end in LF or CR LF", t.Name, line)
		}
	}
	id = unknownID
	switch strings.ToLower(header[0]) {
	case "":
		id = 0
	case "id", "name", "subject", "state":
		id = namedID
	default:
		if len(header) == 1 {
			id = noID
		}
	}
	if t.NumericHeader = !given && !namesColumns(header); t.NumericHeader && !besideNames(header, id == unknownID && idColumn != header[0]) {
		return 0, fmt.Errorf("%s: line %d: %w", t.Name, line, ErrHeader)
	}
	switch idColumn {
	case "":
	case None:
		id = noID
	default:
		if id = slices.Index(header, idColumn); id < 0 {
			return 0, fmt.Errorf("%s: %w", t.Name, hint.Unknown("column", idColumn, header))
		}
	}
	seen := make(map[string]int, len(header))
	for j, c := range header {
		if c == "" && j != id {
			return 0, fmt.Errorf("%s: line %d, column %d: found no name, expected the name of the column", t.Name, line, j+1)
		}
		if twin, ok := seen[c]; ok {
			return 0, fmt.Errorf("%s: line %d, column %d: found %s as in column %d, expected distinct names", t.Name, line, j+1, hint.Quoted(c), twin+1)
		}
		seen[c] = j
	}
	return id, nil
}

// read reads the rows. It puts the column of ids in IDs, and in cells too if it holds data. It
// puts the first column, if it may hold ids, in IDs and cells. Columns at the end without a name, on the given line, must be
// empty.
func (t *Table) read(rows *records, header, id int, data bool, marks []string) error {
	t.cells = newCells(len(t.Columns))
	if id >= 0 && !data {
		t.cells = newCells(len(t.Columns) - 1)
	}
	if rows.separator.mark != ',' {
		t.cells.points = make([]int, len(t.cells.text))
	}
	width := len(t.Columns)
	return rows.each(func(row []string, line int) error {
		if j := slices.IndexFunc(row[width:], func(cell string) bool { return cell != "" }); j >= 0 {
			title := ""
			if width == 1 {
				title = fmt.Sprintf("; line %d holds %s: is it a title above the header?", header, hint.Quoted(t.Columns[0]))
			}
			return fmt.Errorf("%s: line %d, column %d: found no name, expected the name of the column%s", t.Name, header, width+j+1, title)
		}
		row = row[:width]
		unmarked := noID // the cell that is an id
		switch {
		case id >= 0:
			t.IDs = append(t.IDs, strings.Clone(row[id]))
			if data {
				unmarked = id
			} else {
				row = slices.Delete(row, id, id+1)
			}
		case id < noID:
			t.IDs = append(t.IDs, strings.Clone(row[0]))
		}
		if len(marks) > 0 {
			for j, cell := range row {
				if j != unmarked && slices.ContainsFunc(marks, func(mark string) bool { return equals(cell, mark) }) {
					row[j] = MissingMarks[0]
				}
			}
		}
		t.cells.add(row, line)
		return nil
	})
}

// equals reports whether two cells are the same text or the same number.
func equals(a, b string) bool {
	x, isNumber := number(a)
	y, areNumbers := number(b)
	return a == b || isNumber && areNumbers && x == y
}

// cloned copies cells so that they outlive their row.
func cloned(row []string) []string {
	return lists.Map(row, strings.Clone)
}

// namesColumns reports whether a first line is a header rather than a first item of
// numbers. Names may be years: whole numbers from 1000 in ascending order.
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

// dropEmptyEnd removes the rows at the end that have only empty cells, as spreadsheets write them,
// and returns their number.
func (t *Table) dropEmptyEnd() int {
	dropped := 0
	for n := t.N(); n > 0 && (t.IDs == nil || t.IDs[n-1] == "") && t.cells.emptyEnd(); n-- {
		t.cells.dropLast()
		if t.IDs != nil {
			t.IDs = t.IDs[:n-1]
		}
		dropped++
	}
	return dropped
}

// besideNames reports whether a line of distinct numbers behind its first cell may be a header, if the
// first column turns out to name the rows. If the line may as well be the first item, it must have at
// least three numbers, and they must ascend.
func besideNames(header []string, orItem bool) bool {
	if _, ok := number(header[0]); ok {
		return false
	}
	values, ascend, last := map[float64]bool{}, len(header) > 3, math.Inf(-1)
	for _, name := range header[1:] {
		v, _ := number(name)
		ascend, last = ascend && v > last, v
		values[v] = true
	}
	return len(values) == len(header)-1 && (!orItem || ascend)
}

// findID decides whether the first column holds ids. If so, it removes the column from the
// cells. A column called like ids may hold numbers.
func (t *Table) findID(named bool) (id int, err error) {
	c, firstText, firstNumber := contentsOf(t.IDs)
	if named {
		c = text
	}
	if c == mixed { // perhaps by marks, which cells lack, or by limits
		cells := t.cells.column(0)
		for i, cell := range cells {
			if _, _, _, ok := limit(cell); ok {
				cells[i] = MissingMarks[0]
			}
		}
		c, firstText, _ = contentsOf(cells)
	}
	switch c {
	case numbers:
		return noID, nil
	case mixed:
		// A typing error must not turn a column of data into ids.
		lines := t.cells.lines
		return 0, fmt.Errorf("%s: line %d, %s: found %s, expected a number as in line %d (or name the column as the id column)%s", t.Name, lines[firstText], place(t.Columns, 0), hint.Quoted(t.IDs[firstText]), lines[firstNumber], t.asksForUnits(firstText))
	}
	if len(t.Columns) > 1 && 2*len(lists.Positions(t.IDs)) <= t.N() { // groups rather than names
		return noID, nil
	}
	t.cells.dropFirst()
	return 0, nil
}

// place names column j of a file in an error message.
func place(header []string, j int) string {
	if header[j] == "" {
		return fmt.Sprintf("column %d", j+1)
	}
	return "column " + hint.Quoted(header[j])
}

// N returns the number of items.
func (t *Table) N() int { return len(t.cells.lines) }

// Where returns the place of a cell for an error: the file, the line of item i, counted from 0, and the column. If
// column is empty, it returns the place of the row.
func (t *Table) Where(i int, column string) string {
	place := fmt.Sprintf("%s: line %d", t.Name, t.cells.lines[i])
	if column != "" {
		place += ", column " + hint.Quoted(column)
	}
	return place
}

// Has reports whether the table has a column of data with the given name.
func (t *Table) Has(column string) bool {
	_, ok := t.Written(column)
	return ok
}

// Written returns the name of a column of data as the table has it, maybe in another Unicode form, and whether there is
// one.
func (t *Table) Written(column string) (string, bool) {
	j, _, ok := t.columnIndex.Find(column)
	if !ok {
		return "", false
	}
	return t.Columns[j], true
}

// index returns the number of a column.
func (t *Table) index(column string) (int, error) {
	j, _, ok := t.columnIndex.Find(column)
	switch {
	case ok:
		return j, nil
	case t.IDs != nil && column == t.IDColumn:
		return 0, fmt.Errorf("%s: column %q holds the ids, expected a column of data", t.Name, column)
	}
	return 0, fmt.Errorf("%s: %w", t.Name, hint.Unknown("column", column, t.Columns))
}

// Strings returns the N cells of a column as text. Finite numbers have the shortest form
// that parses to the same value: 1.50 becomes 1.5.
func (t *Table) Strings(column string) ([]string, error) {
	j, err := t.index(column)
	if err != nil {
		return nil, err
	}
	return t.cells.column(j), nil
}

// Different returns the different values of a column as Strings does, without missing cells, in the
// order of the rows. It stops after limit+1 values.
func (t *Table) Different(column string, limit int) ([]string, error) {
	j, err := t.index(column)
	if err != nil {
		return nil, err
	}
	var texts []string
	numbers := map[float64]bool{}
	for i := 0; i < t.N() && len(texts) <= limit; i++ {
		if v, ok := t.cells.number(i, j); ok {
			if numbers[v] {
				continue
			}
			numbers[v] = true
		}
		if cell := t.cells.cell(i, j); !IsMissing(cell) && !slices.Contains(texts, cell) {
			texts = append(texts, cell)
		}
	}
	return texts, nil
}

// Labels returns the N cells of a column as Strings does, and an error if one is missing.
func (t *Table) Labels(column string) ([]string, error) {
	j, err := t.index(column)
	if err != nil {
		return nil, err
	}
	labels := t.cells.column(j)
	for i, label := range labels {
		if IsMissing(label) {
			return nil, fmt.Errorf("%s: %s", t.Where(i, column), badCell(label, "a label"))
		}
	}
	return labels, nil
}

// Float returns the N values of a column, and an error if one is not a finite number.
func (t *Table) Float(column string) ([]float64, error) {
	j, err := t.index(column)
	if err != nil {
		return nil, err
	}
	values := make([]float64, t.N())
	for i := range values {
		if values[i], err = t.finite(i, j); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Floats returns the values of D columns, N x D, with the errors of Float. The rows share
// one array: x[0][:N*D] is all of it if D > 0.
func (t *Table) Floats(columns []string) ([][]float64, error) { return t.floats(columns, false) }

// Observations returns the values as Floats does, but NaN for missing cells.
func (t *Table) Observations(columns []string) ([][]float64, error) { return t.floats(columns, true) }

// Interval says that a cell is between two values, one of which is infinite. The other can be the value of the
// cell if AtEnd.
type Interval struct {
	Item, Column int // of the columns asked for
	Lower, Upper float64
	AtEnd        bool
}

// Limited returns the values as Observations does, with NaN for cells that are limits,
// such as <0.5, <=0.5, >100 and >=100, and these limits.
func (t *Table) Limited(columns []string) (x [][]float64, limits []Interval, err error) {
	u := *t
	u.cells = &cells{values: t.cells.values, text: make([][]string, len(t.cells.text)), lines: t.cells.lines}
	for j, text := range t.cells.text {
		u.cells.text[j] = slices.Clone(text)
	}
	for k, column := range columns {
		j, err := t.index(column)
		if err != nil {
			return nil, nil, err
		}
		for i, text := range t.cells.text[j] {
			if lower, upper, atEnd, ok := limit(text); ok {
				limits = append(limits, Interval{i, k, lower, upper, atEnd})
				u.cells.text[j][i] = ""
			}
		}
	}
	x, err = u.floats(columns, true)
	return x, limits, err
}

// limit returns the range of the values of a cell such as <0.5, and whether the end is one of them, as in <=0.5.
func limit(cell string) (lower, upper float64, atEnd, ok bool) {
	lower, upper = math.Inf(-1), math.Inf(1)
	for sign, end := range map[string]*float64{"<": &upper, ">": &lower} {
		if value, hasSign := strings.CutPrefix(cell, sign); hasSign {
			value, atEnd = strings.CutPrefix(value, "=")
			v, isNumber := number(strings.TrimSpace(value))
			*end = v
			return lower, upper, atEnd, isNumber && !math.IsInf(v, 0)
		}
	}
	return lower, upper, false, false
}

func (t *Table) floats(columns []string, gaps bool) ([][]float64, error) {
	numbers := make([]int, len(columns))
	for k, c := range columns {
		var err error
		if numbers[k], err = t.index(c); err != nil {
			return nil, err
		}
	}
	x, all := make([][]float64, t.N()), make([]float64, t.N()*len(columns))
	for i := range x {
		x[i] = all[i*len(columns) : (i+1)*len(columns)]
		for k, j := range numbers {
			var err error
			if x[i][k], err = t.finite(i, j); err != nil {
				if !gaps || !IsMissing(t.cells.cell(i, j)) {
					return nil, err
				}
				x[i][k] = math.NaN()
			}
		}
	}
	return x, nil
}

// finite returns the number in a cell, or an error.
func (t *Table) finite(i, j int) (float64, error) {
	v, ok := t.cells.number(i, j)
	if !ok || math.IsInf(v, 0) {
		cell, expected := t.cells.cell(i, j), "a finite number"
		if v, ok := number(cell); ok && !math.IsInf(v, 0) { // see cells.rewrite
			expected += " with a decimal comma, as in other rows"
		}
		return 0, fmt.Errorf("%s: %s%s", t.Where(i, t.Columns[j]), badCell(cell, expected), t.asksForUnits(i))
	}
	return v, nil
}

// asksForUnits returns what to ask about an error in row i, if that is the first one and has text in at least two
// columns, one of them otherwise of numbers, and no number in its row.
func (t *Table) asksForUnits(i int) string {
	texts, amongNumbers := 0, false
	for j, v := range t.cells.values[0] {
		switch {
		case i > 0 || !math.IsNaN(v):
			return ""
		case !IsMissing(t.cells.text[j][0]):
			texts++
			amongNumbers = amongNumbers || !t.cells.isText(j)
		}
	}
	if texts < 2 || !amongNumbers {
		return ""
	}
	return fmt.Sprintf("; is line %d a row of units?", t.cells.lines[0])
}

// NumericColumns returns the columns of numbers in the order of the table: those with at least as many
// numbers as different texts, and those with only missing values. Float reports a text in such a column
// as an error; omitting the column would hide it.
func (t *Table) NumericColumns() []string {
	var columns []string
	for j, name := range t.Columns {
		if !t.cells.isText(j) {
			columns = append(columns, name)
		}
	}
	return columns
}

// Select returns the columns that match any of the patterns, in the order of the table, each
// once. A pattern is the name of a column or a shell pattern as in path.Match, with [!a] for [^a]:
// "*SA" matches all names that end in SA. A pattern that matches no column is an error.
func (t *Table) Select(patterns ...string) ([]string, error) {
	chosen, err := match(t.Columns, patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	var columns []string
	for j, c := range t.Columns {
		if chosen[j] {
			columns = append(columns, c)
		}
	}
	return columns, nil
}

// match reports for each column whether any pattern matches it.
func match(columns, patterns []string) ([]bool, error) {
	chosen, index := make([]bool, len(columns)), names.NewIndex(columns)
	for _, p := range patterns {
		if j, _, ok := index.Find(p); ok {
			chosen[j] = true
			continue
		}
		matches, shell := false, withCaret(p)
		for j, c := range columns {
			ok, err := path.Match(shell, c)
			if err != nil {
				return nil, fmt.Errorf("found the column pattern %q, expected a name or a shell pattern", p)
			}
			if ok {
				chosen[j], matches = true, true
			}
		}
		switch {
		case matches:
		case strings.ContainsAny(p, `*?[\`):
			return nil, fmt.Errorf("no column matches the pattern %q", p)
		case p == "all":
			return nil, errors.New("unknown column \"all\", did you mean \"*\"?")
		default:
			return nil, hint.Unknown("column", p, columns)
		}
	}
	return chosen, nil
}

// withCaret returns a pattern of path.Match for one of a shell, where [!a] is [^a].
func withCaret(pattern string) string {
	b, inClass := []byte(pattern), false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\':
			i++
		case b[i] == ']':
			inClass = false
		case b[i] == '[' && !inClass:
			if inClass = true; i+1 < len(b) && b[i+1] == '!' {
				b[i+1] = '^'
			}
		}
	}
	return string(b)
}

// columns returns the table of the given columns, which must exist.
func (t *Table) columns(columns ...string) *Table {
	s := *t
	numbers, _ := t.columnIndex.Match(columns)
	s.Columns, s.cells, s.columnIndex = columns, t.cells.part(permutation.Identity(t.N()), numbers), names.NewIndex(columns)
	return &s
}
