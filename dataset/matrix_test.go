package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aibd/similarity"
)

func rowsOf(m *similarity.Matrix) string {
	rows := make([]string, m.N())
	for i := range rows {
		rows[i] = strings.Trim(fmt.Sprint(m.Row(i)), "[]")
	}
	return strings.Join(rows, "|")
}

func TestReadMatrix(t *testing.T) {
	const want = "0 1 2|3 0 4|5 6 0"
	for _, test := range []struct{ what, content, want string }{
		{"plain", "0,1,2\n3,0,4\n5,6,0\n", want},
		{"any diagonal", "x,1,2\n3,NA,4\n5,6,-1\n", want},
		{"names both ways", "id,a,b,c\na,0,1,2\nb,3,0,4\nc,5,6,0\n", want},
		{"names and any diagonal", ",a,b,c\na,NA,1,2\nb,3,NA,4\nc,5,6,NA\n", want},
		{"numbers as names", ",7,8,20\n7,0,1,2\n8,3,0,4\n20,5,6,0\n", want},
		{"R's write.csv", "\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,1,2\n\"2\",3,0,4\n\"3\",5,6,0\n", want},
		{"header", "a,b,c\n0,1,2\n3,0,4\n5,6,0\n", want},
		{"counting header", "1,2,3\n0,1,2\n3,0,4\n5,6,0\n", want},
		{"ids", "a,0,1,2\nb,3,0,4\nc,5,6,0\n", want},
		{"counting ids", "1,0,1,2\n2,3,0,4\n3,5,6,0\n", want},
		{"blank diagonal", ",1,2\n1,,1\n2,1,\n", "0 1 2|1 0 1|2 1 0"},
		{"infinite distance", "0,Inf\n1e999,0\n", "0 +Inf|+Inf 0"},
		{"one item", "0\n", "0"},
		{"two items, header", "a,b\n0,2\n3,0\n", "0 2|3 0"},
	} {
		m, err := ReadMatrix(strings.NewReader(test.content), "d.csv")
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
		} else if got := rowsOf(m); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

func TestReadMatrixErrors(t *testing.T) {
	for _, test := range []struct{ content, want string }{
		{"", `d.csv: found an empty file, expected a square matrix of numbers`},
		{"0,1\n2,0\n3,4\n5,6\n", `d.csv: line 3: found row 3, expected 2 rows as there are 2 columns`},
		{"0,1,2,3\n2,0,4,5\n", `d.csv: line 1, column 3: found column 3, expected 2 columns as there are 2 rows`},
		{"id,a,b\na,0,1\nb,1,0\nc,2,3\n", `d.csv: line 4: found row 3, expected 2 rows as there are 2 columns`},
		{"id,a,b,c\na,0,1,2\nb,1,0,3\n", `d.csv: line 1, column 4: found column 3, expected 2 columns as there are 2 rows`},
		{"0,1\n2\n", `d.csv: line 2: found 1 cell, expected 2 as in line 1`},
		{"0,1,2\n1,0,x\n2,3,0\n", `d.csv: line 2, column 3: found "x", expected a number of at least 0`},
		{"0,x,2\n1,0,3\n2,3,0\n", `d.csv: line 1, column 2: found "x", expected a number of at least 0`},
		{"id,a,b\na,0,-1\nb,1,0\n", `d.csv: line 2, column 3: found "-1", expected a number of at least 0`},
		{"0,-Inf\n1,0\n", `d.csv: line 1, column 2: found "-Inf", expected a number of at least 0`},
		{"0,1\nNaN,0\n", `d.csv: line 2, column 1: found "NaN", expected a number of at least 0: only cells of X may be missing`},
		{"a,b\n0,1\n,0\n", `d.csv: line 3, column 1: found "", expected a number of at least 0: only cells of X may be missing`},
		{"id,a,b\nb,0,1\na,1,0\n", `d.csv: line 1, column 2: found "a", expected "b" as in line 2`},
		{"a,0,1\na,1,0\n", `d.csv: line 2: found the name "a" as in line 1, expected distinct names`},
	} {
		_, err := ReadMatrix(strings.NewReader(test.content), "d.csv")
		fails(t, test.content, err, test.want)
	}
}

func TestTableReadMatrix(t *testing.T) {
	table := read(t, "id,x\nc,1\na,2\nb,3\n", "")
	numbered := read(t, "id,x\n3,1\n1,2\n2,3\n", "")
	const file, sorted = "0 1 2|3 0 4|5 6 0", "0 5 6|2 0 1|4 3 0" // sorted is c, a, b
	for _, test := range []struct {
		what    string
		table   *Table
		content string
		want    string
	}{
		{"names both ways", table, ",a,b,c\na,0,1,2\nb,3,0,4\nc,5,6,0\n", sorted},
		{"header", table, "a,b,c\n0,1,2\n3,0,4\n5,6,0\n", sorted},
		{"names across, counts down", table, ",a,b,c\n1,0,1,2\n2,3,0,4\n3,5,6,0\n", sorted},
		{"more names", table, ",d,a,b,c\nd,0,7,8,9\na,7,0,1,2\nb,7,3,0,4\nc,7,5,6,0\n", sorted},
		{"names down, counts across", table, ",V1,V2,V3\na,0,1,2\nb,3,0,4\nc,5,6,0\n", sorted},
		{"no names", table, "0,1,2\n3,0,4\n5,6,0\n", file},
		{"counts", table, ",V1,V2,V3\n1,0,1,2\n2,3,0,4\n3,5,6,0\n", file},
		{"counts that are the ids", numbered, ",1,2,3\n1,0,1,2\n2,3,0,4\n3,5,6,0\n", sorted},
		{"table without ids", read(t, "x\n1\n2\n3\n", ""), "a,b,c\n0,1,2\n3,0,4\n5,6,0\n", file},
	} {
		m, _, err := test.table.ReadMatrix(strings.NewReader(test.content), "d.csv")
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
		} else if got := rowsOf(m); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
	for _, test := range []struct{ content, want string }{
		{"a,b,z\n0,1,2\n3,0,4\n5,6,0\n", `d.csv: found no row for "c", expected one for each item of x.csv`},
		{"0,1\n1,0\n", `d.csv: found 2 items, expected 3 as in x.csv`},
		{"0,1\n1,x,0\n", `d.csv: line 2: found 3 cells, expected 2 as in line 1; line 1 holds "0,1": is it a title above the header?`},
	} {
		_, _, err := table.ReadMatrix(strings.NewReader(test.content), "d.csv")
		fails(t, test.content, err, test.want)
	}
}

// Numbers that differ from 0 or from their transpose by rounding do not differ. Others do.
func TestRoundingInMatrix(t *testing.T) {
	for _, scale := range []float64{1, 1e-6, 1e7} {
		for _, test := range []struct {
			a, b       float64 // distances of the first two of three items
			same, fail bool
		}{
			{1, 1 + 1e-15, true, false}, {1, 1 + 1e-10, true, false}, {0, 1e-19, true, false}, {0, -1e-17, true, false}, {-1e-10, -2e-10, true, false},
			{1, 1 + 1e-6, false, false}, {1e-5, 2e-5, false, false}, {0, 0.1, false, false}, {1, math.Inf(1), false, false}, {0, -1e-6, false, true}, {-3, -3, false, true},
		} {
			text := fmt.Sprintf("0,%v,3\n%v,0,2\n3,2,0\n", test.a, test.b)
			if scale != 1 {
				text = fmt.Sprintf("0,%v,%v\n%v,0,%v\n%[2]v,%[4]v,0\n", scale*test.a, 3*scale, scale*test.b, 2*scale)
			}
			m, err := ReadMatrix(strings.NewReader(text), "d.csv")
			if (err != nil) != test.fail {
				t.Errorf("%q: %v", text, err)
			}
			if err == nil && (m.Symmetric() != test.same || m.At(0, 1) < 0 || math.Abs(m.At(0, 1)-scale*test.a) > 1e-9*scale) {
				t.Errorf("%q: %s, symmetric %t, want %t", text, rowsOf(m), m.Symmetric(), test.same)
			}
		}
	}
}

// FuzzReadMatrix looks for panics, and checks that what is read is a matrix as
// similarity.Matrix promises, the same with and without a table, and read again from
// its numbers.
func FuzzReadMatrix(f *testing.F) {
	for _, s := range []string{
		"", "0,1\n1,0\n", ",a,b\na,0,1\nb,1,0\n", "a,b\n0,1\n1,0\n", "a,0,1\nb,1,0\n", ",1,2\n1,0,1\n2,1,0\n", "0", "\"\"", "a", "a\nb\n", "a,b\n", "0,1,2\n", "NA,1\n1,NA\n", "0,Inf\nx,0\n",
		"0,1e400\n-0,0\n", "0;1\n1;0\n", "V1,V2\n0,1\n1,0\n", ",V1,V2\nu,0,1\nv,1,0\n",
	} {
		f.Add(s, "id,a\nu,1\nv,2\n")
	}
	f.Fuzz(func(t *testing.T, content, items string) {
		if table, err := ReadTable(strings.NewReader(items), "x.csv", ""); err == nil {
			if m, _, err := table.ReadMatrix(strings.NewReader(content), "d.csv"); err == nil && m.N() != table.N() {
				t.Errorf("a matrix of %d items beside %d", m.N(), table.N())
			}
		}
		m, err := ReadMatrix(strings.NewReader(content), "d.csv")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "d.csv: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		if m.N() < 1 {
			t.Fatal("no items")
		}
		numbers := ""
		for i := range m.N() {
			if slices.ContainsFunc(m.Row(i), func(v float64) bool { return v < 0 || math.IsNaN(v) }) || m.At(i, i) != 0 {
				t.Errorf("row %d is %v", i, m.Row(i))
			}
			for j, v := range m.Row(i) {
				if j > 0 {
					numbers += ","
				}
				numbers += strconv.FormatFloat(v, 'g', -1, 64)
			}
			numbers += "\n"
		}
		if again, err := ReadMatrix(strings.NewReader(numbers), "d.csv"); err != nil || rowsOf(again) != rowsOf(m) {
			t.Errorf("read again from\n%s: %v", numbers, err)
		}
		table, err := ReadTable(strings.NewReader("x\n"+strings.Repeat("1\n", m.N())), "x.csv", "")
		if err != nil {
			t.Fatal(err)
		}
		if reread, _, err := table.ReadMatrix(strings.NewReader(content), "d.csv"); err != nil || rowsOf(reread) != rowsOf(m) {
			t.Errorf("for a table of as many items: %v", err)
		}
	})
}
