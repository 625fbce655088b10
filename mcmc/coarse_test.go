package mcmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"aibd/feature"
	"aibd/lglfm"
)

// coarse returns small posteriors with the likelihood to power 0.4: of all kinds of data without
// unknown cells, and with one.
func coarse(t *testing.T) map[string]enumerated {
	noise := noisyItems()[1]
	noise.x = [][]float64{{5.9, -0.4, 2.4}, {5.6, 0.3, 2.2}, {2.2, 2.5, 1.1}}
	cell, both := threeItems, withOnes
	cell.x = [][]float64{{2.1, -0.3}, {nan, 0.4}, {-1.8, 2.3}}
	both.x = [][]float64{{4.1, -0.3}, {2.9, nan}, {0.2, 2.3}}
	all := map[string]enumerated{
		"IBP": goldenTargets(t)[0], "AIBD": threeItems, "intercept": withOnes, "noise": noise, "cell": cell, "cell, intercept": both,
	}
	for name, c := range all {
		c.power = 0.4
		all[name] = c
	}
	return all
}

// logCoarse returns the logarithm of the integral, over the only unknown cell, of the likelihood of
// z to the power times the reference law to one minus it, by the trapezoid rule.
func (c enumerated) logCoarse(data *lglfm.Data, z *feature.Allocation) float64 {
	const from, to, width = -12, 12, 0.2
	own := data.Collapsed().Own()
	at := own.UnknownCells()[0]
	whole := c
	whole.x = slices.Clone(c.x)
	whole.x[at[0]] = slices.Clone(c.x[at[0]])
	var logs []float64
	for x := float64(from); x < to; x += width {
		whole.x[at[0]][at[1]] = x
		full, err := lglfm.NewData(whole.x)
		if err == nil {
			err = own.SetValues([]float64{x})
		}
		if err != nil {
			panic(err)
		}
		logs = append(logs, whole.logLik(full, z)+(1-c.power)*own.LogReference())
	}
	return floats.LogSumExp(logs) + math.Log(width)
}

// TestExactPosteriorPower compares chains whose likelihood has a power below 1 with enumeration, by
// the rules of TestExactPosterior. Chains at power 1, and chains that draw the unknown cell at power
// 1, are noticed.
func TestExactPosteriorPower(t *testing.T) {
	all := coarse(t)
	for name, c := range all {
		o := DefaultOptions()
		o.Others, o.Blocks = 1, 3
		post := c.posterior(t)
		scan := func() kernel { return o.scan(post, &tuner{Tuning: newTuning(o)}) }
		z := c.worst(t, "power "+name, length(scans/20), scan(), nil)
		t.Logf("%s: |z| = %.2f", name, z)
		if !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", name, z, limit)
		}
		if z := c.worst(t, "power 1 "+name, length(scans/20), scan(), func(s *target) { s.SetPower(1) }); z < limit {
			t.Errorf("%s: chains at power 1 pass with |z| = %.2f", name, z)
		}
	}
	c := all["cell"]
	c.scales.SigmaX, c.power = 0.3, 0.2
	plain := c
	plain.power = 0
	z := c.worst(t, "untempered cell", length(scans/10), newCycle(cells{}, exactRows(), new(columns)), func(s *target) {
		*s = *must(newState(plain.posterior(t), Start{Scales: c.scales}))
		s.SetPower(c.power)
	})
	t.Logf("untempered cell: |z| = %.1f", z)
	if z < limit {
		t.Errorf("chains that draw the unknown cell at power 1 pass with |z| = %.2f", z)
	}
}
