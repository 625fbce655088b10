package dataset

// Forms of CSV that spreadsheets write in countries with decimal commas, and tabs in place of commas.

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"aibd/internal/hint"
)

// separators are the marks between cells, and their names.
var separators = []struct {
	mark byte
	name string
}{{',', ""}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "vertical bars"}}

// separator returns the mark between the cells of the first line and its name, "" for commas: the first one
// that the line has outside quotation marks. Commas within numbers are decimal commas if there are semicolons.
func separator(head []byte) (mark rune, name string) {
	plain := quoted.ReplaceAll(head, nil)
	if bytes.IndexByte(plain, ';') >= 0 {
		plain = commaInside.ReplaceAll(plain, []byte("$1"))
	}
	for _, s := range separators {
		if bytes.IndexByte(plain, s.mark) >= 0 {
			return rune(s.mark), s.name
		}
	}
	return ',', ""
}

var (
	quoted      = regexp.MustCompile(`"[^"]*("|$)`)
	commaInside = regexp.MustCompile(`([0-9]),\b`)
)

// packed are the first bytes of files that are not text, and what they are.
var packed = []struct{ begin, what string }{
	{"PK\x03\x04", "a workbook or an archive"}, {"\x1f\x8b", "a compressed file"}, {"PAR1", "a Parquet file"}, {"\xd0\xcf\x11\xe0", "a workbook"}, {"\xff\xfe", "text in UTF-16"}, {"\xfe\xff", "text in UTF-16"},
}

// notText returns an error if a file begins like one that is not text.
func notText(name string, head []byte) error {
	for _, p := range packed {
		if bytes.HasPrefix(head, []byte(p.begin)) {
			return fmt.Errorf("%s: found %s, expected CSV text in UTF-8", name, p.what)
		}
	}
	return nil
}

// decimals rewrites numbers with decimal commas, in files whose cells semicolons separate.
type decimals struct {
	mark string // "comma" or "point", as the first number with one has it; "" before
	cell string // that number
	line int    // its line
}

// withComma matches numbers with a decimal comma, limits on numbers among them. Points separate thousands.
var withComma = regexp.MustCompile(`^([<>]=? *)?[-+]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+([eE][-+]?[0-9]+)?$`)

// rewrite replaces decimal commas in the cells of a row. It returns an error if other numbers have points.
func (d *decimals) rewrite(row []string, line int) error {
	for j, cell := range row {
		mark := ""
		if withComma.MatchString(cell) {
			mark = "comma"
			row[j] = strings.Replace(strings.ReplaceAll(cell, ".", ""), ",", ".", 1)
		} else if _, isNumber := number(cell); isNumber && strings.Contains(cell, ".") {
			mark = "point"
		}
		switch {
		case mark == "" || mark == d.mark:
		case d.mark == "":
			*d = decimals{mark, strings.Clone(cell), line}
		default:
			return fmt.Errorf("line %d, column %d: found %s with a decimal %s, expected a decimal %s as in %s of line %d", line, j+1, hint.Quoted(cell), mark, d.mark, hint.Quoted(d.cell), d.line)
		}
	}
	return nil
}

// form says in words how the file differs from CSV with commas between columns, decimal points and UTF-8; "" if
// it does not.
func (r *records) form() string {
	var parts []string
	if r.separated != "" {
		parts = append(parts, r.separated+" between columns")
	}
	if r.decimals != nil && r.decimals.mark == "comma" {
		parts = append(parts, "decimal commas")
	}
	if r.text.legacy {
		parts = append(parts, "text in Windows-1252")
	}
	return strings.Join(parts, ", ")
}
