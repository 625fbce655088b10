package prior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/similarity"
)

// fiveStates are the distances of the paper's five states, all four variables of
// USArrests centered and scaled over the five, which print as in the paper (see the
// test of package dataset for how they come about). They are given here as
// printed, to two decimals.
var fiveStates = [][]float64{
	{0, 0.12, 0.66, 3.74, 3.78},
	{0.12, 0, 0.59, 3.65, 3.69},
	{0.66, 0.59, 0, 3.32, 3.46},
	{3.74, 3.65, 3.32, 0, 1.01},
	{3.78, 3.69, 3.46, 1.01, 0},
}

func fiveStateLaw(t testing.TB, temperature float64) *AIBD {
	t.Helper()
	m, err := similarity.NewMatrix(fiveStates)
	if err != nil {
		t.Fatal(err)
	}
	law, err := NewAIBD(NewAffinity(m, similarity.Exponential{}), 1, temperature, Identity(5))
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// line returns N points on a line, two of them equal.
func line(rng *rand.Rand, n int, length float64) *similarity.Matrix {
	x := make([]float64, n)
	for i := range x {
		x[i] = length * rng.Float64()
	}
	if n > 1 {
		x[1] = x[0]
	}
	return similarity.AbsDifference(x)
}

// TestFiveStates compares the expected sharing with the paper's table, averaged
// over all permutations. Distances to two decimals move the values by up to 0.005.
func TestFiveStates(t *testing.T) {
	paper := []float64{0.65, 0.61, 0.39, 0.39, 0.61, 0.39, 0.39, 0.41, 0.40, 0.67} // temperature 1
	s, err := ExpectedSharingAveraged(fiveStateLaw(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	pair := 0
	for i := range s {
		for j := i + 1; j < len(s); j++ {
			if math.Abs(s[i][j]-paper[pair]) > 0.0075 {
				t.Errorf("states %d and %d share %.4f, the paper prints %.2f", i+1, j+1, s[i][j], paper[pair])
			}
			pair++
		}
		if math.Abs(s[i][i]-1) > 1e-12 {
			t.Errorf("state %d has %v features, want the mass, 1", i+1, s[i][i])
		}
	}
	// The mean over pairs is not mass/2.
	for temperature, want := range map[float64]float64{0: 0.5, 0.2: 0.4995, 1: 0.4914, 5: 0.4852} {
		s, err := ExpectedSharingAveraged(fiveStateLaw(t, temperature))
		if err != nil {
			t.Fatal(err)
		}
		if got := MeanOverPairs(s); math.Abs(got-want) > 2e-4 {
			t.Errorf("temperature %g: mean over pairs %.4f, want %.4f", temperature, got, want)
		}
	}
}

// TestSharingAveraged compares the exact sharing for one permutation, and its
// average, with sums over all permutations of sums over all allocations.
func TestSharingAveraged(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, decay := range []similarity.Decay{similarity.Exponential{}, similarity.Window{Width: 0.5}, similarity.Reciprocal{}} {
		for n := 1; n <= 5; n++ {
			law, err := NewAIBD(NewAffinity(line(rng, n, 2), decay), 1.3, 1.5, Identity(n))
			if err != nil {
				t.Fatal(err)
			}
			got, err := ExpectedSharingAveraged(law)
			if err != nil {
				t.Fatal(err)
			}
			want, orders := lists.Square(n), 0
			eachPermutation(n, func(perm []int) {
				orders++
				one := law.With(1.5, perm).ExpectedSharing()
				for i := range n {
					for j := range n {
						want[i][j] += one[i][j]
					}
				}
			})
			for i := range n {
				for j := range n {
					if math.Abs(got[i][j]-want[i][j]/float64(orders)) > 1e-12 {
						t.Errorf("%s, N = %d: sharing of %d and %d %v, want %v", decay, n, i, j, got[i][j], want[i][j]/float64(orders))
					}
				}
			}
		}
	}
}

func eachPermutation(n int, yield func([]int)) {
	perm := Identity(n)
	var recurse func(int)
	recurse = func(m int) {
		if m == n {
			yield(perm)
			return
		}
		for j := m; j < n; j++ {
			perm[m], perm[j] = perm[j], perm[m]
			recurse(m + 1)
			perm[m], perm[j] = perm[j], perm[m]
		}
	}
	recurse(0)
}

// TestSumsToOne adds the pmf over all allocations that matter, the intensities
// over all columns, and the sharing over both, for every law.
func TestSumsToOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var laws []Law
	for n := 1; n <= 3; n++ {
		ibp, err := NewIBP(n, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, ibp)
		for _, decay := range []similarity.Decay{similarity.Exponential{}, similarity.Reciprocal{Shift: 1}, similarity.Window{}, similarity.Constant{}} {
			law, err := NewAIBD(NewAffinity(line(rng, n, 2), decay), 0.6, 1.5, rng.Perm(n))
			if err != nil {
				t.Fatal(err)
			}
			laws = append(laws, law)
		}
	}
	for _, law := range laws {
		n := law.N()
		h := 0.0
		for c := uint64(1); c < 1<<n; c++ {
			h += math.Exp(law.LogIntensity([]uint64{c}))
		}
		if math.Abs(h-law.TotalIntensity()) > 1e-12 {
			t.Errorf("%v: intensities add to %v, want %v", law, h, law.TotalIntensity())
		}
		const maxK = 11
		byK, shared := make([]float64, maxK+1), lists.Square(n)
		feature.Enumerate(n, maxK, func(z *feature.Allocation) bool {
			p := math.Exp(LogProb(law, z))
			byK[z.K()] += p
			for i := range n {
				for j := range n {
					shared[i][j] += p * float64(z.Shared(i, j))
				}
			}
			return true
		})
		sum := 0.0
		for k, log := range NumFeatures(law, maxK) {
			sum += byK[k]
			if math.Abs(byK[k]-math.Exp(log)) > 1e-12 {
				t.Errorf("%v: %d features with probability %v, want %v", law, k, byK[k], math.Exp(log))
			}
		}
		if math.Abs(sum-1) > 1e-8 {
			t.Errorf("%v: the pmf adds to %v", law, sum)
		}
		for i, row := range law.ExpectedSharing() {
			for j, want := range row {
				if math.Abs(shared[i][j]-want) > 1e-7 {
					t.Errorf("%v: sharing of %d and %d adds to %v, want %v", law, i, j, shared[i][j], want)
				}
			}
		}
	}
}

// TestRand compares the numbers of columns equal to each z in prior draws with
// their Poisson distributions, by a chi-square test over all z and counts. It
// raises a false alarm once in 10^6 seeds for each of the laws. The broken twin
// draws at another temperature.
func TestRand(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	aff := NewAffinity(similarity.AbsDifference([]float64{0, 0.3, 2, 2.2}), similarity.Exponential{})
	law, err := NewAIBD(aff, 1.5, 1.2, []int{2, 0, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	ibp, err := NewIBP(4, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source, law Law
		alike       bool
	}{{law, law, true}, {ibp, ibp, true}, {law.With(1, law.Permutation()), law, false}, {ibp, law, false}} {
		if p := pValue(c.source, c.law, rng, 100_000); (p > 1e-6) != c.alike {
			t.Errorf("draws of %v against %v: p = %g", c.source, c.law, p)
		}
	}
}

// pValue tests draws of one law against the column counts of another.
func pValue(source, law Law, rng *rand.Rand, draws int) float64 {
	n := law.N()
	const limit = 4 // counts above are one class
	seen := make([][limit + 1]float64, 1<<n)
	counts := make([]int, 1<<n)
	for range draws {
		z := source.Rand(rng)
		clear(counts)
		for k := range z.K() {
			counts[z.Column(k)[0]]++
		}
		for c, m := range counts {
			seen[c][min(m, limit)]++
		}
	}
	chi, freedom := 0.0, 0.0
	for c := 1; c < 1<<n; c++ {
		d := distuv.Poisson{Lambda: law.Mass() * math.Exp(law.LogIntensity([]uint64{uint64(c)}))}
		remaining, restSeen, classes := float64(draws), float64(draws), 0.0
		for m := range limit {
			want := float64(draws) * d.Prob(float64(m))
			if remaining-want < 10 {
				break
			}
			chi += (seen[c][m] - want) * (seen[c][m] - want) / want
			remaining -= want
			restSeen -= seen[c][m]
			classes++
		}
		chi += (restSeen - remaining) * (restSeen - remaining) / remaining
		freedom += classes
	}
	return distuv.ChiSquared{K: freedom}.Survival(chi)
}

// TestExtremes: what under- or overflows elsewhere is a number here.
func TestExtremes(t *testing.T) {
	near, err := similarity.NewMatrix([][]float64{{0, 0, 50}, {0, 0, 50}, {50, 50, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		decay       similarity.Decay
		temperature float64
		z           [][]int
		want        float64 // log pmf at mass 1
	}{
		// Item 3 shares with item 1 but not with item 2 which is as near: 2/3 * 1/2,
		// whatever the temperature, though exp(-20000) is 0.
		{"temperature 400", similarity.Exponential{}, 400, [][]int{{1}, {0}, {1}}, -11./6 + math.Log(0.5/3)},
		{"temperature 1e6", similarity.Exponential{}, 1e6, [][]int{{1}, {0}, {1}}, -11./6 + math.Log(0.5/3)},
		// At distance 0 the reciprocal decay is infinite: item 2 takes half of what
		// item 1 has.
		{"distance 0", similarity.Reciprocal{}, 2, [][]int{{1}, {1}, {0}}, -11./6 + math.Log(0.5*1/3)},
	} {
		law, err := NewAIBD(NewAffinity(near, c.decay), 1, c.temperature, Identity(3))
		if err != nil {
			t.Fatal(err)
		}
		z, err := feature.FromRows(c.z)
		if err != nil {
			t.Fatal(err)
		}
		if got := LogProb(law, z); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: log pmf %v, want %v", c.name, got, c.want)
		}
	}
	// Distances so large that adding log 2 to them changes nothing.
	huge, err := similarity.NewMatrix([][]float64{{0, 0, 1e300}, {0, 0, 1e300}, {1e300, 1e300, 0}})
	if err != nil {
		t.Fatal(err)
	}
	hugeLaw, err := NewAIBD(NewAffinity(huge, similarity.Exponential{}), 1, 1, Identity(3))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hugeLaw.LogIntensity([]uint64{0b101}), math.Log(0.5/3); math.Abs(got-want) > 1e-9 {
		t.Errorf("distance 1e300: log nu %v, want %v", got, want)
	}
	// A far item that shares although a nearer one does not: about exp(-20*50).
	far, err := similarity.NewMatrix([][]float64{{0, 1, 51}, {1, 0, 1}, {51, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	law, err := NewAIBD(NewAffinity(far, similarity.Exponential{}), 1, 20, Identity(3))
	if err != nil {
		t.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1}, {0}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	want := -11./6 + math.Log(0.5*2/3) - 20*50
	if got := LogProb(law, z); math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("distance 51 beside 1 at temperature 20: log pmf %v, want %v", got, want)
	}
	got, err := LogProbAveraged(law, z)
	if err != nil || math.IsNaN(got) || math.IsInf(got, 0) {
		t.Errorf("averaged log pmf %v, error %v", got, err)
	}
}

// TestOneCell: a Z of one cell and one without cells have a pmf.
func TestOneCell(t *testing.T) {
	law, err := NewIBP(1, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := LogProb(law, z), -0.7+math.Log(0.7); math.Abs(got-want) > 1e-14 {
		t.Errorf("one cell: %v, want %v", got, want)
	}
	if got := LogProb(law, feature.New(1)); got != -0.7 {
		t.Errorf("no feature: %v, want -0.7", got)
	}
}

// TestMonteCarloAverages: the estimates agree with the exact averages within
// their errors; |z| < 5 fails once in 10^6 seeds. Without the spread of the
// weights in it the error would be 0 and the test fail.
func TestMonteCarloAverages(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	law := fiveStateLaw(t, 1)
	z := law.Rand(rng)
	for z.K() < 3 {
		z = law.Rand(rng)
	}
	exact, err := LogProbAveraged(law, z)
	if err != nil {
		t.Fatal(err)
	}
	got, stdErr := LogProbMonteCarlo(law, z, rng, 4000)
	if !(math.Abs(got-exact) < 5*stdErr) || stdErr > 0.1 {
		t.Errorf("log pmf %v +- %v, exactly %v", got, stdErr, exact)
	}
	want, err := ExpectedSharingAveraged(law)
	if err != nil {
		t.Fatal(err)
	}
	mean, errs := ExpectedSharingMonteCarlo(law, rng, 4000)
	for i := range want {
		for j := range want {
			if !(math.Abs(mean[i][j]-want[i][j]) <= 5*errs[i][j]+1e-12) {
				t.Errorf("sharing of %d and %d: %v +- %v, exactly %v", i, j, mean[i][j], errs[i][j], want[i][j])
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	aff := NewAffinity(similarity.AbsDifference([]float64{0, 1, 3}), similarity.Exponential{})
	if _, err := NewIBP(3, 0); err == nil {
		t.Error("mass 0 is taken")
	}
	for want, f := range map[string]func() error{
		"mass: found -1, expected a positive finite number": func() error { _, err := NewAIBD(aff, -1, 1, Identity(3)); return err },
		"temperature: found -2, expected a finite number >= 0": func() error {
			_, err := NewAIBD(aff, 1, -2, Identity(3))
			return err
		},
		"permutation: found 2 entries, expected one for each of 3 items":         func() error { _, err := NewAIBD(aff, 1, 1, []int{0, 1}); return err },
		"permutation: found item 1 again at position 3, expected each item once": func() error { _, err := NewAIBD(aff, 1, 1, []int{0, 1, 0}); return err },
		"permutation: found item 4 at position 2, expected 1 to 3":               func() error { _, err := NewAIBD(aff, 1, 1, []int{0, 3, 1}); return err },
		"too many items for an exact average over permutations: 20, at most 18": func() error {
			n := 20
			law, err := NewAIBD(NewAffinity(similarity.AbsDifference(make([]float64, n)), similarity.Exponential{}), 1, 1, Identity(n))
			if err != nil {
				return err
			}
			_, err = ExpectedSharingAveraged(law)
			return err
		},
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

// BenchmarkRand measures prior draws with 50 items and mass 1.
func BenchmarkRand(b *testing.B) {
	rng := rand.New(rand.NewPCG(17, 18))
	law, err := NewAIBD(NewAffinity(line(rng, 50, 10), similarity.Exponential{}), 1, 1, rng.Perm(50))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		law.Rand(rng)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "draws/s")
}

// BenchmarkLogProb measures the log pmf of 10,000 matrices with 50 items and
// about 45 features.
func BenchmarkLogProb(b *testing.B) {
	rng := rand.New(rand.NewPCG(19, 20))
	law, err := NewAIBD(NewAffinity(line(rng, 50, 10), similarity.Exponential{}), 10, 1, rng.Perm(50))
	if err != nil {
		b.Fatal(err)
	}
	z := make([]*feature.Allocation, 10_000)
	for i := range z {
		z[i] = law.Rand(rng)
	}
	for b.Loop() {
		for _, z := range z {
			LogProb(law, z)
		}
	}
}
