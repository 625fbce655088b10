package model

import (
	"slices"
	"strings"
	"testing"

	"aibd/internal/spec"
)

// Columns share SigmaX by default if one of them has two values only: a feature can fit it exactly.
func TestNoiseDefault(t *testing.T) {
	const rows = "\n1,2,0\n2,1,0\n4,3,1\n3,5,1\n5,4,NA\n"
	put(t, "two.csv", "a,b,c"+rows, "three.csv", "a,b,c"+rows+"6,6,2\n")
	for _, c := range []struct{ text, noise, note string }{
		{"file = 'three.csv'", spec.NoiseColumns, ""},
		{"file = 'three.csv'\n[prior.sigma_x]\nfixed = true\nvalue = 1", spec.NoiseCommon, ""},
		{"file = 'three.csv'\ncolumns = ['a']", spec.NoiseCommon, ""},
		{"file = 'two.csv'", spec.NoiseCommon, "two values only: c; one feature can fit such a column exactly, so all columns share SigmaX (--noise columns; --binary for two categories)"},
		{"file = 'two.csv'\nnoise = 'columns'", spec.NoiseColumns, "two values only: c; one feature can fit such a column exactly, and its noise then tends to 0 (--noise common; --binary for two categories)"},
		{"file = 'two.csv'\nnoise = 'common'", spec.NoiseCommon, ""},
		{"file = 'two.csv'\nbinary = ['c']", spec.NoiseColumns, ""},
	} {
		p := build(t, "[data]\n"+c.text)
		at := slices.IndexFunc(p.Notes, func(note string) bool { return strings.HasPrefix(note, "two values") })
		if p.Spec.Data.Noise != c.noise || (at >= 0) != (c.note != "") || at >= 0 && p.Notes[at] != c.note {
			t.Errorf("%s: noise %s, notes %q, expected %s, %q", c.text, p.Spec.Data.Noise, p.Notes, c.noise, c.note)
		}
	}
}
