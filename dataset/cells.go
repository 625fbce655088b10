package dataset

// Cells in memory: eight bytes for a finite number, and text for other cells.

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"

	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/words"
)

// cells holds rows of cells, all of the same length.
type cells struct {
	values [][]float64 // by row; NaN where a cell is not a number
	// text holds, by column, the text of cells that are not finite numbers and "" for
	// others. It is nil if all cells of the column are finite numbers.
	text  [][]string
	lines []int // line of each row in the file
	// points holds, by column, the first row with a point that is decimal for sure, from 1. Until then, numbers such as
	// 17.455 are kept as text: their point may separate thousands. It is nil if no point does.
	points []int
}

func newCells(columns int) *cells { return &cells{text: make([][]string, columns)} }

// add appends a copy of a row.
func (c *cells) add(row []string, line int) {
	values := make([]float64, len(row))
	for j, cell := range row {
		v, ok := number(cell)
		if ok && c.points != nil && c.points[j] == 0 && strings.Contains(cell, ".") {
			if f, _ := formOf(cell); f.either {
				ok = false
			} else {
				c.points[j] = len(c.lines) + 1
			}
		}
		if !ok {
			v = math.NaN()
		}
		values[j] = v
		text, finite := c.text[j], ok && !math.IsInf(v, 0)
		switch {
		case !finite:
			if text == nil {
				text = make([]string, len(c.lines), len(c.lines)+1)
			}
			if last := len(text) - 1; last >= 0 && text[last] == cell {
				cell = text[last]
			} else {
				cell = strings.Clone(cell) // do not keep the whole row
			}
			c.text[j] = append(text, cell)
		case text != nil:
			c.text[j] = append(text, "")
		}
	}
	c.values, c.lines = append(c.values, values), append(c.lines, line)
}

// number returns the value of a cell and whether the cell is a number.
func (c *cells) number(i, j int) (float64, bool) {
	v := c.values[i][j]
	return v, !math.IsNaN(v)
}

// cell returns a cell as text: a finite number in the shortest form that parses to the same
// value, other text as in the file.
func (c *cells) cell(i, j int) string {
	v := c.values[i][j]
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return c.text[j][i]
	}
	return words.Exact(v)
}

// column returns the cells of column j as text.
func (c *cells) column(j int) []string {
	return lists.Make(len(c.lines), func(i int) string { return c.cell(i, j) })
}

// part returns the given rows and columns in the given order, or all columns if columns is
// nil.
func (c *cells) part(rows, columns []int) *cells {
	if columns == nil {
		columns = permutation.Identity(len(c.text))
	}
	p := newCells(len(columns))
	for _, i := range rows {
		values := lists.Pick(c.values[i], columns)
		p.values, p.lines = append(p.values, values), append(p.lines, c.lines[i])
	}
	for k, j := range columns {
		if text := c.text[j]; text != nil {
			for _, i := range rows {
				p.text[k] = append(p.text[k], text[i])
			}
		}
	}
	if c.points != nil {
		p.points = lists.Map(columns, func(j int) int { return 1 + slices.Index(rows, c.points[j]-1) })
	}
	return p
}

// dropFirst removes the first column.
func (c *cells) dropFirst() {
	c.text = c.text[1:]
	for i, row := range c.values {
		c.values[i] = row[1:]
	}
}

// emptyEnd reports whether the last row has only empty cells.
func (c *cells) emptyEnd() bool {
	last := len(c.lines) - 1
	for j, v := range c.values[last] {
		if !math.IsNaN(v) || c.text[j][last] != "" {
			return false
		}
	}
	return true
}

// dropLast removes the last row.
func (c *cells) dropLast() {
	last := len(c.lines) - 1
	c.values, c.lines = c.values[:last], c.lines[:last]
	for j, text := range c.text {
		if text != nil {
			c.text[j] = text[:last]
		}
	}
}

// isText reports whether column j holds text: no number, more different texts than numbers, or at
// least as many kinds of text as of numbers, in a tenth of the cells, such as 4, f, r. Limits count as
// numbers if there is one, and so do texts that begin like numbers, such as 1,234,567 and 5%: they are
// errors to report.
func (c *cells) isText(j int) bool {
	if c.text[j] == nil {
		return false
	}
	texts, kinds, cells, numbers, alike := map[string]bool{}, map[float64]bool{}, 0, 0, 0
	for i, text := range c.text[j] {
		v, isNumber := c.number(i, j)
		switch _, _, _, isLimit := limit(text); {
		case isNumber || decimalComma(text):
			numbers++
			kinds[v] = true
		case isLimit || startsAsNumber.MatchString(text):
			alike++
		case !IsMissing(text):
			texts[text] = true
			cells++
		}
	}
	if numbers == 0 {
		return len(texts)+alike > 0
	}
	return len(texts) > numbers+alike || alike == 0 && cells >= minTextCells && 10*cells >= len(c.lines) && len(texts) >= len(kinds)
}

// minTextCells is the number of cells from which on text is no typing error.
const minTextCells = 3

var startsAsNumber = regexp.MustCompile(`^[-+]?\.?[0-9]`)

// contents classifies a column.
type contents int

const (
	numbers contents = iota // no text; values may be missing
	text                    // text and no number
	mixed                   // both
)

// contentsOf classifies cells and returns the index of the first text and of the first
// number, -1 for none.
func contentsOf(cells []string) (c contents, firstText, firstNumber int) {
	firstText, firstNumber = -1, -1
	for i, cell := range cells {
		if _, ok := number(cell); ok {
			if firstNumber < 0 {
				firstNumber = i
			}
		} else if !IsMissing(cell) && firstText < 0 {
			firstText = i
		}
	}
	switch {
	case firstText < 0:
		return numbers, firstText, firstNumber
	case firstNumber < 0:
		return text, firstText, firstNumber
	}
	return mixed, firstText, firstNumber
}

// Extent is the size of a table.
type Extent struct {
	Rows, Columns int   // columns include the column of ids
	Bytes         int64 // memory of a Table
}

// Extrapolate estimates the extent of a CSV file of size bytes that begins with sample. It
// returns the zero Extent if the sample is not CSV text with a header and a row.
func Extrapolate(sample []byte, size int64) Extent {
	if int64(len(sample)) < size {
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	r := newRecords(bytes.NewReader(sample), "")
	header, _, err := r.read()
	if err != nil {
		return Extent{}
	}
	begin := r.csv.InputOffset()
	held, columns := newCells(len(header)), len(header)
	for {
		row, line, err := r.read()
		if err != nil {
			break // the end of the sample cuts a row, or ReadTable will report the error
		}
		held.add(row, line)
	}
	read := r.csv.InputOffset() - begin
	if len(held.lines) == 0 || read == 0 {
		return Extent{}
	}
	scale := max(1, float64(size-begin)/float64(read))
	return Extent{
		Rows:    int(math.Round(scale * float64(len(held.lines)))),
		Columns: columns,
		Bytes:   int64(scale * float64(held.size())),
	}
}

// size estimates the memory of the cells in bytes.
func (c *cells) size() int64 {
	const slice, word = 24, 16 // of a slice, and of a string without its text
	rows := int64(len(c.lines))
	sum := rows * (slice + 8 + 8*int64(len(c.text)))
	for _, column := range c.text {
		for i, text := range column {
			sum += word
			if i == 0 || column[i-1] != text {
				sum += int64(len(text)+7) &^ 7
			}
		}
	}
	return sum
}
