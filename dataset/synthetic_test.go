package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/feature"
	"aibd/similarity"
)

// bound is what no standard score of the tests below may pass. A normal score
// passes it with probability 5.7e-7, one whose standard deviation is estimated
// from 60 draws with 5.4e-6. There are 26 and 3 of them: the tests of this file
// raise a false alarm for about one seed in 30,000.
const bound = 5

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// worst returns the largest score in absolute value. NaN counts as infinite.
func worst(scores []float64) float64 {
	w := 0.0
	for _, s := range scores {
		if math.IsNaN(s) {
			return math.Inf(1)
		}
		w = max(w, math.Abs(s))
	}
	return w
}

// simulateScores compares data with the model: given Z the columns of X are
// independent, normal with covariance C = SigmaX^2 I + SigmaA^2 Z Z'; the mean of
// d products x_i x_j has variance (C_ii C_jj + C_ij^2)/d, and that of m squares of
// Normal(0, s^2) has 2 s^4/m.
func simulateScores(z *feature.Allocation, x, a [][]float64, sigmaX, sigmaA float64) []float64 {
	d := float64(len(x[0]))
	c := func(i, j int) float64 {
		v := sigmaA * sigmaA * float64(z.Shared(i, j))
		if i == j {
			v += sigmaX * sigmaX
		}
		return v
	}
	var scores []float64
	for i := range x {
		for j := range i + 1 {
			sum := 0.0
			for k := range x[i] {
				sum += x[i][k] * x[j][k]
			}
			scores = append(scores, (sum/d-c(i, j))/math.Sqrt((c(i, i)*c(j, j)+c(i, j)*c(i, j))/d))
		}
	}
	squares := func(rows [][]float64, s float64) float64 {
		sum, m := 0.0, 0.0
		for _, row := range rows {
			for _, v := range row {
				sum += v * v
				m++
			}
		}
		return (sum/m - s*s) / (s * s * math.Sqrt(2/m))
	}
	errors := make([][]float64, len(x))
	for i := range x {
		errors[i] = slices.Clone(x[i])
		for k := range a {
			if z.Has(i, k) {
				for j, v := range a[k] {
					errors[i][j] -= v
				}
			}
		}
	}
	return append(scores, squares(a, sigmaA), squares(errors, sigmaX))
}

func TestSimulate(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 1, 0}, {0, 1, 1}, {1, 0, 0}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	const d, sigmaX, sigmaA = 4000, 0.5, 2.0
	rng := newRand()
	x, a := Simulate(rng, z, d, sigmaX, sigmaA)
	if len(x) != 4 || len(x[3]) != d || len(a) != 3 || len(a[2]) != d {
		t.Fatalf("X is %d x %d, A is %d x %d", len(x), len(x[3]), len(a), len(a[2]))
	}
	if w := worst(simulateScores(z, x, a, sigmaX, sigmaA)); w > bound {
		t.Errorf("worst score %v", w)
	}

	x, a = Simulate(rng, z, d, sigmaA, sigmaX)
	if w := worst(simulateScores(z, x, a, sigmaX, sigmaA)); w <= bound {
		t.Errorf("scales the wrong way round pass with score %v", w)
	}
	other := z.Clone()
	other.Flip(3, 2)
	x, a = Simulate(rng, other, d, sigmaX, sigmaA)
	if w := worst(simulateScores(z, x, a, sigmaX, sigmaA)); w <= bound {
		t.Errorf("another allocation passes with score %v", w)
	}
}

// TestSimulateEdges covers no features, no columns and no noise.
func TestSimulateEdges(t *testing.T) {
	x, a := Simulate(newRand(), feature.New(2), 3, 0, 1)
	if len(x) != 2 || !slices.Equal(x[1], []float64{0, 0, 0}) || len(a) != 0 {
		t.Errorf("without features and noise: %v, %v", x, a)
	}
	x, _ = Simulate(newRand(), feature.New(2), 0, 1, 1)
	if len(x) != 2 || len(x[0]) != 0 {
		t.Errorf("without columns: %v", x)
	}
	for _, f := range []func(){
		func() { Simulate(newRand(), feature.New(2), -1, 1, 1) },
		func() { Simulate(newRand(), feature.New(2), 1, -1, 1) },
		func() { Simulate(newRand(), feature.New(2), 1, 1, math.NaN()) },
		func() { Bars(newRand(), 2, -1) },
		func() { Twin(newRand(), 0, 2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}

// barScores compares an allocation of n items to four features with independent
// fair coins: the size of each feature and of each intersection.
func barScores(z *feature.Allocation) []float64 {
	n := float64(z.N())
	var scores []float64
	for k := range z.K() {
		scores = append(scores, (float64(z.Size(k))-n/2)/math.Sqrt(n/4))
		for l := range k {
			both := 0.0
			for i := range z.N() {
				if z.Has(i, k) && z.Has(i, l) {
					both++
				}
			}
			scores = append(scores, (both-n/4)/math.Sqrt(n*3/16))
		}
	}
	return scores
}

func TestBars(t *testing.T) {
	rng := newRand()
	x, z, a := Bars(rng, 10000, 0)
	if z.N() != 10000 || z.K() != 4 || len(x) != 10000 {
		t.Fatalf("N %d, K %d, %d rows", z.N(), z.K(), len(x))
	}
	if w := worst(barScores(z)); w > bound {
		t.Errorf("worst score %v", w)
	}
	biased := feature.New(10000)
	for k := range 4 {
		biased.Append()
		for i := range 10000 {
			if rng.Float64() < 0.55 {
				biased.Flip(i, k)
			}
		}
	}
	if w := worst(barScores(biased)); w <= bound {
		t.Errorf("coins of 0.55 pass with score %v", w)
	}

	// The pixels that are set, counted row by row from the top left.
	for k, want := range [][]int{{1, 6, 7, 8, 13}, {3, 4, 5, 9, 11, 15, 16, 17}, {18, 24, 25, 30, 31, 32}, {21, 22, 23, 28, 34}} {
		var set []int
		for j, v := range a[k] {
			if v == 1 {
				set = append(set, j)
			}
		}
		if !slices.Equal(set, want) || len(a[k]) != 36 {
			t.Errorf("image %d has pixels %v, want %v", k, set, want)
		}
	}
	for i, row := range x[:100] {
		for j, v := range row {
			want := 0.0
			for k := range 4 {
				if z.Has(i, k) {
					want += a[k][j]
				}
			}
			if v != want {
				t.Fatalf("x[%d][%d] = %v, want %v without noise", i, j, v, want)
			}
		}
	}

	for range 50 {
		x, z, a := Bars(rng, 1, 0.5)
		if z.K() != z.RowSum(0) || len(a) != z.K() || len(x[0]) != 36 {
			t.Fatalf("one item has %d of %d features with %d loadings", z.RowSum(0), z.K(), len(a))
		}
	}
}

// buffetScores draws 60 allocations of the application's size and compares,
// over the draws, the number of features (Poisson with mean mass * H_N), the
// number of ones, and the sharing weighted by similarity with their
// expectations. Given the order, items at positions j < p share on average
//
//	S_pj = keep * sum_{q<p} a_pq S_qj,   S_pp = mass/p + keep * sum_{q<p} a_pq S_qq
//
// dishes, where a_pq is the attraction of the paper.
func buffetScores(draw func(rng *rand.Rand, ages []float64, order []int) *feature.Allocation) []float64 {
	const n, draws = 62, 60
	rng := newRand()
	var features, ones, sharing []float64 // less their expectations
	for range draws {
		ages := Twin(rng, n, 0).Ages
		order := rng.Perm(n)
		z := draw(rng, ages, order)
		s := make([][]float64, n)
		extra := []float64{float64(z.K()), float64(z.Ones()), 0}
		for p := range n {
			s[p] = make([]float64, p+1)
			weight, total := make([]float64, p), 0.0
			for q := range p {
				weight[q] = math.Exp(-twinTemperature * math.Abs(ages[order[p]]-ages[order[q]]))
				total += weight[q]
			}
			s[p][p] = twinMass / float64(p+1)
			for q := range p {
				a := twinKeep * float64(p) / float64(p+1) * weight[q] / total
				s[p][p] += a * s[q][q]
				for j := range p {
					s[p][j] += a * s[max(q, j)][min(q, j)]
				}
			}
			extra[0] -= twinMass / float64(p+1)
			extra[1] -= s[p][p]
			for j := range p {
				extra[2] += weight[j] * (float64(z.Shared(order[p], order[j])) - s[p][j])
			}
		}
		features, ones, sharing = append(features, extra[0]), append(ones, extra[1]), append(sharing, extra[2])
	}
	score := func(v []float64) float64 {
		mean, sd := stat.MeanStdDev(v, nil)
		return mean / (sd / math.Sqrt(draws))
	}
	return []float64{score(features), score(ones), score(sharing)}
}

func TestBuffet(t *testing.T) {
	scores := buffetScores(func(rng *rand.Rand, ages []float64, order []int) *feature.Allocation {
		return buffet(rng, similarity.AbsDifference(ages), similarity.Exponential{}, order, twinKeep)
	})
	if worst(scores) > bound {
		t.Errorf("scores %v", scores)
	}
	for which, broken := range []func(rng *rand.Rand, ages []float64, order []int) *feature.Allocation{
		func(rng *rand.Rand, ages []float64, order []int) *feature.Allocation { // some dishes twice
			z := buffet(rng, similarity.AbsDifference(ages), similarity.Exponential{}, order, twinKeep)
			for k := range min(10, z.K()) {
				z.AppendColumn(z.Column(k))
			}
			return z
		},
		func(rng *rand.Rand, ages []float64, order []int) *feature.Allocation { // the paper's process
			return buffet(rng, similarity.AbsDifference(ages), similarity.Exponential{}, order, 1)
		},
		func(rng *rand.Rand, ages []float64, order []int) *feature.Allocation { // no attraction
			return buffet(rng, similarity.AbsDifference(ages), similarity.Constant{}, order, twinKeep)
		},
	} {
		if scores := buffetScores(broken); math.Abs(scores[which]) <= bound {
			t.Errorf("broken buffet %d passes: scores %v", which, scores)
		}
	}
}

func TestTwin(t *testing.T) {
	rng := newRand()
	w := Twin(rng, 62, 224)
	if len(w.X) != 62 || len(w.X[0]) != 224 || len(w.A) != w.Z.K() || w.Z.N() != 62 || len(w.Ages) != 62 || w.SigmaX != 0.52 || w.SigmaA != 0.35 {
		t.Errorf("X is %d x %d, A has %d rows, Z is %d x %d, %d ages, scales %v and %v", len(w.X), len(w.X[0]), len(w.A), w.Z.N(), w.Z.K(), len(w.Ages), w.SigmaX, w.SigmaA)
	}

	// Over 300 twins: the moments of the ages equal those of the rounded and truncated
	// normal, by summing its probabilities; K is 74 and K times items a feature 340
	// on average, as in the application.
	const draws = 300
	var ages, features, ones []float64
	for range draws {
		w := Twin(rng, 62, 0)
		ages = append(ages, w.Ages...)
		features, ones = append(features, float64(w.Z.K())), append(ones, float64(w.Z.Ones()))
	}
	for _, age := range ages {
		if age != math.Round(age) || age < 55 || age > 90 {
			t.Fatalf("age %v", age)
		}
	}
	score := func(v []float64, expected float64) float64 {
		mean, sd := stat.MeanStdDev(v, nil)
		return (mean - expected) / (sd / math.Sqrt(float64(len(v))))
	}
	const mean, sd = 77.5170, 7.2396
	ageScores := func(ages []float64) []float64 {
		squares := make([]float64, len(ages))
		for i, age := range ages {
			squares[i] = (age - mean) * (age - mean)
		}
		return []float64{score(ages, mean), score(squares, sd*sd)}
	}
	if scores := append(ageScores(ages), score(features, 15.7*4.712393), score(ones, 340.07)); worst(scores) > bound {
		t.Errorf("scores %v", scores)
	}
	clipped := make([]float64, len(ages))
	for i := range clipped {
		clipped[i] = min(max(math.Round(79+8.6*rng.NormFloat64()), 55), 90)
	}
	if scores := ageScores(clipped); worst(scores) <= bound {
		t.Errorf("ages clipped instead of redrawn pass with scores %v", scores)
	}

	again := Twin(newRand(), 62, 224)
	if !again.Z.Equal(w.Z) || !slices.EqualFunc(again.X, w.X, slices.Equal) {
		t.Error("the same stream gives another twin")
	}
	if one := Twin(rng, 1, 2); len(one.X) != 1 {
		t.Errorf("one item: %v", one)
	}
}
