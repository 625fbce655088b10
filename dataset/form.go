package dataset

// Forms of CSV that spreadsheets write: other separators than commas, commas within numbers.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// A separator is a mark between cells.
type separator struct {
	mark rune
	name string // in a note; "" for commas
}

var separators = []separator{{',', ""}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "vertical bars"}}

// sampled is how many rows choose the separator, at most.
const sampled = 20

// separatorOf returns the separator of a file that begins with head: of those that give all rows the same number
// of cells, the one with the most. Semicolons between numbers are never part of a cell. If no separator fits,
// it is the first one in the first line.
func separatorOf(head []byte, whole bool) separator {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if end := bytes.LastIndexByte(head, '\n') + 1; !whole && end > 0 {
		head = head[:end]
	}
	if prefix, mark, ok := strings.Cut(strings.TrimSpace(string(line)), "sep="); ok && prefix == "" && len(mark) == 1 { // for Excel
		for _, s := range separators {
			if mark == string(s.mark) {
				return s
			}
		}
	}
	for _, allowShort := range []bool{false, true} {
		best, count := separators[0], 1
		for _, s := range separators {
			width, numbers, short := widthOf(head, s.mark)
			if short != notShort && !allowShort {
				continue
			}
			if width > count {
				best, count = s, width
			}
			if s.mark == ';' && width > 1 && numbers {
				return s
			}
		}
		if count > 1 {
			return best
		}
	}
	plain := quoted.ReplaceAll(line, nil)
	for _, s := range separators {
		if bytes.ContainsRune(plain, s.mark) {
			return s
		}
	}
	return separators[0]
}

// quoted matches cells in quotation marks.
var quoted = regexp.MustCompile(`"[^"]*("|$)`)

// A shortHeader says what a header lacks that has one cell less than all other rows.
type shortHeader int

const (
	notShort shortHeader = iota
	rowNames             // the name of the first column, which names the rows, as in files that R's write.table writes
	emptyEnd             // the name of the last column, which is empty
)

// widthOf returns how many cells the first rows of text have, 0 if they differ, whether those of the
// first row are numbers, and what it lacks if it is a header with one cell less.
func widthOf(text []byte, mark rune) (width int, numbers bool, short shortHeader) {
	r := newReader(bytes.NewReader(text), mark)
	r.FieldsPerRecord = -1
	var header []string
	for n := range sampled {
		quoted := bytes.HasPrefix(text[r.InputOffset():], []byte{'"'})
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil { // an open quotation mark
			return 0, false, notShort
		}
		switch {
		case n == 0:
			header = lists.Map(row, strings.TrimSpace)
			width, numbers = len(row), !slices.ContainsFunc(header, func(cell string) bool {
				_, ok := number(cell)
				return !ok && !withComma.MatchString(cell)
			})
		case n == 1 && len(row) == width+1 && (namesColumns(header) || counts(header)):
			width, short = len(row), emptyEnd
		case len(row) != width:
			return 0, false, notShort
		}
		if short == emptyEnd && strings.TrimSpace(row[width-1]) != "" {
			short = rowNames
		}
		if _, isNumber := number(strings.TrimSpace(row[0])); short == rowNames && isNumber && !quoted { // perhaps a decimal comma
			return 0, false, notShort
		}
	}
	return width, numbers, short
}

// packed are the first bytes of files that are not text, and what they are.
var packed = []struct{ begin, what string }{
	{"PK\x03\x04", "a workbook or an archive"}, {"\x1f\x8b", "a compressed file"}, {"PAR1", "a Parquet file"}, {"\xd0\xcf\x11\xe0", "a workbook"}, {"\xff\xfe", "text in UTF-16"}, {"\xfe\xff", "text in UTF-16"},
}

// notText returns an error if a file begins like one that is not text.
func notText(name string, head []byte) error {
	for _, p := range packed {
		if bytes.HasPrefix(head, []byte(p.begin)) {
			return fmt.Errorf("%s: found %s, expected CSV text in UTF-8 or Windows-1252", name, p.what)
		}
	}
	return nil
}

// withComma matches numbers with a decimal comma, and limits.
var withComma = regexp.MustCompile(`^([<>]=? *)?[-+]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+([eE][-+]?[0-9]+)?$`)

// convert makes numbers of cells that write them in other ways, and sets Form. names are those
// of the columns of cells. It returns the columns that it changed.
func (t *Table) convert(rows *records, names []string, like Decimals) (changed []bool) {
	changed = make([]bool, len(names))
	var parts []string
	if rows.separator.name != "" {
		parts = append(parts, rows.separator.name+" between columns")
	}
	if rows.short == rowNames {
		parts = append(parts, "the header has no name for the first column, which names the rows")
	}
	if t.N() > 0 {
		for j, name := range names {
			for _, s := range separators[1:] { // not decimal commas
				if s.mark != rows.separator.mark && strings.ContainsRune(name, s.mark) && strings.ContainsRune(t.cells.cell(0, j), s.mark) {
					parts = append(parts, fmt.Sprintf("%s in column %s are text, as %s separate columns", s.name, hint.Quoted(name), cmp.Or(rows.separator.name, "commas")))
				}
			}
		}
	}
	written, decimals := t.cells.plain(rows.separator.mark, names, changed, like)
	parts, t.decimals = append(parts, written...), decimals.with(like)
	if rows.text.legacy > 0 {
		parts = append(parts, "text in Windows-1252")
	}
	t.Form = strings.Join(parts, ", ")
	return changed
}
