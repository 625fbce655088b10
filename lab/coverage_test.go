package lab

// The tables of docs/theory/decisions/scale-priors.md on the priors of SigmaX and SigmaA: data are simulated from
// scales that no rule chose, and 90% intervals should cover them.
// make coverage-table prints them.

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

var coverage = flag.Int("coverage", 0, "data sets of each table: print the tables of docs/theory/decisions/scale-priors.md on coverage")

// shape says how data sets are simulated: SigmaX ~ U(0, maxX), SigmaA ~ U(0, maxA), Z ~ IBP with mass 1.
type shape struct {
	n, d       int
	maxX, maxA float64
	noise      string // in the data and the model; "common data": in the model only
	features   mcmc.Features
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
	rng := mcmc.NewStream(7, fmt.Sprintf("%+v/%d", c, set)).Rand
	law, err := prior.NewIBP(c.n, 1)
	if err != nil {
		t.Fatal(err)
	}
	sigmaX, sigmaA := c.maxX*(1-rng.Float64()), c.maxA*(1-rng.Float64())
	z, x := law.Rand(rng), make([][]float64, c.n)
	for i := range x {
		x[i] = make([]float64, c.d)
	}
	weights := make([][]float64, c.n)
	for i := range weights {
		weights[i] = make([]float64, z.K())
		for k := range weights[i] {
			weights[i][k] = indicator(z.Has(i, k))
			if c.features == mcmc.Weighted {
				weights[i][k] *= rng.NormFloat64()
			}
		}
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
				x[i][j] += a * weights[i][k]
			}
		}
	}
	return simulated{x, law, scalarsOf{sigmaX, sigmaA, float64(z.K()), 1}}
}

// fit returns draws of a short chain of the default scans, with an intercept.
func (c shape) fit(t testing.TB, s simulated, sigmaX, sigmaA mcmc.ScalePrior, length mcmc.Config) (kept []scalarsOf) {
	data, err := lglfm.NewData(s.x)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err == nil && c.noise != "common" {
		data, err = data.WithNoiseScales(mcmc.MinNoise(s.x, c.features))
	}
	if err != nil {
		t.Fatal(err)
	}
	post := &mcmc.Posterior{Data: data, Law: s.law, Features: c.features, Mass: &mcmc.Gamma{Shape: 1, Rate: 1}, SigmaX: sigmaX, SigmaA: sigmaA}
	if err := mcmc.Sample(t.Context(), post, mcmc.OptionsFor(post, length.Warmup), length, 1, draws.RecorderFunc(func(d *draws.Draw) error {
		kept = append(kept, scalarsOf{d.SigmaX, d.SigmaA, float64(d.Z.K()), d.Mass})
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	return kept
}

// covered reports for each scalar whether the truth is within the 90% interval of the draws.
func covered(kept []scalarsOf, truth scalarsOf) (in scalarsOf) {
	values := make([]float64, len(kept))
	for q := range in {
		for i, d := range kept {
			values[i] = d[q]
		}
		slices.Sort(values)
		low, high := stat.Quantile(0.05, stat.Empirical, values, nil), stat.Quantile(0.95, stat.Empirical, values, nil)
		in[q] = indicator(low <= truth[q] && truth[q] <= high)
	}
	return in
}

// coverageRows returns the rows of a shape: a prior of the scales and the shares that are covered.
func (c shape) coverageRows(t testing.TB, sets int, length mcmc.Config) string {
	rules := []struct {
		name   string
		priors func(spread, typical lglfm.Scales) (sigmaX, sigmaA mcmc.ScalePrior)
	}{
		{"the priors of the simulation", func(_, _ lglfm.Scales) (sigmaX, sigmaA mcmc.ScalePrior) {
			return mcmc.ScalePrior{Max: c.maxX}, mcmc.ScalePrior{Max: c.maxA}
		}},
		{"exponential, SigmaA by the largest sd", func(spread, _ lglfm.Scales) (sigmaX, sigmaA mcmc.ScalePrior) {
			return mcmc.ScalePrior{Mean: spread.SigmaX}, mcmc.ScalePrior{Mean: spread.SigmaA}
		}},
		{"exponential, both by the median sd", func(_, typical lglfm.Scales) (sigmaX, sigmaA mcmc.ScalePrior) {
			return mcmc.ScalePrior{Mean: typical.SigmaX}, mcmc.ScalePrior{Mean: typical.SigmaA}
		}},
	}
	counts := make([]scalarsOf, len(rules))
	for set := range sets {
		s := c.simulate(t, set)
		spread, typical := mcmc.DefaultScales(s.x, true, false), mcmc.DefaultScales(s.x, true, true)
		for r, rule := range rules {
			sigmaX, sigmaA := rule.priors(spread, typical)
			in := covered(c.fit(t, s, sigmaX, sigmaA, length), s.truth)
			floats.Add(counts[r][:], in[:])
		}
	}
	var rows strings.Builder
	fmt.Fprintf(&rows, "**%s features, %d × %d, SigmaA up to %g, noise %s**\n\n| prior | SigmaX | SigmaA | features | mass |\n|---|--:|--:|--:|--:|\n",
		c.features, c.n, c.d, c.maxA, c.noise)
	for r, rule := range rules {
		fmt.Fprintf(&rows, "| %s |", rule.name)
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
		rows := shape{6, 3, 1, 2, "columns", mcmc.Weighted}.coverageRows(t, 2, mcmc.Config{Warmup: 20, Draws: 40, Thin: 1})
		if strings.Count(rows, "|") != 5*6 || strings.Contains(rows, "NaN") {
			t.Errorf("found the rows\n%s", rows)
		}
		return
	}
	for _, features := range []mcmc.Features{mcmc.Weighted, mcmc.Binary} {
		for _, c := range []shape{
			{50, 12, 1, 0.5, "columns", features}, {20, 5, 1, 2, "common", features}, {20, 5, 1, 2, "columns", features},
			{20, 5, 1, 2, "common data", features}, {50, 12, 1, 2, "columns", features},
		} {
			fmt.Println(c.coverageRows(t, *coverage, mcmc.Config{Warmup: 500, Draws: 1000, Thin: 2}))
		}
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
