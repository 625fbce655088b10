package dataset

// CSV text as a stream of rows with line numbers. Rows are valid UTF-8 and have equal
// lengths.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"aibd/internal/hint"
	"aibd/internal/words"
)

// records reads the rows of a CSV file one by one. It trims blanks around cells and skips
// a byte order mark and blank lines.
type records struct {
	name      string
	text      *textReader
	csv       *csv.Reader
	separator separator
	short     shortHeader
	width     int    // cells a row; 0 before the first
	first     int    // line on which the first row begins
	header    string // the first row, until the second is read
	next      int    // line after the last row, if rows have one cell
	packed    error  // the file is not text
	blanks    bool   // blanks separate quoted cells of the first line
}

func newRecords(r io.Reader, name string) *records {
	text := newTextReader(r)
	buffer := bufio.NewReaderSize(text, 1<<16)
	if mark, _ := buffer.Peek(3); string(mark) == "\ufeff" {
		buffer.Discard(3)
	}
	head, end := buffer.Peek(buffer.Size())
	separator := separatorOf(bytes.TrimLeft(head, "\r\n"), end != nil)
	reader := newReader(buffer, separator.mark)
	reader.FieldsPerRecord = -1
	_, _, short := widthOf(head, separator.mark)
	return &records{name: name, text: text, csv: reader, separator: separator, short: short, packed: notText(name, text.head), blanks: spaced.Match(head)}
}

// spaced matches a first line of quoted cells with blanks between them.
var spaced = regexp.MustCompile(`^\s*"[^"\n]*" +"`)

// newReader returns a reader of rows, each valid until the next one, whose cells the mark separates.
func newReader(r io.Reader, mark rune) *csv.Reader {
	reader := csv.NewReader(r)
	reader.Comma, reader.ReuseRecord = mark, true
	reader.TrimLeadingSpace = mark != '\t' // or it would skip empty cells
	return reader
}

// read returns the next row, valid until the next call, and its first line. The error is
// io.EOF at the end; other errors begin with the name.
func (r *records) read() (row []string, line int, err error) {
	row, err = r.csv.Read()
	r.text.row = r.csv.InputOffset()
	switch {
	case r.packed != nil:
		return nil, 0, r.packed
	case r.text.err != nil:
		return nil, 0, fmt.Errorf("%s: %w", r.name, r.text.err)
	case err == io.EOF:
		return nil, 0, err
	case err != nil && r.blanks:
		return nil, 0, fmt.Errorf("%s: line 1: found blanks between cells, expected commas, semicolons, tabs or vertical bars", r.name)
	case err != nil:
		return nil, 0, fmt.Errorf("%s: %w", r.name, plain(err))
	}
	line, _ = r.csv.FieldPos(0)
	if r.width == 0 && line == 1 && strings.HasPrefix(row[0], "sep=") && strings.Join(row[1:], "") == "" { // for Excel
		return r.read()
	}
	header := r.header
	r.header = ""
	switch {
	case r.width == 0:
		r.header = strings.Join(row, string(r.separator.mark))
		switch r.short {
		case rowNames:
			row = slices.Insert(row, 0, "")
		case emptyEnd:
			row = append(row, "")
		}
		r.width, r.first = len(row), line
	case len(row) != r.width:
		title := ""
		if header != "" && len(row) > r.width {
			title = fmt.Sprintf("; line %d holds %s: is it a title above the header?", r.first, hint.Quoted(header))
		}
		return nil, 0, fmt.Errorf("%s: line %d: found %s, expected %d as in line %d%s", r.name, line, words.Plural(len(row), "cell"), r.width, r.first, title)
	case len(row) == 1 && line != r.next:
		// The reader skipped a blank line, which here is an empty cell.
		return nil, 0, fmt.Errorf("%s: line %d: found a blank line, expected a cell: write NA for a missing value", r.name, r.next)
	}
	r.next = line + 1 + strings.Count(row[0], "\n")
	for j := range row {
		row[j] = strings.TrimSpace(row[j])
	}
	return row, line, nil
}

// plain rewords an error of a csv.Reader.
func plain(err error) error {
	var parseError *csv.ParseError
	switch {
	case !errors.As(err, &parseError):
	case errors.Is(err, csv.ErrBareQuote):
		return fmt.Errorf("line %d, character %d: found a quotation mark within a cell, expected such a cell in quotation marks and the mark doubled", parseError.Line, parseError.Column)
	case errors.Is(err, csv.ErrQuote):
		return fmt.Errorf("line %d, character %d: found no end of a cell in quotation marks in the row that begins in line %d, expected a quotation mark before the next separator", parseError.Line, parseError.Column, parseError.StartLine)
	}
	return err
}

// begin returns the first row, valid until the next call, and its line. It returns an error
// that names what was expected if there is none.
func (r *records) begin(expected string) (row []string, line int, err error) {
	if row, line, err = r.read(); err == io.EOF {
		return nil, 0, fmt.Errorf("%s: found an empty file, expected %s", r.name, expected)
	}
	return row, line, err
}

// each calls do with each further row and its line, until it returns an error. A row is valid
// during the call.
func (r *records) each(do func(row []string, line int) error) error {
	for {
		row, line, err := r.read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(row, line)
		}
		if err != nil {
			return err
		}
	}
}

// maxRow is the max size of a row in bytes. Without it, an open quotation mark would turn
// the rest of a file into one cell.
const maxRow = 64 << 20

// textReader passes on text line by line, in UTF-8. It takes other text for Windows-1252, unless an earlier line is
// in UTF-8. It fails at invalid text and at an endless row.
type textReader struct {
	lines *bufio.Scanner
	head  []byte // the first bytes of the text
	utf8  bool   // a line has other characters than ASCII, in UTF-8
	// legacy is the number of the first line in Windows-1252, 0 before. Then all lines are.
	legacy    int
	line      int    // number of the last line
	remainder []byte // of that line
	done      int64  // bytes of all lines so far
	row       int64  // bytes of complete rows; set by the owner
	err       error  // what ended the text, other than io.EOF
}

func newTextReader(r io.Reader) *textReader {
	t := &textReader{lines: bufio.NewScanner(r)}
	t.lines.Buffer(nil, maxRow)
	t.lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 && atEOF {
			end = len(data)
		}
		if end == 0 {
			return 0, nil, nil
		}
		return end, data[:end], nil
	})
	return t
}

func (t *textReader) Read(p []byte) (int, error) {
	if len(t.remainder) == 0 && t.err == nil {
		if !t.next() {
			return 0, io.EOF
		}
	}
	if t.err != nil {
		return 0, t.err
	}
	n := copy(p, t.remainder)
	t.remainder = t.remainder[n:]
	return n, nil
}

// next reads the next line and checks it. It reports false at the end of the text.
func (t *textReader) next() bool {
	ok := t.lines.Scan()
	t.remainder = t.lines.Bytes()
	if t.line++; t.line == 1 {
		t.head = bytes.Clone(t.remainder[:min(4, len(t.remainder))])
	}
	valid := bytes.IndexByte(t.remainder, 0) < 0 && t.decode()
	t.done += int64(len(t.remainder))
	switch err := t.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong) || t.done-t.row > maxRow:
		t.err = fmt.Errorf("line %d: found %d MB without the end of a row, expected shorter rows (maybe a quotation mark before is left open)", t.line, maxRow>>20)
	case err != nil:
		t.err = err
	case !valid:
		t.err = fmt.Errorf("line %d: found the byte 0x%02x, expected text in UTF-8", t.line, badByte(t.remainder))
	}
	return ok || t.err != nil
}

// decode makes the line UTF-8. It reports false if it can not.
func (t *textReader) decode() bool {
	switch {
	case !bytes.ContainsFunc(t.remainder, func(c rune) bool { return c >= utf8.RuneSelf }):
		return true
	case utf8.Valid(t.remainder):
		if t.utf8 = true; t.legacy > 0 {
			t.err = fmt.Errorf("line %d: found text in UTF-8, and other text in line %d, expected UTF-8 in all lines or in none", t.line, t.legacy)
		}
		return true
	case t.utf8:
		return false
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(t.remainder)
	if err != nil || bytes.ContainsRune(decoded, utf8.RuneError) {
		return false
	}
	t.remainder, t.legacy = decoded, cmp.Or(t.legacy, t.line)
	return true
}

// badByte returns the first byte that is 0 or begins no character, of text that has one.
func badByte(text []byte) byte {
	for {
		c, size := utf8.DecodeRune(text)
		if c == utf8.RuneError && size == 1 || c == 0 {
			return text[0]
		}
		text = text[size:]
	}
}

// MissingMarks are the cells that stand for a missing value, in any case, beside an empty
// one. The last are the errors of spreadsheets.
var MissingMarks = []string{"NA", "NaN", "N/A", "null", ".", "?", "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"}

// markBegins has the first letters of MissingMarks, and maxMark is the length of the longest: most cells are numbers.
var markBegins, maxMark = func() (begins string, longest int) {
	for _, mark := range MissingMarks {
		begins += strings.ToLower(mark[:1]) + strings.ToUpper(mark[:1])
		longest = max(longest, len(mark))
	}
	return begins, longest
}()

// IsMissing reports whether a cell is missing: empty or one of MissingMarks, in any case.
func IsMissing(cell string) bool {
	switch {
	case cell == "":
		return true
	case len(cell) > maxMark || !strings.Contains(markBegins, cell[:1]):
		return false
	}
	return slices.ContainsFunc(MissingMarks, func(mark string) bool { return strings.EqualFold(cell, mark) })
}

// number returns the value of a cell and whether the cell is a number. Infinities are
// numbers, NaN is not. Numbers beyond the range of a float64 become infinite. Only decimal
// notation counts: 1_5 is more likely a mistake for 1.5 than 15.
func number(cell string) (float64, bool) {
	if IsMissing(cell) || strings.ContainsAny(cell, "_xX") {
		return 0, false
	}
	if digits, minus := strings.CutPrefix(cell, "\u2212"); minus {
		cell = "-" + digits
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// badCell describes a cell that does not hold the expected.
func badCell(cell, expected string) string {
	s := fmt.Sprintf("found %s, expected %s", hint.Quoted(cell), expected)
	f, ok := formOf(cell)
	switch {
	case IsMissing(cell):
		s += ": only cells of X may be missing"
	case !ok:
	case f.unit != "":
		s += fmt.Sprintf(", or %s in all rows of the column", f.unit)
	case f.group != 0:
		s += " without separators of thousands"
	case f.either || f.decimal == ',':
		s += " with a decimal point"
	}
	return s
}

// decimalComma reports whether a cell is a number with a decimal comma.
func decimalComma(cell string) bool {
	whole, part, ok := strings.Cut(cell, ",")
	if !ok {
		return false
	}
	_, isNumber := number(whole + "." + part)
	return isNumber
}
