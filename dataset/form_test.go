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
		{"\"id\"; \"ä\";\"b\";\"c\"\r\nu;1,5;1.234,5;NA\r\nv;-2;,25;3\r\n", "semicolons between columns, decimal commas in ä, b"},
		{"\"i,d\";ä;b;c\nu;1.5;1234.5;\nv;-2;.25;3\n", "semicolons between columns, decimal points in ä, b"},
		{"x, y;ä;b;c\nu;1,5;1234.5;\nv;-2;.25;3\n", "semicolons between columns, decimal commas in ä, decimal points in b"},
		{"id,\xe4,b,c\nu,1.5,1234.5,\nv,-2,.25,3\n", "text in Windows-1252"},
		{"id,ä,b,c\nu,1.5,\"1,234.5\",\nv,-2,.25,3\n", "commas between thousands in b"},
		{"sep=;\nid;ä;b;c\nu;1,5;1234,5;\nv;-2;,25;3\n", "semicolons between columns, decimal commas in ä, b"},
		{"\n\n\"id\";\"\xe4\";b;c\nu;15e-1;1234,5;\nv;-2;0,25;3\n", "semicolons between columns, decimal commas in b, decimal points in ä, text in Windows-1252"},
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
		{"a;b\n1,5;2\n2.5;3\n", None, "a", "1,5 2.5", "semicolons between columns"},
		{"id,a,b\n\"1,234\",\"1,2\",x\n\"1,235\",\"3,100\",y\n", "id", "a", "1,2 3,100", ""},
		{"id,lat,lon\nu,\"52,520\",\"13,405\"\nv,\"48,137\",\"11,576\"\n", "", "lat", "52,520 48,137", ""},
		{"id\tlat\tlon\nu\t52,520\t13,405\nv\t48,137\t11,576\n", "", "lat", "52,520 48,137", "tabs between columns"},
		{"id,a\nu,\"<12,345\"\nv,\"-1,234,567.5\"\n", "", "a", "<12345 -1234567.5", "commas between thousands in a"},
		{"id,a\nu,\"1,234\"\nv,950\n", "", "a", "1234 950", "commas between thousands in a"},
		{"id,a\nu,\"1,234\"\nv,2\n", "", "a", "1,234 2", ""},
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
	_, err = ReadMatrix(strings.NewReader("0;1,5;2\n1,5;0;3\n2;3;0\n"), "d.csv")
	fails(t, "matrix", err, `d.csv: line 1, column 2: found "1,5", expected a number of at least 0 with a decimal point`)
}
