package prior

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/similarity"
)

// ddibpCase is an entry of the dd-IBP reference files: exponential decay, items in
// the order of the file, sets of holders counted from one.
type ddibpCase struct {
	N           int
	Mode        string
	Tau, Alpha  float64
	Distance    [][]float64
	Allocations []struct {
		Columns [][]int
		LogP    float64 `json:"log_p"`
	}
	Sum    float64     `json:"sum_1_over_h"`
	PMF    []float64   `json:"pmf_T_alpha_1"`
	Shared [][]float64 `json:"expected_shared_per_alpha"`
	Sets   []struct {
		Owner int
		Sets  []struct {
			Holders []int
			P       float64
		}
	} `json:"holder_set_probability"`
}

func ddibpCases(t *testing.T, name string) []ddibpCase {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []ddibpCase }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("%s holds no cases", name)
	}
	return file.Cases
}

func (c ddibpCase) law(t *testing.T) Attraction {
	t.Helper()
	m, err := similarity.NewMatrix(c.Distance)
	if err != nil {
		t.Fatal(err)
	}
	mass := c.Alpha
	if mass == 0 {
		mass = 1
	}
	aff := NewAffinity(m, similarity.Exponential{})
	if c.Mode == "symmetric" {
		law, err := NewDDIBP(aff, mass, c.Tau)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	law, err := NewSequentialDDIBP(aff, mass, c.Tau, Identity(c.N))
	if err != nil {
		t.Fatal(err)
	}
	return law
}

func columnOf(holders []int) []uint64 {
	column := []uint64{0}
	for _, i := range holders {
		column[0] |= 1 << (i - 1)
	}
	return column
}

func TestGoldenDDIBP(t *testing.T) {
	for _, c := range ddibpCases(t, "ddibp_pmf.json") {
		law := c.law(t)
		for _, a := range c.Allocations {
			z := feature.New(c.N)
			for _, holders := range a.Columns {
				z.AppendColumn(columnOf(holders))
			}
			if got := LogProb(law, z); !near(got, a.LogP) {
				t.Errorf("%v: log pmf of %v is %.17g, want %.17g", law, a.Columns, got, a.LogP)
			}
		}
	}
}

func TestGoldenDDIBPMoments(t *testing.T) {
	for _, c := range ddibpCases(t, "ddibp_prior_moments.json") {
		law := c.law(t)
		laws, sharing := []Law{law}, law.ExpectedSharing
		if c.Mode == "sequential_permutation_averaged" {
			laws = nil
			eachPermutation(c.N, func(perm []int) { laws = append(laws, law.With(c.Tau, perm)) })
			sharing = func() [][]float64 {
				s, err := ExpectedSharingAveraged(law)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
		}
		h, pmf := 0.0, make([]float64, len(c.PMF))
		for _, one := range laws {
			h += one.TotalIntensity() / float64(len(laws))
			for k, log := range NumFeatures(one, len(c.PMF)-1) {
				pmf[k] += math.Exp(log) / float64(len(laws))
			}
		}
		if !near(h, c.Sum) {
			t.Errorf("%v, %s: H = %v, want %v", law, c.Mode, h, c.Sum)
		}
		for k := range pmf {
			if !near(pmf[k], c.PMF[k]) {
				t.Errorf("%v, %s: %d features with probability %v, want %v", law, c.Mode, k, pmf[k], c.PMF[k])
			}
		}
		for i, row := range sharing() {
			for j, got := range row {
				if !near(got, c.Shared[i][j]) {
					t.Errorf("%v: sharing of %d and %d %v, want %v", law, i+1, j+1, got, c.Shared[i][j])
				}
			}
		}
	}
}

// TestGoldenHolders: nu is the sum over owners of 1/h times the probability that
// exactly these items hold the owner's dish.
func TestGoldenHolders(t *testing.T) {
	for _, c := range ddibpCases(t, "ddibp_reachability.json") {
		law := c.law(t)
		want := make([]float64, 1<<c.N)
		for _, o := range c.Sets {
			h := 1.0
			for j, d := range c.Distance[o.Owner-1] {
				if j != o.Owner-1 && (c.Mode == "symmetric" || j < o.Owner-1) {
					h += math.Exp(-c.Tau * d)
				}
			}
			for _, s := range o.Sets {
				want[columnOf(s.Holders)[0]] += s.P / h
			}
		}
		for column := 1; column < 1<<c.N; column++ {
			if got := math.Exp(law.LogIntensity([]uint64{uint64(column)})); !near(got, want[column]) {
				t.Errorf("%v: nu of %b is %v, want %v", law, column, got, want[column])
			}
		}
	}
}

// asymmetric returns distances without symmetry.
func asymmetric(rng *rand.Rand, n int, length float64) *similarity.Matrix {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			if i != j {
				rows[i][j] = length * rng.Float64()
			}
		}
	}
	m, err := similarity.NewMatrix(rows)
	if err != nil {
		panic(err)
	}
	return m
}

// sparse returns asymmetric similarities of which about half are 0.
func sparse(rng *rand.Rand, n int) *similarity.Matrix {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			if i != j && rng.IntN(2) == 0 {
				rows[i][j] = rng.Float64()
			}
		}
	}
	m, err := similarity.NewMatrix(rows)
	if err != nil {
		panic(err)
	}
	return m
}

// TestClosedForm compares nu with the sum over all owners and all vectors of
// links, for asymmetric similarities, also with zeros in them.
func TestClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for trial := range 80 {
		n := 1 + trial%4
		dist, decay := asymmetric(rng, n, 3), similarity.Decay(similarity.Exponential{})
		if trial >= 8 {
			dist, decay = sparse(rng, n), similarity.Given{}
		}
		law, err := NewDDIBP(NewAffinity(dist, decay), 1, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		// to[j][l] is the probability that item j links to item l, inv[j] that of itself.
		matrix, inv := lists.Square(n), make([]float64, n)
		for j := range n {
			h := 0.0
			for l := range n {
				if matrix[j][l] = 1; l != j {
					matrix[j][l] = math.Exp(decay.LogSimilarity(0.8, dist.At(j, l)))
				}
				h += matrix[j][l]
			}
			for l := range n {
				matrix[j][l] /= h
			}
			inv[j] = 1 / h
		}
		want := make([]float64, 1<<n)
		links := make([]int, n)
		var visit func(j int, p float64)
		visit = func(j int, p float64) {
			if j < n {
				for l := range n {
					links[j] = l
					visit(j+1, p*matrix[j][l])
				}
				return
			}
			for owner := range n {
				column := uint64(0)
				for i := range n {
					index := i
					for range n {
						if index == owner {
							column |= 1 << i
							break
						}
						index = links[index]
					}
				}
				want[column] += p * inv[owner]
			}
		}
		visit(0, 1)
		sum := 0.0
		for column := 1; column < 1<<n; column++ {
			got := math.Exp(law.LogIntensity([]uint64{uint64(column)}))
			sum += got
			if math.Abs(got-want[column]) > 1e-13*want[column] {
				t.Errorf("N = %d: nu of %b is %v, want %v", n, column, got, want[column])
			}
		}
		if math.Abs(sum-law.TotalIntensity()) > 1e-13 {
			t.Errorf("N = %d: intensities add to %v, H is %v", n, sum, law.TotalIntensity())
		}
	}
}

// TestAveragedDDIBP compares the averaged pmf with the mean over all permutations.
func TestAveragedDDIBP(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	for _, temperature := range []float64{0, 1.3, 500} {
		law, err := NewSequentialDDIBP(NewAffinity(asymmetric(rng, 4, 2), similarity.Exponential{}), 1.5, temperature, Identity(4))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			z, logs := law.Rand(rng), []float64(nil)
			eachPermutation(4, func(perm []int) { logs = append(logs, LogProb(law.With(temperature, perm), z)) })
			got, err := LogProbAveraged(law, z)
			if err != nil {
				t.Fatal(err)
			}
			if want := floats.LogSumExp(logs) - math.Log(float64(len(logs))); !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
				t.Errorf("temperature %g: averaged log pmf %v, want %v", temperature, got, want)
			}
		}
	}
	symmetric, err := NewDDIBP(law3(t), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LogProbAveraged(symmetric, feature.New(3)); err == nil || !strings.Contains(err.Error(), "no permutation") {
		t.Errorf("error %v", err)
	}
}

func law3(t *testing.T) *Affinity {
	t.Helper()
	return NewAffinity(similarity.AbsDifference([]float64{0, 1, 3}), similarity.Exponential{})
}

// TestDDIBPLimits: the sequential law at temperature 0 is the IBP, that for any
// proximity has Poisson(mass) features there; and the AIBD is the sequential law
// whose similarities to the p-1 earlier items are scaled to add to p-1.
func TestDDIBPLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	n := 6
	dist := line(rng, n, 2)
	aff := NewAffinity(dist, similarity.Exponential{})
	ibp, err := NewIBP(n, 1.3)
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := NewSequentialDDIBP(aff, 1.3, 0, rng.Perm(n))
	if err != nil {
		t.Fatal(err)
	}
	any, err := NewDDIBP(aff, 1.3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := any.TotalIntensity(); math.Abs(got-1) > 1e-14 {
		t.Errorf("any proximity at temperature 0: H = %v, want 1", got)
	}
	perm := rng.Perm(n)
	aibd, err := NewAIBD(aff, 1.3, 1.7, perm)
	if err != nil {
		t.Fatal(err)
	}
	scaled := make([][]float64, n)
	for i := range scaled {
		scaled[i] = make([]float64, n)
	}
	for p, i := range perm {
		sum := 0.0
		for _, j := range perm[:p] {
			sum += math.Exp(-1.7 * dist.At(i, j))
		}
		for _, j := range perm[:p] {
			scaled[i][j] = float64(p) * math.Exp(-1.7*dist.At(i, j)) / sum
		}
	}
	m, err := similarity.NewMatrix(scaled)
	if err != nil {
		t.Fatal(err)
	}
	normalized, err := NewSequentialDDIBP(NewAffinity(m, similarity.Given{}), 1.3, 1, perm)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		z := ibp.Rand(rng)
		if got, want := LogProb(sequential, z), LogProb(ibp, z); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Fatalf("sequential at temperature 0: %v, IBP %v", got, want)
		}
		if got, want := LogProb(normalized, z), LogProb(aibd, z); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Fatalf("row-normalized: %v, AIBD %v", got, want)
		}
	}
}

// TestDDIBPExtremes: temperature 10 and distances of 30, and what underflows
// altogether, give the numbers of the formulas on the log scale.
func TestDDIBPExtremes(t *testing.T) {
	for _, c := range []struct{ temperature, distance float64 }{{10, 30}, {10, 100}, {400, 50}} {
		m, err := similarity.NewMatrix([][]float64{{0, 0, c.distance}, {0, 0, c.distance}, {c.distance, c.distance, 0}})
		if err != nil {
			t.Fatal(err)
		}
		aff := NewAffinity(m, similarity.Exponential{})
		any, err := NewDDIBP(aff, 1, c.temperature)
		if err != nil {
			t.Fatal(err)
		}
		sequential, err := NewSequentialDDIBP(aff, 1, c.temperature, Identity(3))
		if err != nil {
			t.Fatal(err)
		}
		f := -c.temperature * c.distance // log of the far similarity
		for _, x := range []struct {
			law  Law
			z    []int
			want float64
		}{
			// h is 2, 2, 1. Items 1 and 3 alone: 2 does not link to them, and 3 to 1
			// or 1 to 3, weighted by 1/h of the owner.
			{any, []int{1, 3}, math.Log(0.5) + f},
			// All three: 3 links to either and 1 or 2 owns, 1/2 * 1/2 * 2 * 2 f; or 3
			// owns, and 1 and 2 link to it or one by the other: (1/4 f + 1/4 f) + ... .
			{any, []int{1, 2}, math.Log(0.5)},
			{any, []int{3}, 0},
			{sequential, []int{1, 3}, math.Log(0.5) + f},
			{sequential, []int{1, 2}, math.Log(0.5)},
			{sequential, []int{3}, 0},
		} {
			if got := x.law.LogIntensity(columnOf(x.z)); math.Abs(got-x.want) > 1e-9*math.Max(1, math.Abs(x.want)) {
				t.Errorf("%v: log nu of %v is %v, want %v", x.law, x.z, got, x.want)
			}
		}
	}
}

// TestDDIBPRand compares draws with the column counts, as TestRand does.
func TestDDIBPRand(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	aff := NewAffinity(asymmetric(rng, 4, 2), similarity.Exponential{})
	any, err := NewDDIBP(aff, 1.5, 1.2)
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := NewSequentialDDIBP(aff, 1.5, 1.2, []int{2, 0, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source, law Law
		alike       bool
	}{{any, any, true}, {sequential, sequential, true}, {any.With(1, nil), any, false}, {any, sequential, false}} {
		if p := pValue(c.source, c.law, rng, 100_000); (p > 1e-6) != c.alike {
			t.Errorf("draws of %v against %v: p = %g", c.source, c.law, p)
		}
	}
}

// TestSharingMonteCarlo: |z| < 5 for each of 20 pairs fails once in 10^5 seeds.
func TestSharingMonteCarlo(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	law, err := NewDDIBP(NewAffinity(asymmetric(rng, 4, 2), similarity.Exponential{}), 1.5, 1.2)
	if err != nil {
		t.Fatal(err)
	}
	mean, stdErr := SharingMonteCarlo(law, rng, 20_000)
	for i, row := range law.ExpectedSharing() {
		for j, want := range row {
			if !(math.Abs(mean[i][j]-want) < 5*stdErr[i][j]) || stdErr[i][j] > 0.05 {
				t.Errorf("sharing of %d and %d: %v +- %v, exactly %v", i, j, mean[i][j], stdErr[i][j], want)
			}
		}
	}
}

func TestDDIBPRefuses(t *testing.T) {
	aff := NewAffinity(similarity.AbsDifference([]float64{0, 1}), similarity.Reciprocal{Shift: 0.5})
	if _, err := NewDDIBP(aff, 1, 1); err == nil || !strings.Contains(err.Error(), "1 at distance 0") {
		t.Errorf("error %v", err)
	}
	if _, err := NewSequentialDDIBP(aff, 1, 1, Identity(2)); err == nil || !strings.Contains(err.Error(), "1 at distance 0") {
		t.Errorf("error %v", err)
	}
}
