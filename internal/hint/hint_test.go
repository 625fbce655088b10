package hint

import (
	"strings"
	"testing"
)

func TestUnknownListsSome(t *testing.T) {
	names := strings.Split("aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk llll", " ")
	const want = `unknown column "zzzz", expected one of aaaa, bbbb, cccc, dddd, eeee, ffff, gggg, hhhh, iiii, jjjj and 2 more`
	if got := Unknown("column", "zzzz", names).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Errors repeat no more of a text than fits in a line, and are one line whatever the
// names.
func TestUnknownOfLongNames(t *testing.T) {
	long := strings.Repeat("äb", 5000)
	for _, test := range []struct {
		name  string
		names []string
		want  string
	}{
		{long, []string{"a"}, `unknown column "` + strings.Repeat("äb", 50) + `"... (15000 bytes), expected one of a`},
		{"a", []string{long}, `unknown column "a", expected one of ` + strings.Repeat("äb", 50) + `...`},
		{long + "a", []string{long}, `unknown column "` + strings.Repeat("äb", 50) + `"... (15001 bytes), expected one of ` + strings.Repeat("äb", 50) + `...`},
		{"fti", []string{"data", "fit"}, `unknown column "fti", did you mean "fit"?`},
		{"fto", []string{"data", "fit"}, `unknown column "fto", expected one of data, fit`},
		{"--mas", []string{"--max", "--mass-shape", "--mass"}, `unknown column "--mas", did you mean "--mass"?`},
		{"temp", []string{"help", "temperature"}, `unknown column "temp", did you mean "temperature"?`},
		{"--m", []string{"--mass"}, `unknown column "--m", expected one of --mass`},
		{"z", []string{"x", "y"}, `unknown column "z", expected one of x, y`},
		{"0", []string{"\nxyz"}, `unknown column "0", expected one of "\nxyz"`},
	} {
		if got := Unknown("column", test.name, test.names).Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
