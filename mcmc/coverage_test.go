package mcmc

// The tables of docs/decisions/scale-priors.md on the priors of SigmaX and SigmaA: data are simulated from
// scales that no rule chose, and 90% intervals should cover them.
// make coverage-table prints them.

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/prior"
)

var coverage = flag.Int("coverage", 0, "data sets of each table: print the tables of docs/decisions/scale-priors.md on coverage")

// shape says how data sets are simulated: SigmaX ~ U(0, maxX), SigmaA ~ U(0, maxA), Z ~ IBP with mass 1.
type shape struct {
	n, d       int
	maxX, maxA float64
	noise      string // in the data and the model; "common data": in the model only
}

// scaleRule is a prior of the scales: its density, up to a constant, at the scales divided by
// DefaultScales.
type scaleRule struct {
	name    string
	density func(x, a float64) float64
}

var scaleRules = []scaleRule{
	{"uniform up to 1 sd, as in the paper", uniformUpTo(1, 1)},
	{"uniform, SigmaA up to 2 sd", uniformUpTo(1, 2)},
	{"uniform, SigmaA up to 3 sd", uniformUpTo(1, 3)},
	{"uniform up to 2 sd", uniformUpTo(2, 2)},
	{"uniform up to 2 and 3 sd", uniformUpTo(2, 3)},
	{"half-normal, 1 sd", func(x, a float64) float64 { return math.Exp(-(x*x + a*a) / 2) }},
	{"exponential, means 1 and 2 sd", func(x, a float64) float64 { return math.Exp(-x - a/2) }},
	{"exponential, means 1 sd", func(x, a float64) float64 { return math.Exp(-x - a) }},
}

func uniformUpTo(maxX, maxA float64) func(x, a float64) float64 {
	return func(x, a float64) float64 { return indicator(x < maxX && a < maxA) }
}

// scalarsOf are SigmaX, SigmaA, the number of features and the mass.
type scalarsOf [4]float64

// simulated is a data set with a shape.
type simulated struct {
	x     [][]float64
	law   prior.Law
	truth scalarsOf
}

func (c shape) simulate(t testing.TB, set int) simulated {
	rng := NewStream(7, fmt.Sprintf("%+v/%d", c, set)).Rand
	law, err := prior.NewIBP(c.n, 1)
	if err != nil {
		t.Fatal(err)
	}
	sigmaX, sigmaA := c.maxX*(1-rng.Float64()), c.maxA*(1-rng.Float64())
	z, x := law.Rand(rng), make([][]float64, c.n)
	for i := range x {
		x[i] = make([]float64, c.d)
	}
	for j := range c.d {
		scale := 1.0
		if c.noise == "columns" {
			scale = 1 / math.Sqrt(rng.ExpFloat64())
		}
		for i := range x {
			x[i][j] = scale * sigmaX * rng.NormFloat64()
		}
		for k := range z.K() {
			a := scale * sigmaA * rng.NormFloat64()
			for i := range x {
				x[i][j] += a * indicator(z.Has(i, k))
			}
		}
	}
	return simulated{x, law, scalarsOf{sigmaX, sigmaA, float64(z.K()), 1}}
}

// fit returns draws of a short chain of the default scans, with an intercept.
func (c shape) fit(t testing.TB, s simulated, sigmaX, sigmaA ScalePrior, length Config) (kept []scalarsOf) {
	data, err := lglfm.NewData(s.x)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err == nil && c.noise != "common" {
		data, err = data.WithNoiseScales(lglfm.MinNoise(s.x))
	}
	if err != nil {
		t.Fatal(err)
	}
	post := &Posterior{Data: data, Law: s.law, Mass: &Gamma{1, 1}, SigmaX: sigmaX, SigmaA: sigmaA}
	if err := Sample(t.Context(), post, DefaultOptions().For(post, length.Warmup), length, 1, draws.RecorderFunc(func(d *draws.Draw) error {
		kept = append(kept, scalarsOf{d.SigmaX, d.SigmaA, float64(d.Z.K()), d.Mass})
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	return kept
}

// covered reports for each scalar whether the truth is within the 90% interval of weighted draws.
func covered(kept []scalarsOf, weights []float64, truth scalarsOf) (in scalarsOf) {
	sum := floats.Sum(weights)
	for q := range in {
		order := make([]int, len(kept))
		for i := range order {
			order[i] = i
		}
		sort.Slice(order, func(a, b int) bool { return kept[order[a]][q] < kept[order[b]][q] })
		quantile := func(p float64) float64 {
			below := 0.0
			for _, i := range order {
				if below += weights[i]; below >= p*sum {
					return kept[i][q]
				}
			}
			return kept[order[len(order)-1]][q]
		}
		in[q] = indicator(quantile(0.05) <= truth[q] && truth[q] <= quantile(0.95))
	}
	return in
}

// coverageRows returns the rows of a shape. Rules weigh the draws of one fit under wide uniform
// priors; the last rows have fits under priors of their own, as weights of draws lose modes that
// wide priors hardly visit.
func (c shape) coverageRows(t testing.TB, sets int, length Config) string {
	names, counts, above := []string{}, make([]scalarsOf, len(scaleRules)+2), 0.0
	for set := range sets {
		s := c.simulate(t, set)
		base := DefaultScales(s.x, true)
		above += indicator(s.truth[1] > base.SigmaA)
		wide := c.fit(t, s, ScalePrior{Max: 3 * base.SigmaX}, ScalePrior{Max: 8 * base.SigmaA}, length)
		names = names[:0]
		row := func(name string, kept []scalarsOf, weights []float64) {
			if floats.Sum(weights) > 0 { // else the interval is elsewhere
				in := covered(kept, weights, s.truth)
				floats.Add(counts[len(names)][:], in[:])
			}
			names = append(names, name)
		}
		for _, rule := range scaleRules {
			weights := make([]float64, len(wide))
			for i, d := range wide {
				weights[i] = rule.density(d[0]/base.SigmaX, d[1]/base.SigmaA)
			}
			row(rule.name, wide, weights)
		}
		for _, p := range []struct {
			name           string
			sigmaX, sigmaA ScalePrior
		}{
			{"the priors of the simulation, fitted", ScalePrior{Max: c.maxX}, ScalePrior{Max: c.maxA}},
			{"**the default, fitted**", ScalePrior{Mean: base.SigmaX}, ScalePrior{Mean: base.SigmaA}},
		} {
			fitted := c.fit(t, s, p.sigmaX, p.sigmaA, length)
			row(p.name, fitted, slices.Repeat([]float64{1}, len(fitted)))
		}
	}
	var rows strings.Builder
	fmt.Fprintf(&rows, "**%d × %d, SigmaA up to %g, noise %s, %d data sets.** SigmaA is above 1 sd in %.0f%%; one standard error of a share near 0.9 is %.3f.\n\n| prior | SigmaX | SigmaA | features | mass |\n|---|--:|--:|--:|--:|\n",
		c.n, c.d, c.maxA, c.noise, sets, 100*above/float64(sets), math.Sqrt(0.9*0.1/float64(sets)))
	for r, name := range names {
		fmt.Fprintf(&rows, "| %s |", name)
		for _, n := range counts[r] {
			fmt.Fprintf(&rows, " %.2f |", n/float64(sets))
		}
		fmt.Fprintln(&rows)
	}
	return rows.String()
}

// TestCoverageTable: two data sets in the usual test, the whole tables with -coverage.
func TestCoverageTable(t *testing.T) {
	if *coverage == 0 {
		rows := shape{6, 3, 1, 2, "columns"}.coverageRows(t, 2, Config{Warmup: 20, Draws: 40, Thin: 1})
		if strings.Count(rows, "|") != 6*(len(scaleRules)+4) || strings.Contains(rows, "NaN") {
			t.Errorf("found the rows\n%s", rows)
		}
		return
	}
	for _, c := range []shape{
		{20, 5, 1, 2, "common"}, {20, 5, 1, 2, "columns"}, {20, 5, 1, 2, "common data"},
		{50, 12, 1, 2, "columns"}, {50, 12, 1, 0.5, "columns"},
	} {
		fmt.Println(c.coverageRows(t, *coverage, Config{Warmup: 500, Draws: 1000, Thin: 2}))
	}
}
