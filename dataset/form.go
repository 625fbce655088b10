package dataset

// Forms of CSV that spreadsheets write in countries with decimal commas, and tabs in place of commas.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
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

// commas rewrites numbers with commas: decimal commas, in files whose cells semicolons separate, and commas between
// thousands in others.
type commas struct {
	semicolons bool
	seen       []marked // by column, or with semicolons of all columns
}

// marked is the first number with a mark that excludes others.
type marked struct {
	mark, cell string
	line       int
}

// The marks of numbers.
const (
	decimalMark   = "a decimal comma"
	pointMark     = "a decimal point"
	thousandsMark = "commas between thousands"
)

// Both match limits on numbers too. Points between thousands go with a decimal comma.
var (
	withComma     = regexp.MustCompile(`^([<>]=? *)?[-+]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+([eE][-+]?[0-9]+)?$`)
	withThousands = regexp.MustCompile(`^([<>]=? *)?[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$`)
)

// rewrite replaces the numbers with commas in a row. It returns an error if another mark before excludes one.
func (c *commas) rewrite(row []string, line int) error {
	for j, cell := range row {
		if !strings.ContainsAny(cell, ",.") {
			continue
		}
		mark := ""
		_, isNumber := number(cell)
		switch comma := withComma.MatchString(cell); {
		case c.semicolons && comma:
			mark = decimalMark
			row[j] = strings.Replace(strings.ReplaceAll(cell, ".", ""), ",", ".", 1)
		case c.semicolons && isNumber:
			mark = pointMark
		case !c.semicolons && withThousands.MatchString(cell):
			mark = thousandsMark
			row[j] = strings.ReplaceAll(cell, ",", "")
		case !c.semicolons && comma:
			mark = decimalMark
		}
		if mark == "" {
			continue
		}
		if len(c.seen) < len(row) {
			c.seen = make([]marked, len(row))
		}
		first := &c.seen[0]
		if !c.semicolons {
			first = &c.seen[j]
		}
		switch first.mark {
		case mark:
		case "":
			*first = marked{mark, strings.Clone(cell), line}
		default:
			return fmt.Errorf("line %d, column %d: found %s with %s, expected %s as in %s of line %d", line, j+1, hint.Quoted(cell), mark, first.mark, hint.Quoted(first.cell), first.line)
		}
	}
	return nil
}

// has reports whether a number has a mark.
func (c *commas) has(mark string) bool {
	return slices.ContainsFunc(c.seen, func(m marked) bool { return m.mark == mark })
}

// form says in words how the file differs from CSV with commas between columns, decimal points and UTF-8; "" if
// it does not.
func (r *records) form() string {
	var parts []string
	if r.separated != "" {
		parts = append(parts, r.separated+" between columns")
	}
	switch {
	case r.commas.semicolons && r.commas.has(decimalMark):
		parts = append(parts, "decimal commas")
	case r.commas.has(thousandsMark):
		parts = append(parts, thousandsMark)
	}
	if r.text.legacy {
		parts = append(parts, "text in Windows-1252")
	}
	return strings.Join(parts, ", ")
}
