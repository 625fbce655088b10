package model

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aibd/internal/spec"
)

// zeroOne returns a table of named items whose columns have the given two values, and numbers in column
// depth if it is wanted.
func zeroOne(items int, depth bool, values ...[2]string) string {
	text := "plot"
	for j := range values {
		text += fmt.Sprintf(",v%d", j)
	}
	if depth {
		text += ",depth"
	}
	for i := range items {
		text += fmt.Sprintf("\np%d", i)
		for j, v := range values {
			if i == 2 && j == 1 && items > 6 {
				text += ",NA"
				continue
			}
			text += "," + v[min(1, (i+3*j)*(i+1)%4)]
		}
		if depth {
			text += fmt.Sprintf(",%v", float64(i*i)/7)
		}
	}
	return text + "\n"
}

// A table is binary by default if each column has two values, unless a setting is about numbers.
// Otherwise a note names the columns of two values.
func TestBinaryDefault(t *testing.T) {
	presence, codes, words, sizes := [2]string{"0", "1"}, [2]string{"1", "2"}, [2]string{"no", "yes"}, [2]string{"1.5", "7"}
	const all, none = "each column has two values: all are binary (--binary none takes them as numbers)", ""
	allText := strings.Replace(all, "takes them as numbers", "leaves text out", 1)
	some := func(names string) string { // of the note and of the flag
		note, flag, _ := strings.Cut(names, "; ")
		return "two different values: " + note + "; features may fit them exactly (--binary '" + cmp.Or(flag, strings.ReplaceAll(note, ", ", ",")) + "' takes categories)"
	}
	for _, c := range []struct {
		table, text, note string
	}{
		{zeroOne(12, false, presence, presence, presence), "", all},
		{zeroOne(5, false, presence, presence), "", all},
		{zeroOne(12, false, presence, codes, sizes), "", all},
		{zeroOne(12, false, words, words), "", allText},
		{zeroOne(4, false, presence, presence), "", none},
		{zeroOne(9, false, codes, sizes), "", none},
		{zeroOne(12, false, presence, [2]string{"<2", "3"}), "[data]\nscale = false", some("v0")},
		{zeroOne(12, true, presence, codes), "", some("v0, v1; v*")},
		{zeroOne(12, true, presence, codes), "[data]\nbinary = ['v0']", some("v1; v0,v1")},
		{zeroOne(12, true, presence, codes), "[data]\nbinary = ['v*']", none},
		{zeroOne(12, true, presence, codes), "[data]\nbinary = ['none']", none},
		{zeroOne(12, true, presence, codes), "[data]\ncolumns = ['v*']", all},
		{zeroOne(12, false, presence, presence), "[data]\nbinary = ['none']", none},
		{zeroOne(12, false, presence, presence), "[data]\nbinary = ['all']", none},
		{zeroOne(12, false, presence, presence), "[data]\ncenter = false", some("v0, v1; v*")},
		{zeroOne(12, false, presence, presence), "[data]\nnoise = 'common'", some("v0, v1; v*")},
		{zeroOne(12, false, sizes, sizes), "[data]\nlog = ['v0']", some("v0, v1; v*")},
		{zeroOne(12, false, presence, presence), "[data]\nbinary = ['auto']", all},
		{zeroOne(12, true, codes, sizes), "[data]\nbinary = ['auto']", some("v0, v1; v*")},
	} {
		put(t, "x.csv", c.table)
		if !strings.Contains(c.text, "[data]\n") {
			c.text = "[data]\n" + c.text
		}
		p := build(t, strings.Replace(c.text, "[data]\n", "[data]\nfile = 'x.csv'\n", 1))
		notes := slices.DeleteFunc(slices.Clone(p.Notes), func(note string) bool { return !strings.Contains(note, "two ") })
		if c.note == none && len(notes) > 0 || c.note != none && !slices.Equal(notes, []string{c.note}) {
			t.Errorf("%q of\n%sfound notes %q, expected %q", c.text, c.table, notes, c.note)
		}
		if binary := slices.Equal(p.Spec.Data.Binary, []string{spec.AllBinary}); binary != (c.note == all || c.note == allText || strings.Contains(c.text, "'all'")) ||
			binary && (slices.Contains(p.Categories, nil) || !p.Spec.Data.HasIntercept()) {
			t.Errorf("%q of\n%sfound binary %q, categories %v, an intercept %v", c.text, c.table, p.Spec.Data.Binary, p.Categories, p.Spec.Data.HasIntercept())
		}
		again, err := Load(p.Spec)
		if err != nil || !reflect.DeepEqual(again.Spec, p.Spec) || !slices.Equal(again.Columns, p.Columns) {
			t.Errorf("%q of\n%sbuilt again: found %+v, %v\nexpected %+v", c.text, c.table, again, err, p.Spec.Data)
		}
	}
}

// Columns of 0 and 1 are binary beside others, if the spec leaves it open and nothing takes them as numbers.
func TestBinaryAuto(t *testing.T) {
	presence, codes := [2]string{"0", "1"}, [2]string{"1", "2"}
	const auto = "[data]\nfile = 'x.csv'\nbinary = ['auto']\n"
	for _, c := range []struct {
		items        int
		text, binary string
	}{
		{12, auto, "v0"},
		{12, auto + "[likelihood]\nfeatures = 'weighted'", "v0"},
		{12, auto + "[likelihood]\nfeatures = 'binary'", "v0"}, // kinds that are compared have the same columns
		{12, auto + "ordinal = ['v1']", ""},                    // one column of numbers would have no noise scale
		{4, auto, ""},
		{12, auto + "log1p = ['v*']", ""},
		{12, auto + "count = ['v0']", ""},
		{12, auto + "center = false", ""},
		{12, auto + "noise = 'common'", ""},
		{12, "[data]\nfile = 'x.csv'\n", ""},
	} {
		put(t, "x.csv", zeroOne(c.items, true, presence, codes))
		p := build(t, c.text)
		if got := strings.Join(p.Spec.Data.Binary, " "); got != c.binary {
			t.Errorf("%d items, %s: found %q binary, expected %q", c.items, c.text, got, c.binary)
		}
		const note = "0 and 1 only: v0; they are binary (--binary none takes them as numbers)"
		if slices.Contains(p.Notes, note) != (c.binary != "") {
			t.Errorf("%d items, %s: found notes %q", c.items, c.text, p.Notes)
		}
		if again, err := Load(p.Spec); err != nil || !reflect.DeepEqual(again.Spec, p.Spec) {
			t.Errorf("%s: built again: found another spec, %v", c.text, err)
		}
	}
}

// A column whose name is a word for binary columns is one of numbers by default.
func TestBinaryNames(t *testing.T) {
	put(t, "x.csv", strings.Replace(zeroOne(12, true, [2]string{"0", "1"}, [2]string{"0", "1"}, [2]string{"1", "2"}), "v0", "all", 1))
	if p := build(t, "[data]\nfile = 'x.csv'\nbinary = ['auto']"); !slices.Equal(p.Spec.Data.Binary, []string{"v1"}) {
		t.Errorf("found %q binary", p.Spec.Data.Binary)
	}
	put(t, "y.csv", "id,a,b,sick\np,1.5,2,0\nq,2,4.5,1\nr,3,1,1\ns,0.5,7,0\nt,4,3,0\n")
	p := build(t, "[data]\nfile = 'y.csv'\nbinary = ['auto']")
	if slices.ContainsFunc(p.Notes, func(note string) bool { return strings.HasPrefix(note, "two ") }) || !slices.Equal(p.Spec.Data.Binary, []string{"sick"}) {
		t.Errorf("found %q binary, notes %q", p.Spec.Data.Binary, p.Notes)
	}
}

// Features with weights take categories too.
func TestBinaryDefaultOfWeightedFeatures(t *testing.T) {
	put(t, "x.csv", zeroOne(12, false, [2]string{"0", "1"}, [2]string{"0", "1"}))
	for _, features := range []string{"weighted", "graded"} {
		p := build(t, "[data]\nfile = 'x.csv'\n[likelihood]\nfeatures = '"+features+"'")
		if slices.Contains(p.Categories, nil) {
			t.Errorf("%s: found categories %v", features, p.Categories)
		}
	}
}
