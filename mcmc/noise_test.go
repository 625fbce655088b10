package mcmc

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"aibd/feature"
	"aibd/lglfm"
)

// noisyItems is three items with noise scales and unknown cells, without and with an intercept.
func noisyItems() []enumerated {
	c := threeItems
	c.x = [][]float64{{1.9, -0.4, nan}, {1.6, nan, 0.2}, {-1.2, 2.5, 0.1}}
	c.scales, c.maxK, c.noise = lglfm.Scales{SigmaX: 0.6, SigmaA: 1.1}, 6, true
	with := c
	with.x = [][]float64{{5.9, -0.4, nan}, {5.6, 0.3, 2.2}, {2.2, 2.5, 1.1}}
	with.intercept = true
	return []enumerated{c, with}
}

// noisyColumn returns the log density of column j given Z and the noise scale 1, up to the quadratic
// form, the form, and the number of rows that count.
func (c enumerated) noisyColumn(z *feature.Allocation, j int) (log, quadratic, rows float64) {
	var x []float64
	var kept []int
	for i, row := range c.x {
		if !math.IsNaN(row[j]) {
			x, kept = append(x, row[j]), append(kept, i)
		}
	}
	of := feature.New(len(x))
	for k := range z.K() {
		column := make([]uint64, 1)
		for a, i := range kept {
			column[0] |= uint64(btoi(z.Has(i, k))) << a
		}
		if column[0] != 0 {
			of.AppendColumn(column)
		}
	}
	precision, log := c.precision(of)
	column := mat.NewVecDense(len(x), x)
	rows = float64(len(x))
	if c.intercept {
		rows--
	}
	return log, mat.Inner(column, precision, column), rows
}

// logNoisy returns the log likelihood of z with the noise scales integrated out: a multivariate t
// density of each column.
func (c enumerated) logNoisy(z *feature.Allocation) (sum float64) {
	const half = noiseFreedom / 2.0
	from, _ := math.Lgamma(half)
	for j := range c.x[0] {
		log, quadratic, rows := c.noisyColumn(z, j)
		to, _ := math.Lgamma(half + rows/2)
		sum += log + to - from + half*math.Log(half) - (half+rows/2)*math.Log(half+quadratic/2)
	}
	return sum
}

// TestExactPosteriorNoise compares chains with enumeration, by the rules of TestExactPosterior. A
// chain whose noise scales stay where they start is noticed.
func TestExactPosteriorNoise(t *testing.T) {
	for i, c := range noisyItems() {
		moves := newCycle(newNoise(c.posterior(t), false), cells{}, exactRows())
		if z := c.worst(t, fmt.Sprint("noise ", i), length(scans/10), moves, nil); !(z < limit) {
			t.Errorf("data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
	z := noisyItems()[0].worst(t, "no noise", length(scans/10), newCycle(cells{}, exactRows()), nil)
	t.Logf("noise scales that stay: |z| = %.1f", z)
	if z < limit {
		t.Errorf("noise scales that stay pass with |z| = %.2f", z)
	}
}

// TestExactNoise compares the mean of the squared inverse of each noise scale over a chain with its
// exact posterior mean.
func TestExactNoise(t *testing.T) {
	for i, c := range noisyItems() {
		probs := c.exact(t)
		want := make([]float64, len(c.x[0]))
		feature.Enumerate(3, c.maxK, func(z *feature.Allocation) bool {
			for j := range want {
				_, quadratic, rows := c.noisyColumn(z, j)
				want[j] += probs[code(z)] * (noiseFreedom + rows) / (noiseFreedom + quadratic)
			}
			return true
		})
		c.compareMeans(t, "noise", newCycle(newNoise(c.posterior(t), false), cells{}, exactRows()), want, func(s *target, values []float64) {
			for j, scale := range s.NoiseScales() {
				values[j] = 1 / (scale * scale)
			}
		}, fmt.Sprintf("data %d, column", i+1))
	}
}

// TestPopulationNoise: the evidence is that of the observed cells with the noise scales integrated
// out.
func TestPopulationNoise(t *testing.T) {
	for i, c := range noisyItems() {
		_, sum := c.weighed(t)
		const runs = 40
		ratios := make([]float64, runs)
		for r := range ratios {
			o := smallOptions()
			p, err := NewPopulation(c.posterior(t), Start{Scales: c.scales}, o, PopulationConfig{Members: 20, Scans: 20}, 1, fmt.Sprint("noise ", i, r))
			if err != nil {
				t.Fatal(err)
			}
			for !p.Done() {
				if err := p.Next(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			ratios[r] = math.Exp(p.LogEvidence() - math.Log(sum))
		}
		mean, sd := stat.MeanStdDev(ratios, nil)
		t.Logf("data %d: evidence %.4f of the exact one, sd of a population %.3f", i+1, mean, sd)
		if z := math.Abs(mean-1) / (sd / math.Sqrt(runs)); !(z < limit) {
			t.Errorf("data %d: evidence %.4f of the exact one, |z| = %.2f", i+1, mean, z)
		}
	}
}

// TestNoiseStarts: a chain restored from a checkpoint continues with the same noise scales, and a
// checkpoint with too few of them, or with a scale that is not positive, is an error.
func TestNoiseStarts(t *testing.T) {
	c := noisyItems()[1]
	post, cfg, o := c.posterior(t), Config{Warmup: 5, Draws: 20, Thin: 1}, smallOptions()
	chain, err := NewChain(post, Start{Scales: c.scales}, o, cfg, NewStream(1, "noise"))
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		chain.step()
		chain.count()
	}
	p, err := chain.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Resume(post, o, cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		chain.step()
		again.step()
		a, b := chain.target, again.target
		if fmt.Sprint(a.NoiseScales(), a.Scales(), a.LogLik(), a.LogPrior()) != fmt.Sprint(b.NoiseScales(), b.Scales(), b.LogLik(), b.LogPrior()) {
			t.Fatalf("restored: noise scales %v and scales %v, expected %v and %v", b.NoiseScales(), b.Scales(), a.NoiseScales(), a.Scales())
		}
	}
	for _, wrong := range [][]float64{p.NoiseScales[1:], nil, {1, 0, 1}} {
		p.NoiseScales = wrong
		if _, err := Resume(post, o, cfg, p); err == nil {
			t.Errorf("a checkpoint with the noise scales %v is restored", wrong)
		}
	}
}

// TestNoiseWaits: the noise scales keep their values while a chain is annealed, and change after.
func TestNoiseWaits(t *testing.T) {
	c := noisyItems()[0]
	o := smallOptions()
	o.Anneal = 4
	chain, err := NewChain(c.posterior(t), Start{Scales: c.scales}, o, Config{Warmup: 5, Draws: 1, Thin: 1}, NewStream(1, "noise"))
	if err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprint(chain.target.NoiseScales())
	for scan := range 5 {
		chain.step()
		chain.count()
		if same := fmt.Sprint(chain.target.NoiseScales()) == start; same != (scan < 4) {
			t.Errorf("after scan %d: noise scales %v, started at %s", scan+1, chain.target.NoiseScales(), start)
		}
	}
}
