package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aibd/dataset"
	"aibd/draws"
	"aibd/draws/segment"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// sameBytes is a Recorder that compares draws with the segments of a chain.
type sameBytes struct {
	dir    string // of the chain
	files  int    // compared
	seg    *segment.Segment
	length int    // of the segment
	want   []byte // its file
}

func (s *sameBytes) Record(d *draws.Draw) error {
	if s.seg == nil {
		name := filepath.Join(s.dir, fmt.Sprintf("draws-%05d.parquet", s.files+1))
		var err error
		if s.want, err = os.ReadFile(name); err != nil {
			return err
		}
		r, err := segment.NewReader(bytes.NewReader(s.want), int64(len(s.want)), name)
		if err != nil {
			return err
		}
		s.seg, s.length = segment.New(r.Header()), r.Len()
	}
	if err := s.seg.Record(d); err != nil || s.seg.Len() < s.length {
		return err
	}
	var got bytes.Buffer
	if _, err := s.seg.WriteTo(&got); err != nil {
		return err
	}
	if !bytes.Equal(got.Bytes(), s.want) {
		return fmt.Errorf("segment %d differs", s.files+1)
	}
	s.seg = nil
	s.files++
	return nil
}

// TestLibrary: the defaults of the library make the draws of aibd fit, byte for byte, whatever round the
// budget lets it reach.
func TestLibrary(t *testing.T) {
	// Three groups of items, and an age.
	rng := rand.New(rand.NewPCG(51, 52))
	text := "name,age,a,b,c\n"
	for i := range 15 {
		text += fmt.Sprintf("p%d,%d", i, 20+3*i)
		for j := range 3 {
			mean := 10.0
			if i%3 == j {
				mean = 13
			}
			text += fmt.Sprintf(",%.2f", mean+rng.NormFloat64())
		}
		text += "\n"
	}
	columns := []string{"a", "b", "c"}
	table, err := dataset.ReadTable(strings.NewReader(text), "x.csv", "name")
	if err != nil {
		t.Fatal(err)
	}
	x, err := table.Floats(columns)
	if err != nil {
		t.Fatal(err)
	}
	if err := (dataset.Transform{Center: true}).Apply(columns, x); err != nil {
		t.Fatal(err)
	}
	ages, err := table.Float("age")
	if err != nil {
		t.Fatal(err)
	}
	ibp, err := prior.NewIBP(len(x), 1)
	if err != nil {
		t.Fatal(err)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(ages), similarity.Exponential{})
	attraction, err := prior.NewAIBD(affinity, 1, 1, prior.Identity(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		law  prior.Law
		args []string
	}{
		{ibp, []string{"fit", "x.csv", "--columns", "a,b,c", "--budget", "1s"}},
		{attraction, []string{"fit", "x.csv", "--distance", "absolute:age", "--budget", "1s"}},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, log, status := aibd(t, dir, c.args...); status != 0 {
			t.Fatalf("status %d: %s", status, log)
		}
		var run struct {
			Spec struct {
				Sampler struct {
					Seed                      uint64
					Chains, Skip, Draws, Thin int
				}
			}
		}
		b, err := os.ReadFile(filepath.Join(dir, "aibd-run", "run.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &run); err != nil {
			t.Fatal(err)
		}
		s, length := run.Spec.Sampler, mcmc.DefaultConfig()
		length.Skip, length.Draws, length.Thin = s.Skip, s.Draws, s.Thin // of the round in which the chains agree
		post, err := mcmc.NewPosterior(x, c.law)
		if err != nil {
			t.Fatal(err)
		}
		var chains []draws.Recorder
		for chain := range s.Chains {
			chains = append(chains, &sameBytes{dir: filepath.Join(dir, "aibd-run", fmt.Sprintf("chain-%d", chain+1))})
		}
		if err := mcmc.Sample(t.Context(), post, mcmc.OptionsFor(post, length.Warmup), length, s.Seed, chains...); err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
		for _, chain := range chains {
			if n := chain.(*sameBytes).files; n == 0 || chain.(*sameBytes).seg != nil {
				t.Errorf("%v: compared %d segments, and the last one in part", c.args, n)
			}
		}
	}
}
