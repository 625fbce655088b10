package results

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// Draws of the prior overlap with it, with and without autocorrelation of the size that
// agreement allows; draws of half its width do not.
func TestOverlap(t *testing.T) {
	quantile := distuv.Gamma{Alpha: 1, Beta: 2}.Quantile
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var same, slow, narrow []float64
		x := rng.ExpFloat64() / 2
		for range 2000 {
			if rng.IntN(5) == 0 { // 400 distinct draws
				x = rng.ExpFloat64() / 2
			}
			same, slow = append(same, rng.ExpFloat64()/2), append(slow, x)
			narrow = append(narrow, 0.5+0.1*rng.NormFloat64())
		}
		if a, b := Overlap([][]float64{same}, quantile), Overlap([][]float64{slow}, quantile); a < verdict.Repeated || b < verdict.Repeated {
			t.Errorf("seed %d: found overlaps %v and %v of draws of the prior, expected at least %v", seed, a, b, verdict.Repeated)
		}
		if a := Overlap([][]float64{narrow}, quantile); a >= verdict.Repeated {
			t.Errorf("seed %d: found an overlap of %v of narrow draws, expected less than %v", seed, a, verdict.Repeated)
		}
	}
}

// Chains that disagree on the temperature say what each of them says, or that they disagree.
func TestConclude(t *testing.T) {
	quantile := func(p float64) float64 { return -math.Log1p(-p) }
	random := rand.New(rand.NewPCG(1, 2))
	around := func(center float64) (chain []float64) {
		for range 400 {
			chain = append(chain, center*math.Exp(0.05*random.NormFloat64()))
		}
		return chain
	}
	var fromPrior [2][]float64
	for c := range fromPrior {
		for range 400 {
			fromPrior[c] = append(fromPrior[c], random.ExpFloat64())
		}
	}
	mostly := append(around(3)[:380], around(0.05)[:20]...) // 5% below the tenth of the prior
	for want, chains := range map[string][][]float64{
		"Distance matters.": {around(3), around(3)},
		"Distance matters; each chain says so, though they disagree on the temperature.":                                   {around(3), around(5)},
		"Distance may matter; the chains disagree on the temperature.":                                                     {around(3), around(5), around(4), mostly},
		"The chains disagree on whether distance matters.":                                                                 {around(3), around(0.01)},
		"Distance matters little.":                                                                                         {around(0.02), around(0.02)},
		"Distance matters little; the chains disagree on the temperature.":                                                 {around(0.02), fromPrior[0]},
		"The data are inconclusive about whether distance matters, as the posterior of the temperature repeats its prior.": fromPrior[:],
	} {
		opinion, evidence := conclude(chains, quantile)
		if got := opinion.sentence("distance") + evidence + "."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := mattersLittle.sentence("site"); got != "site matters little" {
		t.Errorf("got %q", got)
	}
}

// A note names distances that the data cannot separate, and Bayes factors have two digits.
func TestFoundDistance(t *testing.T) {
	j := &Judged{Run: &runs.Run{Dir: "run"}}
	s := &Summary{Judged: j, Distances: []DistanceFinding{{Name: "age", Conclusion: matters, opinion: "age matters", factor: " (Bayes factor at least 20)", numbers: "numbers"}, {Name: "site", Conclusion: leansAgainst, opinion: "The data lean against an influence of site", number: 1}}, Entangled: []Entangled{{First: "age", Second: "site", Distances: 0.954, Temperatures: -0.6}}}
	want := []string{"age matters, or site in its place (Bayes factor at least 20): numbers.", "The data lean against an influence of site.", "The data cannot separate age and site: their distances have correlation 0.95, and their temperatures, which make up for each other, -0.60 (aibd plot run temperatures)."}
	if got := s.distance(); !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
	for factor, want := range map[float64]Opinion{0.3: leansAgainst, 0.5: uncertain, 1.1: uncertain, 2.9: uncertain, 3.1: mayMatter} {
		if got := byFactor(Influence{Log: math.Log(factor), StdErr: 0.01}); got != want {
			t.Errorf("factor %v: found %q, expected %q", factor, got, want)
		}
	}
	for want, i := range map[string]Influence{
		" (Bayes factor 0.70, error 1%)":   {Log: math.Log(0.7), StdErr: 0.001},
		" (Bayes factor 12, error 8%)":     {Log: math.Log(12.3), StdErr: 0.08},
		" (Bayes factor at least 460000)":  {Log: math.Log(463453), StdErr: 0.2, AtLeast: true},
		" (Bayes factor at least 5.2e+13)": {Log: math.Log(5.2e13), StdErr: 0.2, AtLeast: true},
	} {
		if got := i.text(false); got != want {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
}

func TestRepeatsPrior(t *testing.T) {
	for want, names := range map[string][]string{
		"The posterior of mass repeats its prior: the data say little about it.":                         {"mass"},
		"The posteriors of mass and SigmaA repeat their priors: the data say little about them.":         {"mass", "SigmaA"},
		"The posteriors of mass, SigmaX and SigmaA repeat their priors: the data say little about them.": {"mass", "SigmaX", "SigmaA"},
	} {
		if got := repeatsPrior(names); got != want {
			t.Errorf("found %s\nexpected %s", got, want)
		}
	}
}

// Medians have as many digits as their intervals need, and a star if the chains disagree.
func TestWithInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	chains := make([][]float64, 4)
	for c := range chains {
		for range 500 {
			chains[c] = append(chains[c], 3+0.1*rng.NormFloat64())
		}
	}
	if got := WithInterval(nil, chains); !strings.HasPrefix(got, "3.0") || strings.Contains(got, "*") {
		t.Errorf("found %s, expected 3.0 without a star", got)
	}
	for i := range chains[2] {
		chains[2][i]++
	}
	if got := WithInterval(nil, chains); !strings.Contains(got, "* (") {
		t.Errorf("found %s, expected a star", got)
	}
}

// A median has as many digits as its interval leaves, with an exponent where they are not the last ones
// before the point.
func TestWithIntervalInAnyUnit(t *testing.T) {
	for want, unit := range map[string]float64{
		"2.5 (1.2 to 3.9)": 1, "0.00025 (0.00012 to 0.00039)": 1e-4, "2.5e-12 (1.2e-12 to 3.9e-12)": 1e-12,
		"253000 (118000 to 388000)": 1e5, "2.5e+10 (1.2e+10 to 3.9e+10)": 1e10, "2.5e+200 (1.2e+200 to 3.9e+200)": 1e200,
	} {
		var chain []float64
		for i := range 401 {
			chain = append(chain, unit*(1.03+3*float64(i*163%401)/400))
		}
		if got := WithInterval(nil, [][]float64{chain}); got != want {
			t.Errorf("%g: found %s, expected %s", unit, got, want)
		}
	}
}

// Features with the same items count once, unless they have weights.
func TestDistinctFeatures(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 1, 1, 0, 0, 1}, {0, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	d := &draws.Draw{Z: z}
	if got := distinctFeatures(d); got != 2 {
		t.Errorf("found %v features of several items, expected 2", got)
	}
	d.Weights = make([]float64, z.Ones())
	if got := distinctFeatures(d); got != 3 {
		t.Errorf("found %v weighted features of several items, expected 3", got)
	}
}

// TestOrient: features with weights of both signs have the sign of their strongest column, others that of their items.
func TestOrient(t *testing.T) {
	x := [][]float64{{9, 1, 5}, {4, 2, 5}, {1, math.NaN(), 5}, {0, 9, 5}}
	weights := [][]float64{{-1.5, -0.5, 0.5, 1.4}, {1.5, 0.5, -0.5, -1.4}, {0, 0, 1, 2}, {0.2, 0, -0.1, -0.2}}
	want := [][]float64{{1.5, 0.5, -0.5, -1.4}, {1.5, 0.5, -0.5, -1.4}, {0, 0, 1, 2}, {0.2, 0, -0.1, -0.2}}
	orient(weights, x)
	if !reflect.DeepEqual(weights, want) {
		t.Errorf("found %v, expected %v", weights, want)
	}
}

// Parentheses separate names that are numbers from the numbers beside them.
func TestBeside(t *testing.T) {
	for want, names := range map[string][]string{"Iowa 1.81": {"Iowa", "Ohio"}, "67 (1.81)": {"67", "Ohio"}, "-1e3 (1.81)": {"-1e3"}, "S1 1.81": {"S1"}} {
		j := &Judged{Run: &runs.Run{}}
		j.Run.Data.IDs = names
		if got := j.Beside(0, "1.81"); got != want {
			t.Errorf("%v: found %q, expected %q", names, got, want)
		}
	}
}

// A Bayes factor of 20 settles whether a distance matters, in either direction.
func TestOfFactor(t *testing.T) {
	for want, all := range map[Opinion][]Influence{
		matters:       {{Log: math.Log(30), StdErr: 0.1}, {Log: math.Log(25), StdErr: 0.4, AtLeast: true}},
		mayMatter:     {{Log: math.Log(30), StdErr: 0.5}, {Log: math.Log(5), AtLeast: true}},
		uncertain:     {{Log: math.Log(1.2), StdErr: 0.1}},
		leansAgainst:  {{Log: math.Log(0.1), StdErr: 0.1}},
		mattersLittle: {{Log: math.Log(0.02), StdErr: 0.1}},
	} {
		for _, i := range all {
			if got := ofFactor(i); got != want {
				t.Errorf("%v: found %q, expected %q", i, got, want)
			}
		}
	}
}
