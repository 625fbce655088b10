package mcmc

// The table of docs/theory/evidence.md on unknown cells: estimates of the log evidence of three items by
// four populations of the default size, against enumeration of Z with quadrature over the scales.
// make evidence-table prints it.

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/lglfm"
	"aibd/posterior"
)

var evidenceEstimates = flag.Int("evidence", 0, "estimates of each table: print the table of docs/theory/evidence.md on unknown cells")

// unknownCells are tables of three items, named by their unknown cells.
func unknownCells(t *testing.T) (names []string, cases []enumerated) {
	add := func(name string, c enumerated) {
		c.law, c.maxK = threeItems.law.WithMass(0.6), 5
		names, cases = append(names, name), append(cases, c)
	}
	c := threeItems
	c.x = [][]float64{{1.9, -0.8, 2.4, 0.4}, {1.7, -0.3, 2.1, 0.2}, {-1.2, 1.5, 0.7, 0.1}}
	add("none", c)
	c.x = [][]float64{{1.9, -0.8, 2.4, nan}, {1.7, nan, nan, nan}, {-1.2, 1.5, 0.7, 0.1}}
	add("four cells", c)
	add("a cell above a limit, one in an interval, one cell", threeWithBounds(t)[0])
	add("an ordinal column", threeWithLevels()[0])
	c.x = [][]float64{
		{0.9, -0.8, nan, 1.4, nan, 0.3, -1.2, nan, 1.1, 0.4, nan, 0.2},
		{0.7, nan, 1.2, 1.0, 0.6, nan, -1.0, 0.4, nan, 0.1, 0.9, nan},
		{nan, -2, -0.7, nan, 0.4, 1.8, nan, 0.5, 0.3, nan, 0.1, -0.9},
	}
	c.noise, c.lower = true, slices.Repeat([]float64{0.05}, 12)
	add("twelve cells, noise scales", c)
	c.intercept = true
	add("twelve cells, noise scales, an intercept", c)
	return names, cases
}

// TestUnknownCellsTable: small populations of one table in the usual test, the whole table with -evidence.
func TestUnknownCellsTable(t *testing.T) {
	estimates, cfg := *evidenceEstimates, PopulationConfig{Members: 8, Scans: 60}
	if estimates == 0 {
		estimates, cfg = 2, PopulationConfig{Members: 2, Scans: 5}
	}
	interval := distuv.StudentsT{Sigma: 1, Nu: 3}.Quantile(0.95)
	fmt.Fprintln(t.Output(), "| unknown | log evidence | bias (error) | sd | printed error | 90% intervals cover |\n|---|--:|--:|--:|--:|--:|")
	names, cases := unknownCells(t)
	for i, c := range cases {
		if *evidenceEstimates == 0 && i > 0 {
			break
		}
		c.scales = populationStart.Scales
		post := c.posterior(t)
		xs, as := []node{{1, 1}}, []node{{1, 1}}
		if len(c.ordinal) == 0 { // whose probability takes long
			post.SigmaX.Max, post.SigmaA.Max = 1.5, 2
			xs, as = nodes(14, func(u float64) float64 { return u * post.SigmaX.Max }), nodes(8, func(u float64) float64 { return u * post.SigmaA.Max })
		}
		exact := 0.0
		for _, x := range xs {
			for _, a := range as {
				c.scales = lglfm.Scales{SigmaX: x.x, SigmaA: a.x}
				_, sum := c.weighed(t)
				exact += sum * x.p * a.p
			}
		}
		var found, errors []float64
		covers := 0.0
		for estimate := range estimates {
			var logs []float64
			for population := range 4 {
				run := func(cfg PopulationConfig, label string) *Population {
					p := newPopulation(t, post, cfg, fmt.Sprint(names[i], estimate, population, label))
					for !p.Done() {
						if err := p.Next(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
					return p
				}
				cfg := cfg
				if i > 0 { // unknown cells
					cfg.Schedule = run(cfg, "pilot").Schedule()
				}
				logs = append(logs, run(cfg, "").LogEvidence())
			}
			log, spread := posterior.Evidence(logs)
			found, errors = append(found, log-math.Log(exact)), append(errors, spread/2)
			covers += indicator(math.Abs(log-math.Log(exact)) < interval*spread/2)
		}
		mean, sd := stat.MeanStdDev(found, nil)
		if !(math.Abs(mean) < 1) {
			t.Errorf("%s: log evidence off by %.2f", names[i], mean)
		}
		fmt.Fprintf(t.Output(), "| %s | %.2f | %.3f (%.3f) | %.3f | %.3f | %.2f |\n",
			names[i], math.Log(exact), mean, sd/math.Sqrt(float64(estimates)), sd, stat.Mean(errors, nil), covers/float64(estimates))
	}
}
