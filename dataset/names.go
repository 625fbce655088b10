package dataset

// Names of items, and the rows of other files that have them.

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/permutation"
)

// Numbers returns the cells of the first column, as in the file, if they may be names of the
// items: distinct whole numbers in a table of several columns that has no ids. Otherwise it
// returns nil.
func (t *Table) Numbers() []string { return t.numbers }

// NamedByNumbers returns the table with its Numbers, which must not be nil, as ids too. The
// first column stays in Columns. No mark of a missing cell applies to it.
func (t *Table) NamedByNumbers() *Table {
	u := *t
	u.IDColumn, u.IDs, u.numbers = t.Columns[0], t.numbers, nil
	if t.cells.text[0] != nil { // a mark, which is a number
		u.cells = t.cells.part(permutation.Identity(t.N()), nil)
		u.cells.text[0] = nil
		for i, row := range u.cells.values {
			row[0], _ = number(u.IDs[i])
		}
	}
	return &u
}

// wholeNumbers returns the cells if they are distinct whole numbers, nil if not.
func wholeNumbers(cells []string) []string {
	for _, cell := range cells {
		if v, ok := number(cell); !ok || v != math.Trunc(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	if len(lists.Positions(cells)) < len(cells) {
		return nil
	}
	return cells
}

// ErrIDs is what a table with ids that are not distinct should have.
var ErrIDs = errors.New("distinct ids")

// distinct reports an error unless the ids, which are in the given place, are distinct names.
func (t *Table) distinct(place string) error {
	seen := map[string]int{}
	for i, s := range t.IDs {
		line := t.cells.lines[i]
		if s == "" {
			return fmt.Errorf("%s: line %d, %s: found an empty id, expected the name of the item%s", t.Name, line, place, t.asksForUnits(i))
		}
		if before, ok := seen[s]; ok {
			return fmt.Errorf("%s: line %d, %s: found the id %s as in line %d, expected %w", t.Name, line, place, hint.Quoted(s), before, ErrIDs)
		}
		seen[s] = line
	}
	return nil
}

// rows returns the table of the given rows in the given order.
func (t *Table) rows(order []int) *Table {
	s := *t
	s.cells = t.cells.part(order, nil)
	s.IDs, s.numbers = pick(t.IDs, order), pick(t.numbers, order)
	return &s
}

// Sample returns the table of the given rows, in their order. If t has no ids, the numbers of its items from
// 1 are the ids of the sample.
func (t *Table) Sample(rows []int) *Table {
	s := t.rows(rows)
	if t.IDs == nil {
		s.Numbered = true
		s.IDs = lists.Of(rows, func(i int) string { return strconv.Itoa(i + 1) })
	}
	return s
}

// pick returns the given names, nil if there are none.
func pick(names []string, order []int) []string {
	if names == nil {
		return nil
	}
	return lists.Pick(names, order)
}

// Lookup returns a function that finds the row of an item by its id, or by its number from 1 if
// the table has no ids.
func (t *Table) Lookup() func(item string) (row int, ok bool) {
	rows := lists.Positions(t.IDs)
	return func(item string) (int, bool) {
		if t.IDs == nil {
			i, err := strconv.Atoi(item)
			return i - 1, err == nil && i >= 1 && i <= t.N()
		}
		row, ok := rows[item]
		return row, ok
	}
}

// Rows returns the table of the items with the given ids in the given order. An id that is
// unknown or given twice is an error.
func (t *Table) Rows(ids ...string) (*Table, error) {
	if len(ids) == 0 || t.IDs == nil {
		return nil, fmt.Errorf("%s: found %d ids asked for and %d in the table, expected at least one of each", t.Name, len(ids), len(t.IDs))
	}
	var order []int
	row, known := lists.Positions(t.IDs), len(t.IDs)
	for _, id := range ids {
		i, ok := row[id]
		if !ok {
			return nil, fmt.Errorf("%s: %w", t.Name, hint.Unknown("id", id, t.IDs))
		}
		if i == known {
			return nil, fmt.Errorf("%s: found the id %q twice in the list, expected distinct ids", t.Name, id)
		}
		order, row[id] = append(order, i), known
	}
	return t.rows(order), nil
}

// Align returns the rows of side in the order of the items of t. They are matched by name if both
// have names, which must be the same set, or the same after a prefix of all names of a file. Names
// of side may number the rows of t, if that has none. If only one has names, both must have equally
// many rows, which keep the order of side. A note says what is not evident.
//
// The names of side are its ids, or else a column with the names of the items of t.
func (t *Table) Align(side *Table) (aligned *Table, note string, err error) {
	order, note, err := t.align(side.Name, side.namesLike(t), side.cells.lines, counts(side.IDs))
	if err != nil {
		return nil, "", err
	}
	return side.rows(order), note, nil
}

// namesLike returns the ids of the rows or, if they have none, the cells of a column that has the
// names of the items of another table: a column of text, or the first one if it has Numbers.
func (t *Table) namesLike(other *Table) []string {
	names := other.IDs
	switch {
	case t.IDs != nil || t.none:
		return t.IDs
	case names == nil && t.Columns[0] == other.Columns[0]:
		names = other.numbers
	}
	if matching(names, t.numbers) != nil {
		return t.numbers
	}
	known := lists.Positions(names)
	for j, text := range t.cells.text {
		if text == nil {
			continue
		}
		if _, ok := known[text[0]]; !ok {
			continue
		}
		if cells := t.cells.column(j); matching(names, cells) != nil {
			return cells
		}
	}
	return nil
}

// align returns for each item of t its row in a file with the given names (nil for none) of rows
// on the given lines, and a note if that is not evident. If the names only count, some program may
// have made them.
func (t *Table) align(name string, names []string, lines []int, counted bool) (order []int, note string, err error) {
	own := t.IDs
	if own == nil {
		own = t.numbers
	}
	inOrder := permutation.Identity(len(lines))
	prefix := ""
	if order = matching(own, names); order == nil {
		if order = matching(stems(own), stems(names)); order != nil {
			prefix = fmt.Sprintf(" apart from a prefix: %s is %s, and so on", hint.Quoted(names[order[0]]), hint.Quoted(own[0]))
		}
	}
	switch {
	case order == nil:
	case prefix == "" && t.IDs != nil, slices.Equal(order, inOrder) && (prefix == "" || counted):
		return order, "", nil
	case t.IDs != nil:
		return order, fmt.Sprintf("%s: its names are the names of %s%s", name, t.Name, prefix), nil
	case counted:
		return inOrder, fmt.Sprintf("%s: its rows are in the order of %s, whose column %s has the same numbers in another order (--id %s matches them)", name, t.Name, hint.Quoted(t.Columns[0]), t.Columns[0]), nil
	default:
		return order, fmt.Sprintf("%s: its names are the column %s of %s%s (--id - takes them for numbers of rows)", name, hint.Quoted(t.Columns[0]), t.Name, prefix), nil
	}
	switch {
	case t.IDs != nil && names != nil:
		return nil, "", t.differ(name, names, lines)
	case len(lines) != t.N():
		return nil, "", fmt.Errorf("%s: found %d items, expected %d as in %s", name, len(lines), t.N(), t.Name)
	case names == nil:
		return inOrder, "", nil
	}
	for first := range 2 { // names that number the rows, from 0 or 1
		numbers := lists.Make(t.N(), func(i int) string { return strconv.Itoa(first + i) })
		if order = matching(numbers, stems(names)); order != nil {
			if !slices.Equal(order, inOrder) {
				note = fmt.Sprintf("%s: its names number the rows of %s: %s is the first", name, t.Name, hint.Quoted(names[order[0]]))
			}
			return order, note, nil
		}
	}
	return inOrder, fmt.Sprintf("%s: its names %s, %s and so on are not used: %s has no names, and its rows are taken in their order", name, hint.Quoted(names[0]), hint.Quoted(names[len(names)-1]), t.Name), nil
}

// differ returns an error for the first name that t or a file with the given names lacks.
func (t *Table) differ(name string, names []string, lines []int) error {
	row, known := lists.Positions(names), lists.Positions(t.IDs)
	for i, id := range t.IDs {
		if _, ok := row[id]; !ok {
			return fmt.Errorf("%s: found no row for the id %s, expected one as in line %d of %s", name, hint.Quoted(id), t.cells.lines[i], t.Name)
		}
	}
	for i, id := range names {
		if _, ok := known[id]; !ok {
			return fmt.Errorf("%s: line %d: found the id %s, expected only ids of %s", name, lines[i], hint.Quoted(id), t.Name)
		}
	}
	panic("dataset: the names are the same")
}

// matching returns the index in names of each of some other names, nil unless both are the same
// set of distinct names.
func matching(own, names []string) []int {
	row := lists.Positions(names)
	if own == nil || len(own) != len(names) || len(row) < len(names) {
		return nil
	}
	order := make([]int, len(own))
	for i, name := range own {
		r, ok := row[name]
		if !ok {
			return nil
		}
		delete(row, name)
		order[i] = r
	}
	return order
}

// stems returns the names without the prefix that all share, nil if nothing remains of one. Numbers
// keep their first digits.
func stems(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	prefix := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:len(prefix)-len(beginsNumber.FindString(prefix))]
	rest := make([]string, len(names))
	for i, name := range names {
		if rest[i] = name[len(prefix):]; rest[i] == "" {
			return nil
		}
	}
	return rest
}

// beginsNumber matches the beginning of a number at the end of a prefix.
var beginsNumber = regexp.MustCompile(`^[-+.]$|(^[-+])?[0-9][0-9.]*$`)
