package model

import (
	"math"
	"slices"
	"testing"

	"aibd/prior"
)

func TestBuildPrior(t *testing.T) {
	put(t, "x.csv", ages, "one.csv", "id,age\np,3\n", "m.csv", "0,1\n2,0\n")
	for _, c := range []struct {
		text  string
		items int
		n     int
		ids   []string
		unit  string
	}{
		{"[prior]\nlaw = 'ibp'", 7, 7, nil, ""},
		{"[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'", 0, 3, []string{"p", "q", "r"}, ""},
		{"[data]\nbuiltin = 'usstates'", 0, 50, nil, "1000 km"},
		{"[data]\nfile = 'x.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']", 0, 3, []string{"p", "q", "r"}, "age"},
		{"[data]\nfile = 'one.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']", 0, 1, []string{"p"}, "age"},
		{"[distance]\nkind = 'matrix'\nfile = 'm.csv'", 0, 2, nil, "unit of m.csv"},
	} {
		p, err := loadPrior(parse(t, c.text), c.items)
		if err != nil {
			t.Fatal(err)
		}
		if p.Law.N() != c.n || p.Unit != c.unit || c.n < 50 && !slices.Equal(p.IDs, c.ids) || c.n == 50 && p.IDs[49] != "Wyoming" || p.Law.Mass() != 1 {
			t.Errorf("%s: %d items %q in %q, mass %v", c.text, p.Law.N(), p.IDs, p.Unit, p.Law.Mass())
		}
	}
	for unit, temperature := range map[string]float64{"median": 2, "distance": 3} { // the distances are 1 and 2
		p, err := loadPrior(parse(t, "[distance]\nkind = 'matrix'\nfile = 'm.csv'\n[prior]\nmass = { value = 2 }\ntemperature = { shape = 6, rate = 2 }\ntemperature_unit = '"+unit+"'\npermutation = { order = [2, 1] }"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if law := p.Law.(*prior.AIBD); law.Mass() != 2 || law.Temperature() != temperature || !slices.Equal(law.Permutation(), []int{1, 0}) {
			t.Errorf("law %v", law)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"[prior]\nlaw = 'ibp'", "found 0 items, expected at least 1"},
		{"", "data.file: found none, expected a file or a built-in set (or distance.kind matrix)"},
		{"[distance]\nkind = 'matrix'\nfile = 'm.csv'\n[prior.permutation]\nkind = 'ordered'\ncolumn = 'age'", `prior.permutation.column: found column "age" and no data, expected a file or a built-in set`},
		{"[distance]\nkind = 'matrix'\nfile = 'm.csv'\n[prior.permutation]\nkind = 'fixed'\norder = [1]", "prior: permutation: found 1 entries, expected one for each of 2 items"},
		{"[distance]\nkind = 'matrix'\nfile = 'n.csv'", "n.csv: no such file or directory"},
		{"[prior.mass]\nvalue = -1", "prior.mass.value: found -1, expected a finite number above 0"},
	} {
		p, err := loadPrior(parse(t, c.text), 0)
		wantError(t, err, c.want)
		if p != nil {
			t.Error("a law all the same")
		}
	}
}

// The law before the data is the law that the chains use.
func TestBuildPriorAgreesWithBuild(t *testing.T) {
	s := parse(t, "[data]\nbuiltin = 'usstates'\n[prior]\nmass = { value = 2 }\ntemperature = { value = 3 }\npermutation = { kind = 'ordered', column = 'Frost' }")
	p, err := loadPrior(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.Law.ExpectedSharing(), q.Posterior.Law.ExpectedSharing()
	for i := range a {
		if !slices.Equal(a[i], b[i]) || math.Abs(a[i][i]-2) > 1e-12 {
			t.Fatalf("row %d: %v and %v", i, a[i], b[i])
		}
	}
}
