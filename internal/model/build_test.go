package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

// distancesOf returns the distances that a problem uses.
func distancesOf(t *testing.T, p *Problem) [][]float64 {
	t.Helper()
	m := p.Posterior.Law.(*prior.AIBD).Affinity().Distance(0)
	rows := make([][]float64, m.N())
	for i := range rows {
		rows[i] = m.Row(i)
	}
	return rows
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// The default problem: the 50 states, and the great circle in units of 1000 km.
func TestBuildDefault(t *testing.T) {
	p := build(t, "")
	post := p.Posterior
	if n, d := post.Data.N(), post.Data.D(); n != 50 || d != 8 || len(p.Columns) != 8 || p.IDs[0] != "Alabama" || p.Columns[0] != "Population" {
		t.Errorf("%d x %d, items %q, columns %q", n, d, p.IDs, p.Columns)
	}
	if p.Unit != "1000 km" || post.Mass == nil || post.Temperature == nil || !post.Permutation || len(p.Sources) != 0 {
		t.Errorf("unit %q, posterior %+v, sources %v", p.Unit, post, p.Sources)
	}
	// Alabama (-86.7509, 32.5901) and Alaska (-127.25, 49.25), by the spherical law
	// of cosines.
	const r = math.Pi / 180
	want := 6.3710088 * math.Acos(math.Sin(32.5901*r)*math.Sin(49.25*r)+math.Cos(32.5901*r)*math.Cos(49.25*r)*math.Cos((127.25-86.7509)*r))
	if d := distancesOf(t, p); !near(d[0][1], want) || d[0][1] != d[1][0] {
		t.Errorf("distance %v, expected %v", d[0][1], want)
	}
	// The columns have standard deviation 1.
	if sx, sa := post.SigmaX.Mean, post.SigmaA.Mean; !near(sx, 1) || !near(sa, 1) || post.SigmaX.Max != 0 {
		t.Errorf("priors %+v and %+v", post.SigmaX, post.SigmaA)
	}
}

// A spec with everything filled in builds the same problem.
func TestBuildAgain(t *testing.T) {
	put(t, "x.csv", "id,a,b,age\np,1,4,50\nq,3,3,40\nr,2,9,60\n", "z.txt", "10\n01\n11\n", "p.csv", "1,2,0\n0,1,3\n0,0,1\n")
	for _, text := range []string{
		"", small, "[prior]\nlaw = 'ibp'",
		"[data]\nfile = 'x.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n[prior.permutation]\nkind = 'fixed'\n[sampler]\ninit = 'z.txt'",
		"[prior]\nlaw = 'ddibp'\ndecay = 'reciprocal'", "[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'",
		"[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'",
		"[data]\nfile = 'x.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n[prior]\ndecay = 'reciprocal'\n[prior.permutation]\nkind = 'ordered'\ncolumn = 'age'",
	} {
		p := build(t, text)
		q, err := Load(p.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p.Spec, q.Spec) || p.DataHash != q.DataHash || p.DataHash != p.Spec.Data.Hash || !reflect.DeepEqual(p.Sources, q.Sources) {
			t.Errorf("%s\nbuilt again %+v, expected %+v", text, q.Spec, p.Spec)
		}
	}
}

func TestDistances(t *testing.T) {
	put(t, "x.csv", ages,
		"side.csv", "name,lon,lat,height\nr,20,0,6\nq,10,0,5\np,0,0,2\n",
		"m.csv", "id,r,q,p\nr,0,1,2\nq,3,0,4\np,5,6,0\n",
		"t.nwk", "((r:1,q:2):0.5,p:4);", "labels.csv", "id,site,hour\np,b,1\nq,a,22.5\nr,b,25\n")
	const tenth = 6.3710088 * math.Pi / 18 // ten degrees of a great circle in 1000 km
	sdAge := stat.StdDev([]float64{50, 40, 61}, nil)
	for _, c := range []struct {
		text string
		want [3]float64 // entries 1-2, 1-3, 2-3
		unit string
	}{
		{"kind = 'absolute'\ncolumns = ['age']", [3]float64{10, 11, 21}, "age"},
		{"kind = 'absolute'\ncolumns = ['height']", [3]float64{3, 4, 1}, "height"},
		{"kind = 'absolute'\ncolumns = ['age']\nshift = 0.5", [3]float64{10.5, 11.5, 21.5}, "age"},
		{"kind = 'absolute'\ncolumns = ['age']\nstandardize = true", [3]float64{10 / sdAge, 11 / sdAge, 21 / sdAge}, "sd of age"},
		{"kind = 'euclidean'\ncolumns = ['age', 'height']", [3]float64{math.Hypot(10, 3), math.Hypot(11, 4), math.Hypot(21, 1)}, "age, height"},
		{"kind = 'euclidean'\ncolumns = ['*eight']", [3]float64{math.Hypot(3, 3), math.Hypot(4, 8), math.Hypot(1, 5)}, "height, weight"},
		{"kind = 'great-circle'", [3]float64{tenth, 2 * tenth, tenth}, "1000 km"},
		{"kind = 'great-circle'\ncolumns = ['lon', 'lat']", [3]float64{tenth, 2 * tenth, tenth}, "1000 km"},
		{"kind = 'matrix'\nfile = 'm.csv'", [3]float64{6, 5, 3}, "unit of m.csv"},
		{"kind = 'tree'\nfile = 't.nwk'", [3]float64{6.5, 5.5, 3}, "unit of t.nwk"},
		{"kind = 'same'\ncolumns = ['site']", [3]float64{1, 0, 1}, ""},
		{"kind = 'same'\ncolumns = ['id']\nshift = 0.5", [3]float64{1.5, 1.5, 1.5}, ""},
		{"kind = 'same'\ncolumns = ['hour']", [3]float64{1, 1, 1}, ""},
		{"kind = 'cyclic'\ncolumns = ['hour']\nperiod = 24", [3]float64{2.5, 0, 2.5}, "hour"},
	} {
		side := "side.csv"
		if strings.Contains(c.text, "cyclic") || strings.Contains(c.text, "same") {
			side = "labels.csv"
		}
		p := build(t, "[data]\nfile = 'x.csv'\nside = '"+side+"'\n[distance]\n"+c.text)
		d := distancesOf(t, p)
		if got := [3]float64{d[0][1], d[0][2], d[1][2]}; !near(got[0], c.want[0]) || !near(got[1], c.want[1]) || !near(got[2], c.want[2]) || p.Unit != c.unit {
			t.Errorf("%s: %v in %q, expected %v in %q", c.text, got, p.Unit, c.want, c.unit)
		}
	}
}

// Longitude and latitude are found by their usual names, wherever they stand. The data file may
// be named as side file too.
func TestPlaceByName(t *testing.T) {
	put(t, "x.csv", ",Latitude,a,LONG\nq,0,1,10\np,0,2,0\nr,0,4,20\n")
	p := build(t, "[data]\nfile = 'x.csv'\nside = 'x.csv'\n[distance]\nkind = 'great-circle'")
	d, degree := distancesOf(t, p), 6.3710088*math.Pi/180
	if math.Abs(d[0][1]-10*degree) > 1e-6*degree || math.Abs(d[1][2]-20*degree) > 1e-6*degree {
		t.Errorf("distances %v, expected 10 and 20 degrees", d)
	}
	if !slices.Equal(p.Columns, []string{"a"}) || p.IDColumn != "the first column" {
		t.Errorf("X %v, names in %q", p.Columns, p.IDColumn)
	}
}

// Without any word on distances the law is the IBP, and a note says so.
func TestLawWithoutDistances(t *testing.T) {
	put(t, "x.csv", "a,b\n1,2\n2,1\n5,3\n", "side.csv", "age\n1\n2\n4\n")
	p := build(t, "[data]\nfile = 'x.csv'")
	if p.Spec.Prior.Law != "ibp" || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "the law is ibp") {
		t.Errorf("law %s, notes %q", p.Spec.Prior.Law, p.Notes)
	}
	for _, text := range []string{
		"[data]\nfile = 'x.csv'\nside = 'side.csv'", "[data]\nfile = 'x.csv'\n[distance]\ncolumns = ['a']", "[data]\nfile = 'x.csv'\n[prior]\nlaw = 'aibd'",
	} {
		if _, err := Load(parse(t, text)); err == nil || !strings.Contains(err.Error(), "distance.kind: found none") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// medianSD returns the median standard deviation of columns of three.
func medianSD(columns ...float64) float64 {
	var sds []float64
	for column := range slices.Chunk(columns, 3) {
		sds = append(sds, stat.StdDev(column, nil))
	}
	slices.Sort(sds)
	return (sds[(len(sds)-1)/2] + sds[len(sds)/2]) / 2
}

func TestObservations(t *testing.T) {
	put(t, "x.csv", ages)
	const distance = "\n[distance]\nkind = 'absolute'\ncolumns = ['age']"
	for _, c := range []struct {
		text    string
		columns []string
		sd      float64 // the mean of SigmaX
	}{
		{"center = false\nscale = false", []string{"a", "b", "weight"}, medianSD(1, 3, 2, 4, 3, 9, 1, 4, 9)},
		{"center = false\nscale = false\ncolumns = ['*']", []string{"a", "b", "age", "weight"}, medianSD(1, 3, 2, 4, 3, 9, 50, 40, 61, 1, 4, 9)},
		{"columns = ['a']\nscale = false", []string{"a"}, 1},
		{"columns = ['b', 'a']\nscale = false\ncenter = false\nlog = ['a']", []string{"a", "b"}, medianSD(0, math.Log(3), math.Log(2), 4, 3, 9)},
		{"columns = ['a']\nscale = false\ncenter = false\nlog = ['[ab]*']", []string{"a"}, stat.StdDev([]float64{0, math.Log(3), math.Log(2)}, nil)},
	} {
		p := build(t, "[data]\nfile = 'x.csv'\n"+c.text+distance)
		if !slices.Equal(p.Columns, c.columns) || !near(p.Posterior.SigmaX.Mean, c.sd) || !slices.Equal(p.IDs, []string{"p", "q", "r"}) {
			t.Errorf("%s: columns %q, sd %v, expected %q, %v; items %q", c.text, p.Columns, p.Posterior.SigmaX.Mean, c.columns, c.sd, p.IDs)
		}
	}
	put(t, "x.csv", "a,age\n1,2\n3,4\n")
	if p := build(t, "[data]\nfile = 'x.csv'"+distance); !slices.Equal(p.IDs, []string{"1", "2"}) {
		t.Errorf("items %q", p.IDs)
	}
}

func TestPermutation(t *testing.T) {
	put(t, "x.csv", ages)
	for _, c := range []struct {
		text   string
		want   []int
		random bool
	}{
		{"kind = 'ordered'\ncolumn = 'age'", []int{1, 0, 2}, false},
		{"kind = 'fixed'", []int{0, 1, 2}, false},
		{"kind = 'fixed'\norder = [3, 1, 2]", []int{2, 0, 1}, false},
		{"kind = 'random'\norder = [3, 1, 2]", []int{2, 0, 1}, true},
	} {
		p := build(t, "[data]\nfile = 'x.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n[prior.permutation]\n"+c.text)
		if p.Posterior.Permutation != c.random {
			t.Errorf("%s: random %v", c.text, p.Posterior.Permutation)
		}
		for chain := range 3 {
			s, err := p.Start(t.Context(), chain)
			if err != nil || !slices.Equal(s.Permutation, c.want) {
				t.Errorf("%s: start at %v (%v), expected %v", c.text, s.Permutation, err, c.want)
			}
		}
	}
}

// Whatever changes what the chains read changes the hash, and nothing else does.
func TestDataHash(t *testing.T) {
	put(t, "x.csv", ages, "y.csv", strings.Replace(ages, "p,1,", "p,1.5,", 1), "z.txt", "1\n1\n0\n", "y.txt", "1\n0\n0\n")
	text := "[data]\nfile = 'x.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n[sampler]\nseed = 1\ninit = 'z.txt'\n[prior]\ndecay = 'exponential'\n[prior.permutation]\nkind = 'fixed'\norder = [1, 2, 3]\n"
	hash := build(t, text).DataHash
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"seed = 1", "seed = 2", true},
		{"exponential", "reciprocal", true},
		{"x.csv", "y.csv", false},
		{"'age'", "'weight'", false},
		{"[1, 2, 3]", "[1, 3, 2]", false},
		{"z.txt", "y.txt", false},
		{"[distance]", "center = false\n[distance]", false},
		{"[prior]", "[prior]\nlaw = 'ddibp'", true}, // the same distances and order
	} {
		p := build(t, strings.Replace(text, c.old, c.new, 1))
		if (p.DataHash == hash) != c.same {
			t.Errorf("%s for %s: hash %s and %s", c.new, c.old, p.DataHash, hash)
		}
		s := p.Spec
		s.Data.Hash = hash
		_, err := Load(s)
		switch {
		case c.same && err != nil:
			t.Error(err)
		case !c.same:
			wantError(t, err, fmt.Sprintf("data.hash: found data with hash %s, expected %s: the files or what is done to them have changed since the hash was noted", p.DataHash, hash))
		}
	}
}

// Everything that can be wrong with the input is one clear line.
func TestBadInput(t *testing.T) {
	const x = "id,a,b,age\np,1,4,50\nq,3,3,40\nr,2,9,61\n"
	const file = "[data]\nfile = 'x.csv'\n"
	const age = "[distance]\nkind = 'absolute'\ncolumns = ['age']\n"
	const ddibp = "[prior]\nlaw = 'ddibp'\n"
	const matrix = "[distance]\nkind = 'matrix'\nfile = 'm.csv'\n"
	for _, c := range []struct {
		what string
		spec string
		x, m string // contents of x.csv and m.csv
		want string
	}{
		{"missing file", "[data]\nfile = 'y.csv'\n" + age, x, "", "y.csv: no such file or directory"},
		{"directory", "[data]\nfile = '.'\n" + age, x, "", ".: found a directory, expected a file"},
		{"empty file", file + age, "", "", "x.csv: found an empty file, expected a header line and a line for each item"},
		{"N = 0", file + age, "id,a,age\n", "", "x.csv: line 1: found a header and no rows, expected a line for each item"},
		{"N = 1", file + age, "id,a,age\np,1,2\n", "", "x.csv: found 1 item, expected at least 2"},
		{"D = 0", file + age, "id,a\np,x\nq,y\n", "", "x.csv: found no column of numbers, expected at least one (--binary and --ordinal name columns of categories)"},
		{"ragged row", file + age, x + "s,1,2\n", "", "x.csv: line 5: found 3 cells, expected 4 as in line 1"},
		{"a letter", file + age, strings.Replace(x, "3,3", "3,o", 1), "", `x.csv: line 3, column "b": found "o", expected a finite number (--columns '!NAME' leaves out a column; --missing names marks of missing cells)`},
		{"only NA", file + "columns = ['a', 'b']\n" + age, "id,a,b,age\np,1,NA,2\nq,2,.,3\nr,3,,5\n", "", `x.csv: column "b": found only missing values, expected a number (--columns '!NAME' leaves out a column)`},
		{"constant except NA", file + "columns = ['a', 'b']\nscale = true\n" + age, "id,a,b,age\np,1,NA,2\nq,2,7,3\nr,3,7,5\n", "", `x.csv: column "b": found standard deviation 0, expected a finite number above 0 to scale by (--columns '!NAME' leaves out a column)`},
		{"NA in a distance column", file + "columns = ['a']\n" + age, "id,a,age\np,1,2\nq,2,NA\n", "", `distance.columns: x.csv: line 3, column "age": found "NA", expected a finite number: only cells of X may be missing`},
		{"holdout of no item", file + "holdout_file = 'm.csv'\n" + age, x, "item,variable\nzebra,b\n", `m.csv: row 1: unknown item "zebra", expected one of p, q, r`},
		{"holdout twice", file + "holdout_file = 'm.csv'\n" + age, x, "item,variable\nq,b\nq,b\n", `m.csv: row 2: found "b" of "q" a second time, expected each cell once`},
		{"holdout of NA", file + "holdout_file = 'm.csv'\n" + age, strings.Replace(x, "3,3", "3,NA", 1), "item,variable\nq,b\n", `m.csv: row 1: found "b" of "q", which is missing in x.csv, expected an observed cell`},
		{"holdout of 1", file + "holdout = 1\n" + age, x, "", `data.holdout: found 1, expected a number from 0 to 0.9`},
		{"Inf", file + age, strings.Replace(x, "3,3", "3,-Inf", 1), "", `x.csv: line 3, column "b": found "-Inf", expected a finite number (--columns '!NAME' leaves out a column; --missing names marks of missing cells)`},
		{"constant columns", file + "[prior]\nlaw = 'ibp'\n", "id,a,b\np,1,2\nq,1,2\n", "", `x.csv: found one value in all rows of each of the 2 columns, expected a column that varies`},
		{"constant column", file + age, "id,a,age\np,1,2\nq,1,3\n", "", `x.csv: column "a": found standard deviation 0, expected a finite number above 0 to scale by (--columns '!NAME' leaves out a column)`},
		{"log of 0", file + "log = ['b']\n" + age, strings.Replace(x, "3,3", "3,0", 1), "", `x.csv: line 3, column "b": found 0, expected a value above 0 to take its log (--columns '!NAME' leaves out a column)`},
		{"log of nothing", file + "log = ['c']\n" + age, x, "", `data.log: x.csv: unknown column "c", expected one of a, b, age`},
		{"duplicate ids", file + age, x + "p,1,2,3\n", "", `x.csv: line 5, column "id": found the id "p" as in line 2, expected distinct ids (--id - numbers the items, --id NAME takes another column)`},
		{"unknown column", file + "columns = ['agee']\n" + age, x, "", `data.columns: x.csv: unknown column "agee", did you mean "age"?`},
		{"unknown distance column", file + "[distance]\nkind = 'absolute'\ncolumns = ['agee']", x, "", `distance.columns: x.csv: unknown column "agee", did you mean "age"?`},
		{"constant distance column", file + "columns = ['a']\n" + age + "standardize = true", "id,a,age\np,1,2\nq,2,2\n", "", `distance.columns: column "age": found the same value for all items, expected a standard deviation above 0 to divide by`},
		{"latitude", file + "[distance]\nkind = 'great-circle'\ncolumns = ['a', 'age']", strings.Replace(x, ",61", ",91", 1), "", `distance.columns: x.csv: line 4, column "age": found the latitude 91, expected degrees from -90 to 90`},
		{"label missing", file + "columns = ['a']\n[distance]\nkind = 'same'\ncolumns = ['c']", "id,a,c\np,1,x\nq,2,\n", "", `distance.columns: x.csv: line 3, column "c": found "", expected a label: only cells of X may be missing`},
		{"hour of text", file + "columns = ['a']\n[distance]\nkind = 'cyclic'\nperiod = 24\ncolumns = ['c']", "id,a,c\np,1,2\nq,2,noon\n", "", `distance.columns: x.csv: line 3, column "c": found "noon", expected a finite number`},
		{"tree", file + "[distance]\nkind = 'tree'\nfile = 'm.csv'\n", x, "((p:1,q:2):1,r:3;", `m.csv: line 1, column 17: found ";", expected , or the ) of the ( in line 1, column 1`},
		{"tip missing", file + "[distance]\nkind = 'tree'\nfile = 'm.csv'\n", x, "(p:1,q:2);", `m.csv: found no tip for "r", expected one for each item of x.csv`},
		{"matrix missing", file + "[distance]\nkind = 'matrix'\nfile = 'n.csv'\n", x, "", "n.csv: no such file or directory"},
		{"matrix not square", file + matrix, x, "0,1,2\n1,0,3\n", "m.csv: line 1, column 3: found column 3, expected 2 columns as there are 2 rows"},
		{"matrix of another size", file + matrix, x, "0,1\n1,0\n", "m.csv: found 2 items, expected 3 as in x.csv"},
		{"matrix negative", file + matrix, x, "0,1,2\n1,0,-3\n2,3,0\n", `m.csv: line 2, column 3: found "-3", expected a number of at least 0`},
		{"matrix NaN", file + matrix, x, "0,1,2\n1,0,NaN\n2,3,0\n", `m.csv: line 2, column 3: found "NaN", expected a number of at least 0: only cells of X may be missing`},
		{"matrix ids", file + matrix, x, "id,p,q,s\np,0,1,2\nq,1,0,3\ns,2,3,0\n", `m.csv: found no row for "r", expected one for each item of x.csv`},
		{"permutation twice", file + age + "[prior.permutation]\nkind = 'fixed'\norder = [1, 2, 2]", x, "", "prior: permutation: found item 2 again at position 3, expected each item once"},
		{"permutation too short", file + age + "[prior.permutation]\nkind = 'fixed'\norder = [1, 2]", x, "", "prior: permutation: found 2 entries, expected one for each of 3 items"},
		{"permutation of 0", file + age + "[prior.permutation]\nkind = 'fixed'\norder = [0, 1, 2]", x, "", "prior: permutation: found item 0 at position 1, expected 1 to 3"},
		{"order by text", file + "columns = ['a']\n" + age + "[prior.permutation]\nkind = 'ordered'\ncolumn = 'c'", "id,a,age,c\np,1,2,x\nq,2,3,y\n", "", `prior.permutation.column: x.csv: line 2, column "c": found "x", expected a finite number`},
		{"mass", file + age + "[prior.mass]\nvalue = -1", x, "", "prior.mass.value: found -1, expected a finite number above 0"},
		{"temperature", file + age + "[prior.temperature]\nvalue = -1", x, "", "prior.temperature.value: found -1, expected a finite number above 0"},
		{"side of another size", file + "side = 'm.csv'\n" + age, x, "lon,lat\n1,2\n3,4\n", "m.csv: found 2 items, expected 3 as in x.csv"},
		{"side with the same column", file + "side = 'm.csv'\n" + age, x, "id,age\np,1\nq,2\nr,3\n", `distance.columns: found column "age" both in x.csv and in m.csv, expected it in one of them`},
		{"column in neither", file + "side = 'm.csv'\n[distance]\nkind = 'euclidean'\ncolumns = ['hight']", x, "id,height\np,1\nq,2\nr,3\n", `distance.columns: m.csv and x.csv: unknown column "hight", did you mean "height"?`},
		{"Z missing", file + age + "[sampler]\ninit = 'z.txt'", x, "", "sampler.init: z.txt: no such file or directory"},
		{"Z of another size", file + age + "[sampler]\ninit = 'm.csv'", x, "1\n1\n", "m.csv: found Z of 2 items, expected 3"},
		{"Z with a zero column", file + age + "[sampler]\ninit = 'm.csv'", x, "10\n10\n00\n", "m.csv: Z column 2 is zero: expected a 1 in every column"},
		{"Z not binary", file + age + "[sampler]\ninit = 'm.csv'", x, "1\n2\n0\n", "m.csv: line 2, column 1: found '2', expected 0 or 1"},
		{"proximity missing", file + ddibp + "proximity = 'symetric'", x, "", "prior.proximity: expected sequential, symmetric or a file: symetric: no such file or directory"},
		{"proximity of another size", file + ddibp + "proximity = 'm.csv'", x, "1,0\n0,1\n", "m.csv: found 2 items, expected 3 as in x.csv"},
		{"proximity negative", file + ddibp + "proximity = 'm.csv'", x, "1,0,-1\n0,1,0\n0,0,1\n", `m.csv: line 1, column 3: found "-1", expected a number of at least 0`},
		{"proximity infinite", file + ddibp + "proximity = 'm.csv'", x, "1,0,0\n0,1,0\n0,Inf,1\n", "m.csv: item 3 to item 2: found an infinite proximity, expected a finite number of at least 0"},
		{"similarity infinite", file + matrix + ddibp + "decay = 'given'", x, "1,Inf,0\n0,1,0\n0,0,1\n", "m.csv: item 1 to item 2: found an infinite proximity, expected a finite number of at least 0"},
		{"X constant", file + "columns = ['a']\nscale = false\n" + age, "id,a,age\np,1,2\nq,1,3\n", "", "prior.sigma_x.mean: x.csv: found values with standard deviation 0, expected a finite number above 0"},
		{"not the preset's file", file + "preset = 'alzheimers'", x, "", "x.csv: found a file with SHA-256 "},
	} {
		t.Run(c.what, func(t *testing.T) {
			put(t, "x.csv", c.x, "m.csv", c.m)
			p, err := Load(parse(t, c.spec))
			if strings.HasSuffix(c.want, "SHA-256 ") && err != nil && strings.HasPrefix(err.Error(), c.want) {
				return // the digits are of no interest
			}
			wantError(t, err, c.want)
			if p != nil {
				t.Error("a problem all the same")
			}
		})
	}
}

// The priors of the scales are exponential by default, uniform for presets, and stay as given.
func TestFillScales(t *testing.T) {
	sd := lglfm.Scales{SigmaX: 2, SigmaA: 3}
	for uniform, want := range map[bool][2]mcmc.ScalePrior{false: {{Mean: 2}, {Mean: 3}}, true: {{Max: 2}, {Max: 3}}} {
		s, given := spec.Default(), spec.Default()
		given.Prior.SigmaX.Max, given.Prior.SigmaA.Mean = 5, 6
		for _, p := range []*spec.Spec{&s, &given} {
			if err := fillScales(p, sd, uniform, "x.csv"); err != nil {
				t.Fatal(err)
			}
		}
		if x, a := scalePrior(s.Prior.SigmaX), scalePrior(s.Prior.SigmaA); x != want[0] || a != want[1] {
			t.Errorf("uniform %v: found %+v and %+v, expected %+v", uniform, x, a, want)
		}
		if x, a := scalePrior(given.Prior.SigmaX), scalePrior(given.Prior.SigmaA); x != (mcmc.ScalePrior{Max: 5}) || a != (mcmc.ScalePrior{Mean: 6}) {
			t.Errorf("found %+v and %+v, expected those given", x, a)
		}
	}
}

// The paper's application as the preset sets it, if its data are there.
func TestPreset(t *testing.T) {
	dir := fixture.Elsewhere(t, "AIBD_DATA", fixture.AlzheimersFolder)
	s := spec.Default()
	s.Data.File, s.Data.Preset = filepath.Join(dir, "alzheimers.csv"), "alzheimers"
	p, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := p.Posterior.Data.N(), p.Posterior.Data.D(); n != 62 || d != 224 || p.Unit != "age" || len(p.Sources) != 1 {
		t.Errorf("%d x %d, unit %q, sources %v", n, d, p.Unit, p.Sources)
	}
	if got := p.Spec; !slices.Equal(got.Data.Log, []string{"*SA"}) || !got.Data.Center || !*got.Data.Scale ||
		got.Distance.Kind != "absolute" || got.Distance.Shift != 0.00001 || got.Prior.Decay != "exponential" ||
		got.Prior.Permutation.Kind != "random" || *got.Sampler.OtherUpdates != 10 || *p.Posterior.Temperature != *p.Posterior.Mass || got.Prior.TemperatureUnit != "distance" {
		t.Errorf("spec %+v", got)
	}
	if x, a := p.Posterior.SigmaX, p.Posterior.SigmaA; x.Max != p.Scales.SigmaX || a.Max != p.Scales.SigmaA || x.Mean != 0 || a.Mean != 0 {
		t.Errorf("priors %+v and %+v, expected uniform ones", x, a)
	}
	smallest, largest := math.Inf(1), 0.0
	for i, row := range distancesOf(t, p) {
		for j, v := range row {
			if i != j {
				smallest, largest = min(smallest, v), max(largest, v)
			}
		}
	}
	// Two subjects have the same age; the ages span less than a lifetime.
	if smallest != 0.00001 || largest < 20 || largest > 50 {
		t.Errorf("distances from %v to %v", smallest, largest)
	}
}

// A table without settings has the posterior and the scan of the library, by the same law.
func TestDefaultsOfLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	text := "name,age,firm,a,b,c\n"
	for i := range 15 {
		text += fmt.Sprintf("p%d,%d,f%d,%.2f,%.2f,%.2f\n", i, 20+3*i, i%4, 10+rng.NormFloat64(), rng.NormFloat64(), 5*rng.NormFloat64())
	}
	put(t, "x.csv", text)
	for _, distances := range []string{"", "[[distance]]\nkind = 'absolute'\ncolumns = ['age']\n", "[[distance]]\nkind = 'absolute'\ncolumns = ['age']\n[[distance]]\nkind = 'euclidean'\ncolumns = ['age', 'a']\n", "[[distance]]\nkind = 'same'\ncolumns = ['firm']\n"} {
		s, err := spec.ParseTOML([]byte(distances+"[data]\nfile = 'x.csv'\ncolumns = ['a', 'b', 'c']\n"), "spec.toml")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Load(s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := mcmc.NewPosterior(p.X, p.Posterior.Law)
		if err != nil {
			t.Fatal(err)
		}
		length := mcmc.Config{Warmup: 30, Draws: 20, Thin: 1}
		var sides [2]kept
		for i, scan := range []mcmc.Options{p.Scan(), mcmc.OptionsFor(want, p.Spec.Sampler.Warmup)} {
			if err := mcmc.Sample(t.Context(), []*mcmc.Posterior{p.Posterior, want}[i], scan, length, 1, &sides[i]); err != nil {
				t.Fatal(err)
			}
		}
		if distances == "" {
			for i := range sides[0] { // NaN
				sides[0][i].Temperature, sides[1][i].Temperature = 0, 0
			}
		}
		if len(sides[0]) != length.Draws || !reflect.DeepEqual(sides[0], sides[1]) {
			t.Errorf("%q: found other draws than those of mcmc.NewPosterior and mcmc.OptionsFor", distances)
		}
	}
}
