package dataset

// Numbers as spreadsheets write them: decimal commas, marks between thousands, percent and currency signs.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// form is how a cell writes a number or a limit on one.
type form struct {
	limit, sign, digits string // digits have their marks
	unit                string // a percent sign or a currency sign, or ""
	group, decimal      rune   // mark between thousands, and before decimals; 0 for none
	either              bool   // the only mark may be either: 17.455 or 1,234
}

const blanks = " \u00a0\u2009\u202f"

// alike replaces marks between thousands by others that mean the same.
var alike = strings.NewReplacer("\u00a0", " ", "\u2009", " ", "\u202f", " ", "\u2019", "'")

// formOf returns the form of a cell, and whether it is a number or a limit.
func formOf(cell string) (f form, ok bool) {
	value := strings.TrimLeft(cell, "<>")
	f.limit, value = cell[:len(cell)-len(value)], strings.TrimPrefix(value, "=")
	if f.limit != "" {
		f.limit = cell[:strings.LastIndex(cell, value)]
		value = strings.TrimLeft(value, " ")
	}
	if len(f.limit) > 2 || len(f.limit) == 2 && f.limit[1] != '=' || f.limit == "" && strings.HasPrefix(cell, "=") {
		return form{}, false
	}
	value = f.cutSign(value)
	if c, size := utf8.DecodeRuneInString(value); c > '9' || c == '$' {
		if !unicode.Is(unicode.Sc, c) {
			return form{}, false
		}
		f.unit = value[:size]
		value = f.cutSign(strings.TrimLeft(value[size:], blanks))
	}
	if c, size := utf8.DecodeLastRuneInString(value); c == '%' || unicode.Is(unicode.Sc, c) {
		if f.unit != "" {
			return form{}, false
		}
		f.unit = value[len(value)-size:]
		value = strings.TrimRight(value[:len(value)-size], blanks)
	}
	f.digits = alike.Replace(value)
	whole, exponent := f.digits, ""
	if e := strings.IndexAny(whole, "eE"); e >= 0 {
		whole, exponent = whole[:e], whole[e:]
		if power := strings.TrimPrefix(strings.TrimPrefix(exponent[1:], "-"), "+"); power == "" || strings.Trim(power, "0123456789") != "" {
			return form{}, false
		}
	}
	first, last, marks := byte(0), byte(0), 0
	for i := range len(whole) {
		switch c := whole[i]; {
		case '0' <= c && c <= '9':
			continue
		case !strings.Contains(".,' ", whole[i:i+1]), marks > 1 && last != first: // one kind, then maybe one mark of another
			return form{}, false
		default:
			if marks++; marks == 1 {
				first = c
			}
			last = c
		}
	}
	decimal := last == '.' || last == ','
	switch {
	case marks == len(whole) || whole[0] == ' ' || whole[0] == '\'':
		return form{}, false
	case marks == 0:
		return f, true
	case marks == 1 && decimal:
		f.decimal = rune(last)
		f.either = exponent == "" && grouped(whole)
		return f, true
	case first != last && !decimal:
		return form{}, false
	case first != last:
		f.decimal = rune(last)
		whole = whole[:strings.IndexByte(whole, last)]
	}
	f.group = rune(first)
	return f, exponent == "" && grouped(whole)
}

// cutSign takes the sign before a number, if the form has none. It returns the rest.
func (f *form) cutSign(text string) string {
	for _, sign := range []string{"-", "+", "\u2212"} {
		if digits, ok := strings.CutPrefix(text, sign); ok && f.sign == "" {
			f.sign = strings.Replace(sign, "\u2212", "-", 1)
			return digits
		}
	}
	return text
}

// grouped reports whether a mark is before every three digits, and the number does not begin with 0.
func grouped(digits string) bool {
	first := strings.IndexAny(digits, "., '")
	if first < 1 || first > 3 || digits[0] == '0' || (len(digits)-first)%4 != 0 {
		return false
	}
	for i := range len(digits) - first {
		if c := digits[first+i]; (i%4 == 0) == ('0' <= c && c <= '9') {
			return false
		}
	}
	return true
}

// comma reports whether the form goes with decimal commas only, and point the same of decimal points.
func (f form) comma() bool { return !f.either && (f.decimal == ',' || f.group == '.') }
func (f form) point() bool { return !f.either && (f.decimal == '.' || f.group == ',') }

// number returns the number or the limit in the form of Go, without its unit.
func (f form) number(comma bool) string {
	digits := f.digits
	for _, group := range []string{" ", "'", map[bool]string{true: ".", false: ","}[comma]} {
		digits = strings.ReplaceAll(digits, group, "")
	}
	return f.limit + f.sign + strings.Replace(digits, ",", ".", 1)
}

// column is how the numbers of a column are written.
type column struct {
	numeric        bool   // it holds numbers, and few other texts
	changes        bool   // some are to be read
	unit           string // of all numbers, "" for none
	commas, points int    // cells that go with decimal commas only, with decimal points only
	comma, point   int    // first row of them, from 1; 0: none
	either         rune   // the mark of cells that go with both
	example        string // one of them
	group          rune   // mark between thousands, for sure
	decimals       bool   // a number has decimals for sure
	hundreds       bool   // a number between 100 and 1000 has no mark
}

// columnOf returns how the numbers of column j are written. Other texts among them are errors to report, if they are few.
func (c *cells) columnOf(j int) (col column) {
	if c.text[j] == nil && (c.points == nil || c.points[j] == 0) {
		return col
	}
	texts, units := map[string]bool{}, map[string]bool{}
	numbers := 0
	for i, row := range c.values {
		if v := row[j]; !math.IsNaN(v) {
			numbers++
			units[""] = true
			col.hundreds = col.hundreds || 100 <= math.Abs(v) && math.Abs(v) < 1000
			if v != math.Trunc(v) && (c.points == nil || c.points[j] > 0) {
				col.points++
			}
			continue
		}
		cell := c.text[j][i]
		if IsMissing(cell) {
			continue
		}
		f, ok := formOf(cell)
		if !ok {
			texts[cell] = true
			continue
		}
		numbers++
		units[f.unit] = true
		col.changes = col.changes || f.either || f.unit != "" || f.group != 0 || f.comma()
		switch {
		case f.either:
			col.either, col.example = f.decimal, cell
		case f.comma():
			col.commas++
			col.comma = cmp.Or(col.comma, i+1)
		case f.point():
			col.points++
			col.point = cmp.Or(col.point, i+1)
		}
		col.group = cmp.Or(f.group, col.group)
		col.decimals = col.decimals || f.decimal != 0 && !f.either
	}
	if c.points != nil && c.points[j] > 0 {
		col.points = max(col.points, 1)
		col.point = cmp.Or(col.point, c.points[j])
		col.decimals = true
	}
	for unit := range units {
		col.unit = unit
	}
	col.numeric = len(units) == 1 && (len(texts) == 0 || numbers > 2*len(texts))
	return col
}

// Decimals is how a table writes decimals, for tables that are written alike.
type Decimals struct {
	Columns map[string]rune // by column whose numbers have marks: the decimal one, ',' or '.'
	File    rune            // of all such columns, 0 if they differ or there are none
}

// with returns the decimals of a table that others come before.
func (d Decimals) with(before Decimals) Decimals {
	columns := maps.Clone(before.Columns)
	if columns == nil {
		columns = map[string]rune{}
	}
	maps.Copy(columns, d.Columns)
	return Decimals{columns, cmp.Or(d.File, before.File)}
}

// plain makes numbers of cells that are not written as in Go, in columns of numbers. It returns what it did in words and
// how they are written, and sets changed for columns that held text. A cell such as 1,5 proves decimal commas, and one
// such as 1.5 decimal points. Cells that go with both follow those that prove something: of the column, of the same
// column of another table in like, of the file, or of the file of that table. If there are none,
// commas are decimal between semicolons, and separate thousands elsewhere if a number from 100 to 999 has no mark.
func (c *cells) plain(separator rune, names []string, changed []bool, like Decimals) (parts []string, d Decimals) {
	columns := lists.Make(len(names), c.columnOf)
	first := func(matches func(col column) bool) int {
		return slices.IndexFunc(columns, func(col column) bool { return col.numeric && matches(col) })
	}
	commas := first(func(col column) bool { return col.commas > 0 && col.commas >= col.points })
	points := first(func(col column) bool { return col.points > col.commas })
	noProof := commas < 0 && points < 0
	switch {
	case noProof && separator == ';':
		commas = first(func(col column) bool { return col.either == ',' })
	case commas >= 0 && points >= 0 && separator != ',':
		cellOf := func(j, row int) string {
			return fmt.Sprintf("%s in line %d, column %s", c.cell(row-1, j), c.lines[row-1], hint.Quoted(names[j]))
		}
		parts = []string{fmt.Sprintf("two kinds of decimals (%s; %s)", cellOf(commas, columns[commas].comma), cellOf(points, columns[points].point))}
	}
	d.Columns = map[string]rune{}
	notes, examples := map[string][]string{}, map[string]string{}
	var order []string
	say := func(what, name string) {
		if notes[what] == nil {
			order = append(order, what)
		}
		notes[what] = append(notes[what], name)
	}
	for j, name := range names {
		col := columns[j]
		if !col.numeric {
			c.restore(j)
			continue
		}
		alone := col.commas+col.points == 0
		comma := col.commas >= col.points // commas are decimal, points between thousands
		mark := like.Columns[name]
		if alone {
			switch {
			case mark != 0:
				comma = mark == ','
			case noProof && like.File == ',':
				comma = true
			default:
				comma = commas >= 0 && (points < 0 || separator == ';' && col.either == ',')
			}
		}
		guessed := mark == 0 && separator != ';' && alone && col.either == ',' && commas < 0 && points < 0 && !col.hundreds
		if comma && separator == ',' || guessed {
			continue // an error of the columns of X
		}
		if !alone || col.either != 0 {
			d.Columns[name] = map[bool]rune{true: ',', false: '.'}[comma]
		}
		decimals := col.either != 0 && (col.either == ',') == comma
		thousands := "commas between thousands"
		if comma {
			thousands = "points between thousands"
		}
		switch {
		case col.group == ' ':
			say("blanks between thousands", name)
		case col.group == '\'':
			say("apostrophes between thousands", name)
		case col.group != 0:
			say(thousands, name)
		case col.either != 0 && !decimals:
			if say(thousands, name); (comma || !col.hundreds) && examples[thousands] == "" {
				f, _ := formOf(col.example)
				examples[thousands] = fmt.Sprintf(" (%s is %s)", col.example, f.number(comma))
			}
		}
		switch {
		case comma && alone && decimals && !col.decimals:
			say("decimal commas before three digits", name)
			examples["decimal commas before three digits"] = " (if they separate thousands, remove them)"
		case comma && (col.decimals || decimals):
			say("decimal commas", name)
		case alone && decimals:
			say("decimal points before three digits", name)
			examples["decimal points before three digits"] = " (if they separate thousands, remove them)"
		case !comma && col.decimals && separator == ';':
			say("decimal points", name)
		}
		if col.unit != "" {
			say(col.unit+" left out", name)
		}
		if col.changes {
			changed[j] = c.rewrite(j, comma)
		}
	}
	for _, what := range order {
		parts = append(parts, what+" in "+hint.Listed(notes[what], 3)+examples[what])
	}
	if kinds := slices.Compact(slices.Sorted(maps.Values(d.Columns))); len(kinds) == 1 {
		d.File = kinds[0]
	}
	return parts, d
}

// rewrite makes numbers of the texts in column j that go with decimal commas, or with decimal points. A number with
// a decimal point beside decimal commas becomes text, which is reported as an error. It reports whether it changed other texts than those of numbers.
func (c *cells) rewrite(j int, comma bool) (changed bool) {
	for i, row := range c.values {
		v := row[j]
		if !math.IsNaN(v) {
			if comma && c.points[j] > 0 && (i == c.points[j]-1 || v != math.Trunc(v)) {
				c.text[j][i], row[j] = c.cell(i, j), math.NaN()
			}
			continue
		}
		cell := c.text[j][i]
		f, ok := formOf(cell)
		if !ok || IsMissing(cell) || f.comma() && !comma || f.point() && comma {
			continue
		}
		_, was := number(cell)
		changed = changed || !was
		c.set(i, j, f.number(comma))
	}
	c.compact(j)
	return changed
}

// restore turns texts in column j that are numbers back into numbers.
func (c *cells) restore(j int) {
	if c.points == nil {
		return
	}
	for i, cell := range c.text[j] {
		if math.IsNaN(c.values[i][j]) {
			c.set(i, j, cell)
		}
	}
	c.compact(j)
}

// compact forgets the text of column j if all its cells are finite numbers.
func (c *cells) compact(j int) {
	if !slices.ContainsFunc(c.values, func(row []float64) bool { return math.IsNaN(row[j]) || math.IsInf(row[j], 0) }) {
		c.text[j] = nil
	}
}

// set sets a cell that holds text.
func (c *cells) set(i, j int, cell string) {
	c.text[j][i] = cell
	if v, ok := number(cell); ok && !math.IsInf(v, 0) {
		c.values[i][j], c.text[j][i] = v, ""
	}
}
