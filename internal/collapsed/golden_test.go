package collapsed_test

// Golden values: what the authors' R package aibd returns, and an independent
// evaluation in Python, as the files in testdata say in "about".

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/prior"
)

// record is one entry of a file; "prior" and "mass" belong to the posterior.
type record struct {
	ID            string
	X             [][]float64
	Z             [][]int
	SDX, SDA      float64
	Prior         string
	Mass          float64
	Value, Python float64
}

// readGolden returns the records of a file, which must be as many as want.
func readGolden(t *testing.T, name string, want int) []record {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Records []record }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Records) != want {
		t.Fatalf("%s has %d records, expected %d", name, len(file.Records), want)
	}
	return file.Records
}

func (r record) allocation(t *testing.T) *feature.Allocation {
	t.Helper()
	z, err := feature.FromRows(r.Z)
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	return z
}

func TestGoldenLogLik(t *testing.T) {
	for _, r := range readGolden(t, "lglfm_log_lik.json", 9) {
		got := ways(t, r.X, r.allocation(t), collapsed.Scales{SigmaX: r.SDX, SigmaA: r.SDA})
		mustAgree(t, r.ID+" (R package)", got, r.Value, 1e-10)
		mustAgree(t, r.ID+" (Python)", got, r.Python, 1e-10)
	}
}

func TestGoldenLogPosterior(t *testing.T) {
	for _, r := range readGolden(t, "lglfm_log_posterior.json", 3) {
		if r.Prior != "ibp" {
			t.Fatalf("%s: prior %q, expected ibp", r.ID, r.Prior)
		}
		z := r.allocation(t)
		law, err := prior.NewIBP(z.N(), r.Mass)
		if err != nil {
			t.Fatal(err)
		}
		got := ways(t, r.X, z, collapsed.Scales{SigmaX: r.SDX, SigmaA: r.SDA})
		for way := range got {
			got[way] += prior.LogProb(law, z)
		}
		mustAgree(t, r.ID+" (R package)", got, r.Value, 1e-10)
		mustAgree(t, r.ID+" (Python)", got, r.Python, 1e-10)
	}
}
