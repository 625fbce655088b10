package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A long table is noted whatever its columns are called and however its labels are written. Groups beside measurements are
// not one.
func TestLongTable(t *testing.T) {
	long := func(header string, columns ...func(i, j int) string) string {
		text := header + "\n"
		for i := range 6 {
			for j := range 4 {
				var row []string
				for _, cell := range columns {
					row = append(row, cell(i, j))
				}
				text += strings.Join(row, ",") + "\n"
			}
		}
		return text
	}
	first := func(i, _ int) string { return fmt.Sprintf("s%d", i) }
	second := func(_, j int) string { return string(rune('p' + j)) }
	value := func(i, j int) string { return fmt.Sprintf("%d.%d", i*j%7, (i+j*j)%9) }
	whole := func(entry func(i, j int) int) func(i, j int) string {
		return func(i, j int) string { return fmt.Sprint(entry(i, j)) }
	}
	for _, test := range []struct{ content, settings, pair string }{
		{long("sample,gene,tpm", first, second, value), "", "sample and gene"},
		{long("tpm,gene,sample", value, second, first), "", "gene and sample"},
		{long("Var1,Var2,Freq", whole(func(i, _ int) int { return i + 1 }), whole(func(_, j int) int { return j + 1 }), value), "", "Var1 and Var2"},
		{long("country,year,gdp", first, whole(func(_, j int) int { return 2001 + j }), value), "", "country and year"},
		{strings.TrimSuffix(long(",site,species,cover", whole(func(i, j int) int { return 4*i + j }), first, second, value), "23,s5,s,1.5\n"), "", "site and species"},
		{long("country,year,gdp", first, whole(func(_, j int) int { return 2001 + j }), value), "[distance]\nkind = 'same'\ncolumns = ['country']", ""},
		{long("country,year,gdp,labour", first, whole(func(_, j int) int { return 2001 + j }), value, value), "", ""},
		{long("site,season,ph", first, func(i, j int) string { return string(rune('p' + (i*j)%3)) }, value), "", ""},
		{long("site,ph", first, value), "", ""},
	} {
		put(t, "x.csv", test.content)
		notes := build(t, "[data]\nfile = 'x.csv'\n"+test.settings).Notes
		index := slices.IndexFunc(notes, func(note string) bool { return strings.HasPrefix(note, "a long table") })
		if test.pair == "" && index >= 0 || test.pair != "" && (index < 0 || !strings.Contains(notes[index], "each pair of "+test.pair+" has")) {
			t.Errorf("%s %s: notes %q, expected one on %q", strings.SplitN(test.content, "\n", 2)[0], test.settings, notes, test.pair)
		}
	}
}

// Sums of counts that differ more than by chance are noted.
func TestDepth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	poisson := func(mean float64) (k int) {
		for sum := rng.ExpFloat64(); sum < mean; sum += rng.ExpFloat64() {
			k++
		}
		return k
	}
	for _, test := range []struct {
		depths  []float64
		columns int
		setting string
		noted   bool
	}{
		{[]float64{1, 10, 100}, 6, "count = ['*']", true},
		{[]float64{1, 10}, 6, "count = ['*']", true},
		{[]float64{1, 10, 100}, 6, "hellinger = ['*']", false},
		{[]float64{1, 2}, 6, "count = ['*']", false},
		{[]float64{0.05, 0.3}, 6, "count = ['*']", false}, // sums of 1 to 12
		{[]float64{1, 10, 100}, 2, "count = ['*']", false},
	} {
		text := "cell"
		for j := range test.columns {
			text += fmt.Sprintf(",g%d", j)
		}
		for i := range 30 {
			text += fmt.Sprintf("\nc%d", i)
			for range test.columns {
				text += fmt.Sprintf(",%d", poisson(5*test.depths[i%len(test.depths)]))
			}
		}
		put(t, "x.csv", text+"\n")
		notes := strings.Join(build(t, "[data]\nfile = 'x.csv'\nlog = ['none']\n"+test.setting).Notes, "\n")
		if strings.Contains(notes, "sampling depth") != test.noted || test.noted && !strings.Contains(notes, "--hellinger 'g*' in place of --count") {
			t.Errorf("depths %v, %d columns, %s: notes %q", test.depths, test.columns, test.setting, notes)
		}
	}
}

// An item is noted that is further from all others than they are from each other, among any number of items and the new
// ones.
func TestFarPlace(t *testing.T) {
	for _, n := range []int{6, 40, storedItems + 200} {
		for _, far := range []int{-1, 0, 3, n - 1} {
			text := "id,a,b,x,y\n"
			for i := range n {
				x, y := 10*math.Sin(float64(i)), 50+math.Cos(float64(7*i))
				if i == far {
					y *= 1000
				}
				text += fmt.Sprintf("i%d,%d.5,%d.25,%v,%v\n", i, i*i%5, i%3, x, y)
			}
			put(t, "x.csv", text, "new.csv", "id,a,b,x,y\nnear,1,2,3,50\nfar,1,2,3,50000\n")
			p := build(t, "[data]\nfile = 'x.csv'\ncolumns = ['a', 'b']\n[distance]\nkind = 'euclidean'\ncolumns = ['x', 'y']\n[prior]\nlaw = 'ibp'\n[likelihood]\nfeatures = 'weighted'")
			notes := strings.Join(p.Notes, "\n")
			if far < 0 && strings.Contains(notes, "another unit") || far >= 0 && !strings.Contains(notes, fmt.Sprintf(`x, y: item "i%d" is at least `, far)) {
				t.Errorf("%d items, %d far: notes %q", n, far, notes)
			}
			if far >= 0 {
				continue
			}
			seen, err := observed(p)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := Rerun(p).Newcomers(seen, p.Columns, "new.csv", "")
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(fresh.Notes, "\n"); !strings.Contains(notes, `new.csv: item "far" is at least `) || strings.Contains(notes, `"near"`) {
				t.Errorf("%d items: notes on new ones %q", n, notes)
			}
		}
	}
}

// Longitude comes first, by whatever names.
func TestSwappedPlaces(t *testing.T) {
	for _, pair := range [][2]string{{"longitude", "latitude"}, {"LON", "LAT"}, {"decimalLongitude", "decimalLatitude"}, {"site_lng", "site_lat"}, {"lon_dd", "lat_dd"}, {"X", "Y"}, {"long.", "lat."}, {"Länge", "Breite"}} {
		put(t, "x.csv", "id,a,b,"+pair[1]+","+pair[0]+"\np,1,2,45,6\nq,3,1,46,5\nr,2,5,44,4\n")
		const text = "[data]\nfile = 'x.csv'\n[distance]\nkind = 'great-circle'\ncolumns = ['%s', '%s']"
		build(t, fmt.Sprintf(text, pair[0], pair[1]))
		_, err := Load(parse(t, fmt.Sprintf(text, pair[1], pair[0])))
		wantError(t, err, fmt.Sprintf("distance.columns: found the latitude %s first, by its name, expected the longitude first: great-circle:%s,%[1]s", pair[1], pair[0]))
	}
}
