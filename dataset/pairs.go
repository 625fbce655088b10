package dataset

// Pairs of names from CSV text.

import (
	"fmt"
	"io"

	"aibd/internal/words"
)

// ReadPairs reads CSV text with two cells in each line, below a header line, as text. Errors
// begin with name; expected describes the two cells.
func ReadPairs(r io.Reader, name, expected string) (pairs [][2]string, err error) {
	rows := newRecords(r, name)
	header, line, err := rows.begin("a header line, then " + expected + " in each line")
	if err != nil {
		return nil, err
	}
	if len(header) != 2 {
		return nil, fmt.Errorf("%s: line %d: found %s, expected two: %s", name, line, words.Plural(len(header), "column"), expected)
	}
	err = rows.each(func(row []string, _ int) error {
		pairs = append(pairs, [2]string(cloned(row)))
		return nil
	})
	if err == nil && len(pairs) == 0 {
		err = fmt.Errorf("%s: line %d: found a header and no rows, expected %s in each line", name, line, expected)
	}
	return pairs, err
}
