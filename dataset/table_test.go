package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func read(t *testing.T, content, idColumn string) *Table {
	t.Helper()
	table, err := ReadTable(strings.NewReader(content), "x.csv", idColumn)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// fails checks an error message, which must be one line.
func fails(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("%q: no error, want %q", what, want)
	} else if err.Error() != want {
		t.Errorf("%q:\n got %q,\nwant %q", what, err, want)
	} else if strings.Contains(want, "\n") {
		t.Errorf("%q: an error of more than one line", what)
	}
}

func TestReadTable(t *testing.T) {
	for _, test := range []struct {
		content, idColumn string
		id                string
		ids, columns      string // separated by |
	}{
		{"a,b\n1,2\n3,4\n", "", "", "", "a|b"},
		{"a,b\nu,2\nv,4\n", "", "a", "u|v", "b"},
		{"a,b\nu,2\nv,4\n", "b", "b", "2|4", "a"},
		{"a,b\nu,2\nu,4\n", None, "", "", "a|b"},
		{"\ufeffa,b\r\nu,2\r\nv,4\r\n", "", "a", "u|v", "b"},
		{"\"\",\"a\"\n\"1\",2\n\"2\",4\n", "", "", "1|2", "a"},
		{"Subject,a\n7,2\n9,4", "", "Subject", "7|9", "a"},
		{"STATE,a\n7,2\n9,4", "", "STATE", "7|9", "a"},
		{" id , a b \n x , 2 \n \"y, z\", 4 \n", "", "id", "x|y, z", "a b"},
		{"a\nu\nv\n", "", "", "", "a"},
		{"a,b\nNA,2\n3,4\n", "", "", "", "a|b"},
		{"\n\na,b\n\nu,1\n\nv,2\n\n", "", "a", "u|v", "b"},
		{"id,1990,2000\nu,1,2\nv,3,4\n", "", "id", "u|v", "1990|2000"},
		{"id,1SA,1SI\nu,1,2\nv,3,4\n", "", "id", "u|v", "1SA|1SI"},
		{"a,b\nu,2\nu,4\n", "", "", "", "a|b"}, // groups
		{"subject,a\n7,2\n7,4", "", "", "", "subject|a"},
	} {
		table := read(t, test.content, test.idColumn)
		if table.N() != 2 || table.IDColumn != test.id || strings.Join(table.IDs, "|") != test.ids || strings.Join(table.Columns, "|") != test.columns {
			t.Errorf("%q: N %d, id column %q, ids %q, columns %q", test.content, table.N(), table.IDColumn, table.IDs, table.Columns)
		}
	}
}

// Items are named by the given column if there is one, as text or as numbers.
func TestReadNamed(t *testing.T) {
	for _, test := range []struct {
		content, column string
		numbers         bool
		ids, columns    string // separated by |
	}{
		{"a,b\n1,02\n3,04\n", "b", false, "02|04", "a"},
		{"a,b\n1,02\n3,04\n", "b", true, "02|04", "a|b"},
		{"a,b\nu,02\nu,04\n", "b", true, "02|04", "a|b"},
		{"a,b\nu,02\nv,04\n", "c", true, "u|v", "b"},
		{"a,b\n1,02\n3,04\n", "c", false, "", "a|b"},
		{"id,b\n1,02\n3,04\n", None, false, "", "id|b"},
	} {
		table, err := ReadNamed(strings.NewReader(test.content), "x.csv", test.column, test.numbers)
		if err != nil || strings.Join(table.IDs, "|") != test.ids || strings.Join(table.Columns, "|") != test.columns {
			t.Errorf("%+v: %+v, %v", test, table, err)
		}
	}
	_, err := ReadNamed(strings.NewReader("a,b\n1,2\n3,2\n"), "x.csv", "b", true)
	fails(t, "2 twice", err, `x.csv: line 3, column "b": found the id "2" as in line 2, expected distinct ids`)
}

func TestReadTableErrors(t *testing.T) {
	for _, test := range []struct{ content, idColumn, want string }{
		{"", "", `x.csv: found an empty file, expected a header line and a line for each item`},
		{"\ufeff", "", `x.csv: found an empty file, expected a header line and a line for each item`},
		{"\n\n", "", `x.csv: found an empty file, expected a header line and a line for each item`},
		{"a,b\n", "", `x.csv: line 1: found a header and no rows, expected a line for each item`},
		{"a,b\n1,2\n\n3\n", "", `x.csv: line 4: found 1 cell, expected 2 as in line 1`},
		{"a,b\n1,2,3\n", "", `x.csv: line 2: found 3 cells, expected 2 as in line 1; line 1 holds "a,b": is it a title above the header?`},
		{"a,b,a\n1,2,3\n", "", `x.csv: line 1, column 3: found "a" as in column 1, expected distinct names`},
		{"a,,b\n1,2,3\n", "", `x.csv: line 1, column 2: found no name, expected the name of the column`},
		{",a\n1,2\n", None, `x.csv: line 1, column 1: found no name, expected the name of the column`},
		{"id,a\nu,1\nv,2\nu,3\n", "", `x.csv: line 4, column "id": found the id "u" as in line 2, expected distinct ids`},
		{",a\nu,1\nu,2\n", "", `x.csv: line 3, column 1: found the id "u" as in line 2, expected distinct ids`},
		{"id,a\nu,1\n,2\n", "", `x.csv: line 3, column "id": found an empty id, expected the name of the item`},
		{"id\nu\nv\n", "", `x.csv: line 1: found only the column "id" of ids, expected other columns beside it`},
		{"item,a\nu,1\n", "itme", `x.csv: unknown column "itme", did you mean "item"?`},
		{"subject,a\nu,1\n", "subjct", `x.csv: unknown column "subjct", did you mean "subject"?`},
		{"13.2,236\n8.1,294\n", "", `x.csv: line 1: found numbers, expected a header with the names of the columns`},
		{"Alabama,236,58\nAlaska,263,48\n", "", `x.csv: line 1: found numbers, expected a header with the names of the columns`},
		{"a,b\n1,2\nx,3\n", "", `x.csv: line 3, column "a": found "x", expected a number as in line 2 (or name the column as the id column)`},
		{"a\n1\n\n2\n", "", `x.csv: line 3: found a blank line, expected a cell: write NA for a missing value`},
		{"a,b\n1,\"2\n", "", `x.csv: line 2, character 6: found no end of a cell in quotation marks in the row that begins in line 2, expected a quotation mark before the next separator`},
		{"a,b\n1,\"2\" x\n", "", `x.csv: line 2, character 5: found no end of a cell in quotation marks in the row that begins in line 2, expected a quotation mark before the next separator`},
		{"a,b\r1,2\r", "", `x.csv: line 1: found a carriage return in the name of a column, expected lines that end in LF or CR LF`},
		{"a,b\n\xe9,2\né,3\n", "", `x.csv: line 3: found text in UTF-8, and other text in line 2, expected UTF-8 in all lines or in none`},
		{"a,b\né,2\n3,\xe2\x82", "", `x.csv: line 3: found the byte 0xe2, expected text in UTF-8`},
		{"a,b\n1,2\n3,\x81", "", `x.csv: line 3: found the byte 0x81, expected text in UTF-8`},
		{"PK\x03\x04\x14", "", `x.csv: found a workbook or an archive, expected CSV text in UTF-8 or Windows-1252`},
		{"\xff\xfea\x00", "", `x.csv: found text in UTF-16, expected CSV text in UTF-8 or Windows-1252`},
		{"a,b\n1,\x002\n", "", `x.csv: line 2: found the byte 0x00, expected text in UTF-8`},
		{"a,b\n1,2\"\n", "", `x.csv: line 2, character 4: found a quotation mark within a cell, expected such a cell in quotation marks and the mark doubled`},
		{"a,b\n1,é\n\ufffd,\xff\n", "", `x.csv: line 3: found the byte 0xff, expected text in UTF-8`},
	} {
		_, err := ReadTable(strings.NewReader(test.content), "x.csv", test.idColumn)
		fails(t, test.content, err, test.want)
	}
	broken := errors.New("disk on fire")
	if _, err := ReadTable(iotest.ErrReader(broken), "x.csv", ""); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "x.csv: ") {
		t.Errorf("reading error reported as %v", err)
	}
}

func TestFloatErrors(t *testing.T) {
	for _, test := range []struct{ cell, want string }{
		{"abc", `found "abc", expected a finite number`},
		{"3,5", `found "3,5", expected a finite number with a decimal point`},
		{"1_000", `found "1_000", expected a finite number`},
		{"0x1p3", `found "0x1p3", expected a finite number`},
		{strings.Repeat("9", 500) + "x", `found "` + strings.Repeat("9", 100) + `"... (501 bytes), expected a finite number`},
		{"1e999", `found "1e999", expected a finite number`},
		{"-Inf", `found "-Inf", expected a finite number`},
		{"", `found "", expected a finite number: only cells of X may be missing`},
		{"NA", `found "NA", expected a finite number: only cells of X may be missing`},
		{"NaN", `found "NaN", expected a finite number: only cells of X may be missing`},
	} {
		table := read(t, "id,Murder,Rape\nu,1,2\n\nv,\""+test.cell+"\",2\n", "")
		_, err := table.Float("Murder")
		fails(t, test.cell, err, `x.csv: line 4, column "Murder": `+test.want)
		_, err = table.Floats([]string{"Rape", "Murder"})
		fails(t, test.cell, err, `x.csv: line 4, column "Murder": `+test.want)
	}
	table := read(t, "id,Murder,Rape\nu,1,2\n", "")
	_, err := table.Float("murdr")
	fails(t, "murdr", err, `x.csv: unknown column "murdr", did you mean "Murder"?`)
	_, err = table.Strings("Population")
	fails(t, "Population", err, `x.csv: unknown column "Population", expected one of Murder, Rape`)
	_, err = table.Float("id")
	fails(t, "id", err, `x.csv: column "id" holds the ids, expected a column of data`)
}

func TestColumns(t *testing.T) {
	table := read(t, "id,1SA,1SI,2SA,group,gaps,torn\nu,1,2,3,AD,NA,1\nv,-4e1,5,6,NC,NA,b\n", "")
	x, err := table.Floats([]string{"2SA", "1SA"})
	if err != nil || len(x) != 2 || !slices.Equal(x[0], []float64{3, 1}) || !slices.Equal(x[1], []float64{6, -40}) {
		t.Errorf("Floats: %v, %v", x, err)
	}
	if groups, err := table.Strings("group"); err != nil || !slices.Equal(groups, []string{"AD", "NC"}) {
		t.Errorf("Strings: %v, %v", groups, err)
	}
	if got := strings.Join(table.NumericColumns(), "|"); got != "1SA|1SI|2SA|gaps|torn" {
		t.Errorf("NumericColumns: %s", got)
	}
	// Three texts and a number; one text; limits with a number and alone; ages; digit groups; ties.
	rows := "id,model,mark,limit,limits,ages,groups,torn\n" +
		"a,Integra,none,<1,<1,<18,\"1,234,567\",1\n" +
		"b,100,5,2,<2,18-64,\"2,345,678\",x\n" +
		"c,Legend,none,>5,>5,>64,999,y\n" +
		"d,Camry,3,<1,<1,18-64,\"3,456,789\",2\n"
	if got := strings.Join(read(t, rows, "").NumericColumns(), "|"); got != "mark|limit|groups|torn" {
		t.Errorf("NumericColumns: %s", got)
	}
	if got := read(t, "id,a,b\nu,\"1,5\",x\nv,\"2,5\",y\n", "").NumericColumns(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("numbers with decimal commas: NumericColumns %q", got)
	}
	for _, test := range []struct{ patterns, want string }{
		{"*SA", "1SA|2SA"},
		{"2SA 1SA 2SA", "1SA|2SA"},
		{"group 1*", "1SA|1SI|group"},
		{"[12]S?", "1SA|1SI|2SA"},
	} {
		got, err := table.Select(strings.Fields(test.patterns)...)
		if err != nil || strings.Join(got, "|") != test.want {
			t.Errorf("Select %s: %q, %v", test.patterns, got, err)
		}
	}
	for _, test := range []struct{ pattern, want string }{
		{"*XY", `x.csv: no column matches the pattern "*XY"`},
		{"groups", `x.csv: unknown column "groups", did you mean "group"?`},
		{"[a", `x.csv: found the column pattern "[a", expected a name or a shell pattern`},
	} {
		_, err := table.Select(test.pattern)
		fails(t, test.pattern, err, test.want)
	}
	if got, err := read(t, "x[1],y\n1,2\n", "").Select("x[1]"); err != nil || !slices.Equal(got, []string{"x[1]"}) {
		t.Errorf("a name that looks like a pattern: %q, %v", got, err)
	}
}

func TestRowsAndAlign(t *testing.T) {
	table := read(t, "id,a\nu,1\nv,2\nw,bad\n", "")
	part, err := table.Rows("w", "u")
	if err != nil || !slices.Equal(part.IDs, []string{"w", "u"}) {
		t.Fatalf("Rows: %v, %v", part, err)
	}
	_, err = part.Float("a")
	fails(t, "line after Rows", err, `x.csv: line 4, column "a": found "bad", expected a finite number`)
	_, err = table.Rows("u", "x")
	fails(t, "Rows", err, `x.csv: unknown id "x", expected one of u, v, w`)
	_, err = table.Rows("u", "u")
	fails(t, "Rows", err, `x.csv: found the id "u" twice in the list, expected distinct ids`)
	_, err = table.Rows()
	fails(t, "Rows", err, `x.csv: found 0 ids asked for and 3 in the table, expected at least one of each`)

	side := func(content, idColumn string) *Table {
		s, err := ReadTable(strings.NewReader(content), "side.csv", idColumn)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, test := range []struct{ content, idColumn, want string }{
		{"id,age\nw,3\nu,1\nv,2\n", "", "1 2 3"},
		{"id,age\nw,3\nu,1\nz,1\nv,2\n", "", "1 2 3"},
		{"id,age\nw,3\nu,1\nv,2\n", None, "3 1 2"},
		{"age\n3\n1\n2\n", "", "3 1 2"},
	} {
		aligned, _, err := table.Align(side(test.content, test.idColumn))
		if err != nil {
			t.Errorf("%q: %v", test.content, err)
		} else if ages, _ := aligned.Strings("age"); strings.Join(ages, " ") != test.want {
			t.Errorf("%q: ages %v, want %s", test.content, ages, test.want)
		}
	}
	for _, test := range []struct{ content, want string }{
		{"id,age\nw,3\nu,1\n", `side.csv: found no row for "v", expected one for each item of x.csv`},
		{"age\n3\n1\n", `side.csv: found 2 items, expected 3 as in x.csv`},
	} {
		_, _, err := table.Align(side(test.content, ""))
		fails(t, test.content, err, test.want)
	}
}

// FuzzReadTable looks for panics, and checks that what is read is as Table
// promises, does not depend on how the text arrives, and is read again from what it
// is written as.
func FuzzReadTable(f *testing.F) {
	for _, s := range []string{
		"", "a,b\n1,2\n", "\ufeffid,a\r\nu,1\r\nv,NA\r\n", "\"\",a\n\"x\ny\",2\n", "a\n\n1\n", "a;b\n1;2", "1,2\n3,4\n", "a,a\n", ",\n,\n", "\"", "\xff",
		"a,b\n1e400,-Inf\n.5,5.\n", "a,b\nu,x\nv,0x1p-2\n", "a,b\n1,caf\u00e9\n", "id,a\n1,\"\"\"\"\n", "a,b\r1,2\r", "a,b\n1,2\x00\n", "a\n1\n\u2028\n", "1999,2000\n1,2\n", "a;b\n1,5;2\n", "a\tb\n\t2\n", "\xd4\n\xd4\x81",
	} {
		f.Add(s, "")
	}
	f.Add("a,b\nu,1\n", "a")
	f.Add("a,b\nu,1\n", None)
	f.Fuzz(func(t *testing.T, content, idColumn string) {
		table, err := ReadTable(strings.NewReader(content), "x.csv", idColumn)
		slow, slowErr := ReadTable(iotest.OneByteReader(strings.NewReader(content)), "x.csv", idColumn)
		if (err == nil) != (slowErr == nil) || err == nil && !sameTable(table, slow) {
			t.Fatalf("byte by byte it is another table: %v, %v", err, slowErr)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.csv: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		if table.N() < 1 || len(table.Columns) < 1 || table.IDs != nil && len(table.IDs) != table.N() {
			t.Fatalf("%d items, %d ids, %d columns", table.N(), len(table.IDs), len(table.Columns))
		}
		if _, _, err := table.Align(table); err != nil {
			t.Errorf("aligned with itself: %v", err)
		}
		if _, err := table.Select(table.Columns...); err != nil {
			t.Error(err)
		}
		for _, c := range table.NumericColumns() {
			x, err := table.Float(c)
			if err == nil && (len(x) != table.N() || slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })) {
				t.Errorf("column %q: values %v of %d items", c, x, table.N())
			}
		}
		Extrapolate([]byte(content), 10*int64(len(content)))

		written, ok := asCSV(table)
		if !ok || strings.Contains(content, "\r") {
			return // the end of a line is another thing within a cell
		}
		column := table.IDColumn
		if table.IDs == nil {
			column = None
		}
		again, err := ReadTable(strings.NewReader(written), "x.csv", column)
		if err != nil || !sameTable(again, table) {
			t.Errorf("read again %v from %q: %v", again, written, err)
		}
	})
}

// asCSV writes a table, unless the text would mean something else to a reader without further
// settings.
func asCSV(table *Table) (string, bool) {
	header := table.Columns
	if table.IDs != nil {
		header = append([]string{table.IDColumn}, header...)
	}
	if !namesColumns(header) || table.IDs != nil && table.IDColumn == None || strings.HasPrefix(header[0], "\ufeff") || len(header) == 1 {
		return "", false
	}
	rows := [][]string{header}
	for i := range table.N() {
		var row []string
		if table.IDs != nil {
			row = append(row, table.IDs[i])
		}
		for j := range table.Columns {
			row = append(row, table.cells.cell(i, j))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	csv.NewWriter(&b).WriteAll(rows)
	return b.String(), true
}

// sameTable reports whether two tables hold the same, the lines of their files apart.
func sameTable(a, b *Table) bool {
	if a.IDColumn != b.IDColumn || !slices.Equal(a.IDs, b.IDs) || !slices.Equal(a.Columns, b.Columns) || a.N() != b.N() {
		return false
	}
	for j := range a.Columns {
		if !slices.Equal(a.cells.column(j), b.cells.column(j)) {
			return false
		}
	}
	return true
}

func TestLabels(t *testing.T) {
	table, err := ReadTable(strings.NewReader("id,a,b\nx,1,u\ny,2,na\n"), "t.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := table.Labels("a"); err != nil || !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("labels %q, %v", got, err)
	}
	if _, err := table.Labels("b"); err == nil || err.Error() != `t.csv: line 3, column "b": found "na", expected a label: only cells of X may be missing` {
		t.Errorf("error %v", err)
	}
	if _, err := table.Labels("c"); err == nil {
		t.Error("an unknown column is no error")
	}
}

// Marks of missing cells are text or numbers, and do not concern the ids.
func TestMissingMarks(t *testing.T) {
	table, err := ReadTable(strings.NewReader("id,a,b\n-9,1,-9.0\nv,gone,2\nw,,?\n"), "x.csv", "", Marks("-9", "gone"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := table.Observations([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(table.IDs, x); got != "[-9 v w] [[1 NaN] [NaN 2] [NaN NaN]]" {
		t.Error(got)
	}
	_, err = table.Float("a")
	fails(t, "a missing covariate", err, `x.csv: line 3, column "a": found "NA", expected a finite number: only cells of X may be missing`)
}

// Errors of spreadsheets are missing cells.
func TestSpreadsheetErrors(t *testing.T) {
	x, err := read(t, "id,a,b\nu,#DIV/0!,#N/A\nv,#NAME?,#REF!\nw,#Num!,1\nx,#VALUE!,#NULL!\ny,2,#N\n", "").Observations([]string{"a"})
	if got := fmt.Sprint(x, err); got != "[[NaN] [NaN] [NaN] [NaN] [2]] <nil>" {
		t.Error(got)
	}
	_, err = read(t, "id,a\nv,1\nw,2\nu,#N\n", "").Float("a")
	fails(t, "#N", err, `x.csv: line 4, column "a": found "#N", expected a finite number`)
}

// Marks and limits may stand in a first column of numbers, which has no ids.
func TestMarksInFirstColumn(t *testing.T) {
	table, err := ReadTable(strings.NewReader("a,b\n1,2\ngone,3\n<0.5,4\n"), "x.csv", "", Marks("gone"))
	if err != nil {
		t.Fatal(err)
	}
	x, limits, err := table.Limited([]string{"a", "b"})
	if got := fmt.Sprint(table.IDs, x, limits, err); got != "[] [[1 2] [NaN 3] [NaN 4]] [{2 0 -Inf 0.5 false}] <nil>" {
		t.Error(got)
	}
	_, err = ReadTable(strings.NewReader("a,b\n1,2\ngone,3\nlost,4\n"), "x.csv", "", Marks("gone"))
	fails(t, "text among numbers", err, `x.csv: line 4, column "a": found "lost", expected a number as in line 2 (or name the column as the id column)`)
}

// TestLimited: limits are read apart from numbers and missing cells, by Limited only.
func TestLimited(t *testing.T) {
	const text = "id,a,b,c\nx,<0.5,1,>=-2e1\ny,> 3,NA,4\nz,2,<,5\n"
	table, err := ReadTable(strings.NewReader(text), "x.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	x, limits, err := table.Limited([]string{"c", "a"})
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	want := []Interval{{0, 0, -20, inf, true}, {0, 1, -inf, 0.5, false}, {1, 1, 3, inf, false}}
	if !slices.Equal(limits, want) {
		t.Errorf("limits %v, want %v", limits, want)
	}
	for i, row := range [][]float64{{math.NaN(), math.NaN()}, {4, math.NaN()}, {5, 2}} {
		for j, v := range row {
			if got := x[i][j]; got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
				t.Errorf("item %d, column %d: %v, want %v", i+1, j+1, got, v)
			}
		}
	}
	if _, _, err := table.Limited([]string{"b"}); err == nil || !strings.Contains(err.Error(), `line 4, column "b": found "<"`) {
		t.Errorf("a limit without a number: error %v", err)
	}
	for _, read := range []func([]string) ([][]float64, error){table.Floats, table.Observations} {
		if _, err := read([]string{"a"}); err == nil || !strings.Contains(err.Error(), `found "<0.5"`) {
			t.Errorf("a limit as a number: error %v", err)
		}
	}
	if got := table.NumericColumns(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("numeric columns %v", got)
	}
}

// Names of columns may be numbers, such as wavelengths, hours, depths and what pandas counts, if the
// rows prove that they are names, or by request. A first item is not lost.
func TestNumericHeader(t *testing.T) {
	for _, columns := range []string{"0,1,2", "400.5,410,420.25", "-30,-20,-10", "1e-3,1e-2,0.1", "24,12,6", "1990,1995,2000", "3,1,2"} {
		ordered := columns != "3,1,2" && columns != "24,12,6"
		for _, test := range []struct {
			first, rows string
			want        bool // without Header
		}{
			{"", "0,.5,2,3\n1,4,5,6\n2,7,8,9\n", true},
			{"", "u,.5,2,3\nv,4,5,6\nw,7,8,9\n", true},
			{"", "u,.5,2,3\nv,4,5,6\nu,7,8,9\n", columns == "1990,1995,2000"}, // names that are not distinct are another error then
			{"", "0.5,.5,2,3\nNA,4,5,6\n0.5,7,8,9\n", columns == "1990,1995,2000"},
			{"id", "7,.5,2,3\n3,4,5,6\n5,7,8,9\n", true},
			{"plot", "u,.5,2,3\nv,4,5,6\nw,7,8,9\n", ordered},
			{"plot", "7,.5,2,3\n3,4,5,6\n5,7,8,9\n", ordered},
			{"u", "v,4,5,6\nw,7,8,9\n", ordered},
			{"plot", "0.5,.5,2,3\n0.5,4,5,6\n1.5,7,8,9\n", columns == "1990,1995,2000"},
			{"100", "0.5,.5,2,3\n0.5,4,5,6\n1.5,7,8,9\n", false},
		} {
			text := test.first + "," + columns + "\n" + test.rows
			table, err := ReadTable(strings.NewReader(text), "x.csv", "")
			if !test.want {
				fails(t, text, err, "x.csv: line 1: found numbers, expected a header with the names of the columns")
			} else if errors.Is(err, ErrHeader) {
				t.Errorf("%q: %v", text, err)
			} else if err == nil {
				if got := strings.Join(table.Columns[len(table.Columns)-3:], ","); got != columns || table.N() != strings.Count(test.rows, "\n") || table.NumericHeader != (columns != "1990,1995,2000") {
					t.Errorf("%q: %d items, columns %s, numeric header %t", text, table.N(), got, table.NumericHeader)
				}
			}
			if _, err := ReadTable(strings.NewReader(text), "x.csv", "", Header(true)); errors.Is(err, ErrHeader) {
				t.Errorf("%q with a header: %v", text, err)
			}
		}
	}
	for _, text := range []string{"0,1,2\n1,2,3\n4,5,6\n", "1\n2\n3\n", "2.5,2.5\n1,2\n", "Alabama,236,58\nAlaska,263,48\n"} {
		_, err := ReadTable(strings.NewReader(text), "x.csv", "")
		fails(t, text, err, "x.csv: line 1: found numbers, expected a header with the names of the columns")
		table, err := ReadTable(strings.NewReader(text), "x.csv", "", Header(true))
		if repeated := text == "2.5,2.5\n1,2\n"; (err != nil) != repeated || err == nil && table.N() != strings.Count(text, "\n")-1 {
			t.Errorf("%q with a header: %v", text, err)
		}
	}
}

// Patterns match what they match in a shell.
func TestPatternsAreThoseOfShells(t *testing.T) {
	table := read(t, "a1,a2,b1,b2,!x,^y,x[!],\\z\n1,2,3,4,5,6,7,8\n", "")
	for pattern, want := range map[string]string{
		"[!a]*": `b1 b2 !x ^y x[!] \z`, "[^a]*": `b1 b2 !x ^y x[!] \z`, "*[!1]": `a2 b2 !x ^y x[!] \z`, "[a!]*": "a1 a2 !x",
		"[!a-b][!x]": `^y \z`, `\[!a]*`: "", "!*": "!x", `x\[!*`: "x[!]", "?[!2]": `a1 b1 !x ^y \z`,
	} {
		names, err := table.Select(pattern)
		if got := strings.Join(names, " "); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: found %q, %v, want %q", pattern, got, err, want)
		}
	}
}

// Rows of separators at the end of a file are no items, with names or without; such rows among the
// others, and rows of missing cells, are as before.
func TestEmptyRowsAtTheEnd(t *testing.T) {
	for _, test := range []struct {
		text       string
		n, dropped int
	}{
		{"id,a,b\nu,1,2\nv,3,4\n,,\n,,\n , ,\n", 2, 3}, {"a,b\n1,2\n3,4\n,\n\n,\n", 2, 2}, {"a,b\n1,2\n3,4\n\"\",\n", 2, 1},
		{"a,b\n1,2\n,\n3,4\n", 3, 0}, {"a,b\n1,2\nNA,\n", 2, 0}, {"id,a\nu,1\nv,\n", 2, 0}, {"a,b\nu,x\nv,\n,\n", 2, 1},
	} {
		table := read(t, test.text, "")
		if table.N() != test.n || table.EmptyRows != test.dropped || table.IDs != nil && len(table.IDs) != test.n {
			t.Errorf("%q: %d items, %d rows dropped, ids %q", test.text, table.N(), table.EmptyRows, table.IDs)
		}
		for _, c := range table.Columns {
			if cells, err := table.Strings(c); err != nil || len(cells) != test.n {
				t.Errorf("%q: cells %q of %s, %v", test.text, cells, c, err)
			}
		}
	}
	_, err := ReadTable(strings.NewReader("a,b\n,\n,\n"), "x.csv", "")
	fails(t, "only empty rows", err, "x.csv: line 1: found a header and no rows, expected a line for each item")
}

// A column with as many kinds of text as of numbers is text, unless the text is rare or looks like numbers.
func TestKindsOfText(t *testing.T) {
	for cells, want := range map[string]bool{
		"4 f r 4 f f 4 r 4 4": true, "1 2 lo hi mid 1 2 lo lo hi": true, "1 2 3 4 5 6 7 8 n.d. n.d.": false, "1 2 3 x 5 6 7 8 9 10": false,
		"4 4 4 4 4 4 4 4 4 x": false, "1 1 1 1 5% 5% 5% 5% 1 1": false, "n.d. n.d. n.d. n.d. n.d. n.d. n.d. 3 4 5": false,
	} {
		table := read(t, "id,c,z\n"+strings.Join(func() (rows []string) {
			for i, cell := range strings.Fields(cells) {
				rows = append(rows, fmt.Sprintf("i%d,%s,%d", i, cell, i))
			}
			return rows
		}(), "\n")+"\n", "")
		if got := !slices.Contains(table.NumericColumns(), "c"); got != want {
			t.Errorf("%s: text %t, want %t", cells, got, want)
		}
	}
}

// A comma before a single digit does not separate thousands.
func TestThousands(t *testing.T) {
	_, err := read(t, "id,a\nu,1\nv,\"1,5\"\n", "").Float("a")
	fails(t, "1,5", err, `x.csv: line 3, column "a": found "1,5", expected a finite number with a decimal point`)
}
