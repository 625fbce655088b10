package segment

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/feature"
)

// writeRun writes two draws for each segment of twelve chains: one of the first, two of the last.
func writeRun(t *testing.T, dir string) {
	t.Helper()
	for chain := range 12 {
		for segment := range 1 + chain/11 {
			s := New(Header{N: 3, Chain: chain, DrawsPerChain: 4, Segment: segment, Run: "abc"})
			for i := range 2 {
				d := &draws.Draw{Iteration: 2*segment + i, Mass: float64(100*chain + 2*segment + i + 1), Temperature: math.NaN(), SigmaX: 1, SigmaA: 1, Z: feature.New(3)}
				if err := s.Record(d); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, fmt.Sprintf("chain-%d", chain+1), fmt.Sprintf("draws-%05d.parquet", segment+1))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.WriteTo(f); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReadRun reads the chains by number, with their segments in order, and refuses a run with a gap.
func TestReadRun(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadRun(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "found no draws, expected the directory of a run") {
		t.Errorf("an empty directory: %v", err)
	}
	writeRun(t, dir)
	chains, err := ReadRun(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for c, chain := range chains {
		if want := 2 + 2*(c/11); len(chains) != 12 || len(chain) != want {
			t.Fatalf("found %d draws of chain %d of %d, expected %d", len(chain), c+1, len(chains), want)
		}
		for i, d := range chain {
			if d.Iteration != i || d.Mass != float64(100*c+i+1) {
				t.Errorf("chain %d: found draw %d with mass %v", c+1, d.Iteration, d.Mass)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "chain-12", "draws-00001.parquet")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRun(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "found segment 2 of chain 12 of run abc, expected segment 1 of run abc") {
		t.Errorf("a missing segment: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "chain-5")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "chain-12")); err != nil {
		t.Fatal(err)
	}
	if chains, err := ReadRun(os.DirFS(dir)); err != nil || len(chains) != 11 || len(chains[4]) != 0 || len(chains[5]) != 2 {
		t.Errorf("without the draws of two chains: found %d chains, %v", len(chains), err)
	}
}
