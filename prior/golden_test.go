package prior

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/similarity"
)

// record is one entry of the reference files, whose conventions they state:
// permutations count from one, Z holds rows.
type record struct {
	ID          string
	N           int
	Mass        float64
	Temperature float64
	Similarity  string
	Distance    [][]float64
	Permutation []int
	Z           [][]int
	Value       float64
	Prior       string
	MaxFeatures int         `json:"max_features"`
	Count       int         `json:"count"`
	ProbSum     float64     `json:"prob_sum"`
	ProbByK     []float64   `json:"prob_by_K"`
	Pairwise    [][]float64 `json:"expected_pairwise"`
}

func records(t *testing.T, name string) []record {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Records []record }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Records) == 0 {
		t.Fatalf("%s holds no records", name)
	}
	return file.Records
}

func (r record) law(t *testing.T) Law {
	t.Helper()
	if r.Similarity == "" {
		law, err := NewIBP(r.N, r.Mass)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	perm := Identity(r.N)
	for p, i := range r.Permutation {
		perm[p] = i - 1
	}
	law, err := NewAIBD(r.affinity(t), r.Mass, r.Temperature, perm)
	if err != nil {
		t.Fatal(err)
	}
	return law
}

func (r record) affinity(t *testing.T) *Affinity {
	t.Helper()
	m, err := similarity.NewMatrix(r.Distance)
	if err != nil {
		t.Fatal(err)
	}
	decays := map[string]similarity.Decay{
		"exponential": similarity.Exponential{}, "reciprocal": similarity.Reciprocal{}, "identity": similarity.Given{},
	}
	return NewAffinity(m, decays[r.Similarity])
}

func (r record) allocation(t *testing.T) *feature.Allocation {
	t.Helper()
	z, err := feature.FromRows(r.Z)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Z) == 0 {
		return feature.New(r.N)
	}
	return z
}

// near reports whether got is want to 1e-10 relative.
func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-10*math.Max(1, math.Abs(want))
}

func TestGoldenLogProb(t *testing.T) {
	for _, name := range []string{"ibp_log_pmf.json", "aibd_log_pmf.json"} {
		for _, r := range records(t, name) {
			if got := LogProb(r.law(t), r.allocation(t)); !near(got, r.Value) {
				t.Errorf("%s: %.17g, want %.17g", r.ID, got, r.Value)
			}
		}
	}
}

func TestGoldenAveraged(t *testing.T) {
	for _, r := range records(t, "aibd_permutation_averaged_log_pmf.json") {
		got, err := LogProbAveraged(r.law(t).(*AIBD), r.allocation(t))
		if err != nil {
			t.Fatal(err)
		}
		if !near(got, r.Value) {
			t.Errorf("%s: %.17g, want %.17g", r.ID, got, r.Value)
		}
	}
}

func TestGoldenEnumeration(t *testing.T) {
	for _, r := range records(t, "enumeration.json") {
		law := r.law(t)
		count, sum := 0, 0.0
		byK := make([]float64, r.MaxFeatures+1)
		pairs := lists.Square(r.N)
		feature.Enumerate(r.N, r.MaxFeatures, func(z *feature.Allocation) bool {
			p := math.Exp(LogProb(law, z))
			count++
			sum += p
			byK[z.K()] += p
			for i := range r.N {
				for j := range r.N {
					pairs[i][j] += p * float64(z.Shared(i, j))
				}
			}
			return true
		})
		if count != r.Count || !near(sum, r.ProbSum) {
			t.Errorf("%s: %d allocations of probability %v, want %d of %v", r.ID, count, sum, r.Count, r.ProbSum)
		}
		for k := range byK {
			if !near(byK[k], r.ProbByK[k]) {
				t.Errorf("%s: probability of %d features %v, want %v", r.ID, k, byK[k], r.ProbByK[k])
			}
		}
		for i := range pairs {
			for j := range pairs[i] {
				if !near(pairs[i][j], r.Pairwise[i][j]) {
					t.Errorf("%s: sharing of %d and %d %v, want %v", r.ID, i+1, j+1, pairs[i][j], r.Pairwise[i][j])
				}
			}
		}
	}
}
