package model

import (
	"runtime"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/internal/oracle/fixture"
	"aibd/internal/words"
	"aibd/mcmc"
)

// The estimate is at least the memory of a problem and its chains, and at most eight times
// as much, or as much as X took while it was read: it also counts memory that is free again
// by then, and features that the chains do not have at their start.
func TestEstimate(t *testing.T) {
	put(t, "wide.csv", fixture.Table(60, 2000), "long.csv", fixture.Table(2000, 40), "pairs.csv", fixture.Table(300, 3))
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
		if strings.Contains(text, "graded") && !*fixture.Long {
			continue
		}
		s := parse(t, text+"[sampler]\nchains = 2\nwarmup = 1\ndraws = 1\n")
		before := held()
		p, err := Load(s)
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
