package prior_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/internal/intensity"
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
			rows := intensity.Square(n)
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
		rows := intensity.Square(n)
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
			got, want := laws[0].WithFurther(temperatures[1:]).With(temperatures[0], perm), laws[1]
			if got.Temperature() != temperatures[0] || !slices.Equal(got.Further(), temperatures[1:]) {
				t.Fatalf("temperatures %v and %v", got.Temperature(), got.Further())
			}
			z := want.Rand(rng)
			if a, b := prior.LogProb(got, z), prior.LogProb(want, z); !near(a, b) {
				t.Errorf("%s, trial %d: log probability %v, want %v", name, trial, a, b)
			}
			if a, b := got.TotalIntensity(), want.TotalIntensity(); !near(a, b) {
				t.Errorf("%s, trial %d: H %v, want %v", name, trial, a, b)
			}
			a, b := got.ExpectedSharing(), want.ExpectedSharing()
			for i := range a {
				for j := range a[i] {
					if !near(a[i][j], b[i][j]) {
						t.Fatalf("%s, trial %d: sharing %v, want %v", name, trial, a[i][j], b[i][j])
					}
				}
			}
			if name == "dd-IBP" {
				continue
			}
			if a, b := must(prior.LogProbAveraged(got, z)), must(prior.LogProbAveraged(want, z)); !near(a, b) {
				t.Errorf("%s, trial %d: averaged log probability %v, want %v", name, trial, a, b)
			}
		}
	}
}

// near reports whether two numbers, perhaps infinite, differ by rounding only.
func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// Several distances need the exponential decay, one number of items, and a temperature each.
func TestSeveralDistancesErrors(t *testing.T) {
	d, e := similarity.Same([]int{1, 2, 1}), similarity.Same([]int{1, 2})
	for name, f := range map[string]func(){
		"window":      func() { prior.NewAffinity(similarity.Several{d, d}, similarity.Window{}) },
		"other items": func() { prior.NewAffinity(similarity.Several{d, e}, similarity.Exponential{}) },
		"three temperatures": func() {
			must(prior.NewDDIBP(prior.NewAffinity(similarity.Several{d, d}, similarity.Exponential{}), 1, 1)).WithFurther([]float64{1, 2})
		},
		"below 0": func() {
			must(prior.NewDDIBP(prior.NewAffinity(similarity.Several{d, d}, similarity.Exponential{}), 1, 1)).WithFurther([]float64{-1})
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
