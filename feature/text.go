package feature

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// ReadText reads one matrix Z in the text form of ReadTexts.
func ReadText(r io.Reader, name string) (*Allocation, error) {
	all, err := ReadTexts(r, name)
	return only(all, err, name)
}

// only returns the only one of the matrices of a file, or the error.
func only[M any](all []M, err error, name string) (one M, _ error) {
	if err == nil && len(all) > 1 {
		err = fmt.Errorf("%s: found %d matrices, separated by blank lines, expected one", name, len(all))
	}
	if err != nil {
		return one, err
	}
	return all[0], nil
}

// ReadTexts reads matrices Z, at least one, in text form: a line an item, entries 0 and 1,
// separated by commas, semicolons, blanks or tabs, or by nothing. Blank lines separate
// matrices. Lines that begin with # are comments. In an allocation without features every
// item is the line "-". A matrix may have a line of column names and names of its rows, as R's
// write.csv and write.table write them. Errors start with name and give line, column, what
// was found and what was expected.
func ReadTexts(r io.Reader, name string) ([]*Allocation, error) {
	var all []*Allocation
	var rows [][]byte // digits of the matrix under way
	first := 0        // line of its first row
	head := []byte(nil)
	end := func() error {
		if len(rows) == 0 {
			return nil
		}
		a, err := fromRows(rows, '1')
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all, rows, head = append(all, a), nil, nil
		return nil
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	line := 1
	for ; s.Scan(); line++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(s.Bytes(), []byte("\ufeff")))
		switch {
		case len(text) == 0:
			if err := end(); err != nil {
				return nil, err
			}
			continue
		case text[0] == '#':
			continue
		case head == nil && len(rows) == 0 && isHead(text):
			head = bytes.Clone(text)
			continue
		}
		row, err := digits(withoutName(text, head))
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
	}
	if err := end(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: found no rows, expected a line of 0 and 1 for each item", name)
	}
	return all, nil
}

// isHead reports whether a line has the names of columns: none of its cells is 0, 1 or NA,
// but some cell begins with a quote or a letter.
func isHead(text []byte) bool {
	named := false
	for len(text) > 0 {
		var cell []byte
		cell, text = cut(text)
		switch string(cell) {
		case "0", "1", "NA":
			return false
		}
		r, _ := utf8.DecodeRune(cell)
		named = named || r == '"' || unicode.IsLetter(r)
	}
	return named
}

// withoutName returns a row without its name, given the line of column names or nil. A row
// has a name if the name is quoted, if the first column has no name, or if the row has one
// more cell than the header.
func withoutName(text, head []byte) []byte {
	if text[0] != '"' {
		first, _ := cut(head)
		if head == nil || len(first) > 0 && cells(text) != cells(head)+1 {
			return text
		}
	}
	_, tail := cut(text)
	return tail
}

// cells returns the number of cells of a line.
func cells(text []byte) (n int) {
	for ; len(text) > 0; n++ {
		_, text = cut(text)
	}
	return n
}

// cut returns the first cell of a line and what follows its separator: a comma, a
// semicolon or white space. A cell in double quotes may hold separators, and quotes that are
// doubled or follow a backslash.
func cut(text []byte) (cell, tail []byte) {
	end := 0
	for quoted := false; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\\' && quoted:
			end++
		case c == '"':
			quoted = !quoted
		case !quoted && bytes.IndexByte([]byte(",; \t"), c) >= 0:
			return text[:end], bytes.TrimLeft(text[end+1:], " \t")
		}
	}
	return text, nil
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
	for offset, c := range string(text) {
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
			if _, size := utf8.DecodeRune(text[offset:]); c == utf8.RuneError && size == 1 {
				return nil, fmt.Errorf("column %d: found the byte 0x%02x, expected 0 or 1", len(row)+1, text[offset])
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
