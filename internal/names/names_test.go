package names

import (
	"fmt"
	"strings"
	"testing"
)

// The first key wins, and a name that two fit is none's.
func TestMatch(t *testing.T) {
	const e = "e\u0301" // é in two characters
	blanks := func(name string) string { return Canonical(strings.ReplaceAll(name, "_", " ")) }
	for _, test := range []struct {
		names, items []string
		positions    string
		other        string
	}{
		{[]string{"a", "b", "é"}, []string{"é", "a", "c"}, "[2 0 -1]", "[false false false]"},
		{[]string{"a", "é"}, []string{e, "a"}, "[1 0]", "[true false]"},
		{[]string{"é", e}, []string{e, "é"}, "[1 0]", "[false false]"},
		{[]string{"é"}, []string{e, "é"}, "[-1 0]", "[false false]"},
		{[]string{"a b"}, []string{"a_b", "a b"}, "[-1 0]", "[false false]"},
		{[]string{"a_b", "c"}, []string{"a b", "c"}, "[0 1]", "[false false]"},
		{[]string{"a_é"}, []string{"a " + e}, "[0]", "[true]"},
		{[]string{"a_b c", "a b_c"}, []string{"a b c"}, "[-1]", "[false]"},
		{[]string{"a b c"}, []string{"a_b c", "a b_c"}, "[-1 -1]", "[false false]"},
		{[]string{"x", "x"}, []string{"x"}, "[-1]", "[false]"},
		{[]string{"\u212a"}, []string{"K"}, "[0]", "[true]"}, // the sign of the kelvin
	} {
		positions, other := NewIndex(test.names, blanks).Match(test.items)
		if fmt.Sprint(positions) != test.positions || fmt.Sprint(other) != test.other {
			t.Errorf("%q among %q: found %v, %v, want %s, %s", test.items, test.names, positions, other, test.positions, test.other)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, test := range []struct{ name, candidates, want string }{
		{"101", "102.0 101.0", "101.0"}, {"1e3", "1000", "1000"}, {"007", "7", "7"},
		{"alpha", "BETA ALPHA", "ALPHA"}, {"STRASSE", "straße", "straße"}, {"１２", "12", "12"},
		{"3", "X1 X3", "X3"}, {"alpha", "beta", ""}, {"alpha", "Alpha ALPHA", ""}, {"alpha", "", ""},
	} {
		if got, _ := Alike([]string{test.name, "9"}, 0, strings.Fields(test.candidates)); got != test.want {
			t.Errorf("%s among %s: found %q, want %q", test.name, test.candidates, got, test.want)
		}
	}
}
