package input

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
	"aibd/internal/words"
)

var put, wantError = fixture.Put, fixture.WantError

// parse returns the spec in a text of TOML.
func parse(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.ParseTOML([]byte(fixture.Binary(text)), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// within returns the files of new problems that may take some bytes of memory.
func within(bytes float64) *Files {
	return newFiles(files.OS{}, func() model.Memory { return model.Memory{Bytes: bytes, Source: "of the test"} }, false)
}

// What does not fit is refused before it is read, and nothing large is allocated.
func TestTooLarge(t *testing.T) {
	const n, d = 2010, 200
	content := fixture.Table(n, d)
	put(t, "x.csv", content, "torn.csv", content+"a,b\n", "m.csv", strings.Repeat(strings.Repeat("1,", 999)+"1\n", 1000), "small.csv", fixture.Table(1000, 2))
	ibp, absolute := "[data]\nfile = 'x.csv'\nnoise = 'common'\n[prior]\nlaw = 'ibp'\n", "[data]\nfile = 'x.csv'\nnoise = 'common'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n"
	for _, c := range []struct {
		text  string
		bytes float64
		want  string
	}{
		{ibp, 1e6, "x.csv: about 2012 rows of 202 cells need about 3.4 MB of memory, there are 1 MB (of the test), for the table; fewer columns or items"},
		{ibp, 5e6, "x.csv: about 2012 items x 202 columns need about 78 MB of memory, there are 5 MB (of the test): 68 MB for 4 chains, 9.8 MB for the data (N x D); fewer chains"},
		// Nothing of the file is read but its beginning: the last line is torn.
		{strings.Replace(ibp, "x.csv", "torn.csv", 1), 5e6, "torn.csv: about 2012 items x 202 columns need about 78 MB of memory, there are 5 MB (of the test): 68 MB for 4 chains, 9.8 MB for the data (N x D); fewer chains"},
		{absolute, 3e7, "x.csv: about 2012 items x 202 columns need about 787 MB of memory, there are 30 MB (of the test): 506 MB for the law aibd in 4 chains (N x N x 125 bytes), 239 MB for 4 chains, 32 MB for distances between all pairs of items (N x N x 8 bytes), 9.8 MB for the data (N x D); the law ibp (--prior ibp) needs no distances of all pairs"},
		// With noise scales each chain has X of its own.
		{strings.Replace(ibp, "common", "columns", 1), 5e6, "x.csv: about 2012 items x 202 columns need about 156 MB of memory, there are 5 MB (of the test): 146 MB for 4 chains, 9.8 MB for the data (N x D); fewer chains"},
		// If the extrapolation is nearly enough, the error has exact numbers.
		{ibp, 6e7, "x.csv: 2010 items x 201 columns need about 77 MB of memory, there are 60 MB (of the test): 68 MB for 4 chains, 9.7 MB for the data (N x D); fewer chains"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := within(c.bytes).Build(parse(t, c.text))
		runtime.ReadMemStats(&after)
		wantError(t, err, c.want)
		if used := after.TotalAlloc - before.TotalAlloc; used > 30e6 {
			t.Errorf("%s allocated %s", c.text, words.Bytes(float64(used)))
		}
	}
	if _, err := within(1e8).Build(parse(t, ibp)); err != nil {
		t.Error(err)
	}
	info, err := os.Stat("m.csv")
	if err != nil {
		t.Fatal(err)
	}
	// A matrix is larger than the items that it is of let expect.
	_, err = within(float64(info.Size())).ReadPrior(parse(t, "[distance]\nkind = 'matrix'\nfile = 'm.csv'\n[prior]\nlaw = 'aibd'\n"))
	wantError(t, err, "m.csv: about 1000 x 1000 numbers need about 16 MB of memory, there are 2 MB (of the test), for the matrix; fewer items")
}
