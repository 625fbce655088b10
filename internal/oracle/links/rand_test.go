package links

// The generative process against the exact law, and the law's edges.

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// alarm is the p-value below which a stochastic test fails: its false-alarm
// rate, up to the error of the chi-square or Student approximation.
const alarm = 1e-6

// asymmetric is a matrix of proximities without any symmetry, one of them 0.
var asymmetric = [][]float64{{1, 2, 0.1, 3}, {0.2, 1, 0, 0.3}, {0.7, 1.5, 1, 0.6}, {0.1, 0.5, 0.2, 1}}

// fourPlaces are distances, all different.
var fourPlaces = [][]float64{{0, 0.4, 1.7, 0.8}, {0.4, 0, 0.9, 2.1}, {1.7, 0.9, 0, 0.3}, {0.8, 2.1, 0.3, 0}}

// laws are the proximities of the stochastic tests. Each comes with a wrong
// matrix, the law of which the tests must tell from the right one.
var laws = []struct {
	name     string
	p, wrong [][]float64
}{
	{"sequential", Proximity(1, fourPlaces, true, []int{2, 0, 3, 1}), Proximity(1, fourPlaces, true, []int{2, 3, 0, 1})},
	{"symmetric", Proximity(1, fourPlaces, false, nil), Proximity(1.4, fourPlaces, false, nil)},
	{"asymmetric", asymmetric, transposed(asymmetric)},
}

func transposed(p [][]float64) [][]float64 {
	q := make([][]float64, len(p))
	for i := range q {
		for _, row := range p {
			q[i] = append(q[i], row[i])
		}
	}
	return q
}

// chiSquare returns the p-value of Pearson's test that the counted cells have
// the given probabilities, which sum to 1. Cells expected fewer than five times
// are pooled, and left out if the pool is.
func chiSquare(counts, prob []float64) float64 {
	n := floats.Sum(counts)
	statistic, cells := 0.0, 0
	add := func(count, expected float64) {
		if expected >= 5 {
			statistic += (count - expected) * (count - expected) / expected
			cells++
		}
	}
	restCount, restExpected := 0.0, 0.0
	for c, p := range prob {
		switch {
		case p == 0 && counts[c] > 0:
			return 0
		case n*p < 5:
			restCount += counts[c]
			restExpected += n * p
		default:
			add(counts[c], n*p)
		}
	}
	add(restCount, restExpected)
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(statistic)
}

// False-alarm rate 1e-6 for each of the three laws and of the two tests: of the
// allocations of up to 2 features, all others together, and of the owners and
// holders of the single dishes. Both must reject the wrong proximities.
func TestRandFollowsPMF(t *testing.T) {
	const n, mass, maxK, draws = 4, 0.8, 2, 20000
	for _, law := range laws {
		rng := rand.New(rand.NewPCG(1, 1))
		all := classes(n, maxK)
		index := make(map[string]int)
		for i, sets := range all {
			index[class(matrix(n, sets))] = i
		}
		allocations := make([]float64, len(all)+1)
		dishes := make([]float64, n<<n)
		for range draws {
			z, drawn := Rand(mass, law.p, rng)
			if !reflect.DeepEqual(z, Allocation(n, drawn)) {
				t.Fatalf("%s: Z %v is not that of the dishes %v", law.name, z, drawn)
			}
			i, listed := index[class(z)]
			if !listed {
				i = len(all)
			}
			allocations[i]++
			for k, dish := range drawn {
				cell := dish.Owner << n
				for i, row := range z {
					cell |= row[k] << i
				}
				dishes[cell]++
			}
		}
		exact := func(p [][]float64) (allocations, dishes []float64) {
			for _, sets := range all {
				allocations = append(allocations, math.Exp(LogPMF(matrix(n, sets), mass, p)))
			}
			h, _ := linkProbabilities(p)
			for owner := range p {
				share := floats.ScaleTo(make([]float64, 1<<n), 1/h[owner]/totalIntensity(h), HolderProbabilities(p, owner))
				dishes = append(dishes, share...)
			}
			return append(allocations, 1-floats.Sum(allocations)), dishes
		}
		for _, c := range []struct {
			p      [][]float64
			reject bool
		}{{law.p, false}, {law.wrong, true}} {
			exactAllocations, exactDishes := exact(c.p)
			p, q := chiSquare(allocations, exactAllocations), chiSquare(dishes, exactDishes)
			t.Logf("%s, wrong law %t: p-value of allocations %.3g, of dishes %.3g", law.name, c.reject, p, q)
			if (p < alarm) != c.reject || (q < alarm) != c.reject {
				t.Errorf("%s, wrong law %t: p-value of allocations %g, of dishes %g", law.name, c.reject, p, q)
			}
		}
	}
}

func TestImpossibleAllocation(t *testing.T) {
	p := [][]float64{{1, 0, 0}, {0.5, 1, 0}, {0, 0.5, 1}} // the third takes from the second alone
	for _, z := range [][][]int{{{1}, {0}, {1}}, {{0, 1}, {0, 1}, {0, 1}}} {
		if lp := LogPMF(z, 1, p); !math.IsInf(lp, -1) {
			t.Errorf("%v: log pmf %g, expected -Inf", z, lp)
		}
	}
}

func TestTooManyItemsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Intensities(make([][]float64, maxItems+1))
}
