package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aibd/internal/spec"
)

// Columns share SigmaX by default if some have so few values that their noise could tend to 0.
func TestNoiseDefault(t *testing.T) {
	table := func(n, values int) string {
		text := "a,b,c\n"
		for i := range n {
			text += fmt.Sprintf("%d,%d.5,%d\n", i*i, i*7%n, i*7%values)
		}
		return text
	}
	put(t, "two.csv", table(12, 2), "five.csv", table(30, 5), "few.csv", table(8, 2), "many.csv", table(40, 40))
	const so, may = "few values: c; a few features can fit such columns exactly, so all columns share SigmaX (--noise columns; --binary, --ordinal for categories)",
		"few values: c; a few features can fit such columns exactly, and their noise may tend to 0 (--noise common; --binary, --ordinal for categories)"
	for _, c := range []struct{ text, noise, note string }{
		{"file = 'many.csv'", spec.NoiseColumns, ""},
		{"file = 'many.csv'\n[prior.sigma_x]\nfixed = true\nvalue = 1", spec.NoiseCommon, ""},
		{"file = 'many.csv'\ncolumns = ['a']", spec.NoiseCommon, ""},
		{"file = 'two.csv'", spec.NoiseCommon, so},
		{"file = 'two.csv'\nnoise = 'columns'", spec.NoiseColumns, may},
		{"file = 'two.csv'\nnoise = 'common'", spec.NoiseCommon, ""},
		{"file = 'two.csv'\nbinary = ['c']", spec.NoiseColumns, ""},
		{"file = 'five.csv'", spec.NoiseCommon, so},
		{"file = 'few.csv'", spec.NoiseColumns, ""},
	} {
		p := build(t, "[data]\nid = '-'\n"+c.text)
		at := slices.IndexFunc(p.Notes, func(note string) bool { return strings.HasPrefix(note, "few values") })
		if p.Spec.Data.Noise != c.noise || (at >= 0) != (c.note != "") || at >= 0 && p.Notes[at] != c.note {
			t.Errorf("%s: noise %s, notes %q, expected %s, %q", c.text, p.Spec.Data.Noise, p.Notes, c.noise, c.note)
		}
	}
}

// One column is fitted exactly in an improper posterior from d (k+2) items on.
func TestImproper(t *testing.T) {
	for d := 2; d < 9; d++ {
		for k := 1; k < 5; k++ {
			for _, n := range []int{d*(k+2) - 1, d * (k + 2)} {
				if found, expected := improper(n, d, []int{k}), n == d*(k+2); found != expected {
					t.Errorf("%d items, %d columns, %d features: %v, expected %v", n, d, k, found, expected)
				}
			}
		}
	}
	if improper(40, 10, []int{3}) || !improper(40, 10, []int{3, 3, 3, 3, 3}) {
		t.Error("found one column of ten improper, or five of ten proper")
	}
	if improper(1000, 1, []int{1}) {
		t.Error("a single column has the noise of all")
	}
}
