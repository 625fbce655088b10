package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// Other separators, commas within numbers and Windows-1252 give the same table as CSV.
func TestForms(t *testing.T) {
	const want = "[[1.5 1234.5 NaN] [-2 0.25 3]]"
	for _, test := range []struct{ content, form string }{
		{"id,ä,b,c\nu,1.5,1234.5,\nv,-2,.25,3\n", ""},
		{"id\tä\tb\tc\nu\t1.5\t1234.5\t\nv\t-2\t.25\t3\n", "tabs between columns"},
		{"id\tä\tc\tb\nu\t1.5\t\t1234.5\nv\t-2\t3\t.25\n", "tabs between columns"},
		{"id|ä|b|c\nu|1.5|1234.5|\nv|-2|.25|3\n", "vertical bars between columns"},
		{"\"id\"; \"ä\";\"b\";\"c\"\r\nu;1,5;1.234,5;NA\r\nv;-2;,25;3\r\n", "semicolons between columns, decimal commas in ä, b, points between thousands in b"},
		{"\"i,d\";ä;b;c\nu;1.5;1234.5;\nv;-2;.25;3\n", "semicolons between columns, decimal points in ä, b"},
		{"x, y;ä;b;c\nu;1,5;1234.5;\nv;-2;.25;3\n", `semicolons between columns, two kinds of decimals (1,5 in line 2, column "ä"; 1234.5 in line 2, column "b"), decimal commas in ä, decimal points in b`},
		{"id,\xe4,b,c\nu,1.5,1234.5,\nv,-2,.25,3\n", "text in Windows-1252"},
		{"id,ä,b,c\nu,1.5,\"1,234.5\",\nv,-2,.25,3\n", "commas between thousands in b"},
		{"sep=;\nid;ä;b;c\nu;1,5;1234,5;\nv;-2;,25;3\n", "semicolons between columns, decimal commas in ä, b"},
		{"\n\n\"id\";\"\xe4\";b;c\nu;15e-1;1234,5;\nv;-2;0,25;3\n", "semicolons between columns, decimal commas in b, text in Windows-1252"},
	} {
		table := read(t, test.content, "")
		x, err := table.Observations([]string{"ä", "b", "c"})
		if got := fmt.Sprint(x); err != nil || got != want || table.Form != test.form || strings.Join(table.IDs, "") != "uv" {
			t.Errorf("%q: %v, %v, items %q, form %q, want %q", test.content, got, err, table.IDs, table.Form, test.form)
		}
	}
}

// Names of items and columns, and columns with other text, keep their commas. Decimal commas with three decimals
// are not taken for thousands.
func TestCommas(t *testing.T) {
	for _, test := range []struct{ content, id, column, cells, form string }{
		{"id;a,1\n1,5;<2,5\n2,5;3,5\n", "id", "a,1", "<2.5 3.5", "semicolons between columns, decimal commas in a,1"},
		{"id;a\n1,5;x,5\n2,5;1,5\n", "id", "a", "x,5 1,5", "semicolons between columns"},
		{"a;b\n1,5;2\n1,5;3\n", "", "a", "1.5 1.5", "semicolons between columns, decimal commas in a"},
		{"a;b\n1,5;2\n2.5;3\n", None, "a", "1.5 2.5", "semicolons between columns, decimal commas in a"},
		{"id,a,b\n\"1,234\",\"1,2\",x\n\"1,235\",\"3,100\",y\n", "id", "a", "1,2 3,100", ""},
		{"id,lat,lon\nu,\"52,520\",\"13,405\"\nv,\"48,137\",\"11,576\"\n", "", "lat", "52,520 48,137", ""},
		{"id\tlat\tlon\nu\t52,520\t13,405\nv\t48,137\t11,576\n", "", "lat", "52,520 48,137", "tabs between columns"},
		{"id,a\nu,\"<12,345\"\nv,\"-1,234,567.5\"\n", "", "a", "<12345 -1234567.5", "commas between thousands in a"},
		{"id,a\nu,\"1,234\"\nv,950\n", "", "a", "1234 950", "commas between thousands in a"},
		{"id,a\nu,\"1,234\"\nv,2\n", "", "a", "1,234 2", ""},
		{"id,a,b\nu,\"1,234\",inf\nv,inf,2\n", "", "a", "1,234 inf", ""},
		{"id,a\nu,1 000\nv,1e400\n", "", "a", "1000 1e400", "blanks between thousands in a"},
		{"id;a\nu;1,5\nv;inf\n", "", "a", "1.5 inf", "semicolons between columns, decimal commas in a"},
		{"id;a\nu;1,5\nv;2.0\nw;20.000\nx;2,5\n", "", "a", "1.5 2 20 2.5", "semicolons between columns, decimal commas in a"},
		{"id;a,b\nx;1,2\ny;2,3\n", "", "b", "2 3", `semicolons in column "id;a" are text, as commas separate columns`},
		{"x1,x2,x3 (a;b)\n1,2,3\n4,5,6\n", "", "x3 (a;b)", "3 6", ""},
	} {
		table := read(t, test.content, test.id)
		cells, err := table.Strings(test.column)
		if got := strings.Join(cells, " "); err != nil || got != test.cells || table.Form != test.form {
			t.Errorf("%q: found %s, %v, form %q, expected %s, form %q", test.content, got, err, table.Form, test.cells, test.form)
		}
		if test.id == "id" && !strings.HasPrefix(table.IDs[0], "1,") {
			t.Errorf("%q: found the id %q", test.content, table.IDs[0])
		}
	}
	m, err := ReadMatrix(strings.NewReader("0;2.5;1\n2.5;0;3\n1;3;0\n"), "d.csv")
	if err != nil || m.At(0, 1) != 2.5 {
		t.Errorf("matrix with semicolons: %v", err)
	}
	for _, content := range []string{"0;1,5;2,5\n1,5;0;3\n2,5;3;0\n", ";a;b;c\na;0;1,5;2,5\nb;1,5;0;3\nc;2,5;3;0\n", "a;b;c\n0;1,5;2,5\n1,5;0;3\n2,5;3;0\n"} {
		m, err := ReadMatrix(strings.NewReader(content), "d.csv")
		if err != nil || rowsOf(m) != "0 1.5 2.5|1.5 0 3|2.5 3 0" {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// Marks before exactly three digits follow the other columns of the file.
func TestThousandsOrDecimals(t *testing.T) {
	const mixed = `two kinds of decimals (2,5 in line 2, column "b"; 0.234 in line 2, column "a"), `
	for _, test := range []struct{ cells, second, cell, form string }{ // of columns a and b, between semicolons
		{"780 17.455 61.835", "6,59 7 8", "780 17455 61835", "points between thousands in a (61.835 is 61835), decimal commas in b"},
		{"1.000 2.500 -45.678", "6,59 7 8", "1000 2500 -45678", "points between thousands in a (-45.678 is -45678), decimal commas in b"},
		{"1.250.000 17.000 <5.000", "1 2 3", "1250000 17000 <5000", "points between thousands in a"},
		{"1.234,5 12.500 999", "1 2 3", "1234.5 12500 999", "points between thousands in a, decimal commas in a"},
		{"1.234 12.345 2.000", "1 2 3", "1.234 12.345 2", "decimal points before three digits in a (if they separate thousands, remove them)"},
		{"1.234 12.345 2.000", "1.5 2 3", "1.234 12.345 2", "decimal points before three digits in a (if they separate thousands, remove them), decimal points in b"},
		{"0.234 2.500 3.9", "2,5 3 4", "0.234 2.5 3.9", mixed + "decimal points in a, decimal commas in b"},
		{"1,234 2 3", "1.5 2 3", "1234 2 3", "commas between thousands in a (1,234 is 1234), decimal points in b"},
		{"1,234 2 3", "1 2 3", "1.234 2 3", "decimal commas before three digits in a (if they separate thousands, remove them)"},
		{"1,234 2 3", "1.234 2 3", "1.234 2 3", "decimal commas before three digits in a (if they separate thousands, remove them), points between thousands in b (1.234 is 1234)"},
	} {
		cells, second := strings.Fields(test.cells), strings.Fields(test.second)
		content := "id;a;b\n"
		for i, cell := range cells {
			content += fmt.Sprintf("i%d;%s;%s\n", i, cell, second[i])
		}
		table := read(t, content, "")
		texts, err := table.Strings("a")
		if got := strings.Join(texts, " "); err != nil || got != test.cell || table.Form != "semicolons between columns, "+test.form {
			t.Errorf("%s; %s: found %s, %v, form %q", test.cells, test.second, got, err, table.Form)
		}
	}
	table := read(t, "id\ta\tb\nu\t1,5\t1.234\nv\t2,5\t2\n", "")
	if x, err := table.Floats([]string{"a", "b"}); err != nil || fmt.Sprint(x) != "[[1.5 1234] [2.5 2]]" {
		t.Errorf("tabs: %v, %v", x, err)
	}
}

// An error names the cell that is not as the others of its column.
func TestCellOfOtherForm(t *testing.T) {
	for rows, want := range map[string]string{
		"1,2 <LOD 3,4 3,5": `line 3, column "a": found "<LOD", expected a finite number`,
		"1,2 2.5 3,4 3,5":  `line 3, column "a": found "2.5", expected a finite number with a decimal comma, as in other rows`,
		"1.2 2,5 3.4 3.5":  `line 3, column "a": found "2,5", expected a finite number with a decimal point`,
		"1.234 lost 2 3":   `line 3, column "a": found "lost", expected a finite number`,
		"12% 13 5% 6%":     `line 2, column "a": found "12%", expected a finite number, or % in all rows of the column`,
	} {
		table := read(t, "id;a;z\n"+strings.Join(strings.Fields("u;"+strings.Replace(strings.Replace(strings.Replace(rows, " ", ";1\nv;", 1), " ", ";1\nw;", 1), " ", ";1\nx;", 1)), "\n")+";1\n", "")
		_, _, err := table.Limited(table.NumericColumns()[:1])
		fails(t, rows, err, "x.csv: "+want)
	}
}

// Percent signs and currency signs of a column are left out, and blanks and apostrophes between thousands, if all
// numbers of the column have them.
func TestSigns(t *testing.T) {
	for cells, want := range map[string]string{
		"12,5 %|45%|<3%":                 "[12.5 45 <3] decimal commas in a, % left out in a",
		"1 234,5|2\u00a0500|-3\u202f999": "[1234.5 2500 -3999] blanks between thousands in a, decimal commas in a",
		"1'234.5|2\u2019500|999":         "[1234.5 2500 999] apostrophes between thousands in a, decimal points in a",
		"$1,200.50|-$2,500|$3":           "[1200.5 -2500 3] commas between thousands in a, decimal points in a, $ left out in a",
		"3 \u20ac|4 \u20ac|NA":           "[3 4 NA] \u20ac left out in a",
		"\u22121.5|\u22122|3":            "[-1.5 -2 3] decimal points in a",
		"3 \u20ac|$4|5":                  "[3 \u20ac $4 5] ",
		"12 34|1 23|5":                   "[12 34 1 23 5] ",
		"1.2.3|01 234|5":                 "[1.2.3 01 234 5] ",
	} {
		rows := strings.Split(cells, "|")
		table := read(t, "id;a;z\nu;"+rows[0]+";1\nv;"+rows[1]+";2\nw;"+rows[2]+";3\n", "id")
		texts, err := table.Strings("a")
		form := strings.TrimPrefix(strings.TrimPrefix(table.Form, "semicolons between columns"), ", ")
		if got := fmt.Sprint(texts, " ", form); err != nil || got != want {
			t.Errorf("%s: found %s, %v, expected %s", cells, got, err, want)
		}
	}
}

// Spreadsheets write empty columns and a row of units, and R writes blanks between cells.
func TestLeftovers(t *testing.T) {
	table := read(t, "n;a;b;;\nx;1,5;2;;\ny;2,5;3;;\n;;;;\n", "")
	if got := fmt.Sprint(table.IDs, table.Columns, table.EmptyRows, " ", table.Form); got != "[x y] [a b] 1 semicolons between columns, decimal commas in a, 2 empty columns at the end left out" {
		t.Error(got)
	}
	for content, want := range map[string]string{
		"n,a,,\nx,1,,\ny,2,,3\n": "line 1, column 4: found no name, expected the name of the column",
		"n,a,b\n,m,kg\nx,1,2\n":  `line 2, column "n": found an empty id, expected the name of the item; is line 2 a row of units?`,
		"a,b\nm,kg\n1,2\n3,4\n":  `line 2, column "a": found "m", expected a number as in line 3 (or name the column as the id column); is line 2 a row of units?`,
		"\"a\" \"b\"\n\"x\" 1\n": "line 1: found blanks between cells, expected commas, semicolons, tabs or vertical bars",
	} {
		_, err := ReadTable(strings.NewReader(content), "x.csv", "")
		fails(t, content, err, "x.csv: "+want)
	}
	_, err := read(t, "n,a,b\nunit,m,kg\nx,1,2\ny,2,3\n", "").Float("b")
	fails(t, "units", err, `x.csv: line 2, column "b": found "kg", expected a finite number; is line 2 a row of units?`)
}

// R's write.table writes no name for the names of rows. Other programs end rows with a separator, but not the header.
func TestShortHeader(t *testing.T) {
	const names = "the header has no name for the first column, which names the rows"
	for content, want := range map[string]string{
		"\"a\",\"b\"\n\"p1\",1.5,2\n\"p2\",2,3\n":     "[p1 p2] [a b] [[1.5 2] [2 3]] " + names,
		"a\tb\np1\t1.5\t2\np2\t2\t3\n":                "[p1 p2] [a b] [[1.5 2] [2 3]] tabs between columns, " + names,
		"a;b\np1;1,5;2\np2;2;3\n":                     "[p1 p2] [a b] [[1.5 2] [2 3]] semicolons between columns, " + names + ", decimal commas in a",
		"\"1990\",\"1991\"\n\"3\",1.5,2\n\"7\",2,3\n": "[3 7] [1990 1991] [[1.5 2] [2 3]] " + names,
		"\"a\"\n\"p1\",1.5\n\"p2\",2\n":               "[p1 p2] [a] [[1.5] [2]] " + names,
		"s,a,b\np1,1.5,2,\np2,2,3,\n":                 "[p1 p2] [a b] [[1.5 2] [2 3]] 1 empty column at the end left out",
		"s;a;b\np1;1,5;2;\np2;2;3;\n":                 "[p1 p2] [a b] [[1.5 2] [2 3]] semicolons between columns, decimal commas in a, 1 empty column at the end left out",
	} {
		table := read(t, content, "")
		x, err := table.Floats(table.Columns)
		if got := fmt.Sprint(table.IDs, " ", table.Columns, " ", x, " ", table.Form); err != nil || got != want {
			t.Errorf("%q: found %s, %v, want %s", content, got, err, want)
		}
	}
	for content, want := range map[string]string{
		"a\n1,5\n2,5\n":                 "line 2: found 2 cells, expected 1 as in line 1; line 1 holds \"a\": is it a title above the header?",
		"a,b\n1,5,2\n2,5,3\n":           "line 2: found 3 cells, expected 2 as in line 1; line 1 holds \"a,b\": is it a title above the header?",
		"Mites of 2021\ns,a,b\np,1,2\n": "line 2: found 3 cells, expected 1 as in line 1; line 1 holds \"Mites of 2021\": is it a title above the header?",
		"Mites,,\ns,a,b\np,1,2\n":       "line 1, column 2: found no name, expected the name of the column; line 1 holds \"Mites\": is it a title above the header?",
		"s,a,b\np,1,2,\nq,1,2\n":        "line 2: found 4 cells, expected 3 as in line 1; line 1 holds \"s,a,b\": is it a title above the header?",
		"s,a,b\np,1,2\nq,1,2,3\n":       "line 3: found 4 cells, expected 3 as in line 1",
	} {
		_, err := ReadTable(strings.NewReader(content), "x.csv", "")
		fails(t, content, err, "x.csv: "+want)
	}
	const matrix = "0 1.5 2|1.5 0 3|2 3 0"
	for _, content := range []string{
		"\"a\",\"b\",\"c\"\n\"a\",0,1.5,2\n\"b\",1.5,0,3\n\"c\",2,3,0\n", "\"1\";\"2\";\"3\"\n\"1\";0;1.5;2\n\"2\";1.5;0;3\n\"3\";2;3;0\n", "a,b,c\n0,1.5,2,\n1.5,0,3,\n2,3,0,\n",
	} {
		if m, err := ReadMatrix(strings.NewReader(content), "d.csv"); err != nil || rowsOf(m) != matrix {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// Numbers whose mark may be decimal or between thousands follow the same column of another table, their own file, or the
// other one.
func TestDecimalsLikeAnotherTable(t *testing.T) {
	const data = "id;a;b;c;d\nu;1.234,5;1.000;7;1200\nv;2.345,1;990;8;1300\n" // decimal commas in a
	for _, test := range []struct{ data, content, want string }{
		{data, "id;a\nx;1.500\ny;2.750\n", "1500 2750"},
		{data, "id;d\nx;1.500\ny;980\n", "1500 980"},
		{data, "id;new\nx;1.250\ny;980\n", "1250 980"},
		{data, "id\tnew\nx\t1.250\ny\t980\n", "1250 980"},
		{data, "id;a\nx;1500.5\ny;1.250\n", "1500.5 1.25"},
		{data, "id;a;z\nx;1.500;2.5\ny;2.750;3.5\n", "1500 2750"},
		{data, "id;new;z\nx;1.500;2.5\ny;2.750;3.5\n", "1.5 2.75"},
		{data, "id,new\nx,1.500\ny,980\n", "1.5 980"},
		{"id;a\nu;1.5\nv;2.5\n", "id;a\nx;1.500\ny;980\n", "1.5 980"},
		{"id;a\nu;1.5\nv;2.5\n", "id;new\nx;1,500\ny;980\n", "1.5 980"},
		{"id,a\nu,\"1,234.5\"\nv,12\n", "id,a\nx,\"1,500\"\ny,\"2,750\"\n", "1500 2750"},
		{"id,a\nu,12\nv,13\n", "id;a\nx;1.500\ny;980\n", "1.5 980"},
		{"id,a\nu,12\nv,13\n", "id,a\nx,\"1,500\"\ny,\"2,750\"\n", "1,500 2,750"},
	} {
		table := read(t, test.data, "")
		got, err := ReadTable(strings.NewReader(test.content), "y.csv", "", Like(table.Decimals()))
		if err != nil {
			t.Fatal(err)
		}
		if cells, _ := got.Strings(got.Columns[0]); strings.Join(cells, " ") != test.want {
			t.Errorf("%q beside %q: found %s, want %s", test.content, test.data, cells, test.want)
		}
	}
	for data, want := range map[string]float64{data: 1500, "id;a\nu;1.5\nv;2.5\n": 1.5, "id;a\nu;1\nv;2\n": 1.5} {
		m, note, err := read(t, data, "").ReadMatrix(strings.NewReader(";u;v\nu;0;1.500\nv;1.500;0\n"), "d.csv")
		if err != nil || m.At(0, 1) != want || note == "" {
			t.Errorf("matrix beside %q: found %v, %v, note %q, want %v", data, m.At(0, 1), err, note, want)
		}
	}
}
