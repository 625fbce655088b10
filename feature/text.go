package feature

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ReadText reads a matrix Z in text form: a line an item, entries 0 and 1,
// separated by commas, semicolons, blanks or tabs, or by nothing. Lines that
// begin with # are comments. In an allocation without features every item is
// the line "-". Errors start with name and give line, column, what was found
// and what was expected.
func ReadText(r io.Reader, name string) (*Allocation, error) {
	var rows [][]int
	first := 0 // line of the first row
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<24)
	line := 1
	for ; s.Scan(); line++ {
		text := strings.TrimSpace(strings.TrimPrefix(s.Text(), "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		row := []int{}
		if text != "-" {
			separated := false // by a comma or semicolon, after which an entry is due
			for _, c := range text {
				switch c {
				case ' ', '\t':
				case ',', ';':
					if separated || len(row) == 0 {
						return nil, fmt.Errorf("%s: line %d, column %d: found nothing, expected 0 or 1", name, line, len(row)+1)
					}
					separated = true
				case '0', '1':
					separated = false
					row = append(row, int(c-'0'))
				default:
					return nil, fmt.Errorf("%s: line %d, column %d: found %q, expected 0 or 1", name, line, len(row)+1, c)
				}
			}
			if separated {
				return nil, fmt.Errorf("%s: line %d, column %d: found nothing, expected 0 or 1", name, line, len(row)+1)
			}
		}
		if len(rows) == 0 {
			first = line
		} else if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("%s: line %d has %d entries, expected %d as in line %d", name, line, len(row), len(rows[0]), first)
		}
		rows = append(rows, row)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: found no rows, expected a line of 0 and 1 for each item", name)
	}
	a, err := FromRows(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// WriteText writes the matrix in a form that ReadText reads: entries separated
// by commas, a line an item.
func WriteText(w io.Writer, a *Allocation) error {
	var b strings.Builder
	for i := range a.n {
		if a.k == 0 {
			b.WriteByte('-')
		}
		for k := range a.k {
			if k > 0 {
				b.WriteByte(',')
			}
			if a.Has(i, k) {
				b.WriteByte('1')
			} else {
				b.WriteByte('0')
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
