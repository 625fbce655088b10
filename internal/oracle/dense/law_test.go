package dense

// The laws against each other and against exact values.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// class names the equivalence class of z: its columns in sorted order.
func class(z [][]int) string {
	columns := make([]string, len(z[0]))
	for k := range columns {
		for _, row := range z {
			columns[k] += fmt.Sprint(row[k])
		}
	}
	slices.Sort(columns)
	return strings.Join(columns, " ")
}

func TestAllocationsAreDistinctAndComplete(t *testing.T) {
	for _, c := range []struct{ n, maxK, want int }{
		{1, 3, 4}, {2, 2, 10}, {3, 4, 330}, {4, 3, 816}, // binomial(2^n - 1 + maxK, maxK)
	} {
		seen := make(map[string]bool)
		for _, z := range allAllocations(c.n, c.maxK) {
			seen[class(z)] = true
		}
		if len(seen) != c.want {
			t.Errorf("n = %d, maxK = %d: %d classes, expected %d", c.n, c.maxK, len(seen), c.want)
		}
	}
}

// threePlaces are the distances of the examples below, all different.
var threePlaces = [][]float64{{0, 0.4, 1.7}, {0.4, 0, 0.9}, {1.7, 0.9, 0}}

// constant returns the n x n matrix of similarities v.
func constant(n int, v float64) [][]float64 {
	f := make([][]float64, n)
	for i := range f {
		f[i] = slices.Repeat([]float64{v}, n)
	}
	return f
}

// The number of features is Poisson(mass*H_N) whatever similarities and
// permutation are, so the pmf summed over the classes of K features is a Poisson probability.
func TestNumberOfFeaturesIsPoisson(t *testing.T) {
	const mass, n, maxK = 0.8, 3, 6
	window := [][]float64{{1, 0, 0}, {0, 1, 1}, {0, 1, 1}}
	laws := map[string]func(z [][]int) float64{
		"ibp":         func(z [][]int) float64 { return logIBP(z, mass) },
		"exponential": func(z [][]int) float64 { return LogAIBD(z, mass, Exponential(2, threePlaces), []int{2, 0, 1}) },
		"reciprocal":  func(z [][]int) float64 { return LogAIBD(z, mass, reciprocal(2, threePlaces), []int{0, 2, 1}) },
		"window":      func(z [][]int) float64 { return LogAIBD(z, mass, window, []int{1, 0, 2}) },
		"averaged":    func(z [][]int) float64 { return logAIBDAveraged(z, mass, Exponential(2, threePlaces)) },
	}
	all := allAllocations(n, maxK)
	poisson := distuv.Poisson{Lambda: mass * harmonic(n)}
	for name, law := range laws {
		for k, p := range sumOver(all, n, maxK, law).byK {
			near(t, fmt.Sprintf("%s: P(K = %d)", name, k), p, poisson.Prob(float64(k)))
		}
	}
}

func TestConstantSimilarityIsIBP(t *testing.T) {
	for _, z := range allAllocations(3, 3) {
		want := logIBP(z, 1.3)
		near(t, class(z), LogAIBD(z, 1.3, constant(3, 0.7), []int{2, 0, 1}), want)
		near(t, class(z)+" averaged", logAIBDAveraged(z, 1.3, constant(3, 0.7)), want)
		// Similarities that are all 0 count like ones that tend to 0 together.
		near(t, class(z)+" zero", LogAIBD(z, 1.3, constant(3, 0), []int{2, 0, 1}), want)
	}
}

func TestImpossibleAllocation(t *testing.T) {
	// The third customer is like the second alone and cannot share with the first.
	f := [][]float64{{1, 1, 0}, {1, 1, 1}, {0, 1, 1}}
	z := [][]int{{1}, {0}, {1}}
	if lp := LogAIBD(z, 1, f, []int{0, 1, 2}); !math.IsInf(lp, -1) {
		t.Errorf("log pmf %g, expected -Inf", lp)
	}
}

func TestZeroColumnPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	logIBP([][]int{{1, 0}, {1, 0}}, 1)
}

// Each column of X is normal with covariance sigmaX^2 I + sigmaA^2 ZZ'.
func TestLogLikIsNormalDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, d, sigmaX, sigmaA = 4, 3, 0.7, 1.6
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	for _, k := range []int{0, 1, 2, 7} {
		z := make([][]int, n)
		for i := range z {
			z[i] = make([]int, k)
			for j := range k {
				z[i][j] = rng.IntN(2)
			}
		}
		cov := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				for l := range k {
					cov.SetSym(i, j, cov.At(i, j)+sigmaA*sigmaA*float64(z[i][l]*z[j][l]))
				}
			}
			cov.SetSym(i, i, cov.At(i, i)+sigmaX*sigmaX)
		}
		var precision mat.Dense
		if err := precision.Inverse(cov); err != nil {
			t.Fatal(err)
		}
		want := -d / 2.0 * (n*math.Log(2*math.Pi) + math.Log(mat.Det(cov)))
		for j := range d {
			for i := range n {
				for l := range n {
					want -= x[i][j] * precision.At(i, l) * x[l][j] / 2
				}
			}
		}
		near(t, fmt.Sprintf("K = %d", k), LogLik(x, z, sigmaX, sigmaA), want)
	}
	if got := LogLik(make([][]float64, 2), [][]int{{1}, {0}}, 1, 1); got != 0 {
		t.Errorf("without data: %g, expected 0", got)
	}
}

// chiSquare returns the p-value of Pearson's test that the counted classes have
// the given probabilities. Classes expected fewer than five times are pooled,
// with all that are not listed.
func chiSquare(counts map[string]int, prob map[string]float64) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	n := float64(total)
	statistic, bins := 0.0, 0
	restCount, restProb := n, 1.0
	for name, p := range prob {
		if n*p < 5 {
			continue
		}
		c := float64(counts[name])
		statistic += (c - n*p) * (c - n*p) / (n * p)
		bins++
		restCount -= c
		restProb -= p
	}
	if n*restProb >= 5 {
		statistic += (restCount - n*restProb) * (restCount - n*restProb) / (n * restProb)
		bins++
	}
	return distuv.ChiSquared{K: float64(bins - 1)}.Survival(statistic)
}

// alarm is the p-value below which a stochastic test fails: its false-alarm
// rate, up to the error of the chi-square approximation.
const alarm = 1e-6

// False-alarm rate 1e-6. The broken twin is the same law with the last two
// customers exchanged (the first two are exchangeable).
func TestRandFollowsPMF(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const mass = 1.2
	f, perm := Exponential(2, threePlaces), []int{2, 0, 1}
	counts := make(map[string]int)
	for range 20000 {
		counts[class(randAIBD(mass, f, perm, rng))]++
	}
	pmf := func(perm []int) map[string]float64 {
		prob := make(map[string]float64)
		for _, z := range allAllocations(3, 6) {
			prob[class(z)] = math.Exp(LogAIBD(z, mass, f, perm))
		}
		return prob
	}
	if p := chiSquare(counts, pmf(perm)); p < alarm {
		t.Errorf("draws do not follow the pmf: p = %g", p)
	}
	if p := chiSquare(counts, pmf([]int{2, 1, 0})); p >= alarm {
		t.Errorf("draws are not distinguished from another permutation: p = %g", p)
	}
}
