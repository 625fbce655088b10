package dataset

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless is text without end.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

// A row that does not end is not read for ever.
func TestRowWithoutEnd(t *testing.T) {
	_, err := io.Copy(io.Discard, newTextReader(io.MultiReader(strings.NewReader("a\nb\n"), endless{"ab,c"})))
	if want := "line 3: found 64 MB without the end of a row, expected shorter rows (maybe a quotation mark before is left open)"; err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
}

// rowsOfNumbers is the text of a table of n rows and d columns, of which little is in
// memory at a time.
type rowsOfNumbers struct {
	n, d int
	next bytes.Buffer
}

func (r *rowsOfNumbers) Read(p []byte) (int, error) {
	for r.next.Len() == 0 {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		for j := range r.d {
			fmt.Fprintf(&r.next, "%d.%d,", r.n%1000-500, j+10000)
		}
		r.next.Truncate(r.next.Len() - 1)
		r.next.WriteByte('\n')
	}
	return r.next.Read(p)
}

// A table of numbers takes eight bytes for each, however long their text is.
func TestTableInMemory(t *testing.T) {
	const n, d = 4000, 100
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("v%d", j+1)
	}
	held := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := held()
	table, err := ReadTable(io.MultiReader(strings.NewReader(strings.Join(names, ",")+"\n"), &rowsOfNumbers{n: n, d: d}), "x.csv", None)
	if err != nil {
		t.Fatal(err)
	}
	if per := (held() - before) / (n * d); per > 10 {
		t.Errorf("%.1f bytes a number", per)
	}
	if v, err := table.Float("v100"); err != nil || len(v) != n || v[0] != 499.10099 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestExtrapolate(t *testing.T) {
	content := "id,a,group\n" + strings.Repeat("u1,1.25,x\nu2,2.50,y\n", 500)
	size := int64(len(content))
	for _, sample := range []int{len(content), 5000, 200} {
		e := Extrapolate([]byte(content[:sample]), size)
		if e.Rows < 990 || e.Rows > 1010 || e.Columns != 3 || e.Bytes < 1000*(8*3+2*24) || e.Bytes > 1000*150 {
			t.Errorf("from %d bytes: %+v", sample, e)
		}
	}
	for _, sample := range []string{"", "a,b", "a,b\n", "a,b\n1", "\x81\xff\n1\n", "\"a\n1\n"} {
		if e := Extrapolate([]byte(sample), 1e9); e != (Extent{}) {
			t.Errorf("from %q: %+v", sample, e)
		}
	}
}
