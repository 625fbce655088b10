package verdict

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"aibd/posterior"
)

// axesOf returns a family of fitted values of four chains of 20 items and 5 variables, with three axes of the given
// sizes. In each half of a chain axis a is turned toward an axis of its own, by the angle turns[a], and multiplied by
// 1 + grows[a] in the halves of the last chain.
func axesOf(sizes, turns, grows [3]float64) Family {
	const n, variables, halves = 20, 5, 8
	f := Family{Key: "fitted", Name: "fitted values", Negligible: 0.1, Label: func(int) string { return "" }, n: 100, variables: variables}
	wave := func(k, i, n int) float64 { // orthonormal and without a mean
		return math.Sqrt(2/float64(n)) * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/float64(n))
	}
	for h := range halves {
		mean, variance := make([]float64, n*variables), make([]float64, n*variables)
		for a, size := range sizes {
			if h >= halves-2 {
				size *= 1 + grows[a]
			}
			for i := range n {
				item := math.Cos(turns[a])*wave(1+a, i, n) + math.Sin(turns[a])*wave(4+h, i, n)
				for v := range variables {
					mean[i*variables+v] += size * item * wave(1+a, v, variables)
					variance[i*variables+v] = 1
				}
			}
		}
		f.mean, f.variance = append(f.mean, mean), append(f.variance, variance)
	}
	return f
}

func TestLarge(t *testing.T) {
	for name, test := range map[string]struct {
		sizes, turns, grows [3]float64
		axes                int
		share, differ       float64
		agreed              bool
	}{
		"same":                    {[3]float64{9, 6, 3}, [3]float64{}, [3]float64{}, 3, 1, 0, true},
		"equal axes":              {[3]float64{5, 5, 5}, [3]float64{}, [3]float64{}, 3, 1, 0, true},
		"the smallest is turned":  {[3]float64{9, 6, 3}, [3]float64{0, 0, 0.8}, [3]float64{}, 2, 0.93, 0, true},
		"the largest is turned":   {[3]float64{9, 6, 3}, [3]float64{1.2, 0, 0}, [3]float64{}, 1, 0.29, 0, false},
		"the smaller grows":       {[3]float64{9, 6, 0}, [3]float64{}, [3]float64{0, 0.2, 0}, 2, 1, 0.143, true},
		"the larger is another's": {[3]float64{9, 6, 0}, [3]float64{}, [3]float64{1, 0, 0}, 0, 0, 0, false},
		"nothing":                 {[3]float64{0.5, 0.5, 0.5}, [3]float64{1, 1, 1}, [3]float64{}, 0, 0, 0, true},
	} {
		f := axesOf(test.sizes, test.turns, test.grows)
		l := f.large()
		if l.Axes != test.axes || math.Abs(l.Share-test.share) > 0.02 || math.Abs(l.Differ-test.differ) > 0.01 || l.agreed() != test.agreed || l.Nothing != (name == "nothing") {
			t.Errorf("%s: found %+v", name, l)
		}
		scaled := axesOf(test.sizes, test.turns, test.grows) // the unit does not matter
		scaled.Negligible *= 1000
		for _, mean := range scaled.mean {
			for e := range mean {
				mean[e] *= 1000
			}
		}
		if other := scaled.large(); other.Axes != l.Axes || math.Abs(other.Share-l.Share) > 1e-9 || math.Abs(other.Differ-l.Differ) > 1e-9 || other.Nothing != l.Nothing {
			t.Errorf("%s: found %+v, in another unit %+v", name, l, other)
		}
	}
}

// Of three verdicts the second needs large axes that are the same, whatever scalars say, and chains that move.
func TestThreeVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	same, apart := axesOf([3]float64{9, 6, 3}, [3]float64{}, [3]float64{}), axesOf([3]float64{9, 6, 3}, [3]float64{1.2, 0, 0}, [3]float64{})
	mixed, slow := simulated(rng.Uint64(), zeros, 1000, 0), shifted(rng.Uint64(), []float64{0, 1, 2, 3}, 1000, 0.5)
	for name, test := range map[string]struct {
		in    Input
		large bool
		line  string
		short string
	}{
		"agree":                  {Input{Families: []Family{same}, Quantities: input(mixed).Quantities}, true, "The chains agree: R-hat is at most 1.00", ""},
		"agree on what is large": {Input{Families: []Family{same}, Quantities: input(slow).Quantities}, true, "The chains agree on what is large: the 3 largest axes of the fitted values, with 100% of their sum of squares, differ from their mean by at most 0% in each half of a chain. They do not agree on the rest: R-hat is ", "The chains agree on what is large only"},
		"do not agree":           {Input{Families: []Family{apart}, Quantities: input(slow).Quantities}, false, "The chains do not agree: R-hat is ", "The chains disagree: R-hat up to "},
		"do not move":            {Input{Families: []Family{same}, Quantities: input([][]float64{make([]float64, 100), make([]float64, 100)}).Quantities}, false, "The chains do not agree: all draws of ", "The chains do not move"},
		"too few draws":          {Input{Families: []Family{same}, Quantities: input(simulated(1, zeros, 3, 0)).Quantities}, false, "The chains do not agree: too few draws", "Too few draws to judge"},
	} {
		v := Judge(test.in)
		if v.OnLarge != test.large || !strings.HasPrefix(v.Line(), test.line) || !strings.HasPrefix(v.Short(), test.short) || (v.Short() == "") != v.Agreed {
			t.Errorf("%s: found %v, %q and %q", name, v.OnLarge, v.Line(), v.Short())
		}
	}
}

// TestMarks: the rule of stars is stricter while chains do not agree on all. Draws too few for R-hat have a star, constant
// ones have none.
func TestMarks(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		sd, rHat, ess   float64
		agreed, starred bool // whether there is a star
	}{{1, 1.001, 3000, false, false}, {1, 1.004, 1900, false, true}, {1, 1.007, 3000, false, true}, {1, 1.02, 3000, true, true}, {1, nan, nan, true, true}, {0, nan, nan, false, false}} {
		summary := posterior.Summary{SD: c.sd, RHat: c.rHat, ESSBulk: c.ess}
		for v, want := range map[*Verdict]bool{nil: c.agreed, {Agreed: true, OnLarge: true}: c.agreed, {OnLarge: true}: c.starred, {}: c.starred} {
			if got := v.Marks(summary); got != want {
				t.Errorf("%+v, %+v: found %v", c, v, got)
			}
		}
	}
}
