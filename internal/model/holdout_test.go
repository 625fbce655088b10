package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// squares is 12 items with two columns: 1, 2, ... and 100, 400, 900, ...; two cells are missing.
func squares() string {
	var b strings.Builder
	b.WriteString("id,a,b\n")
	for i := 1; i <= 12; i++ {
		switch i {
		case 3:
			fmt.Fprintf(&b, "i%d,NA,%d\n", i, 100*i*i)
		case 7:
			fmt.Fprintf(&b, "i%d,%d,none\n", i, i)
		default:
			fmt.Fprintf(&b, "i%d,%d,%d\n", i, i, 100*i*i)
		}
	}
	return b.String()
}

// Hidden cells are a share of the observed ones, the same for the same seed, and unknown in
// X; read again they have the values of the file.
func TestHoldout(t *testing.T) {
	put(t, "x.csv", squares())
	const text = "[data]\nfile = 'x.csv'\nmissing = ['none']\nholdout = 0.25\nlog = ['b']\n[prior]\nlaw = 'ibp'\n"
	p := build(t, text)
	if len(p.Held) != 6 { // of 22
		t.Fatalf("%d cells hidden, want 6", len(p.Held))
	}
	if n := p.Posterior.Data.Unknown(); n != 8 {
		t.Errorf("%d unknown cells, want 8", n)
	}
	for _, h := range p.Held {
		want := float64(h.Item + 1)
		if h.Variable == 1 {
			want *= 100 * want
		}
		if h.Value != want || !math.IsNaN(p.X[h.Item][h.Variable]) {
			t.Errorf("%+v: want %v, and an unknown cell", h, want)
		}
	}
	again, err := observed(p)
	if err != nil || !slices.Equal(again.Held, p.Held) {
		t.Errorf("read again: %v, %v", again.Held, err)
	}
	if other := build(t, text+"[sampler]\nseed = 2\n"); slices.Equal(other.Held, p.Held) {
		t.Error("another seed holds out the same cells")
	}
	// Means and standard deviations are of the observed cells.
	for j := range p.Columns {
		sum, n := 0.0, 0
		for _, row := range p.X {
			if !math.IsNaN(row[j]) {
				sum, n = sum+row[j], n+1
			}
		}
		if n == 0 || math.Abs(sum)/float64(n) > 1e-12 {
			t.Errorf("column %d: mean %v of the observed cells, want 0", j+1, sum/float64(n))
		}
	}
	// Most of the cells: three stay in each column.
	p = build(t, strings.Replace(text, "0.25", "0.9", 1))
	if len(p.Held) != 22-2*minObserved {
		t.Errorf("%d cells hidden, want %d", len(p.Held), 22-2*minObserved)
	}
}

// Of items all observed cells are hidden or a half of them, and of no other item. A seed chooses the items.
func TestHoldoutOfItems(t *testing.T) {
	put(t, "x.csv", squares())
	const text = "[data]\nfile = 'x.csv'\nmissing = ['none']\nholdout = 0.25\nholdout_unit = '%s'\n[prior]\nlaw = 'ibp'\n[sampler]\nseed = %d\n"
	for unit, share := range map[string]float64{"items": 1, "half-items": 0.5} {
		chosen := map[string]bool{}
		for seed := range 20 {
			p := build(t, fmt.Sprintf(text, unit, seed+1))
			hidden := map[int]int{}
			for _, h := range p.Held {
				hidden[h.Item]++
			}
			if len(hidden) != 3 { // of 12
				t.Fatalf("%s: cells of %d items hidden, want 3", unit, len(hidden))
			}
			for i, count := range hidden {
				observed := 2.0
				if i == 2 || i == 6 {
					observed = 1
				}
				if want := int(math.Ceil(share * observed)); count != want {
					t.Errorf("%s: %d cells of item %d hidden, want %d", unit, count, i+1, want)
				}
			}
			chosen[fmt.Sprint(p.Held)] = true
			if again := build(t, fmt.Sprintf(text, unit, seed+1)); !slices.Equal(again.Held, p.Held) {
				t.Errorf("%s: the same seed hides other cells", unit)
			}
		}
		if len(chosen) < 15 {
			t.Errorf("%s: 20 seeds hide %d sets of cells", unit, len(chosen))
		}
	}
	// Three cells stay in each column, also of items.
	p := build(t, strings.Replace(fmt.Sprintf(text, "items", 1), "0.25", "0.9", 1))
	remaining := make([]int, 2)
	for _, row := range p.X {
		for j, x := range row {
			if !math.IsNaN(x) {
				remaining[j]++
			}
		}
	}
	if remaining[0] < minObserved || remaining[1] < minObserved || len(p.Held) < 22-2*minObserved-2 {
		t.Errorf("%v cells left and %d hidden, want at least %d left", remaining, len(p.Held), minObserved)
	}
}

// TestCategoryHoldout: with an intercept, hidden cells leave no column in its lowest or its highest category alone.
// Without one they may, and a category between these is enough.
func TestCategoryHoldout(t *testing.T) {
	var x strings.Builder
	x.WriteString("rare,common,low,high,middle\n")
	for i := range 20 {
		last := max(0, i-18) // 1 in the last row
		fmt.Fprintf(&x, "%d,%d,%d,%d,%d\n", last, 1-last, 2*last, 2-last, 1+last)
	}
	put(t, "x.csv", x.String())
	const text = "[data]\nfile = 'x.csv'\nid = '-'\nbinary = ['rare', 'common']\nordinal = ['low=0,1,2', 'high=0,1,2', 'middle=0,1,2']\nholdout = 0.5\n"
	const rows = "[prior]\nlaw = 'ibp'\n[sampler]\nseed = %d\n"
	// The seeds, of 20, that hide the last row of each column.
	for intercept, want := range map[string][]int{"intercept = true\n": {0, 0, 0, 0, 10}, "intercept = false\n": {12, 13, 13, 10, 10}} {
		hidden := make([]int, 5)
		for seed := range 20 {
			p := build(t, text+intercept+fmt.Sprintf(rows, seed+1))
			if len(p.Held) != 50 {
				t.Errorf("%sseed %d: %d cells hidden, want 50", intercept, seed+1, len(p.Held))
			}
			for _, h := range p.Held {
				hidden[h.Variable] += h.Item / 19
			}
		}
		if !slices.Equal(hidden, want) {
			t.Errorf("%s%v seeds hide the last row, want %v", intercept, hidden, want)
		}
	}
}

// A file lists the cells, in any order.
func TestHoldoutFile(t *testing.T) {
	put(t, "x.csv", squares(), "h.csv", "item,variable\ni9,b\ni2,a\n")
	p := build(t, "[data]\nfile = 'x.csv'\nmissing = ['none']\nholdout_file = 'h.csv'\n[prior]\nlaw = 'ibp'\n")
	if want := []Held{{1, 0, 2}, {8, 1, 8100}}; !slices.Equal(p.Held, want) {
		t.Errorf("%v hidden, want %v", p.Held, want)
	}
	put(t, "x.csv", squares(), "h.csv", "item,variable\ni9,b\n")
	if _, err := observed(p); err == nil || !strings.HasPrefix(err.Error(), "h.csv: found a file with SHA-256 ") {
		t.Errorf("another file: %v", err)
	}
}

// Items and variables of the file are text, as they are in the data.
func TestHoldoutFileIsText(t *testing.T) {
	const x = "fips,a,007\n01001,1,5\n01003,2,3\n01005,3,7\n02001,9,4\n10001,4,4\n"
	put(t, "x.csv", x, "h.csv", "item,variable\n01003,007\n10001,a\n", "d.csv", "item,01003,01001,01005,02001,10001\n01003,0,1,2,3,4\n01001,1,0,1,1,1\n01005,2,1,0,1,1\n02001,3,1,1,0,1\n10001,4,1,1,1,0\n")
	for _, id := range []string{"", "fips"} {
		p := build(t, "[data]\nfile = 'x.csv'\nholdout_file = 'h.csv'\nid = '"+id+"'\n[distance]\nkind = 'matrix'\nfile = 'd.csv'\n")
		if want := []Held{{1, 1, 3}, {4, 0, 4}}; !slices.Equal(p.Held, want) {
			t.Errorf("id %q: %v hidden, want %v", id, p.Held, want)
		}
	}
	put(t, "x.csv", x, "h.csv", "item,variable\n1003,007\n")
	_, err := Load(parse(t, "[data]\nfile = 'x.csv'\nholdout_file = 'h.csv'\nid = 'fips'\n[prior]\nlaw = 'ibp'\n"))
	wantError(t, err, `h.csv: row 1: unknown item "1003", did you mean "01003"?`)
}

// The law of a new item has the distances of all items, in the units of the run.
func TestNewcomers(t *testing.T) {
	const ages = "id,a,age\np,1,50\nq,3,40\nr,2,61\n"
	put(t, "x.csv", ages, "new.csv", "id,a,age\nv,NA,45\nw,5,61\n")
	p := build(t, "[data]\nfile = 'x.csv'\ncolumns = ['a']\n[distance]\nkind = 'absolute'\ncolumns = ['age']\nstandardize = true\n")
	seen, err := observed(p)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Rerun(p).Newcomers(seen, p.Columns, "new.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(n.IDs, []string{"v", "w"}) || !math.IsNaN(n.X[0][0]) || n.X[1][0] != 3 { // 5 less the mean 2
		t.Errorf("%v with X %v", n.IDs, n.X)
	}
	sd := math.Sqrt(((50-151./3)*(50-151./3) + (40-151./3)*(40-151./3) + (61-151./3)*(61-151./3)) / 2)
	for i, ages := range [][]float64{{50, 45}, {40, 45}, {61, 45}} {
		want := math.Abs(ages[0]-ages[1]) / sd
		if got := n.distances[0].At(3, i); math.Abs(got-want) > 1e-12 {
			t.Errorf("distance of v and item %d: %v, want %v", i+1, got, want)
		}
	}
	law, err := n.Law(1)
	if err != nil || law.N() != 4 {
		t.Fatalf("%v, %v", law, err)
	}
	put(t, "x.csv", ages, "new.csv", "id,a\nv,1\n")
	_, err = Rerun(p).Newcomers(seen, p.Columns, "new.csv", "")
	wantError(t, err, `new.csv: unknown column "age", expected one of a`)
	put(t, "x.csv", "id,a\np,1\nq,3\nr,2\n", "ages.csv", "id,age\np,50\nq,40\nr,61\n", "new.csv", "id,a\nv,1\n")
	beside := build(t, "[data]\nfile = 'x.csv'\nside = 'ages.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n")
	_, err = Rerun(beside).Newcomers(seen, beside.Columns, "new.csv", "")
	wantError(t, err, `new.csv: found no age, which the run took from ages.csv: give --side`)
	put(t, "x.csv", ages, "new.csv", "age,a\nv,1\n", "side.csv", "\"\",age\nv,1\n")
	_, err = Rerun(p).Newcomers(seen, p.Columns, "new.csv", "side.csv")
	wantError(t, err, `new.csv: found the names of the items in the column "age", which the distances use, expected them in a column of another name`)
	p.Spec.Prior.Law, p.Spec.Prior.Proximity = "ddibp", "symmetric"
	_, err = Rerun(p).Newcomers(seen, p.Columns, "new.csv", "")
	wantError(t, err, "found the symmetric dd-IBP, expected a law in which items arrive one after the other: a new item would change the law of the others")
}

// A new label is a stranger to all items, and a new hour is near those on both sides of midnight.
func TestNewcomersByKind(t *testing.T) {
	put(t, "x.csv", "id,a,site,hour\np,1,b,1\nq,3,007,22.5\nr,2,b,12\n", "new.csv", "id,a,site,hour\nu,1,b,0\nv,2,7,6\nw,5,new,46.5\n",
		"gap.csv", "id,a,site,hour\nu,1,,0\n", "t.nwk", "(p:1,(q:2,r:3,u:1):1,v:4,w:5);", "few.nwk", "(p:1,q:2,r:3,u:1,v:4);", "unnamed.csv", "a,site,hour\n1,b,0\n")
	const text = "[data]\nfile = 'x.csv'\ncolumns = ['a']\n[distance]\n"
	read := func(distance, file string) (*Newcomers, error) {
		p := build(t, text+distance)
		seen, err := observed(p)
		if err != nil {
			t.Fatal(err)
		}
		return Rerun(p).Newcomers(seen, p.Columns, file, "")
	}
	for distance, want := range map[string][][]float64{
		"kind = 'same'\ncolumns = ['site']":                {{0, 1, 0}, {1, 0, 1}, {1, 1, 1}},
		"kind = 'tree'\nfile = 't.nwk'":                    {{3, 3, 4}, {5, 7, 8}, {6, 8, 9}},
		"kind = 'cyclic'\ncolumns = ['hour']\nperiod = 24": {{1, 1.5, 12}, {5, 7.5, 6}, {2.5, 0, 10.5}},
	} {
		n, err := read(distance, "new.csv")
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range want {
			if got := n.distances[0].Row(3 + k)[:3]; !slices.Equal(got, row) {
				t.Errorf("%s: distances of item %s %v, want %v", distance, n.IDs[k], got, row)
			}
		}
		if law, err := n.Law(2); err != nil || law.N() != 4 {
			t.Errorf("%v, %v", law, err)
		}
	}
	_, err := read("kind = 'same'\ncolumns = ['site']", "gap.csv")
	wantError(t, err, `gap.csv: line 2, column "site": found "", expected a label: only cells of X may be missing`)
	_, err = read("kind = 'tree'\nfile = 'few.nwk'", "new.csv")
	wantError(t, err, `few.nwk: found no tip for "w", expected one for each item of new.csv`)
	_, err = read("kind = 'tree'\nfile = 't.nwk'", "unnamed.csv")
	wantError(t, err, "unnamed.csv: found no names of items, expected tips of t.nwk")
}
