package links

// Golden values: exact enumerations made by independent scripts, as the files
// in testdata say.

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// golden is one case; a file uses the fields it needs. Items are numbered from
// one.
type golden struct {
	N           int
	Mode        string
	Temperature float64 `json:"tau"`
	Mass        float64 `json:"alpha"`
	Distance    [][]float64

	// ddibp_reachability.json
	LinkProbability [][]float64 `json:"link_probability_a"`
	Reach           [][]float64
	HolderSets      []struct {
		Owner int
		Sets  []struct {
			Holders []int
			P       float64
		}
	} `json:"holder_set_probability"`

	// ddibp_pmf.json
	Allocations []columns

	// ddibp_prior_moments.json
	TotalIntensity float64     `json:"sum_1_over_h"`
	PMFTMass1      []float64   `json:"pmf_T_alpha_1"`
	PMFTMass25     []float64   `json:"pmf_T_alpha_2.5"`
	Sharing        [][]float64 `json:"expected_shared_per_alpha"`

	// ddibp_exact_posterior.json
	SigmaX         float64 `json:"sigma_x"`
	SigmaA         float64 `json:"sigma_a"`
	X              [][]float64
	LogMarginal    float64     `json:"log_marginal_likelihood"`
	MeanT          float64     `json:"mean_T"`
	PMFT           []float64   `json:"pmf_T"`
	Sharings       [][]float64 `json:"E_ZZt"`
	TopAllocations []columns   `json:"top_allocations"`
	MeanMass       float64     `json:"mean_alpha"` // 0 unless the mass has a Gamma(1, 1) prior
}

// columns is an allocation, each column a list of items, with its probability.
type columns struct {
	Columns [][]int
	P       float64
	LogP    float64 `json:"log_p"`
}

// readGolden returns the cases of a file, and checks that there are want.
func readGolden(t *testing.T, name string, want int) []golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != want {
		t.Fatalf("%s has %d cases, expected %d", name, len(file.Cases), want)
	}
	return file.Cases
}

func (g golden) String() string {
	return fmt.Sprintf("N = %d, %s, temperature %g", g.N, g.Mode, g.Temperature)
}

// proximities returns the matrices over which the case averages: one for each
// order of arrival, or one for the order of the items, or the symmetric one.
func (g golden) proximities(t *testing.T) [][][]float64 {
	t.Helper()
	identity := combin.Permutations(g.N, g.N)[:1]
	switch g.Mode {
	case "symmetric":
		return [][][]float64{Proximity(g.Temperature, g.Distance, false, nil)}
	case "sequential":
		return [][][]float64{Proximity(g.Temperature, g.Distance, true, identity[0])}
	case "sequential_permutation_averaged":
		var all [][][]float64
		for _, perm := range combin.Permutations(g.N, g.N) {
			all = append(all, Proximity(g.Temperature, g.Distance, true, perm))
		}
		return all
	}
	t.Fatalf("unknown mode %q", g.Mode)
	return nil
}

// matrix returns Z.
func (c columns) matrix(n int) [][]int {
	var sets []int
	for _, items := range c.Columns {
		sets = append(sets, set(items))
	}
	return matrix(n, sets)
}

// set returns the binary number of a list of items numbered from one.
func set(items []int) int {
	z := 0
	for _, i := range items {
		z |= 1 << (i - 1)
	}
	return z
}

// matrix returns Z of n items with the given columns.
func matrix(n int, sets []int) [][]int {
	z := make([][]int, n)
	for i := range z {
		for _, s := range sets {
			z[i] = append(z[i], s>>i&1)
		}
	}
	return z
}

// class identifies the equivalence class of z: its columns in sorted order, a
// byte each.
func class(z [][]int) string {
	sets := make([]byte, len(z[0]))
	for k := range sets {
		for i, row := range z {
			sets[k] |= byte(row[k]) << i
		}
	}
	slices.Sort(sets)
	return string(sets)
}

// classes returns the columns, sorted, of every allocation of n items with at
// most maxK features, each equivalence class once.
func classes(n, maxK int) [][]int {
	all := [][]int{{}}
	for next := 0; next < len(all); next++ {
		sets := all[next]
		if len(sets) == maxK {
			break // those that follow are as long
		}
		first := 1
		if len(sets) > 0 {
			first = sets[len(sets)-1]
		}
		for s := first; s < 1<<n; s++ {
			all = append(all, append(slices.Clone(sets), s))
		}
	}
	return all
}

// near fails the test unless got is within 1e-10 of want, relatively.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
		t.Errorf("%s: %.17g, expected %.17g", what, got, want)
	}
}

func nearMatrix(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, expected %d", what, len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("%s: row %d has %d entries, expected %d", what, i, len(got[i]), len(want[i]))
		}
		for j := range want[i] {
			near(t, fmt.Sprintf("%s [%d][%d]", what, i, j), got[i][j], want[i][j])
		}
	}
}

// sharing returns sum_z weight(z) zz' over the sets z of n items.
func sharing(n int, weight []float64) [][]float64 {
	s := make([][]float64, n)
	for i := range s {
		s[i] = make([]float64, n)
		for j := range s[i] {
			for z, w := range weight {
				s[i][j] += w * float64(z>>i&1*(z>>j&1))
			}
		}
	}
	return s
}

func TestGoldenReachability(t *testing.T) {
	for _, g := range readGolden(t, "ddibp_reachability.json", 40) {
		p := g.proximities(t)[0]
		_, a := linkProbabilities(p)
		nearMatrix(t, g.String()+" A", a, g.LinkProbability)
		reach := make([][]float64, g.N)
		for _, h := range g.HolderSets {
			got := HolderProbabilities(p, h.Owner-1)
			want := make([]float64, len(got)) // 0 for a set that is not listed
			for _, s := range h.Sets {
				want[set(s.Holders)] = s.P
			}
			nearMatrix(t, fmt.Sprintf("%v owner %d", g, h.Owner), [][]float64{got}, [][]float64{want})
			for j, shared := range sharing(g.N, got) {
				reach[j] = append(reach[j], shared[j])
			}
		}
		nearMatrix(t, g.String()+" reach", reach, g.Reach)
	}
}

func TestGoldenPMF(t *testing.T) {
	compared := 0
	for _, g := range readGolden(t, "ddibp_pmf.json", 22) {
		p := g.proximities(t)[0]
		for _, c := range g.Allocations {
			got := LogPMF(c.matrix(g.N), g.Mass, p)
			compared++
			near(t, fmt.Sprint(g, c.Columns), math.Exp(got), c.P)
			near(t, fmt.Sprint(g, c.Columns, " log"), got, c.LogP)
		}
	}
	if want := 6*35 + 6*36 + 10*7; compared != want {
		t.Errorf("%d allocations compared, expected %d", compared, want)
	}
}

func TestGoldenPriorMoments(t *testing.T) {
	for _, g := range readGolden(t, "ddibp_prior_moments.json", 60) {
		proximities := g.proximities(t)
		weight := 1 / float64(len(proximities))
		nu := make([]float64, 1<<g.N)
		pmf1, pmf25 := make([]float64, len(g.PMFTMass1)), make([]float64, len(g.PMFTMass25))
		for _, p := range proximities {
			one := Intensities(p)
			floats.AddScaled(nu, weight, one)
			for k := range pmf1 {
				pmf1[k] += weight * distuv.Poisson{Lambda: floats.Sum(one)}.Prob(float64(k))
			}
			for k := range pmf25 {
				pmf25[k] += weight * distuv.Poisson{Lambda: 2.5 * floats.Sum(one)}.Prob(float64(k))
			}
		}
		near(t, g.String()+" H", floats.Sum(nu), g.TotalIntensity)
		nearMatrix(t, g.String()+" features", [][]float64{pmf1, pmf25}, [][]float64{g.PMFTMass1, g.PMFTMass25})
		nearMatrix(t, g.String()+" sharing", sharing(g.N, nu), g.Sharing)
	}
}

// The joint probabilities of the data with each number of features up to 8 and
// with the most probable allocations, by enumeration: they test the likelihood,
// and that the chains are compared with the law of this package.
func TestGoldenPosterior(t *testing.T) {
	const maxK = 8
	for _, g := range readGolden(t, "ddibp_exact_posterior.json", 8) {
		p := g.proximities(t)[0]
		h := floats.Sum(Intensities(p))
		byT := make([]float64, maxK+1)
		byClass := make(map[string]float64)
		for _, sets := range classes(g.N, maxK) {
			z, k := matrix(g.N, sets), len(sets)
			lp := logLik(g.X, z, g.SigmaX, g.SigmaA)
			if g.MeanMass == 0 {
				lp += LogPMF(z, g.Mass, p)
			} else { // mass^k exp(-mass h) integrated under the Gamma(1, 1) prior
				lgamma, _ := math.Lgamma(float64(k + 1))
				lp += LogPMF(z, 1, p) + h + lgamma - float64(k+1)*math.Log(1+h)
			}
			byT[k] += math.Exp(lp - g.LogMarginal)
			byClass[class(z)] = math.Exp(lp - g.LogMarginal)
		}
		nearMatrix(t, g.String()+" T", [][]float64{byT}, [][]float64{g.PMFT[:maxK+1]})
		for _, c := range g.TopAllocations {
			near(t, fmt.Sprint(g, c.Columns), byClass[class(c.matrix(g.N))], c.P)
		}
	}
}
