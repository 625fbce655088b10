// Package words writes numbers, counts and lists for people to read.
package words

import (
	"strconv"
	"strings"
)

// Count formats a count with commas between thousands.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns a count with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// And joins parts of a sentence.
func And(parts []string) string {
	if n := len(parts) - 1; n > 0 {
		return strings.Join(parts[:n], ", ") + " and " + parts[n]
	}
	return strings.Join(parts, "")
}

// Small returns a sentence with a small first letter.
func Small(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// Numbered returns prefix1 to prefixn.
func Numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i+1)
	}
	return names
}
