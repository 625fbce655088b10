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
	"aibd/internal/names"
	"aibd/internal/permutation"
	"aibd/internal/words"
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
		s.IDs = lists.Map(rows, func(i int) string { return strconv.Itoa(i + 1) })
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
	rows := names.NewIndex(t.IDs)
	return func(item string) (int, bool) {
		if t.IDs == nil {
			i, err := strconv.Atoi(item)
			return i - 1, err == nil && i >= 1 && i <= t.N()
		}
		row, _, ok := rows.Find(item)
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
	row, used := lists.Positions(t.IDs), len(t.IDs)
	for _, id := range ids {
		i, ok := row[id]
		if !ok {
			return nil, fmt.Errorf("%s: %w", t.Name, hint.Unknown("id", id, t.IDs))
		}
		if i == used {
			return nil, fmt.Errorf("%s: found the id %q twice in the list, expected distinct ids", t.Name, id)
		}
		order, row[id] = append(order, i), used
	}
	return t.rows(order), nil
}

// Align returns the rows of side in the order of the items of t. They are matched by name if both
// have names: side may have more rows, but not fewer. Names are the same if they have the same characters, whatever
// their Unicode form. Names of side may number the rows of t, if that has none. If only one has names, both must have
// equally many rows, which keep the order of side. A note says what is not evident.
//
// The names of side are its ids, or else a column with the names of the items of t.
func (t *Table) Align(side *Table) (aligned *Table, note string, err error) {
	order, note, err := t.align(side.Name, side.namesLike(t), side.N(), counts(side.IDs))
	if err != nil {
		return nil, "", err
	}
	return side.rows(order), note, nil
}

// namesLike returns the ids of the rows or, if they have none, the cells of a column that has the
// names of the items of another table: a column of text, or the first one if it has Numbers.
func (t *Table) namesLike(other *Table) []string {
	wanted := other.IDs
	switch {
	case t.IDs != nil || t.none:
		return t.IDs
	case wanted == nil && t.Columns[0] == other.Columns[0]:
		wanted = other.numbers
	}
	if contains(t.numbers, wanted) {
		return t.numbers
	}
	for j, text := range t.cells.text {
		if text == nil {
			continue
		}
		if cells := t.cells.column(j); contains(cells, wanted) {
			return cells
		}
	}
	return nil
}

// align returns for each item of t its row in a file with the given names (nil for none) and number of rows, and a note
// if that is not evident. If the names only count, some program may have made them.
func (t *Table) align(name string, ids []string, rows int, counted bool) (order []int, note string, err error) {
	inOrder := permutation.Identity(t.N())
	switch {
	case t.IDs != nil && ids != nil:
		return matched(name, "row", t.IDs, t.Name, names.NewIndex(ids), ids)
	case ids != nil && len(ids) == t.N() && contains(ids, t.numbers):
		order, _ = names.NewIndex(ids).Match(t.numbers)
		switch {
		case slices.Equal(order, inOrder):
		case counted:
			order, note = inOrder, fmt.Sprintf("%s: its rows are in the order of %s, whose column %s has the same numbers in another order (--id %s matches them)", name, t.Name, hint.Quoted(t.Columns[0]), t.Columns[0])
		default:
			note = fmt.Sprintf("%s: its names are the column %s of %s (--id - takes them for numbers of rows)", name, hint.Quoted(t.Columns[0]), t.Name)
		}
		return order, note, nil
	case rows != t.N():
		return nil, "", fmt.Errorf("%s: found %d items, expected %d as in %s", name, rows, t.N(), t.Name)
	case ids == nil:
		return inOrder, "", nil
	}
	for first := range 2 { // names that number the rows, from 0 or 1
		numbers := lists.Make(t.N(), func(i int) string { return strconv.Itoa(first + i) })
		if stems := names.Stems(ids); contains(stems, numbers) {
			if order, _ = names.NewIndex(stems).Match(numbers); !slices.Equal(order, inOrder) {
				note = fmt.Sprintf("%s: its names number the rows of %s: %s is the first", name, t.Name, hint.Quoted(ids[order[0]]))
			}
			return order, note, nil
		}
	}
	return inOrder, fmt.Sprintf("%s: its names %s, %s and so on are not used: %s has no names, and its rows are taken in their order", name, hint.Quoted(ids[0]), hint.Quoted(ids[len(ids)-1]), t.Name), nil
}

// contains reports whether distinct names contain all of a part that has at least one.
func contains(list, part []string) bool {
	if len(part) == 0 || len(list) < len(part) {
		return false
	}
	order, _ := names.NewIndex(list).Match(part)
	return !slices.Contains(order, -1)
}

// matched returns the position of each of some items, of the table with the given name, among the names that a file has
// for things of a kind, such as rows, and a note if names are in another Unicode form, or of no item.
func matched(file, kind string, items []string, table string, index *names.Index, ids []string) (order []int, note string, err error) {
	order, otherForm := index.Match(items)
	used := lists.Positions(order)
	var lacking, unused, otherForms []string
	for i, row := range order {
		switch {
		case row < 0:
			lacking = append(lacking, hint.Quoted(items[i]))
		case otherForm[i]:
			otherForms = append(otherForms, hint.Quoted(items[i]))
		}
	}
	for row, name := range ids {
		if _, ok := used[row]; !ok {
			unused = append(unused, name)
		}
	}
	if lacking != nil {
		meant := ""
		if name, ok := likely(items, slices.Index(order, -1), unused); ok {
			meant = fmt.Sprintf("; did you mean %s?", hint.Quoted(name))
		}
		return nil, "", fmt.Errorf("%s: found no %s for %s, expected one for each item of %s%s", file, kind, hint.Listed(lacking, 3), table, meant)
	}
	var notes []string
	if otherForms != nil {
		notes = append(notes, fmt.Sprintf("%s in another Unicode form than in %s: %s", words.Plural(len(otherForms), "name"), table, hint.Listed(otherForms, 3)))
	}
	if unused != nil {
		notes = append(notes, fmt.Sprintf("%s of no item left out: %s", words.Plural(len(unused), kind), hint.Listed(lists.Map(unused, hint.Quoted), 4)))
	}
	if notes != nil {
		note = file + ": " + strings.Join(notes, "; ")
	}
	return order, note, nil
}

// likely returns the one of other names that is likely meant by items[i]: one that names.Alike proposes, or a likely
// misspelling with the same digits.
func likely(items []string, i int, candidates []string) (string, bool) {
	if name, ok := names.Alike(items, i, candidates); ok {
		return name, true
	}
	digits := func(name string) string { return notDigits.ReplaceAllString(name, "") }
	return hint.Nearest(items[i], slices.DeleteFunc(slices.Clone(candidates), func(name string) bool { return digits(name) != digits(items[i]) }))
}

var notDigits = regexp.MustCompile(`[^0-9]+`)
