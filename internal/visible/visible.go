// Package visible shows text of unknown origin on terminals and in pictures.
package visible

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns s with everything that is neither graphic nor a blank, such as control
// characters, line ends, marks of writing direction and bytes that are not UTF-8,
// escaped as in a Go string: \x1b, \n, \u202e. Other text stays as it is.
func Text(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			b.WriteString(quote(s[i : i+1]))
		case strconv.IsGraphic(r):
			b.WriteRune(r)
		default:
			b.WriteString(quote(string(r)))
		}
	}
	return b.String()
}

// Clipped returns Text of at most limit characters of s, and how many bytes a longer s has.
func Clipped(s string, limit int) string {
	count := 0
	for offset := range s {
		if count++; count > limit {
			return fmt.Sprintf("%s... (%d bytes)", Text(s[:offset]), len(s))
		}
	}
	return Text(s)
}

// quote escapes one character, without quotation marks.
func quote(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
