package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A matrix of distances or proximities and a side file give the same problem in any order of their
// rows, and with further rows, which a note counts. Names that differ by a prefix are an error.
func TestRowsInAnyOrder(t *testing.T) {
	put(t, "x.csv", "plot,a,b\n003,1.5,2\n001,0.5,3.25\n002,1,1\n004,2,4\n005,0,1\n",
		"d.csv", "0,1,2,3,4\n1,0,1,2,3\n2,1,0,1,2\n3,2,1,0,1\n4,3,2,1,0\n",
		"turned.csv", ",001,003,002,006,005,004\n001,0,1,1,8,3,2\n003,1,0,2,8,4,3\n002,1,2,0,8,2,1\n006,8,8,8,0,8,8\n005,3,4,2,8,0,1\n004,2,3,1,8,1,0\n",
		"x_turned.csv", ",X001,X003,X002,X005,X004\nX001,0,1,1,3,2\nX003,1,0,2,4,3\nX002,1,2,0,2,1\nX005,3,4,2,0,1\nX004,2,3,1,1,0\n",
		"other.csv", ",1,3,2,5,4\n1,0,1,1,3,2\n3,1,0,2,4,3\n2,1,2,0,2,1\n5,3,4,2,0,1\n4,2,3,1,1,0\n",
		"side.csv", "plot,at\n003,0\n001,1\n002,2\n004,3\n005,4\n",
		"side_turned.csv", "plot,at\n005,4\n001,1\n006,8\n002,2\n004,3\n003,0\n")
	const note = `: 1 row of no item left out: "006"`
	for _, law := range []string{"[distance]\nkind = 'matrix'\nfile = 'd.csv'", "[prior]\nlaw = 'ddibp'\nproximity = 'd.csv'"} {
		first := build(t, "[data]\nfile = 'x.csv'\n"+law)
		turned := build(t, "[data]\nfile = 'x.csv'\n"+strings.Replace(law, "d.csv", "turned.csv", 1))
		if turned.DataHash != first.DataHash || !strings.Contains(strings.Join(turned.Notes, "\n"), note) {
			t.Errorf("%s: hash %s, want %s, notes %q", law, turned.DataHash, first.DataHash, turned.Notes)
		}
		for file, meant := range map[string]string{"x_turned.csv": "X003", "other.csv": "3"} {
			_, err := Load(parse(t, "[data]\nid = 'plot'\nfile = 'x.csv'\n"+strings.Replace(law, "d.csv", file, 1)))
			wantError(t, err, file+`: found no row for "003", "001", "002" and 2 more, expected one for each item of x.csv; did you mean "`+meant+`"?`)
		}
	}
	const spec = "[distance]\nkind = 'absolute'\ncolumns = ['at']\n[data]\nfile = 'x.csv'\nside = "
	first, turned := build(t, spec+"'side.csv'"), build(t, spec+"'side_turned.csv'")
	if turned.DataHash != first.DataHash || !strings.Contains(strings.Join(turned.Notes, "\n"), note) {
		t.Errorf("side files: hash %s, want %s, notes %q", turned.DataHash, first.DataHash, turned.Notes)
	}
}

// Whole numbers that name items keep their digits, and are names if they increase as numbers.
func TestNumbersAsNames(t *testing.T) {
	put(t, "x.csv", "key,a,b\n10000000000000001,1.5,2\n10000000000000002,0.5,3.25\n10000000000000003,1,1\n10000000000000004,2,4\n10000000000000005,0,1\n",
		"side.csv", "key,at\n10000000000000002,1\n10000000000000001,0\n10000000000000003,2\n10000000000000004,3\n10000000000000005,4\n",
		"other.csv", "key,at\n10000000000000002,1\n10000000000000001,0\n10000000000000003,2\n10000000000000004,3\n10000000000000006,4\n")
	const spec = "[distance]\nkind = 'absolute'\ncolumns = ['at']\n[data]\nfile = 'x.csv'\nside = "
	p := build(t, spec+"'side.csv'")
	if got := strings.Join(p.IDs, " "); got != "10000000000000001 10000000000000002 10000000000000003 10000000000000004 10000000000000005" {
		t.Errorf("names %s", got)
	}
	_, err := Load(parse(t, spec+"'other.csv'"))
	wantError(t, err, `other.csv: found no row for "10000000000000005", expected one for each item of x.csv`)
}

// Whole numbers with leading zeros name the items. Others of one length may be codes, and text that differs may name the items.
func TestCodesAsNames(t *testing.T) {
	table := func(codes ...string) string {
		text := "zip,a,school,long name\n"
		for i, code := range codes {
			text += fmt.Sprintf("%s,%d.5,%c,%c\n", code, i*i%7, 'r'+i, 'r'+i)
		}
		return text
	}
	const perhaps = "zip: distinct whole numbers, perhaps codes of the items: --id zip (--id - keeps the numbers)"
	school := LeftOut{"school", "not numbers; it can name the items: --id school"}
	for _, c := range []struct {
		codes, text, names string
		note               bool
		out                LeftOut
	}{
		{"01012 10233 70991 20111 90772", "", "01012", false, LeftOut{"zip", "names of the items, as whole numbers with leading zeros (--id - makes it data)"}},
		{"31012 10233 70991 20111 90772", "", "1", true, school},
		{"31012 10233 70991 20111 90772", "id = '-'", "1", false, school},
		{"31012 10233 70991 20111 90772", "id = 'zip'", "31012", false, LeftOut{"school", notNumbers}},
		{"31012 10233 70991 20111 9077", "", "1", false, school},
		{"12 10 70 20 90", "", "1", false, school},
	} {
		put(t, "x.csv", table(strings.Fields(c.codes)...))
		p := build(t, "[data]\nfile = 'x.csv'\n"+c.text)
		if noted := slices.Contains(p.Notes, perhaps); p.IDs[0] != c.names || noted != c.note || p.LeftOut[0] != c.out {
			t.Errorf("%s, %s: found names %q, left out %q, notes %q", c.codes, c.text, p.IDs, p.LeftOut, p.Notes)
		}
	}
}

// TestRepeatedName: a number that occurs twice in a column of names is noted, since the column is then data.
func TestRepeatedName(t *testing.T) {
	for second, want := range map[string]bool{"102": true, "101": false, "103": false} {
		text := "unit,a\n100,1\n" + second + ",4\n102,2\n"
		for i := range 20 {
			text += fmt.Sprintf("%d,%d\n", 110+i, i*i%7)
		}
		put(t, "x.csv", text)
		notes := fmt.Sprint(build(t, "[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'").Notes)
		if got := strings.Contains(notes, `x.csv: line 3, column "unit": 102 occurs again in a later line`); got != want {
			t.Errorf("%s: notes %s", second, notes)
		}
	}
}

// New items, their columns and labels are matched with those of the run whatever the Unicode form. Their side file may
// have further items.
func TestNewcomersInAnotherForm(t *testing.T) {
	put(t, "x.csv", "town,Höhe,Güte\nA,1,mäßig\nB,3,gut\nC,2,mäßig\nD,5,gut\n", "side.csv", "town,Kreis\nA,Lörrach\nB,Köln\nC,Köln\nD,Lörrach\n",
		"new.csv", norm.NFD.String("town,Höhe,Güte\nÉtretat,4,mäßig\n"), "all.csv", norm.NFD.String("town,Kreis\nD,Lörrach\nC,Köln\n")+"Étretat,Lörrach\n")
	p := build(t, "[data]\nfile = 'x.csv'\nside = 'side.csv'\nordinal = ['Güte=mäßig,gut']\n[distance]\nkind = 'same'\ncolumns = ['Kreis']\n")
	seen, err := observed(p)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Rerun(p).Newcomers(seen, p.Columns, "new.csv", "all.csv")
	if err != nil {
		t.Fatal(err)
	}
	if row := n.distances[0].Row(4)[:4]; n.Levels[0][1] != 0 || !slices.Equal(row, []float64{0, 1, 1, 0}) {
		t.Errorf("level %d, distances %v", n.Levels[0][1], row)
	}
	want := []string{
		`all.csv: 1 name in another Unicode form than in new.csv: "E` + "\u0301" + `tretat"; 2 rows of no item left out: "D", "C"`,
		`new.csv: 2 names in another Unicode form than in the run: "Höhe", "Güte"`,
	}
	if !slices.Equal(n.Notes, want) {
		t.Errorf("notes %q, want %q", n.Notes, want)
	}
}
