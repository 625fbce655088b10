package runs

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// sizes returns the lengths and chains of traces.
func sizes(traces []Trace) (lengths, chains []int) {
	for _, t := range traces {
		for _, column := range t.Values {
			if len(column) != t.Len() {
				lengths = append(lengths, -1)
			}
		}
		lengths, chains = append(lengths, t.Len()), append(chains, t.Chain)
	}
	return lengths, chains
}

// Readers use the draws that are there and name missing ones.
func TestMissingSegments(t *testing.T) {
	put(t, "x.csv", ages)
	r := sampled(t, "run", build(t, tiny+"draws = 1100"), 0)
	for _, c := range []struct {
		remove          string
		lengths, chains []int
		note            string
	}{
		{"run/chain-1/chain.json", []int{1100, 1100}, []int{0, 1}, ""},
		{"run/chain-2/draws-00003.parquet", []int{1000, 1000}, []int{0, 1},
			"the run is not complete: the chains have 1100, 1000 of 1100 draws; the first 1000 of chain 1, 2 are used"},
		{"run/chain-1/draws-00002.parquet", []int{500, 500}, []int{0, 1},
			"the run is not complete: the chains have 500, 1000 of 1100 draws; the first 500 of chain 1, 2 are used; run/chain-1/draws-00002.parquet is missing; draws from there on are not used"},
		{"run/chain-1/draws-00001.parquet", []int{1000}, []int{1},
			"the run is not complete: the chains have 0, 1000 of 1100 draws; the first 1000 of chain 2 are used; run/chain-1/draws-00001.parquet is missing; draws from there on are not used"},
		{"run/chain-1", []int{1000}, []int{1},
			"the run is not complete: the chains have 0, 1000 of 1100 draws; the first 1000 of chain 2 are used"},
	} {
		if err := os.RemoveAll(c.remove); err != nil {
			t.Fatal(err)
		}
		traces, note, err := r.Scalars()
		lengths, chains := sizes(traces)
		if err != nil || note != c.note || !slices.Equal(lengths, c.lengths) || !slices.Equal(chains, c.chains) {
			t.Errorf("without %s: %v draws of chains %v, note\n%q, %v, expected %v of %v, note\n%q", c.remove, lengths, chains, note, err, c.lengths, c.chains, c.note)
		}
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		lengths []int
		want    int
	}{
		{[]int{1000, 1000, 1000, 1000}, 1000},
		{[]int{1000, 990, 3, 0}, 990}, // 1980 draws rather than 1000 or 9
		{[]int{400, 390, 380}, 380},
		{[]int{10, 5}, 5}, // as many draws from more chains
		{[]int{0, 0}, 0},
	} {
		traces := make([]Trace, len(c.lengths))
		for i, n := range c.lengths {
			traces[i].Iteration = make([]int, n)
		}
		if got := common(traces); got != c.want {
			t.Errorf("%v: %d, expected %d", c.lengths, got, c.want)
		}
	}
}

func TestDamagedSegments(t *testing.T) {
	put(t, "x.csv", ages)
	r := sampled(t, "run", build(t, tiny+"draws = 600"), 0)
	sampled(t, "other", build(t, tiny+"draws = 600\nseed = 2"), 0)
	first, second := "run/chain-1/draws-00001.parquet", "run/chain-1/draws-00002.parquet"
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := read(first)
	// What is damaged is named, and the rest is used.
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 4
	for _, c := range []struct {
		content []byte
		damage  string
	}{
		{good[:100], "found no aibd.crc32c in 100 bytes, expected a whole segment of draws in Parquet format"},
		{good[:0], "found no aibd.crc32c in 0 bytes, expected a whole segment of draws in Parquet format"},
		{flipped, "damaged: found CRC-32C "},
		{read("run/chain-2/draws-00001.parquet"), "found segment 1 of chain 2, expected segment 1 of chain 1"},
		{read(second), "found segment 2 of chain 1, expected segment 1 of chain 1"},
		{read("other/chain-1/draws-00001.parquet"), "found a segment of run "},
	} {
		if err := os.WriteFile(first, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		traces, note, err := r.Scalars()
		want := "the run is not complete: the chains have 0, 600 of 600 draws; the first 600 of chain 2 are used; " + first + ": " + c.damage
		if err != nil || !strings.HasPrefix(note, want) || !strings.HasSuffix(note, "; draws from there on are not used") || len(traces) != 1 {
			t.Errorf("%d traces, note\n%q, %v, expected\n%q", len(traces), note, err, want)
		}
	}
	if err := os.WriteFile("run/chain-1/chain.json", []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	reports, note := r.Reports()
	if note != "run/chain-1/chain.json: damaged: found no crc32c" || len(reports) != 1 || reports[0].Chain != 2 {
		t.Errorf("reports %+v, note %q", reports, note)
	}
}
