package dataset

import (
	"slices"
	"strings"
	"testing"
)

func TestReadEdges(t *testing.T) {
	named, err := ReadTable(strings.NewReader("name,a\nx,1\ny,2\nz,3\n"), "t.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	counted, err := ReadTable(strings.NewReader("a,b\n1,2\n2,3\n3,5\n"), "t.csv", None)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		table *Table
		text  string
	}{{named, "from,to,d\nx,z,2\ny,x,0.5\n"}, {counted, "from,to,d\n3,1,2\n1,2,0.5\n"}} {
		s, err := c.table.ReadEdges(strings.NewReader(c.text), "e.csv")
		if err != nil {
			t.Fatal(err)
		}
		to, d, _ := s.Row(0)
		if !slices.Equal(to, []int32{1, 2}) || !slices.Equal(d, []float64{0.5, 2}) || s.Len() != 4 {
			t.Errorf("%v %v, %d entries", to, d, s.Len())
		}
	}
	for _, c := range []struct {
		table      *Table
		text, want string
	}{
		{named, "", "e.csv: found an empty file, expected two items and their distance in each line"},
		{named, "a,b\n", "e.csv: line 1: found 2 columns, expected three: two items and their distance"},
		{named, "x,y,1\ny,z,1\n", `e.csv: line 1: found the distance "1", expected a header line`},
		{named, "a,b,d\n", "e.csv: found a header only, expected two items and their distance in each line"},
		{named, "a,b,d\nx,www,1\n", `e.csv: line 2, column 2: unknown item "www", expected one of x, y, z`},
		{named, "a,b,d\nx,y,1\ny,y,1\n", `e.csv: line 3: found item "y" twice, expected two items`},
		{named, "a,b,d\nx,y,-1\n", `e.csv: line 2, column 3: found "-1", expected a number of at least 0`},
		{named, "a,b,d\nx,y,1\ny,x,1\n", `e.csv: line 3: found items "y" and "x", expected them once: they are in line 2`},
		{counted, "a,b,d\n1,4,1\n", `e.csv: line 2, column 2: found "4", expected the number of an item, from 1 to 3`},
		{counted, "a;b;d\n", "e.csv: found a header only, expected two items and their distance in each line"},
	} {
		if _, err := c.table.ReadEdges(strings.NewReader(c.text), "e.csv"); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}
