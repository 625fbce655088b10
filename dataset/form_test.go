package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// Other separators, decimal commas and Windows-1252 give the same table as CSV.
func TestForms(t *testing.T) {
	const want = "[[1.5 1234.5 NaN] [-2 0.25 3]]"
	for _, test := range []struct{ content, form string }{
		{"id,ä,b,c\nu,1.5,1234.5,\nv,-2,.25,3\n", ""},
		{"id\tä\tb\tc\nu\t1.5\t1234.5\t\nv\t-2\t.25\t3\n", "tabs between columns"},
		{"id\tä\tc\tb\nu\t1.5\t\t1234.5\nv\t-2\t3\t.25\n", "tabs between columns"},
		{"id|ä|b|c\nu|1.5|1234.5|\nv|-2|.25|3\n", "vertical bars between columns"},
		{"\"id\"; \"ä\";\"b\";\"c\"\r\nu;1,5;1.234,5;NA\r\nv;-2;,25;3\r\n", "semicolons between columns, decimal commas"},
		{"\"i,d\";ä;b;c\nu;1.5;1234.5;\nv;-2;.25;3\n", "semicolons between columns"},
		{"id,\xe4,b,c\nu,1.5,1234.5,\nv,-2,.25,3\n", "text in Windows-1252"},
		{"id,ä,b,c\nu,1.5,\"1,234.5\",\nv,-2,.25,3\n", "commas between thousands"},
		{"\n\n\"id\";\"\xe4\";b;c\nu;15e-1;12345E-1;\nv;-2;0,25;3\n", "semicolons between columns, decimal commas, text in Windows-1252"},
	} {
		table := read(t, test.content, "")
		x, err := table.Observations([]string{"ä", "b", "c"})
		if got := fmt.Sprint(x); err != nil || got != want || table.Form != test.form || strings.Join(table.IDs, "") != "uv" {
			t.Errorf("%q: %v, %v, items %q, form %q, want %q", test.content, got, err, table.IDs, table.Form, test.form)
		}
	}
	table := read(t, "id;a;b\n1,5;<2,5;x,5\n2;3;1,2,3\n", "")
	if cells, err := table.Strings("b"); err != nil || cells[0] != "x,5" || cells[1] != "1,2,3" {
		t.Errorf("found %q, %v, expected text to stay", cells, err)
	}
	if _, limits, err := table.Limited([]string{"a"}); err != nil || len(limits) != 1 || limits[0].Upper != 2.5 {
		t.Errorf("limits %v, %v", limits, err)
	}
	table = read(t, "id,a,b\nu,\"1,2\",\"<12,345\"\nv,\"3,4\",\"-1,234,567.5\"\n", "")
	if cells, err := table.Strings("a"); err != nil || cells[0] != "1,2" || table.Form != "commas between thousands" {
		t.Errorf("found %q, %v, form %q, expected lists to stay", cells, err, table.Form)
	}
	if x, limits, err := table.Limited([]string{"b"}); err != nil || limits[0].Upper != 12345 || x[1][0] != -1234567.5 {
		t.Errorf("found %v, %v, %v", x, limits, err)
	}
	m, err := ReadMatrix(strings.NewReader("0;1,5;2\n1,5;0;3\n2;3;0\n"), "d.csv")
	if err != nil || m.At(0, 1) != 1.5 || m.At(2, 0) != 2 {
		t.Errorf("matrix with decimal commas: %v", err)
	}
}
