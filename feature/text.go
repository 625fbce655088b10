package feature

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// ReadText reads a matrix Z in text form: a line an item, entries 0 and 1,
// separated by commas, semicolons, blanks or tabs, or by nothing. Lines that
// begin with # are comments. In an allocation without features every item is
// the line "-". Errors start with name and give line, column, what was found
// and what was expected.
func ReadText(r io.Reader, name string) (*Allocation, error) {
	var rows [][]byte // digits
	first := 0        // line of the first row
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	line := 1
	for ; s.Scan(); line++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(s.Bytes(), []byte("\ufeff")))
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		row, err := digits(text)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d, %w", name, line, err)
		}
		if len(rows) == 0 {
			first = line
		} else if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("%s: line %d has %d entries, expected %d as in line %d", name, line, len(row), len(rows[0]), first)
		}
		rows = append(rows, row)
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s: line %d: found a line of more than %d MB, expected a line of 0 and 1 for each item: %w", name, line, maxLine>>20, err)
	case err != nil:
		return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
	case len(rows) == 0:
		return nil, fmt.Errorf("%s: found no rows, expected a line of 0 and 1 for each item", name)
	}
	a, err := fromRows(rows, '1')
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// maxLine is the max length of a line in bytes.
const maxLine = 1 << 24

// digits returns the entries of a line as digits 0 and 1. Its error names the column of
// another entry.
func digits(text []byte) ([]byte, error) {
	row := []byte{}
	if string(text) == "-" {
		return row, nil
	}
	separated := false // by a comma or semicolon, which an entry must follow
	for at, c := range string(text) {
		switch c {
		case ' ', '\t':
		case ',', ';':
			if separated || len(row) == 0 {
				return nil, fmt.Errorf("column %d: found nothing, expected 0 or 1", len(row)+1)
			}
			separated = true
		case '0', '1':
			separated = false
			row = append(row, byte(c))
		default:
			if _, size := utf8.DecodeRune(text[at:]); c == utf8.RuneError && size == 1 {
				return nil, fmt.Errorf("column %d: found the byte 0x%02x, expected 0 or 1", len(row)+1, text[at])
			}
			return nil, fmt.Errorf("column %d: found %q, expected 0 or 1", len(row)+1, c)
		}
	}
	if separated {
		return nil, fmt.Errorf("column %d: found nothing, expected 0 or 1", len(row)+1)
	}
	return row, nil
}

// WriteText writes the matrix in a form that ReadText reads: entries separated
// by commas, a line an item.
func WriteText(w io.Writer, a *Allocation) error {
	line := []byte{}
	for i := range a.n {
		line = a.appendRow(line[:0], i, ",")
		if a.k == 0 {
			line = append(line, '-')
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendRow appends the entries of item i to dst.
func (a *Allocation) appendRow(dst []byte, i int, separator string) []byte {
	for k := range a.k {
		if k > 0 {
			dst = append(dst, separator...)
		}
		entry := byte('0')
		if a.Has(i, k) {
			entry = '1'
		}
		dst = append(dst, entry)
	}
	return dst
}
