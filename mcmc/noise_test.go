package mcmc

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
)

// noisyItems is three items with noise scales, two of which have bounds, and unknown cells, without
// and with an intercept.
func noisyItems() []enumerated {
	c := threeItems
	c.x = [][]float64{{1.9, -0.4, nan}, {1.6, nan, 0.2}, {-1.2, 2.5, 0.1}}
	c.scales, c.maxK, c.noise, c.lower = lglfm.Scales{SigmaX: 0.6, SigmaA: 1.1}, 6, true, []float64{0.9, 0, 0.3}
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
	single := feature.New(len(x))
	for k := range z.K() {
		column := make([]uint64, 1)
		for a, i := range kept {
			column[0] |= uint64(btoi(z.Has(i, k))) << a
		}
		if column[0] != 0 {
			single.AppendColumn(column)
		}
	}
	precision, log := c.precision(single)
	column := mat.NewVecDense(len(x), x)
	rows = float64(len(x))
	if c.intercept {
		rows--
	}
	return log, mat.Inner(column, precision, column), rows
}

// logNoisy returns the log likelihood of z with the noise scales integrated out: for each column, a
// multivariate t density times the share of a gamma distribution that the bound leaves, over that of the prior.
func (c enumerated) logNoisy(z *feature.Allocation) (sum float64) {
	for j := range c.x[0] {
		log, quadratic, rows := c.noisyColumn(z, j)
		gamma, _ := math.Lgamma(1 + rows/2)
		sum += log + gamma - (1+rows/2)*math.Log(1+quadratic/2) +
			math.Log(mathext.GammaIncReg(1+rows/2, (1+quadratic/2)*c.limit(j))) - math.Log(1-math.Exp(-c.limit(j)))
	}
	return sum
}

// limit returns the upper bound on the squared inverse of the noise scale of column j.
func (c enumerated) limit(j int) float64 {
	if c.lower[j] == 0 {
		return 1e9
	}
	return math.Pow(c.scales.SigmaX/c.lower[j], 2)
}

// TestExactPosteriorNoise compares chains with enumeration, by the rules of TestExactPosterior. A
// chain whose noise scales stay where they start is noticed.
func TestExactPosteriorNoise(t *testing.T) {
	for i, c := range noisyItems() {
		moves := newCycle(newNoise(c.posterior(t)), cells, exactRows())
		if z := c.worst(t, fmt.Sprint("noise ", i), length(scans/10), moves, nil); !(z < limit) {
			t.Errorf("data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
	z := noisyItems()[0].worst(t, "no noise", length(scans/10), newCycle(cells, exactRows()), nil)
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
				limit := (1 + quadratic/2) * c.limit(j)
				want[j] += probs[code(z)] * (2 + rows) / (2 + quadratic) * mathext.GammaIncReg(2+rows/2, limit) / mathext.GammaIncReg(1+rows/2, limit)
			}
			return true
		})
		c.compareMeans(t, "noise", newCycle(newNoise(c.posterior(t)), cells, exactRows()), want, func(s *target, values []float64) {
			for j, scale := range s.NoiseScales() {
				values[j] = 1 / (scale * scale)
			}
		}, fmt.Sprintf("data %d, column", i+1))
	}
}

// TestNoiseStarts: a chain restored from a checkpoint continues with the same noise scales, before
// and after they are first drawn. A checkpoint with too few of them, with a scale that is not
// positive, or with noise below its bound is an error.
func TestNoiseStarts(t *testing.T) {
	c := noisyItems()[1]
	post, cfg, o := c.posterior(t), Config{Warmup: 5, Draws: 20, Thin: 1}, smallOptions()
	o.Anneal = 4
	chain, err := NewChain(post, Start{Scales: c.scales}, o, cfg, NewStream(1, "noise"))
	if err != nil {
		t.Fatal(err)
	}
	look := func(c *Chain) string {
		s := c.target
		return fmt.Sprint(s.NoiseScales(), s.Scales(), s.LogLik(), s.LogPrior())
	}
	var checkpoints []Checkpoint
	for chain.Done() < 18 {
		chain.step()
		chain.count()
		checkpoints = append(checkpoints, must(chain.Checkpoint()))
	}
	chain.step() // the next scan computes the log likelihood anew
	chain.count()
	for done, p := range checkpoints {
		again, err := Resume(post, o, cfg, p)
		if err != nil {
			t.Fatal(err)
		}
		for again.Done() < 19 {
			again.step()
			again.count()
		}
		if got, want := look(again), look(chain); got != want {
			t.Errorf("restored after scan %d: %s, expected %s", done+1, got, want)
		}
		if (p.NoiseScales == nil) != (done < 4) {
			t.Errorf("checkpoint after scan %d: noise scales %v", done+1, p.NoiseScales)
		}
	}
	p := checkpoints[8]
	p.Scales.SigmaX = 0.5
	for want, wrong := range map[string][]float64{
		"found 2 noise scales in a checkpoint of 3 columns":                                                {2, 1},
		"checkpoint: start: noise scale of column 2: found 0, expected a positive finite number":           {2, 0, 1},
		"checkpoint: start: noise of column 1: found SigmaX times noise scale 0.85, expected at least 0.9": {1.7, 1, 1},
	} {
		p.NoiseScales = wrong
		if _, err := Resume(post, o, cfg, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("noise scales %v: %v, expected %s", wrong, err, want)
		}
	}
}

// TestNoiseFactor: along the common factor g the posterior is the gamma distribution from which the factor
// is drawn, without and with an intercept, beside an ordinal column. The joint test cannot draw categories
// under the flat prior of an intercept.
func TestNoiseFactor(t *testing.T) {
	x := [][]float64{{1.9, nan, 0.3}, {1.6, nan, 0.2}, {-1.2, nan, nan}, {0.3, nan, 1.4}, {0.7, nan, -2}}
	for _, intercept := range []bool{false, true} {
		data, err := lglfm.NewBounded(x, nil, lglfm.Ordinal{Variable: 1, Levels: 3, Level: []int{0, 2, 1, 1, -1}})
		if err == nil {
			data, err = data.WithNoiseScales(nil)
		}
		if err == nil && intercept {
			data, err = data.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		post := &Posterior{Data: data, Law: must(prior.NewIBP(5, 1)), SigmaX: ScalePrior{Max: 100}, SigmaA: ScalePrior{Max: 100}}
		s, err := newTarget(post, Start{Z: must(feature.FromRows([][]int{{1, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 0}})), Scales: lglfm.Scales{SigmaX: 0.6, SigmaA: 1.1}, NoiseScales: []float64{0.8, 1, 1.7}}, true, MaxFeatures)
		if err != nil {
			t.Fatal(err)
		}
		noise, scales := s.NoiseScales(), s.Scales()
		const shape, rate = 1 + 2, 1/(0.8*0.8) + 1/(1.7*1.7)
		want := shape + 0.5*float64(btoi(intercept))
		mean, draws := 0.0, 20_000
		rng, k := NewStream(1, "factor").Rand, newNoise(post)
		for range draws {
			g := k.prior.DrawFactor(rng, noise, scales, k.ordinal)
			mean += rate * g * g / float64(draws)
		}
		if z := math.Abs(mean-want) / math.Sqrt(want/float64(draws)); !(z < limit) {
			t.Errorf("intercept %v: mean %v of the squared factor times the rate, want %v", intercept, mean, want)
		}
		// With the Jacobian of 5 latent values, a cutpoint, two scales and two noise scales.
		density := func(g float64) float64 {
			return s.LogLik() + s.LogPrior() + (5+1+2-2)*math.Log(g) - (2*want*math.Log(g) - rate*g*g)
		}
		first, g := density(1), 1.3
		s.SetNoise([]float64{noise[0] / g, 1, noise[2] / g}, lglfm.Scales{SigmaX: g * scales.SigmaX, SigmaA: g * scales.SigmaA})
		if second := density(g); !(math.Abs(second-first) < 1e-8) {
			t.Errorf("intercept %v: the posterior differs from the distribution of the factor by %v", intercept, second-first)
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
