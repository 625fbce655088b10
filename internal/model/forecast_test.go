package model

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/internal/files"
	"aibd/internal/words"
	"aibd/mcmc"
)

// table writes a table of n items and d columns, with ages.
func table(n, d int) string {
	var b bytes.Buffer
	b.WriteString("id,age")
	for j := range d {
		fmt.Fprintf(&b, ",v%d", j+1)
	}
	for i := range n {
		fmt.Fprintf(&b, "\ns%d,%v", i+1, float64(i*i%977)/8)
		for j := range d {
			fmt.Fprintf(&b, ",%d.%d", (i*7+j*j*3)%10, (i*i+j*5)%10)
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// The estimate is at least the memory of a problem and its chains, and at most eight times
// as much, or as much as X took while it was read: it also counts memory that is free again
// by then, and features that the chains do not have at their start.
func TestEstimate(t *testing.T) {
	put(t, "wide.csv", table(60, 2000), "long.csv", table(2000, 40), "pairs.csv", table(300, 3))
	for _, text := range []string{
		"[data]\nfile = 'wide.csv'\n[prior]\nlaw = 'ibp'\n",
		"[data]\nfile = 'long.csv'\n[prior]\nlaw = 'ibp'\n",
		"[data]\nfile = 'wide.csv'\n[prior]\nlaw = 'ibp'\n[likelihood]\nfeatures = 'graded'\n",
		"[data]\nfile = 'long.csv'\n[prior]\nlaw = 'ibp'\n[likelihood]\nfeatures = 'weighted'\n",
		"[data]\nfile = 'pairs.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n[likelihood]\nfeatures = 'weighted'\n",
		"[data]\nfile = 'pairs.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n",
		"[data]\nfile = 'pairs.csv'\n[distance]\nkind = 'euclidean'\ncolumns = ['age', 'v3']\nshift = 1\n",
		"[data]\nfile = 'pairs.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'\n",
	} {
		s := parse(t, text+"[sampler]\nchains = 2\nwarmup = 1\ndraws = 1\nclusters = 0\n")
		before := held()
		p, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		var chains []*mcmc.Chain
		for c := range s.Sampler.Chains {
			chain, err := p.NewChain(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if err := chain.Run(t.Context(), discard{}); err != nil {
				t.Fatal(err)
			}
			chains = append(chains, chain)
		}
		holds := held() - before
		runtime.KeepAlive(p)
		runtime.KeepAlive(chains)
		estimate := fitNeed(p.Spec, len(p.IDs), len(p.Columns)).total()
		// X as read and as transformed is gone by now.
		gone := 16 * float64(len(p.IDs)) * float64(len(p.Columns))
		if estimate < holds || estimate > 8*max(holds, gone) {
			t.Errorf("%sestimated %s, holds %s", text, words.Bytes(estimate), words.Bytes(holds))
		}
	}
}

type discard struct{}

func (discard) Record(*draws.Draw) error { return nil }

// held returns the bytes of the heap that are in use.
func held() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// What does not fit is refused before it is read, and nothing large is allocated.
func TestTooLarge(t *testing.T) {
	const n, d = 2000, 200
	content := table(n, d)
	put(t, "x.csv", content, "torn.csv", content+"a,b\n", "m.csv", strings.Repeat(strings.Repeat("1,", 999)+"1\n", 1000), "small.csv", table(1000, 2))
	ibp, absolute := "[sampler]\nclusters = 0\n[data]\nfile = 'x.csv'\nnoise = 'common'\n[prior]\nlaw = 'ibp'\n", "[sampler]\nclusters = 0\n[data]\nfile = 'x.csv'\nnoise = 'common'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n"
	for _, c := range []struct {
		text  string
		bytes float64
		want  string
	}{
		{ibp, 1e6, "x.csv: about 2002 rows of 202 cells need about 3.3 MB of memory, there are 1 MB (of the test), for the table; fewer columns or items"},
		{ibp, 5e6, "x.csv: about 2002 items x 202 columns need about 77 MB of memory, there are 5 MB (of the test): 68 MB for 4 chains, 9.7 MB for the data (N x D); fewer chains"},
		// Nothing of the file is read but its beginning: the last line is torn.
		{strings.Replace(ibp, "x.csv", "torn.csv", 1), 5e6, "torn.csv: about 2002 items x 202 columns need about 77 MB of memory, there are 5 MB (of the test): 68 MB for 4 chains, 9.7 MB for the data (N x D); fewer chains"},
		{absolute, 3e7, "x.csv: about 2002 items x 202 columns need about 780 MB of memory, there are 30 MB (of the test): 501 MB for the law aibd in 4 chains (N x N x 125 bytes), 237 MB for 4 chains, 32 MB for distances between all pairs of items (N x N x 8 bytes), 9.7 MB for the data (N x D); with --neighbors 20 only near items have distances"},
		// With noise scales each chain has X of its own.
		{strings.Replace(ibp, "common", "columns", 1), 5e6, "x.csv: about 2002 items x 202 columns need about 155 MB of memory, there are 5 MB (of the test): 145 MB for 4 chains, 9.7 MB for the data (N x D); fewer chains"},
		// What is nearly enough by the extrapolation is told exactly.
		{ibp, 6e7, "x.csv: 2000 items x 201 columns need about 77 MB of memory, there are 60 MB (of the test): 67 MB for 4 chains, 9.6 MB for the data (N x D); fewer chains"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := buildWithin(files.OS{}, parse(t, c.text), memory{c.bytes, "of the test"})
		runtime.ReadMemStats(&after)
		wantError(t, err, c.want)
		if used := after.TotalAlloc - before.TotalAlloc; used > 30e6 {
			t.Errorf("%s allocated %s", c.text, words.Bytes(float64(used)))
		}
	}
	if _, err := buildWithin(files.OS{}, parse(t, ibp), memory{1e8, "of the test"}); err != nil {
		t.Error(err)
	}
	// Clusters of items take sums over 2 N nodes, where there are any.
	with, without := parse(t, "[prior]\nlaw = 'ibp'\n"), parse(t, "[prior]\nlaw = 'ibp'\n[sampler]\nclusters = 0\n")
	if got := fitNeed(with, 2000, 10).total() - fitNeed(without, 2000, 10).total(); got != 4*16*2000*(10+guessedFeatures) {
		t.Errorf("clusters of 2000 items in 4 chains are estimated to take %s", words.Bytes(got))
	}
	if fitNeed(with, 2001, 10).total() != fitNeed(without, 2001, 10).total() {
		t.Error("clusters of 2001 items are estimated, there are none by default")
	}
	info, err := os.Stat("m.csv")
	if err != nil {
		t.Fatal(err)
	}
	// A matrix is larger than the items that it is of let expect.
	in := newInput(files.OS{}, with, memory{float64(info.Size()), "of the test"})
	_, _, err = tables{}.matrix("m.csv", in)
	wantError(t, err, "m.csv: about 1000 x 1000 numbers need about 16 MB of memory, there are 2 MB (of the test), for the matrix; fewer items")
}
