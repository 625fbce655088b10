package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// Names are the text of the file: they pass through no number.
func TestNamesAreText(t *testing.T) {
	const n = 6
	for _, form := range []string{"%03d", "1000000000000000%d", "-1000000000000000%d", "1.%d", "%d.0", "+%d", "%de5", "0x%d", "1e30%d", "%d%%"} {
		names, data, side := make([]string, n), "key,a\n", "key,b\n"
		for i := range n {
			names[i] = fmt.Sprintf(form, i+1)
			data += fmt.Sprintf("%s,%d\n", names[i], i)
			side = strings.Replace(side, "\n", fmt.Sprintf("\n%s,%d\n", names[i], i), 1) // backwards
		}
		for _, numbers := range []bool{false, true} {
			table, err := ReadNamed(strings.NewReader(data), "x.csv", "key", numbers, Marks("1", "2.0"))
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if !slices.Equal(table.IDs, names) {
				t.Errorf("%s: ids %q, want %q", form, table.IDs, names)
			}
			find := table.Lookup()
			for i, name := range names {
				if row, ok := find(name); !ok || row != i {
					t.Errorf("%s: %s is row %d, %t", form, name, row, ok)
				}
				if _, ok := find("0" + name); ok {
					t.Errorf("%s: 0%s is a row", form, name)
				}
			}
			other, err := ReadNamed(strings.NewReader(side), "side.csv", "key", numbers)
			if err != nil {
				t.Fatal(err)
			}
			aligned, note, err := table.Align(other)
			if err != nil || note != "" {
				t.Fatalf("%s: %v, %q", form, err, note)
			}
			if b, _ := aligned.Strings("b"); strings.Join(b, "") != "012345" {
				t.Errorf("%s: rows %v, matched with 0 to 5", form, b)
			}
			changed := strings.Replace(side, names[2], names[2]+"0", 1)
			if other, err = ReadNamed(strings.NewReader(changed), "side.csv", "key", numbers); err != nil {
				t.Fatal(err)
			}
			if _, _, err := table.Align(other); err == nil {
				t.Errorf("%s: a side file with the name %s0 in place of %s was taken", form, names[2], names[2])
			}
		}
		table := read(t, data, "")
		if table.IDs == nil && table.Numbers() != nil && !slices.Equal(table.NamedByNumbers().IDs, names) {
			t.Errorf("%s: names %q, want %q", form, table.NamedByNumbers().IDs, names)
		}
	}
}

// A mark of missing cells applies to a first column of data, not of names.
func TestMarksAndNumbers(t *testing.T) {
	table, err := ReadTable(strings.NewReader("year,a\n1,9\n2,8\n9,1\n"), "x.csv", "", Marks("9"))
	if err != nil {
		t.Fatal(err)
	}
	named := table.NamedByNumbers()
	years, err := named.Float("year")
	if err != nil || !slices.Equal(years, []float64{1, 2, 9}) || strings.Join(named.IDs, " ") != "1 2 9" {
		t.Errorf("years %v, names %q, %v", years, named.IDs, err)
	}
	if _, err := table.Float("year"); err == nil {
		t.Error("the mark 9 is a number in the table without names")
	}
}

// Rows are matched by name whatever the order of the names in two files, and never by a part of a name. Where names do
// not determine the match, an error or a note says so.
func TestRowsAreMatchedByName(t *testing.T) {
	words := []string{"ann", "bob", "cyd", "dan", "eve"}
	const n = 5
	forms := map[string]func(i int) string{
		"numbers": func(i int) string { return strconv.Itoa(i + 1) },
		"zero":    strconv.Itoa,
		"X":       func(i int) string { return "X" + strconv.Itoa(i+1) },
		"s":       func(i int) string { return "s" + strconv.Itoa(i+1) },
		"padded":  func(i int) string { return fmt.Sprintf("%03d", i+1) },
		"tens":    func(i int) string { return strconv.Itoa(10 + i) },
		"words":   func(i int) string { return words[i] },
		"the":     func(i int) string { return "the " + words[i] },
		"none":    nil,
	}
	count := []string{"numbers", "X", "s"} // the same numbers after a prefix
	for form, nameOwn := range forms {
		for formOfFile, nameOf := range forms {
			for _, order := range [][]int{{0, 1, 2, 3, 4}, {2, 0, 4, 1, 3}} { // of the items
				for _, rows := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {1, 2, 3, 4, 0}} { // of the file
					content := "id,a\n"
					if nameOwn == nil {
						content = "a\n"
					}
					for _, item := range order {
						if nameOwn != nil {
							content += nameOwn(item) + ","
						}
						content += "1\n"
					}
					table := read(t, content, "")
					side, header, matrix := "id,b\n", "", ""
					if nameOf == nil {
						side = "b\n"
					}
					for _, item := range rows {
						if nameOf != nil {
							side += nameOf(item) + ","
							header += "," + nameOf(item)
							matrix += nameOf(item) + ","
						}
						side += strconv.Itoa(item) + "\n"
						for j, other := range rows {
							if j > 0 {
								matrix += ","
							}
							matrix += strconv.Itoa(abs(item - other))
						}
						matrix += "\n"
					}
					if nameOf != nil {
						matrix = header + "\n" + matrix
					}
					what := fmt.Sprintf("items %s in order %v, file %s in order %v", form, order, formOfFile, rows)

					want := order // the items of the rows, matched by name
					byName := form == formOfFile
					if nameOwn == nil {
						want = []int{0, 1, 2, 3, 4} // names number the rows
						byName = slices.Contains(count, formOfFile) || formOfFile == "zero"
					}
					if nameOf == nil || !byName {
						want = rows
					}
					check := func(got []int, note string, err error, counting bool) {
						t.Helper()
						switch {
						case err != nil:
							if byName || nameOwn == nil || nameOf == nil || counting {
								t.Errorf("%s: %v", what, err)
							}
						case !slices.Equal(got, want):
							t.Errorf("%s: found %v, want %v, note %q", what, got, want, note)
						case nameOf == nil, form == formOfFile:
							if note != "" {
								t.Errorf("%s: note %q", what, note)
							}
						case nameOwn != nil && !byName && !counting:
							t.Errorf("%s: rows of other names were taken", what)
						case note == "" && nameOwn == nil && (!byName || !slices.Equal(rows, want)):
							t.Errorf("%s: no note", what)
						}
					}
					other, err := ReadTable(strings.NewReader(side), "side.csv", "")
					if err != nil {
						t.Fatal(err)
					}
					aligned, note, err := table.Align(other)
					var got []int
					if err == nil {
						b, _ := aligned.Float("b")
						for _, v := range b {
							got = append(got, int(v))
						}
					}
					check(got, note, err, false)

					m, note, err := table.ReadMatrix(strings.NewReader(matrix), "d.csv")
					got = nil
					if err == nil { // the row whose distances belong to an item
						for i := range n {
							for item := range n {
								if fits := func() bool {
									for j := range n {
										if m.At(i, j) != float64(abs(item-want[j])) {
											return false
										}
									}
									return true
								}(); fits {
									got = append(got, item)
									break
								}
							}
						}
					}
					counting := (formOfFile == "numbers" || formOfFile == "X") && slices.IsSorted(rows) && (slices.IsSorted(order) || !slices.Contains(count, form))
					check(got, note, err, counting)
				}
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }

// A column that has the names of the items names the rows of a side file, wherever it is, and
// numbers in the first columns of both files do.
func TestColumnWithNames(t *testing.T) {
	for _, test := range []struct {
		data, side string
		want, note string
	}{
		{"id,a\nu,1\nv,2\nw,3\n", "age,who\n3,w\n1,u\n2,v\n", "1 2 3", ""},
		{"id,a\nu,1\nv,2\nw,3\n", "age,who\n3,w\n1,u\n2,z\n", "3 1 2", ""},
		{"id,a\n7,1\n8,2\n9,3\n", "plot,age\n9,3\n7,1\n8,2\n", "1 2 3", ""},
		{"plot,a\n3,1\n1,2\n2,3\n", "plot,age\n1,2\n2,3\n3,1\n", "1 2 3", `side.csv: its names are the column "plot" of x.csv`},
		{"plot,a\n30,1\n10,2\n20,3\n", "plot,age\n30,1\n10,2\n20,3\n", "1 2 3", ""},
		{"plot,a\n30,1\n10,2\n20,3\n", "time,age\n10,1\n20,2\n30,3\n", "1 2 3", ""},
		{"plot,a\n30,1\n10,2\n20,3\n", "id,age\n10,2\n20,3\n30,1\n", "1 2 3", `side.csv: its names are the column "plot" of x.csv`},
	} {
		side, err := ReadTable(strings.NewReader(test.side), "side.csv", "")
		if err != nil {
			t.Fatal(err)
		}
		aligned, note, err := read(t, test.data, "").Align(side)
		if err != nil {
			t.Errorf("%q: %v", test.side, err)
			continue
		}
		if ages, _ := aligned.Strings("age"); strings.Join(ages, " ") != test.want || !strings.HasPrefix(note, test.note) || (note == "") != (test.note == "") {
			t.Errorf("%q beside %q: ages %v, note %q, want %s, %q", test.side, test.data, ages, note, test.want, test.note)
		}
	}
}

// A sample keeps the names of the items, or their numbers.
func TestSample(t *testing.T) {
	for text, want := range map[string][]string{"name,a\nann,1\nbob,2\ncyd,3\n": {"ann", "cyd"}, "a,b\n1,2\n2,5\n3,1\n": {"1", "3"}} {
		table, err := ReadTable(strings.NewReader(text), "x.csv", "")
		if err != nil {
			t.Fatal(err)
		}
		s := table.Sample([]int{0, 2})
		if !slices.Equal(s.IDs, want) || s.N() != 2 || s.Numbered != (table.IDs == nil) || table.N() != 3 {
			t.Errorf("%s: found the items %v of %v, expected %v", text, s.IDs, table.IDs, want)
		}
	}
}

// Side files, matrices and trees match names alike: the same characters are the same name in any Unicode form, further
// names are left out, and what only looks alike is proposed.
func TestFilesMatchNamesAlike(t *testing.T) {
	const e = "e\u0301" // é in two characters
	for _, test := range []struct{ items, file, want string }{
		{"é b c", "c é b", ""},
		{"é b c", e + " c b", `FILE: 1 name in another Unicode form than in t.csv: "é"`},
		{e + " b c", "b c é d", `FILE: 1 name in another Unicode form than in t.csv: "` + e + `"; 1 KIND of no item left out: "d"`},
		{"a b c", "f a b c d e", `FILE: 3 KINDs of no item left out: "f", "d", "e"`},
		{"a é b", "a é " + e + " b", `FILE: 1 KIND of no item left out: "` + e + `"`},
		{"101 103 105", "101.0 103.0 105.0", `FILE: found no KIND for "101", "103", "105", expected one for each item of t.csv; did you mean "101.0"?`},
		{"Étretat b", "b ÉTRETAT", `FILE: found no KIND for "Étretat", expected one for each item of t.csv; did you mean "ÉTRETAT"?`},
		{"Étretat b", "b E\u0301TRETAT", `FILE: found no KIND for "Étretat", expected one for each item of t.csv; did you mean "` + "E\u0301TRETAT" + `"?`},
		{"s1 s2 s3 s4", "plot1 plot2 plot3 plot4", `FILE: found no KIND for "s1", "s2", "s3" and 1 more, expected one for each item of t.csv; did you mean "plot1"?`},
		{"ﬁn b", "b fin", `FILE: found no KIND for "ﬁn", expected one for each item of t.csv; did you mean "fin"?`},
		{"Kansas Texas", "Kansas Texass", `FILE: found no KIND for "Texas", expected one for each item of t.csv; did you mean "Texass"?`},
		{"i17 i18", "i18 i19", `FILE: found no KIND for "i17", expected one for each item of t.csv`},
	} {
		items, file := strings.Fields(test.items), strings.Fields(test.file)
		table := named(t, items...)
		rowOf := func(i int) int { // the row of an item in the file, if one has its name
			return slices.IndexFunc(file, func(name string) bool {
				return name == items[i] || !slices.Contains(file, items[i]) && norm.NFC.String(name) == norm.NFC.String(items[i])
			})
		}
		side, matrix, tree := "id,b\n", ","+strings.Join(file, ",")+"\n", ""
		for i, name := range file {
			side += fmt.Sprintf("%s,%d\n", name, i)
			matrix += name
			for j := range file {
				matrix += fmt.Sprintf(",%d", abs(i-j)*(i+j))
			}
			matrix += "\n"
			tree += fmt.Sprintf(",%s:%d", name, i*i)
		}
		for _, tc := range []struct {
			file, kind string
			read       func() (note string, apart func(i, j int) float64, err error)
		}{
			{"side.csv", "row", func() (string, func(i, j int) float64, error) {
				other, err := ReadTable(strings.NewReader(side), "side.csv", "id")
				if err != nil {
					t.Fatal(err)
				}
				aligned, note, err := table.Align(other)
				return note, func(i, j int) float64 {
					b, _ := aligned.Float("b")
					return math.Abs(b[i] - b[j])
				}, err
			}},
			{"d.csv", "row", func() (string, func(i, j int) float64, error) {
				m, note, err := table.ReadMatrix(strings.NewReader(matrix), "d.csv")
				return note, func(i, j int) float64 { return m.At(i, j) / float64(rowOf(i)+rowOf(j)) }, err
			}},
			{"t.nwk", "tip", func() (string, func(i, j int) float64, error) {
				m, note, err := table.ReadTree(strings.NewReader("("+tree[1:]+");"), "t.nwk")
				return note, func(i, j int) float64 { // from squares
					a, b := float64(rowOf(i)), float64(rowOf(j))
					return math.Abs(a-b) + m.At(i, j) - a*a - b*b
				}, err
			}},
		} {
			want := strings.NewReplacer("FILE", tc.file, "KIND", tc.kind).Replace(test.want)
			note, apart, err := tc.read()
			if strings.Contains(want, "found no") {
				fails(t, test.file, err, want)
				continue
			}
			if err != nil || note != want {
				t.Errorf("%s beside %s: %v, note %q, want %q", test.items, test.file, err, note, want)
				continue
			}
			for i := range items {
				for j := range i {
					if d := math.Abs(float64(rowOf(i) - rowOf(j))); apart(i, j) != d {
						t.Errorf("%s beside %s in %s: items %d and %d are %v apart, want %v", test.items, test.file, tc.file, i, j, apart(i, j), d)
					}
				}
			}
		}
	}
}
