package model

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"aibd/lglfm"
)

const rated = `id,stars,grade,a,sick
i1,1,mid,1.5,yes
i2,3,low,2,no
i3,10,high,NA,yes
i4,3.0,NA,4,no
i5,NA,low,5,no
`

// TestOrdinal: categories are in the order of numbers or of labels, also read again, and of new
// items. The hash of the data depends on them.
func TestOrdinal(t *testing.T) {
	put(t, "x.csv", rated)
	const text = "[data]\nfile = 'x.csv'\nbinary = ['sick']\nordinal = ['stars', 'grade=low,mid,high,top']\n[prior]\nlaw = 'ibp'\n"
	p := build(t, text)
	want := []lglfm.Ordinal{
		{Variable: 0, Levels: 3, Level: []int{0, 1, 2, 1, -1}}, {Variable: 1, Levels: 4, Level: []int{1, 0, 2, -1, 0}},
		{Variable: 3, Levels: 2, Level: []int{1, 0, 1, 0, 0}},
	}
	if !reflect.DeepEqual(p.Ordinal, want) {
		t.Errorf("found %v, expected %v", p.Ordinal, want)
	}
	if names := p.Cutpoints(p.Columns); !reflect.DeepEqual(names, []string{"stars 3|10", "grade mid|high", "grade high|top"}) {
		t.Errorf("cutpoints %q", names)
	}
	if d := p.Posterior.Data; d.FreeCutpoints() != 3 || d.Bounded() != 13 || d.Unknown() != 16 {
		t.Errorf("%d cutpoints, %d cells with bounds of %d unknown ones, want 3, 13 of 16", d.FreeCutpoints(), d.Bounded(), d.Unknown())
	}
	for level, value := range []float64{1, 3, 10} {
		if p.Categories[0].Value(level) != value || p.Categories[1].Value(level) != float64(level+1) {
			t.Errorf("category %d has the values %v and %v", level, p.Categories[0].Value(level), p.Categories[1].Value(level))
		}
	}
	if down := newCategories([]string{"5", "4", "inf"}, false); down.Value(0) != 1 || down.Value(2) != 3 {
		t.Errorf("labels that do not ascend have the values %v and %v, expected 1 and 3", down.Value(0), down.Value(2))
	}
	again, err := observed(p)
	if err != nil || !reflect.DeepEqual(again.Ordinal, want) {
		t.Errorf("read again: %v, %v", again.Ordinal, err)
	}
	if err := os.WriteFile("new.csv", []byte("id,stars,grade,a,sick\nn1,10,top,<3,NA\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	n, err := Rerun(p).Newcomers(again, p.Columns, "new.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(n.Levels, [][]int{{2, 3, -1, -1}}) || len(n.Bounds) != 1 || n.Bounds[0].Upper != p.Units.Do(2, 3) {
		t.Errorf("a new item has the categories %v and the limits %v", n.Levels, n.Bounds)
	}
	if other := build(t, strings.Replace(text, "high,top", "high", 1)); other.DataHash == p.DataHash {
		t.Error("another number of categories gives the same hash")
	}
	for change, want := range map[string]string{
		"ordinal = ['grade']":                    `data.ordinal: x.csv: line 4, column "grade": found "high", expected whole numbers, or labels in ascending order such as grade=low,mid,high`,
		"ordinal = ['a']":                        `data.ordinal: x.csv: line 2, column "a": found "1.5", expected whole numbers, or labels in ascending order such as a=low,mid,high`,
		"ordinal = ['grade=low,mid']":            `data.ordinal: x.csv: line 4, column "grade": found "high", expected one of low, mid`,
		"ordinal = ['sick=no,yes']":              `data.ordinal: x.csv: column "sick": found it among the binary columns, expected one of both`,
		"ordinal = ['grade=low,mid,high,stars']": `data.ordinal: x.csv: column "grade": found the label "stars", which is another column, expected columns with labels last`,
		"ordinal = ['stars']\nlog = ['stars']":   `data.log: x.csv: column "stars": found a binary or ordinal column, expected numbers`,
		"ordinal = ['nothing']":                  `data.ordinal: x.csv: unknown column "nothing"`,
		"ordinal = ['stars=1,3,10,hundred']":     "",
	} {
		s := parse(t, strings.Replace(text, "ordinal = ['stars', 'grade=low,mid,high,top']", change, 1))
		_, err := Load(s)
		if err == nil && want == "" {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: found %v, expected %s", change, err, want)
		}
	}
}

// Constant columns of categories are left out as constant columns of numbers are, unless they are named
// as columns of X or have labels that say what else they may be.
func TestConstantCategories(t *testing.T) {
	put(t, "x.csv", "id,sp1,sp2,sp3,sp4,n,grade\np,1,0,0,NA,1,mid\nq,0,0,1,NA,2,mid\nr,1,0,1,NA,4,mid\n")
	for _, text := range []string{"binary = ['sp*']", "ordinal = ['sp*']", "binary = ['sp1', 'sp2', 'sp3', 'sp4']"} {
		p := build(t, "[data]\nfile = 'x.csv'\n"+text)
		want := []LeftOut{{"sp2", sameValue}, {"sp4", noValues}, {"grade", notNumbers}}
		if !reflect.DeepEqual(p.LeftOut, want) || strings.Join(p.Columns, " ") != "sp1 sp3 n" {
			t.Errorf("%s: columns %q without %q, want %q", text, p.Columns, p.LeftOut, want)
		}
	}
	p := build(t, "[data]\nfile = 'x.csv'\nordinal = ['grade=lo,mid,hi']")
	if got := strings.Join(p.Columns, " "); got != "sp1 sp3 n grade" {
		t.Errorf("columns %s", got)
	}
	_, err := Load(parse(t, "[data]\nfile = 'x.csv'\ncolumns = ['sp*']\nbinary = ['sp*']"))
	wantError(t, err, "data.binary: x.csv: column \"sp2\": found 1 different values, expected two")
}
