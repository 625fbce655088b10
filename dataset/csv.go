package dataset

// CSV text as rows of cells with their line numbers, checked for what every
// reader here relies on: UTF-8, no torn quotes, rows of equal length.

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readCSV returns the rows of a CSV file, blanks around the cells removed, and
// the line on which each row begins. A byte order mark and blank lines are
// skipped. An empty file has no rows.
func readCSV(r io.Reader, name string) (rows [][]string, lines []int, err error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		line := 1
		for s := content; ; {
			c, size := utf8.DecodeRune(s)
			if c == utf8.RuneError && size == 1 {
				return nil, nil, fmt.Errorf("%s: line %d: found the byte 0x%02x, expected text in UTF-8", name, line, s[0])
			}
			if c == '\n' {
				line++
			}
			s = s[size:]
		}
	}
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord = -1
	reader.TrimLeadingSpace = true
	next := 0 // line after the last row, where the rows have one cell
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return rows, lines, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err) // names the line
		}
		line, _ := reader.FieldPos(0)
		switch {
		case len(rows) > 0 && len(row) != len(rows[0]):
			return nil, nil, fmt.Errorf("%s: line %d: found %d cells, expected %d as in line %d", name, line, len(row), len(rows[0]), lines[0])
		case len(rows) > 0 && len(row) == 1 && line != next:
			// A blank line is an empty cell here, which the reader has skipped.
			return nil, nil, fmt.Errorf("%s: line %d: found a blank line, expected a cell: missing values are not supported, remove or impute them", name, next)
		}
		next = line + 1 + strings.Count(row[0], "\n")
		for j := range row {
			row[j] = strings.TrimSpace(row[j])
		}
		rows, lines = append(rows, row), append(lines, line)
	}
}

// missing reports whether a cell stands for a value that is not there.
func missing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "na", "nan", "n/a", "null", ".", "?":
		return true
	}
	return false
}

// number returns the value of a cell and whether it has one: infinities do,
// NaN does not. Numbers beyond the range of a float64 become infinite.
func number(cell string) (float64, bool) {
	if missing(cell) {
		return 0, false
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// badCell says what is wrong with a cell that should hold the expected.
func badCell(cell, expected string) string {
	s := fmt.Sprintf("found %q, expected %s", cell, expected)
	if missing(cell) {
		s += ": missing values are not supported, remove or impute them"
	}
	return s
}

// contents tells columns of numbers from columns of text.
type contents int

const (
	numbers contents = iota // no text; missing values count as numbers to come
	text                    // text and no number
	mixed                   // both
)

// contentsOf returns what the cells hold and, of mixed ones, the first text and
// the first number.
func contentsOf(cells []string) (c contents, firstText, firstNumber int) {
	firstText, firstNumber = -1, -1
	for i, cell := range cells {
		if _, ok := number(cell); ok {
			if firstNumber < 0 {
				firstNumber = i
			}
		} else if !missing(cell) && firstText < 0 {
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

// cellsOf returns the cells of column j.
func cellsOf(rows [][]string, j int) []string {
	cells := make([]string, len(rows))
	for i, row := range rows {
		cells[i] = row[j]
	}
	return cells
}
