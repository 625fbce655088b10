// Package hint makes errors about unknown names. They propose the nearest name of a list, and quote as much of a long
// text as fits in a line.
package hint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// UnknownError is the error of Unknown, about a name of a kind.
type UnknownError struct {
	Kind string
	error
}

// Unknown returns the UnknownError for a name of the given kind ("decay", "column") that is not among names. It proposes
// the Nearest of them if the name is a likely misspelling of it, and otherwise lists up to ten of them.
func Unknown(kind, name string, names []string) error {
	if nearest, ok := Nearest(name, names); ok {
		return UnknownError{kind, fmt.Errorf("unknown %s %s, did you mean %s?", kind, Quoted(name), Quoted(nearest))}
	}
	names = slices.Clone(names)
	for i := range names[:min(len(names), 10)] {
		var long bool
		if names[i], long = clipped(names[i]); long {
			names[i] += "..."
		}
		if strings.ContainsFunc(names[i], unicode.IsControl) {
			names[i] = fmt.Sprintf("%q", names[i]) // an error is one line
		}
	}
	return UnknownError{kind, fmt.Errorf("unknown %s %s, expected one of %s", kind, Quoted(name), Listed(names, 10))}
}

// minAbbreviated is the least number of letters of an abbreviation.
const minAbbreviated = 3

// Nearest returns the one of names that is nearest to a name. It reports whether the name is a likely abbreviation or
// misspelling of it: its beginning, of at least three letters, or different in up to a third of the letters, but not in
// all, whatever the case.
func Nearest(name string, names []string) (nearest string, ok bool) {
	if utf8.RuneCountInString(strings.TrimLeft(name, "-")) >= minAbbreviated {
		for _, k := range names {
			if strings.HasPrefix(k, name) && len(k) <= maxQuoted && (!ok || len(k) < len(nearest)) {
				nearest, ok = k, true
			}
		}
	}
	if ok {
		return nearest, true
	}
	letters := utf8.RuneCountInString(name)
	apart := func(k string) int {
		n := utf8.RuneCountInString(k)
		if far := max(n, letters); far > maxQuoted || 3*max(n-letters, letters-n) > max(n, 3) {
			return far // too long to be compared letter by letter, or not near whatever the letters
		}
		a, b := strings.ToLower(name), strings.ToLower(k)
		if swapped(a, b) {
			return 1
		}
		return levenshtein.ComputeDistance(a, b)
	}
	if len(names) == 0 {
		return "", false
	}
	nearest = slices.MinFunc(names, func(a, b string) int { return cmp.Compare(apart(a), apart(b)) })
	n, far := utf8.RuneCountInString(nearest), apart(nearest)
	return nearest, 3*far <= max(n, 3) && far < n
}

// swapped reports whether two texts differ by the order of two letters side by side.
func swapped(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// Listed returns the first names of a list, and how many more there are.
func Listed(names []string, limit int) string {
	list := strings.Join(names[:min(limit, len(names))], ", ")
	if count := len(names) - limit; count > 0 {
		list += fmt.Sprintf(" and %d more", count)
	}
	return list
}

// maxQuoted is the max number of characters of a text that an error repeats.
const maxQuoted = 100

// Quoted returns a text in quotation marks as errors repeat it: all of it or, of
// a long one, the beginning and the number of its bytes.
func Quoted(s string) string {
	if short, ok := clipped(s); ok {
		return fmt.Sprintf("%q... (%d bytes)", short, len(s))
	}
	return fmt.Sprintf("%q", s)
}

// clipped returns the beginning of a long text, and whether it is one.
func clipped(s string) (string, bool) {
	count := 0
	for offset := range s {
		if count++; count > maxQuoted {
			return s[:offset], true
		}
	}
	return s, false
}
