package prior_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/internal/lists"
	"aibd/prior"
	"aibd/similarity"
)

// Laws of several distances equal laws of one distance, their sum weighted by the
// temperatures, in all they compute. Some distances are infinite or so far that similarities underflow,
// and some temperatures are 0.
func TestSeveralDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 6
	inf := math.Inf(1)
	for trial := range 40 {
		matrix := func() *similarity.Matrix {
			rows := lists.Square(n)
			for i := range rows {
				for j := range rows[i] {
					switch rows[i][j] = 3 * rng.Float64(); {
					case trial%4 == 1 && rng.IntN(4) == 0:
						rows[i][j] = inf
					case trial%4 == 2 && rng.IntN(3) == 0:
						rows[i][j] *= 400
					case trial%4 == 3:
						rows[i][j] = float64(rng.IntN(2))
					}
				}
			}
			return must(similarity.NewMatrix(rows))
		}
		several := similarity.Several{matrix(), matrix(), matrix()}
		temperatures := []float64{rng.Float64(), 2 * rng.Float64(), 3 * rng.Float64()}
		if trial%5 == 0 {
			temperatures[trial/5%3] = 0
		}
		rows := lists.Square(n)
		for i := range rows {
			for j := range rows[i] {
				for m, d := range several {
					if temperatures[m] != 0 && i != j {
						rows[i][j] += temperatures[m] * d.At(i, j)
					}
				}
			}
		}
		all := prior.NewAffinity(several, similarity.Exponential{})
		one := prior.NewAffinity(must(similarity.NewMatrix(rows)), similarity.Exponential{})
		perm := rng.Perm(n)
		for name, laws := range map[string][2]prior.Attraction{
			"AIBD":              {must(prior.NewAIBD(all, 1.3, 1, perm)), must(prior.NewAIBD(one, 1.3, 1, perm))},
			"sequential dd-IBP": {must(prior.NewSequentialDDIBP(all, 1.3, 1, perm)), must(prior.NewSequentialDDIBP(one, 1.3, 1, perm))},
			"dd-IBP":            {must(prior.NewDDIBP(all, 1.3, 1)), must(prior.NewDDIBP(one, 1.3, 1))},
		} {
			got, want := laws[0].WithFurtherTemperatures(temperatures[1:]).With(temperatures[0], perm), laws[1]
			if got.Temperature() != temperatures[0] || !slices.Equal(got.FurtherTemperatures(), temperatures[1:]) {
				t.Fatalf("temperatures %v and %v", got.Temperature(), got.FurtherTemperatures())
			}
			compareLaws(t, fmt.Sprintf("%s, trial %d", name, trial), got, want, rng)
		}
	}
}

// compareLaws compares two laws that are to be the same.
func compareLaws(t *testing.T, name string, got, want prior.Attraction, rng *rand.Rand) {
	t.Helper()
	z := want.Rand(rng)
	if a, b := prior.LogProb(got, z), prior.LogProb(want, z); !near(a, b) {
		t.Errorf("%s: log probability %v, want %v", name, a, b)
	}
	if a, b := got.TotalIntensity(), want.TotalIntensity(); !near(a, b) {
		t.Errorf("%s: H %v, want %v", name, a, b)
	}
	a, b := got.ExpectedSharing(), want.ExpectedSharing()
	for i := range a {
		for j := range a[i] {
			if !near(a[i][j], b[i][j]) {
				t.Fatalf("%s: sharing %v, want %v", name, a[i][j], b[i][j])
			}
		}
	}
	if got.Permutation() == nil {
		return
	}
	if a, b := must(prior.LogProbAveraged(got, z)), must(prior.LogProbAveraged(want, z)); !near(a, b) {
		t.Errorf("%s: averaged log probability %v, want %v", name, a, b)
	}
}

// near reports whether two numbers, perhaps infinite, differ by rounding only.
func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// Distances with a decay each are the law of the products of their similarities, given as such. An infinite
// similarity times one of 0 is 0.
func TestSeveralDecays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 6
	decays := []similarity.Decay{similarity.Exponential{}, similarity.Reciprocal{Shift: 1}, similarity.Window{Width: 2}, similarity.Constant{}, similarity.Reciprocal{Shift: 0.2}, similarity.Reciprocal{}, similarity.Given{}}
	for trial := range 60 {
		var several similarity.Several
		var byDistance []similarity.Decay
		temperatures := []float64{2 * rng.Float64(), rng.Float64(), float64(rng.IntN(2))}
		products := lists.Square(n)
		kinds := 4 // which the dd-IBP takes
		if trial%2 == 1 {
			kinds = len(decays)
		}
		for m := range temperatures {
			decay, rows := decays[rng.IntN(kinds)], lists.Square(n)
			for i := range rows {
				for j := range rows[i] {
					if rows[i][j] = 3 * rng.Float64(); rng.IntN(8) == 0 {
						rows[i][j] = 0
					}
					switch log := decay.LogSimilarity(temperatures[m], rows[i][j]); {
					case m == 0:
						products[i][j] = math.Exp(log)
					case math.IsInf(log, -1):
						products[i][j] = 0
					case products[i][j] != 0:
						products[i][j] *= math.Exp(log)
					}
				}
			}
			several, byDistance = append(several, must(similarity.NewMatrix(rows))), append(byDistance, decay)
		}
		all, one := prior.NewAffinity(several, byDistance...), prior.NewAffinity(must(similarity.NewMatrix(products)), similarity.Given{})
		perm := rng.Perm(n)
		laws := map[string][2]prior.Attraction{"AIBD": {must(prior.NewAIBD(all, 1.3, 1, perm)), must(prior.NewAIBD(one, 1.3, 1, perm))}}
		if kinds == 4 {
			laws["sequential dd-IBP"] = [2]prior.Attraction{must(prior.NewSequentialDDIBP(all, 1.3, 1, perm)), must(prior.NewSequentialDDIBP(one, 1.3, 1, perm))}
			laws["dd-IBP"] = [2]prior.Attraction{must(prior.NewDDIBP(all, 1.3, 1)), must(prior.NewDDIBP(one, 1.3, 1))}
		}
		for name, pair := range laws {
			compareLaws(t, fmt.Sprintf("%s, trial %d", name, trial), pair[0].WithFurtherTemperatures(temperatures[1:]).With(temperatures[0], perm), pair[1], rng)
		}
	}
}

// Several distances have one decay for all or one each, one number of items, and a temperature each.
func TestSeveralDistancesErrors(t *testing.T) {
	d, e := similarity.Same([]int{1, 2, 1}), similarity.Same([]int{1, 2})
	for name, f := range map[string]func(){
		"three decays": func() {
			prior.NewAffinity(similarity.Several{d, d}, similarity.Window{}, similarity.Exponential{}, similarity.Exponential{})
		},
		"other items": func() { prior.NewAffinity(similarity.Several{d, e}, similarity.Exponential{}) },
		"three temperatures": func() {
			must(prior.NewDDIBP(prior.NewAffinity(similarity.Several{d, d}, similarity.Exponential{}), 1, 1)).WithFurtherTemperatures([]float64{1, 2})
		},
		"below 0": func() {
			must(prior.NewDDIBP(prior.NewAffinity(similarity.Several{d, d}, similarity.Exponential{}), 1, 1)).WithFurtherTemperatures([]float64{-1})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
