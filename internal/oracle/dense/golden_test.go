package dense

// Golden values: what the authors' R package aibd returns, and an independent
// evaluation in Python, as the files in testdata say in "about".

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// golden is one record; a file uses the fields it needs.
type golden struct {
	ID          string
	Z           [][]int
	X           [][]float64
	N           int
	Mass        float64
	Temperature float64
	Similarity  string
	Distance    [][]float64
	Permutation []int // one-based
	Prior       string
	SDX, SDA    float64

	Value, Python float64

	MaxFeatures       int `json:"max_features"`
	Count             int
	ProbSum           float64     `json:"prob_sum"`
	ProbByK           []float64   `json:"prob_by_K"`
	ExpectedPairwise  [][]float64 `json:"expected_pairwise"`
	LogNormalizer     float64     `json:"log_normalizer"`
	MeanK             float64     `json:"mean_K"`
	PosteriorPairwise [][]float64 `json:"posterior_pairwise"`
}

// readGolden returns the records of a file, and checks that there are want.
func readGolden(t *testing.T, name string, want int) []golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Records []golden }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Records) != want {
		t.Fatalf("%s has %d records, expected %d", name, len(file.Records), want)
	}
	return file.Records
}

func (g golden) similarities(t *testing.T) [][]float64 {
	t.Helper()
	switch g.Similarity {
	case "exponential":
		return Exponential(g.Temperature, g.Distance)
	case "reciprocal":
		return reciprocal(g.Temperature, g.Distance)
	case "identity":
		return g.Distance
	}
	t.Fatalf("%s: unknown similarity %q", g.ID, g.Similarity)
	return nil
}

func (g golden) perm() []int {
	perm := make([]int, len(g.Permutation))
	for p, item := range g.Permutation {
		perm[p] = item - 1
	}
	return perm
}

// logPrior returns the log pmf of z under the record's prior.
func (g golden) logPrior(t *testing.T, z [][]int) float64 {
	t.Helper()
	switch g.Prior {
	case "ibp":
		return logIBP(z, g.Mass)
	case "aibd":
		return LogAIBD(z, g.Mass, g.similarities(t), g.perm())
	}
	t.Fatalf("%s: unknown prior %q", g.ID, g.Prior)
	return 0
}

// near fails the test unless got is within 1e-10 of want, relatively.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
		t.Errorf("%s: %.17g, expected %.17g", what, got, want)
	}
}

func TestGoldenValues(t *testing.T) {
	files := []struct {
		name  string
		count int
		value func(t *testing.T, g golden) float64
	}{
		{"ibp_log_pmf.json", 12, func(t *testing.T, g golden) float64 { return logIBP(g.Z, g.Mass) }},
		{"aibd_log_pmf.json", 36, func(t *testing.T, g golden) float64 {
			return LogAIBD(g.Z, g.Mass, g.similarities(t), g.perm())
		}},
		{"aibd_permutation_averaged_log_pmf.json", 6, func(t *testing.T, g golden) float64 {
			return logAIBDAveraged(g.Z, g.Mass, g.similarities(t))
		}},
		{"lglfm_log_lik.json", 9, func(t *testing.T, g golden) float64 { return LogLik(g.X, g.Z, g.SDX, g.SDA) }},
		{"lglfm_log_posterior.json", 3, func(t *testing.T, g golden) float64 {
			return g.logPrior(t, g.Z) + LogLik(g.X, g.Z, g.SDX, g.SDA)
		}},
	}
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			for _, g := range readGolden(t, f.name, f.count) {
				got := f.value(t, g)
				near(t, g.ID+" (R package)", got, g.Value)
				near(t, g.ID+" (Python)", got, g.Python)
			}
		})
	}
}

// sums are totals over a set of weighted allocations.
type sums struct {
	total    float64
	byK      []float64
	pairwise [][]float64 // sum of weight * ZZ'
}

// sumOver adds up exp(logWeight) over allocations of n items.
func sumOver(all [][][]int, n, maxK int, logWeight func(z [][]int) float64) sums {
	s := sums{byK: make([]float64, maxK+1), pairwise: make([][]float64, n)}
	for i := range n {
		s.pairwise[i] = make([]float64, n)
	}
	for _, z := range all {
		w := math.Exp(logWeight(z))
		s.total += w
		s.byK[len(z[0])] += w
		for i := range n {
			for j := range n {
				for k := range z[i] {
					s.pairwise[i][j] += w * float64(z[i][k]*z[j][k])
				}
			}
		}
	}
	return s
}

func nearMatrix(t *testing.T, what string, got, want [][]float64, scale float64) {
	t.Helper()
	for i := range want {
		for j := range want[i] {
			near(t, what, got[i][j]*scale, want[i][j])
		}
	}
}

func TestGoldenEnumeration(t *testing.T) {
	for _, g := range readGolden(t, "enumeration.json", 5) {
		all := allAllocations(g.N, g.MaxFeatures)
		if len(all) != g.Count {
			t.Errorf("%s: %d allocations, expected %d", g.ID, len(all), g.Count)
		}
		s := sumOver(all, g.N, g.MaxFeatures, func(z [][]int) float64 { return g.logPrior(t, z) })
		near(t, g.ID+" total", s.total, g.ProbSum)
		for k, p := range g.ProbByK {
			near(t, g.ID+" by number of features", s.byK[k], p)
		}
		nearMatrix(t, g.ID+" sharing", s.pairwise, g.ExpectedPairwise, 1)
	}
}

func TestGoldenPosterior(t *testing.T) {
	for _, g := range readGolden(t, "lglfm_exact_posterior.json", 2) {
		all := allAllocations(g.N, g.MaxFeatures)
		if len(all) != g.Count {
			t.Errorf("%s: %d allocations, expected %d", g.ID, len(all), g.Count)
		}
		s := sumOver(all, g.N, g.MaxFeatures, func(z [][]int) float64 {
			return g.logPrior(t, z) + LogLik(g.X, z, g.SDX, g.SDA)
		})
		near(t, g.ID+" normalizer", math.Log(s.total), g.LogNormalizer)
		mean := 0.0
		for k, p := range g.ProbByK {
			near(t, g.ID+" by number of features", s.byK[k]/s.total, p)
			mean += float64(k) * s.byK[k] / s.total
		}
		near(t, g.ID+" mean number of features", mean, g.MeanK)
		nearMatrix(t, g.ID+" sharing", s.pairwise, g.PosteriorPairwise, 1/s.total)
	}
}
