package feature

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := anyN().Draw(t, "n")
		a := anyColumns(t, n).allocation(n)
		var b strings.Builder
		if err := WriteText(&b, a); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			b.String(),
			strings.ReplaceAll(b.String(), "\n", "\r\n"),
			strings.TrimSuffix(b.String(), "\n"),
		} {
			read, err := ReadText(strings.NewReader(text), "z")
			if err != nil {
				t.Fatal(err)
			}
			// The same columns in the same order.
			if !slices.EqualFunc(read.Rows(), a.Rows(), slices.Equal) {
				t.Fatalf("read\n%v\nwrote\n%v", read, a)
			}
		}
	})
}

func TestWriteText(t *testing.T) {
	for _, test := range []struct {
		a    *Allocation
		want string
	}{
		{mustRows(t, [][]int{{1, 0}, {1, 1}}), "1,0\n1,1\n"},
		{mustRows(t, [][]int{{1}}), "1\n"},
		{New(2), "-\n-\n"},
	} {
		var b strings.Builder
		if err := WriteText(&b, test.a); err != nil || b.String() != test.want {
			t.Errorf("wrote %q, error %v, want %q", b.String(), err, test.want)
		}
	}
	broken := errors.New("disk full")
	if err := WriteText(failingWriter{broken}, New(2)); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReadTextForms(t *testing.T) {
	want := [][]int{{1, 0, 1}, {0, 1, 0}}
	for _, text := range []string{
		"1,0,1\n0,1,0\n",
		"1;0;1\n0;1;0",
		"1 0 1\n0 1 0\n",
		"1\t0\t1\n0\t1\t0\n",
		"101\n010\n",
		"1, 0, 1\r\n0, 1, 0\r\n",
		"# three features\n\n  1 0 1  \n # of two items\n0 1 0\n\n",
		// R's write.csv(z), with row.names = FALSE, with quote = FALSE, and of named rows.
		"\"\",\"V1\",\"V2\",\"V3\"\n\"1\",1,0,1\n\"2\",0,1,0\n",
		"\"V1\",\"V2\",\"V3\"\n1,0,1\n0,1,0\n",
		",V1,V2,V3\n1,1,0,1\n2,0,1,0\n",
		"\"\",\"V1\",\"V2\",\"V3\"\n\"New York, \"\"NY\"\"\",1,0,1\n\"0\",0,1,0\n",
		// write.csv2(z).
		"\"\";\"V1\";\"V2\";\"V3\"\n\"1\";1;0;1\n\"2\";0;1;0\n",
		// write.table(z), with quote = FALSE, with col.names = FALSE, and of named rows.
		"\"V1\" \"V2\" \"V3\"\n\"1\" 1 0 1\n\"2\" 0 1 0\n",
		"V1 V2 V3\n1 1 0 1\n2 0 1 0\n",
		"\"1\" 1 0 1\n\"2\" 0 1 0\n",
		"\"V1\" \"V2\" \"V3\"\n\"New York \\\"NY\\\"\" 1 0 1\n\"b\" 0 1 0\n",
	} {
		a, err := ReadText(strings.NewReader(text), "z")
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if !slices.EqualFunc(a.Rows(), want, slices.Equal) {
			t.Errorf("%q: read\n%v", text, a)
		}
	}
	none, err := ReadText(strings.NewReader("# no features\n-\n-\n-\n"), "z")
	if err != nil || none.N() != 3 || none.K() != 0 {
		t.Errorf("no features: %v, error %v", none, err)
	}
}

func TestReadTexts(t *testing.T) {
	for _, text := range []string{
		"1,0\n1,1\n\n-\n-\n\n1\n0\n",
		"\n\n\"V1\" \"V2\"\n\"1\" 1 0\n\"2\" 1 1\n\n\n\"\"\n\"1\"\n\"2\"\n\n# last\n\"x\"\n1\n0",
	} {
		all, err := ReadTexts(strings.NewReader(text), "z")
		if err != nil || len(all) != 3 {
			t.Fatalf("%q: read %v, error %v", text, all, err)
		}
		for i, want := range [][][]int{{{1, 0}, {1, 1}}, {{}, {}}, {{1}, {0}}} {
			if !slices.EqualFunc(all[i].Rows(), want, slices.Equal) {
				t.Errorf("%q: read\n%v", text, all[i])
			}
		}
	}
}

// 100,000 features make a longer line than a Scanner takes by itself.
func TestReadTextLongLine(t *testing.T) {
	const k = 100_000
	a, err := ReadText(strings.NewReader("1"+strings.Repeat(",1", k-1)), "z")
	if err != nil || a.N() != 1 || a.K() != k {
		t.Errorf("read %v, error %v", a, err)
	}
}

func TestReadTextErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"1,0\n1,2\n", "z.csv: line 2, column 2: found '2', expected 0 or 1"},
		{"# a\n\n1,0\n1,x\n", "z.csv: line 4, column 2: found 'x', expected 0 or 1"},
		{"1.0\n", "z.csv: line 1, column 2: found '.', expected 0 or 1"},
		{"-1\n", "z.csv: line 1, column 1: found '-', expected 0 or 1"},
		{"NA 1\n", "z.csv: line 1, column 1: found 'N', expected 0 or 1"},
		{"1\n\xff\n", "z.csv: line 2, column 1: found the byte 0xff, expected 0 or 1"},
		{"# a\n1,0\n# b\n1,0,1\n", "z.csv: line 4 has 3 entries, expected 2 as in line 2"},
		{"1,0\n0,1\n\n1,1\n1,1\n", "z.csv: found 2 matrices, separated by blank lines, expected one"},
		{"V1,V2\n1,x\n", "z.csv: line 2, column 2: found 'x', expected 0 or 1"},
		{"V1,V2\n", "z.csv: found no rows, expected a line of 0 and 1 for each item"},
		{"1,,0\n", "z.csv: line 1, column 2: found nothing, expected 0 or 1"},
		{",\n", "z.csv: line 1, column 1: found nothing, expected 0 or 1"},
		{"1,0,\n", "z.csv: line 1, column 3: found nothing, expected 0 or 1"},
		{"1\n-\n", "z.csv: line 2 has 0 entries, expected 1 as in line 1"},
		{"", "z.csv: found no rows, expected a line of 0 and 1 for each item"},
		{"# a\n\n", "z.csv: found no rows, expected a line of 0 and 1 for each item"},
		{"1,0\n1,0\n", "z.csv: Z column 2 is zero: expected a 1 in every column"},
	} {
		if a, err := ReadText(strings.NewReader(test.text), "z.csv"); err == nil || err.Error() != test.want || a != nil {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
}

// What goes wrong in reading comes back under the name of the file.
func TestReadTextReadErrors(t *testing.T) {
	broken := errors.New("broken disk")
	_, err := ReadText(io.MultiReader(strings.NewReader("1,0\n"), iotest.ErrReader(broken)), "z.csv")
	if !errors.Is(err, broken) || err.Error() != "z.csv: line 2: broken disk" {
		t.Errorf("error %v, want z.csv: line 2: broken disk", err)
	}
	_, err = ReadText(strings.NewReader(strings.Repeat("1", 1<<24+1)), "z.csv")
	if !errors.Is(err, bufio.ErrTooLong) || !strings.HasPrefix(err.Error(), "z.csv: ") {
		t.Errorf("a line too long: error %v", err)
	}
}

// Whatever the text, ReadText gives an allocation without zero columns that
// survives the round trip, or an error of one line that begins with the name.
func FuzzReadText(f *testing.F) {
	for _, seed := range []string{
		"", "1", "-", "-\n-\n", "1,0\n0,1\n", "1;0\n0;1", "10\n01\n", "1 0\t1\r\n0 1 0\r\n", "# c\n\n1\n",
		"1,0\n1\n", "1,0\n1,0\n", "0", "2", "1\n-\n", ",\n", "\ufeff1", "\xff", "1\x00", "1\u2028",
		strings.Repeat("10\n", 65) + "01\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ReadText(strings.NewReader(text), "z")
		if err != nil {
			if a != nil || !strings.HasPrefix(err.Error(), "z: ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("allocation %v, error %q", a, err)
			}
			return
		}
		for k := range a.K() {
			if a.Size(k) == 0 {
				t.Fatalf("column %d is zero", k)
			}
		}
		var b strings.Builder
		if err := WriteText(&b, a); err != nil {
			t.Fatal(err)
		}
		again, err := ReadText(strings.NewReader(b.String()), "z")
		if err != nil || a.N() == 0 || !slices.EqualFunc(again.Rows(), a.Rows(), slices.Equal) {
			t.Fatalf("read %v, wrote %q, read %v, error %v", a, b.String(), again, err)
		}
	})
}
