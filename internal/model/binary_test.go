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
		if found := strings.Join(p.Spec.Data.Binary, " "); found != c.binary {
			t.Errorf("%d items, %s: found %q binary, expected %q", c.items, c.text, found, c.binary)
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

// What a run noted of its own table is open again for another one, and for other settings of its columns.
func TestBinaryAutoForgotten(t *testing.T) {
	put(t, "x.csv", zeroOne(12, true, [2]string{"0", "1"}, [2]string{"1", "2"}), "y.csv", zeroOne(12, false, [2]string{"0", "1"}, [2]string{"0", "1"}))
	for file, binary := range map[string]string{"x.csv": "v0", "y.csv": "all"} {
		text := "[data]\nfile = '" + file + "'\nbinary = ['auto']\nmin_noise = 0.5\n[likelihood]\nfeatures = 'weighted'"
		p := build(t, text)
		s := p.Spec
		if found := strings.Join(s.Data.Binary, " "); found != binary || !s.Data.DefaultBinary {
			t.Errorf("%s: found %q binary, by default %v, expected %q", file, found, s.Data.DefaultBinary, binary)
		}
		if s.Forget(); !slices.Equal(s.Data.Binary, []string{spec.AutoBinary}) || s.Data.MinNoise != 0.5 || s.Data.Noise != "" || s.Data.DefaultBinary {
			t.Errorf("%s: found %+v", file, s.Data)
		}
		s = build(t, strings.Replace(text, "0.5", "0.25", 1)).Spec
		if s.Forget(); file == "x.csv" && s.Data.MinNoise != 0.25 {
			t.Errorf("%s: found min_noise %v, expected the one that was given", file, s.Data.MinNoise)
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

// A run of a table of two values says nothing of columns of other data.
func TestBinaryDefaultForgotten(t *testing.T) {
	put(t, "x.csv", zeroOne(12, false, [2]string{"0", "1"}, [2]string{"0", "1"}), "y.csv", zeroOne(12, true, [2]string{"0", "1"}))
	s := build(t, "[data]\nfile = 'x.csv'").Spec
	s.Forget()
	s.Data.File, s.Data.Hash = "y.csv", ""
	if p, err := Load(s); err != nil || len(p.Spec.Data.Binary) > 0 || p.Spec.Data.Noise != spec.NoiseColumns {
		t.Errorf("found %+v, %v", p, err)
	}
}

// The words for all columns and for none stand alone.
func TestBinaryWords(t *testing.T) {
	put(t, "x.csv", zeroOne(12, false, [2]string{"0", "1"}, [2]string{"0", "1"}))
	_, err := Load(parse(t, "[data]\nfile = 'x.csv'\nbinary = ['none', 'v0']"))
	wantError(t, err, "data.binary: found none with others, expected it alone")
}

// TRUE and FALSE are binary beside numbers too. Columns of words are if nothing but numbers that name the items is beside
// them, or if the spec asks for all.
func TestBinaryText(t *testing.T) {
	const auto, all, none = "binary = ['auto']", "binary = ['all']", "binary = ['none']"
	logical, words, presence := [2]string{"FALSE", "TRUE"}, [2]string{"no", "yes"}, [2]string{"0", "1"}
	numbered := func(table string) string { return strings.NewReplacer("plot,", "key,", "\np", "\n1").Replace(table) }
	for _, c := range []struct{ table, text, columns, binary, note string }{
		{zeroOne(12, true, logical, logical), auto, "v0 v1 depth", "v0 v1", "TRUE and FALSE only: v0, v1; they are binary (--binary none leaves text out)"},
		{zeroOne(4, true, logical), auto, "v0 depth", "v0", "TRUE and FALSE only: v0; they are binary (--binary none leaves text out)"},
		{zeroOne(12, true, logical, words), "", "depth", "", ""},
		{zeroOne(12, true, logical, words), none, "depth", "none", ""},
		{zeroOne(12, true, logical, presence), auto, "v0 v1 depth", "v0", "two different values: v1; features may fit them exactly (--binary 'v0,v1' takes categories)"},
		{zeroOne(12, true, words, logical, presence), all, "v0 v1 v2 depth", "v0 v1 v2", "one value, or more than two: depth; --binary all takes the other columns"},
		{numbered(zeroOne(12, false, words, words)), auto, "v0 v1", "all", "each column has two values: all are binary (--binary none leaves text out)"},
		{numbered(zeroOne(12, false, words, logical)), all, "v0 v1", "all", ""},
		{numbered(zeroOne(3, false, words, words)), all, "v0 v1", "all", ""},
	} {
		put(t, "x.csv", c.table)
		p := build(t, "[data]\nfile = 'x.csv'\n"+c.text)
		if columns, binary := strings.Join(p.Columns, " "), strings.Join(p.Spec.Data.Binary, " "); columns != c.columns || binary != c.binary || c.note != "" && !slices.Contains(p.Notes, c.note) {
			t.Errorf("%s of\n%sfound columns %s, binary %s, notes %q", c.text, c.table, columns, binary, p.Notes)
		}
		if again, err := Load(p.Spec); err != nil || !reflect.DeepEqual(again.Spec, p.Spec) {
			t.Errorf("%s: built again: found another spec, %v", c.text, err)
		}
	}
	put(t, "x.csv", numbered(zeroOne(12, false, words, words)))
	_, err := Load(parse(t, "[data]\nfile = 'x.csv'\nbinary = ['none']"))
	wantError(t, err, "data.columns: x.csv: found no column of numbers except names and columns of the distances, expected the columns of X (--binary all takes text of two kinds)")
}
