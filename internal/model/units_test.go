package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/internal/spec"
	"aibd/mcmc"
)

// kept keeps draws.
type kept []draws.Draw

func (k *kept) Record(d *draws.Draw) error {
	*k = append(*k, *draws.Clone(d))
	return nil
}

// drawsOf returns the start and the draws of the first chain of a spec.
func drawsOf(t *testing.T, text string) (mcmc.Start, kept) {
	t.Helper()
	p := build(t, text)
	start, err := p.Start(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := p.NewChain(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var k kept
	if err := chain.Run(t.Context(), &k); err != nil {
		t.Fatal(err)
	}
	return start, k
}

// In another unit of distance a chain draws the same of everything but the temperature,
// which changes with the unit: exactly if the unit is a power of 2, and otherwise to
// rounding. So do the starts. The broken twin has the prior of the temperature itself.
func TestUnitsDoNotMatter(t *testing.T) {
	const small = "[sampler]\nwarmup = 10\ndraws = 10\ninit = 'prior'\n[distance]\nkind = 'absolute'\ncolumns = ['at']\n[data]\ncolumns = ['a', 'b']\nfile = '%s.csv'\n[prior]\n%s"
	table := func(unit float64) string {
		text := "name,a,b,at\n"
		for i := range 20 {
			text += fmt.Sprintf("i%d,%d,%d,%v\n", i, i*i%7, (i*i+i)%5, float64(i*i%11)/unit)
		}
		return text
	}
	for _, c := range []struct {
		law       string
		unit      float64
		tolerance float64
		twin      bool
	}{
		{"", 0x1p10, 0, false},
		{"", 0x1p-20, 0, false},
		{"temperature = { shape = 3, rate = 2 }", 0x1p20, 0, false},
		{"law = 'ddibp'", 0x1p-10, 0, false},
		{"law = 'ddibp'\nproximity = 'symmetric'", 0x1p10, 0, false},
		{"", 1000, 1e-6, false},
		{"", 1e6, 1e-6, false},
		{"temperature_unit = 'distance'", 0x1p10, 0, true},
	} {
		put(t, "one.csv", table(1), "other.csv", table(c.unit))
		one, a := drawsOf(t, fmt.Sprintf(small, "one", c.law))
		other, b := drawsOf(t, fmt.Sprintf(small, "other", c.law))
		near := func(x, y float64) bool { return math.Abs(x-y) <= c.tolerance*math.Abs(x) }
		same := near(one.Temperature*c.unit, other.Temperature) && one.Mass == other.Mass && one.Scales == other.Scales && one.Z.Key() == other.Z.Key()
		for i := range a {
			same = same && near(a[i].Temperature*c.unit, b[i].Temperature) && near(a[i].Mass, b[i].Mass) && near(a[i].SigmaX, b[i].SigmaX) &&
				near(a[i].SigmaA, b[i].SigmaA) && near(a[i].LogLik, b[i].LogLik) && a[i].Z.Key() == b[i].Z.Key() && fmt.Sprint(a[i].Permutation) == fmt.Sprint(b[i].Permutation)
		}
		if same == c.twin || len(a) != 10 {
			t.Errorf("%q in units of %v: start %+v and %+v, the same: %v", c.law, c.unit, one, other, same)
		}
	}
}

// Extreme units are refused in one line.
func TestMedianOutOfRange(t *testing.T) {
	put(t, "x.csv", "a,b\n1,2\n2,1\n4,3\n", "m.csv", "0,1e200,1e200\n1e200,0,1e200\n1e200,1e200,0\n")
	_, err := Load(parse(t, "[data]\nfile = 'x.csv'\n[distance]\nkind = 'matrix'\nfile = 'm.csv'"))
	wantError(t, err, "distance.kind: found distances around 1e+200, expected a unit in which they are around 1")
	_, err = Load(parse(t, "[data]\nfile = 'x.csv'\n[[distance]]\nkind = 'same'\ncolumns = ['a']\n[[distance]]\nkind = 'matrix'\nfile = 'm.csv'"))
	wantError(t, err, `distance.kind: "m.csv": found distances around 1e+200, expected a unit in which they are around 1`)
}

// Columns are scaled if their standard deviations differ by a factor above 5, or if a
// built-in set says that units are mixed; a spec has the last word.
func TestScaling(t *testing.T) {
	const n = 6
	table := func(factor float64) string {
		text := "id,a,b\n"
		for i := range n {
			text += fmt.Sprintf("s%d,%d,%v\n", i, i*i%5, factor*float64((i*i+1)%5))
		}
		return text
	}
	put(t, "one.csv", table(3), "mixed.csv", table(50), "constant.csv", "a,b\n1,2\n1,3\n1,9\n")
	for _, c := range []struct {
		text         string
		scaled, auto bool
	}{
		{"file = 'one.csv'", false, true},
		{"file = 'mixed.csv'", true, true},
		{"file = 'one.csv'\nscale = true", true, false},
		{"file = 'mixed.csv'\nscale = false", false, false},
		{"file = 'mixed.csv'\ncolumns = ['b']", false, true},
		{"columns = ['Murder', 'Frost']", true, false}, // of the 50 states
	} {
		p := build(t, "[prior]\nlaw = 'ibp'\n[data]\n"+c.text)
		if *p.Spec.Data.Scale != c.scaled || p.AutoScale != c.auto || (p.Scales.SigmaA < 1.0000001) != c.scaled {
			t.Errorf("%s: scaled %v, auto %v, scales %+v, spread %v", c.text, *p.Spec.Data.Scale, p.AutoScale, p.Scales, p.SDRatio)
		}
	}
	_, err := Load(parse(t, "[prior]\nlaw = 'ibp'\n[data]\nfile = 'constant.csv'\ncolumns = ['*']"))
	wantError(t, err, `constant.csv: column "a": found standard deviation 0, expected a finite number above 0 to scale by (--columns '!NAME' leaves out a column)`)
}

// Numbers whose squares are outside the range of a float64 are scaled, and their spread is a ratio.
func TestScalingOfExtremeNumbers(t *testing.T) {
	for _, unit := range []string{"e-200", "e-120", "e120", "e200", "e300"} {
		for other, spread := range map[string]float64{unit: 1.2, "": math.MaxFloat64} {
			text := "id,a,b\n"
			for i := range 6 {
				text += fmt.Sprintf("s%d,%d%s,%d%s\n", i, i+1, unit, i*i%5+1, other)
			}
			put(t, "x.csv", text)
			p := build(t, "[data]\nfile = 'x.csv'")
			if !*p.Spec.Data.Scale || !p.AutoScale || !(p.SDRatio >= 1 && p.SDRatio <= spread) || math.Abs(p.Scales.SigmaA-1) > 1e-9 {
				t.Errorf("%s and %s: scaled %v, auto %v, scales %+v, spread %v", unit, other, *p.Spec.Data.Scale, p.AutoScale, p.Scales, p.SDRatio)
			}
		}
	}
}

// A note names each column that is not in X, the reason, and the setting that would include it.
func TestLeftOut(t *testing.T) {
	const names = "names of the items, as whole numbers that increase or a column of this name (--id - makes it data)"
	const identifier = "an identifier by its name (--columns names those of X)"
	const distances = "for the distances (--columns names those of X)"
	const constantNote = "the same value in all rows (--columns names those of X)"
	years := "year,a,b\n1990,1,5\n1992,3,2\n1994,2,7\n1997,2,1\n2001,4,4\n"
	put(t, "x.csv", "id,a,group,b,note\nx,1,g,2,NA\ny,2,h,1,NA\nz,4,g,3,see\n",
		"years.csv", years, "first.csv", strings.Replace(years, "year", "t", 1), "few.csv", "t,a\n1,2\n2,1\n4,3\n",
		"patients.csv", "Patient,a,age\n30,1,50\n10,2,40\n20,4,66\n", "side.csv", "Patient,height\n10,1\n20,2\n30,5\n", "again.csv", "patient,a\n1,1\n1,2\n2,4\n",
		"ids.csv", ",ID,a,site_id,grid\np,7,1,3,1\nq,5,2,1,4\nr,7,4,2,2\n",
		"halves.csv", strings.ReplaceAll(years, "199", "1.9"),
		"groups.csv", "sort,subject,a,same,none,b,limits\nu,7,1,5,NA,4,<1\nv,7,3,NA,NA,1,2\nu,8,2,5,,5,<1\nv,8,2,5,.,5,3\n")
	const absolute = "[distance]\nkind = 'absolute'\ncolumns = ['year']\n"
	for _, c := range []struct {
		text, columns string
		leftOut       []LeftOut
		ids           string
	}{
		{"file = 'x.csv'", "[a b]", []LeftOut{{"group", notNumbers}, {"note", notNumbers}}, "[x y z]"},
		{"file = 'x.csv'\ncolumns = ['b']", "[b]", nil, "[x y z]"},
		{"file = 'ids.csv'", "[a grid]", []LeftOut{{"ID", identifier}, {"site_id", identifier}}, "[p q r]"},
		{"file = 'groups.csv'", "[a b limits]", []LeftOut{{"sort", twoKinds}, {"subject", identifier}, {"same", constantNote}, {"none", "no values"}}, "[1 2 3 4]"},
		{"file = 'groups.csv'\ncolumns = ['same', 'a']\nscale = false", "[a same]", nil, ""},
		{"file = 'groups.csv'\ncenter = false\nscale = false", "[a same b limits]", []LeftOut{{"sort", twoKinds}, {"subject", identifier}, {"none", "no values"}}, ""},
		{"file = 'ids.csv'\ncolumns = ['*']", "[ID a site_id grid]", nil, "[p q r]"},
		{"columns = ['Frost', 'Income']", "[Income Frost]", nil, ""},
		{"file = 'years.csv'", "[a b]", []LeftOut{{"year", names}}, "[1990 1992 1994 1997 2001]"},
		{"file = 'years.csv'\nid = '-'", "[year a b]", nil, "[1 2 3 4 5]"},
		{"file = 'years.csv'\nid = '-'\n" + absolute, "[a b]", []LeftOut{{"year", distances}}, "[1 2 3 4 5]"},
		{"file = 'years.csv'\n" + absolute, "[a b]", []LeftOut{{"year", names}}, "[1990 1992 1994 1997 2001]"},
		{"file = 'years.csv'\ncolumns = ['year', 'a']\n" + absolute, "[year a]", nil, "[1990 1992 1994 1997 2001]"},
		{"file = 'first.csv'", "[a b]", []LeftOut{{"t", names}}, "[1990 1992 1994 1997 2001]"},
		{"file = 'halves.csv'\ncolumns = ['a']", "[a]", nil, "[1 2 3 4 5]"},
		{"file = 'few.csv'", "[t a]", nil, "[1 2 3]"},
		{"file = 'patients.csv'", "[a age]", []LeftOut{{"Patient", names}}, "[30 10 20]"},
		{"file = 'patients.csv'\nside = 'side.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['height']", "[a age]", []LeftOut{{"Patient", names}}, "[30 10 20]"},
		{"file = 'again.csv'", "[patient a]", nil, "[1 2 3]"},
	} {
		text := "[data]\n" + c.text
		if !strings.Contains(text, "distance") {
			text = "[prior]\nlaw = 'ibp'\n" + text
		}
		p := build(t, text)
		if fmt.Sprint(p.Columns) != c.columns || fmt.Sprint(p.LeftOut) != fmt.Sprint(c.leftOut) || c.ids != "" && fmt.Sprint(p.IDs) != c.ids {
			t.Errorf("%s: columns %v, left out %q, ids %v", c.text, p.Columns, p.LeftOut, p.IDs)
		}
		if strings.Contains(text, "side") {
			if d := distancesOf(t, p); d[0][1] != 4 || d[0][2] != 3 {
				t.Errorf("heights are not in the order of the patients: %v", d)
			}
		}
		if o, err := observed(p); err != nil || len(o.X[0]) != len(p.Columns) {
			t.Errorf("%s: read again: %v, %v", c.text, o, err)
		}
	}
	_, err := Load(parse(t, "[data]\nfile = 'few.csv'\n[distance]\nkind = 'euclidean'\ncolumns = ['*']"))
	wantError(t, err, "data.columns: few.csv: found no column of numbers except names and columns of the distances, expected the columns of X")
}

// Notes name input that is not used, or not as one might expect.
func TestNotes(t *testing.T) {
	put(t, "x.csv", "a,b\n1,2\n2,1\n4,3\n", "m.csv", "0,1,2\n1,0,3\n2,3,0\n", "similar.csv", "1,1,2\n1,1,3\n2,3,1\n", "one-way.csv", "0,1,2\n5,0,3\n2,3,0\n",
		"lower.csv", "0,0,0\n1,0,0\n2,3,0\n", "upper.csv", "0,1,2\n0,0,3\n0,0,0\n", "zero.csv", "0,0,0\n0,0,0\n0,0,0\n")
	const data = "[data]\nfile = 'x.csv'\n[distance]\nkind = 'matrix'\nfile = '%s.csv'\n[prior]\n%s"
	for _, c := range []struct{ file, prior, want string }{
		{"m", "", "[]"},
		{"similar", "", "[similar.csv: the diagonal is not 0 and is ignored: item \"1\" has 1; if the matrix has similarities: --decay given]"},
		{"similar", "decay = 'given'", "[]"},
		{"one-way", "", "[one-way.csv: the matrix is not symmetric: row \"1\", column \"2\" is 1, and row \"2\", column \"1\" is 5; row i, column j is the distance from the arriving item i to the earlier item j]"},
		{"lower", "", "[lower.csv: all entries above the diagonal are 0: the other side has the distances]"},
		{"upper", "", "[upper.csv: all entries below the diagonal are 0: the other side has the distances]"},
		{"lower", "decay = 'given'", "[]"},
		{"zero", "", "[all distances are 0: nearness says nothing about the items]"},
		{"m", "law = 'ibp'", "[the distances are not used: the law is ibp and features are binary]"},
		{"m", "law = 'ibp'\n[likelihood]\nfeatures = 'weighted'", "[]"},
		{"m", "law = 'ibp'\ntemperature = { value = 3 }", "[the distances are not used: the law is ibp and features are binary the temperature is not used: the law is ibp]"},
		{"m", "decay = 'given'\ntemperature = { value = 3 }", "[the temperature is not used: the decay is given]"},
		{"m", "decay = 'given'", "[]"},
		{"m", "law = 'ibp'\ndecay = 'reciprocal'", "[the decay reciprocal is not used: the law is ibp the distances are not used: the law is ibp and features are binary]"},
		{"m", "decay_shift = 2", "[the shift of the reciprocal decay is not used: the decay is exponential]"},
		{"m", "decay = 'reciprocal'\ndecay_shift = 2", "[]"},
		{"one-way", "law = 'ddibp'\nproximity = 'symmetric'", "[one-way.csv: the matrix is not symmetric: row \"1\", column \"2\" is 1, and row \"2\", column \"1\" is 5; row i, column j is the distance at which item i links to item j]"},
	} {
		p := build(t, fmt.Sprintf(data, c.file, c.prior))
		if got := fmt.Sprint(p.Notes); got != c.want {
			t.Errorf("%s, %s: notes %s, expected %s", c.file, c.prior, got, c.want)
		}
		again, err := Load(p.Spec)
		if err != nil || fmt.Sprint(again.Notes) != c.want {
			t.Errorf("%s, %s: notes of the complete spec %v, %v", c.file, c.prior, again.Notes, err)
		}
		if full := build(t, fmt.Sprintf(data, "m", c.prior)); strings.Contains(c.want, "the other side") && p.DataHash != full.DataHash {
			t.Errorf("%s: other distances than those of both sides", c.file)
		}
	}
}

// A setting has no effect on columns that are not in X, and a note says so.
func TestStrays(t *testing.T) {
	put(t, "x.csv", "a,b,c,e\n1,2,1,1\n2,1,5,2\n4,3,2,1\n")
	p := build(t, "[prior]\nlaw = 'ibp'\n[data]\nfile = 'x.csv'\ncolumns = ['a', 'c']\nlog = ['*']\nlog1p = ['b']\nbinary = ['e']\nordinal = ['b=1,2,3']")
	if want := []string{`--log1p has no use for columns that are not in X: "b"`, `--binary has no use for columns that are not in X: "e"`, `--ordinal has no use for columns that are not in X: "b"`}; !slices.Equal(p.Notes, want) {
		t.Errorf("notes %q, expected %q", p.Notes, want)
	}
}

// Columns of positive numbers whose logarithms are far less skewed are named.
func TestShapes(t *testing.T) {
	var x strings.Builder
	x.WriteString("long,even,negative,logged,missing,two,five,six,named\n")
	for i := range 20 {
		v, w := math.Exp(float64(i)/2), float64(1+i%3)
		fmt.Fprintf(&x, "%v,%d,%v,%v,NA,%d,%v,%d,%d\n%v,%d,%v,%v,%v,%d,NA,%d,%d\n", v, i, -v*w, v/w, i%2, 0.1*float64(i%4), i%6, i%2, v, i, -v, v, v, i%2, i%6, i%2)
	}
	put(t, "shapes.csv", x.String(), "short.csv", "a,b,c\n1,2,0\n2,1,0\n1000,3,0\n3,5,1\n", "nine.csv", "a,b\n4,9\n9,8\n9,7\n4,6\n9,1\n4,2\n4,3\n4,4\n4,5\n")
	const text = "[prior]\nlaw = 'ibp'\n[data]\nlog = ['logged']\nbinary = ['named']\nfile = 'shapes.csv'"
	want := []string{"two different values: two; features may fit them exactly (--binary 'named,two' takes categories)",
		"linear functions of each other: long and missing, negative and missing; each counts as data (--columns '!NAME' leaves out a column)",
		"whole numbers that number rows or blocks of rows are data and may be codes: even (--columns '!even' leaves them out)",
		"long tails to the right: long, missing; few items may decide the features (--log 'logged,long,missing' takes logarithms)",
		"few different values: five; features may fit them exactly (--binary and --ordinal take categories)"}
	if p := build(t, text); !slices.Equal(p.Notes, want) {
		t.Errorf("%q, expected %q", p.Notes, want)
	}
	for _, file := range []string{"short.csv", "nine.csv"} { // four items; nine with the values 4 and 9
		if p := build(t, "[prior]\nlaw = 'ibp'\n[data]\nid = '-'\nfile = '"+file+"'"); len(p.Notes) > 0 {
			t.Errorf("%s: %q", file, p.Notes)
		}
	}
}

// A note names identifiers of more digits than a number keeps, but not large measurements.
func TestLongNumbers(t *testing.T) {
	rows := "sample,mass,charge\n"
	for i := range 8 {
		rows += fmt.Sprintf("%d,%.14e,%d\n", 900719925474000000+i*i%7*1234567+i, 1e18+float64(i*i%5)*1.2345e16, i*i%5)
	}
	put(t, "x.csv", rows)
	p := build(t, "[prior]\nlaw = 'ibp'\n[data]\nid = '-'\nfile = 'x.csv'")
	if want := "numbers beyond 2^53 lose digits and look like identifiers: sample (--columns '!sample' leaves them out)"; !slices.Contains(p.Notes, want) {
		t.Errorf("found the notes %q, expected %q", p.Notes, want)
	}
}

func TestCollinear(t *testing.T) {
	both := func(same, alike []string) string { return strings.Join(same, ", ") + "; " + strings.Join(alike, ", ") }
	x := [][]float64{{1, 5, 3, 3.1, 2}, {2, 4, 5, 5, 2}, {4, 2, 9, 9, 2}, {3, 3, 7, 7, 2}, {7, -1, 15, 15, 2}, {0, 6, 1, 1, 2}}
	names := []string{"a", "opposite", "twice", "nearly", "constant"}
	for _, c := range []struct {
		n, d int
		want string
	}{
		{5, 5, "a and opposite, a and twice, opposite and twice; a and nearly, opposite and nearly, twice and nearly"},
		{5, 1, "; "},
		{3, 5, "; "}, // by chance
	} {
		var some [][]float64
		for _, row := range x[:c.n] {
			some = append(some, row[:c.d])
		}
		if got := both(collinear(names[:c.d], some)); got != c.want {
			t.Errorf("%d x %d: %q, expected %q", c.n, c.d, got, c.want)
		}
	}
	x[2][0] = math.NaN()
	if got := both(collinear(names, x)); !strings.HasPrefix(got, "a and opposite, a and twice, opposite and twice;") {
		t.Errorf("with an unknown cell: %q", got)
	}
	x[0][1], x[1][1] = math.NaN(), math.NaN()
	if got := both(collinear(names, x)); !strings.HasPrefix(got, "a and twice;") {
		t.Errorf("with too few items: %q", got)
	}
}

// A given Z is not annealed away: by default there is no annealing, and the scales start
// where the features of Z are likely.
func TestGivenZStays(t *testing.T) {
	var x, z strings.Builder
	x.WriteString("a,b,c\n")
	for i := range 40 {
		half := float64(i % 2)
		fmt.Fprintf(&x, "%v,%v,%v\n", 5*half+float64(i%3)/10, -4*half+float64(i%5)/10, 3*half+float64(i%7)/10)
		fmt.Fprintf(&z, "%d%d\n", i%2, 1-i%2)
	}
	put(t, "x.csv", x.String(), "z.txt", z.String())
	const data = "[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'\n[sampler]\ninit = 'z.txt'\n"
	p := build(t, data)
	if p.Spec.Sampler.Annealed() != 0 || build(t, data+"anneal = 0.5").Spec.Sampler.Annealed() != 500 || build(t, "").Spec.Sampler.Annealed() != 500 {
		t.Error("annealing is on with Z from a file, or off without")
	}
	for chain := range 20 {
		s, err := p.Start(t.Context(), chain)
		if err != nil || s.Z.K() != 2 || s.Scales.SigmaX > 0.35*p.Posterior.SigmaX.Mean {
			t.Errorf("chain %d starts at %+v, %v, of at most %+v", chain+1, s.Scales, err, p.Posterior.SigmaX)
		}
	}
	s, err := build(t, data+"[prior.sigma_x]\nvalue = 1.5").Start(t.Context(), 0)
	if err != nil || s.Scales.SigmaX != 1.5 {
		t.Errorf("start at %+v, %v", s.Scales, err)
	}
}

// Presets have the paper's units, whatever the default is.
func TestPresetUnits(t *testing.T) {
	s := spec.Default()
	s.Data.File, s.Data.Preset = "x.csv", "alzheimers"
	if c := s.Complete(); c.Prior.TemperatureUnit != "distance" || !*c.Data.Scale || spec.Default().Complete().Prior.TemperatureUnit != "median" {
		t.Errorf("units of the preset: %+v", c)
	}
}

// Covariates belong to items by the column that has the names of the items, in any order.
func TestSideByNames(t *testing.T) {
	const side = "height,plot\n7,5\n1,1\n2,2\n5,3\n6,4\n"
	const text = "columns = ['a', 'b']\nfile = 'x.csv'\nside = 'side.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['height']\n"
	for _, c := range []struct{ x, data string }{
		{"plot,a,b\n1,1,5\n2,3,2\n3,2,7\n4,2,1\n5,4,4\n", ""},
		{"a,plot,b\n1,1,5\n3,2,2\n2,3,7\n2,4,1\n4,5,4\n", "id = 'plot'\n"},
	} {
		put(t, "x.csv", c.x, "side.csv", side)
		if d := distancesOf(t, build(t, "[data]\n"+c.data+text)); d[0][1] != 1 || d[0][4] != 6 {
			t.Errorf("%q: heights are not in the order of the plots: %v", c.data, d)
		}
	}
	put(t, "x.csv", "plot,a,b\n1,1,5\n2,3,2\n3,2,7\n4,2,1\n5,4,4\n", "side.csv", strings.Replace(side, "6,4", "6,3", 1))
	_, err := Load(parse(t, "[data]\n"+text))
	wantError(t, err, `side.csv: line 6, column "plot": found the id "3" as in line 5, expected distinct ids`)
}
