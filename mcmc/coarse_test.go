package mcmc

import (
	"fmt"
	"strings"
	"testing"
)

// coarse returns small posteriors with the likelihood to power 0.4.
func coarse(t *testing.T) map[string]enumerated {
	noise := noisyItems()[1]
	noise.x = [][]float64{{5.9, -0.4, 2.4}, {5.6, 0.3, 2.2}, {2.2, 2.5, 1.1}}
	all := map[string]enumerated{"IBP": goldenTargets(t)[0], "AIBD": threeItems, "intercept": withOnes, "noise": noise}
	for name, c := range all {
		c.power = 0.4
		all[name] = c
	}
	return all
}

// TestExactPosteriorPower compares chains at power 0.4 of the likelihood with enumeration, as
// TestExactPosterior does. It fails if chains at power 1 pass.
func TestExactPosteriorPower(t *testing.T) {
	for name, c := range coarse(t) {
		o := DefaultOptions()
		o.Others, o.Blocks = 1, 3
		post := c.posterior(t)
		scan := func() kernel { return o.scan(post, &tuner{Tuning: newTuning(o)}) }
		z := c.worst(t, "power "+name, length(scans/20), scan(), nil)
		twin := c.worst(t, "power 1 "+name, length(scans/8), scan(), func(s *target) { s.SetPower(1) })
		t.Logf("%s: |z| = %.2f, and %.1f at power 1", name, z, twin)
		if !(z < limit) || twin < limit {
			t.Errorf("%s: |z| = %.2f, and %.1f at power 1, want below and above %v", name, z, twin, limit)
		}
	}
}

// TestDoubledColumns checks that X with each column twice has, at power 1/2, the posterior of X. It
// fails if chains at power 1 pass.
func TestDoubledColumns(t *testing.T) {
	for name, c := range map[string]enumerated{"IBP": goldenTargets(t)[0], "intercept": withOnes} {
		doubled := c
		doubled.x = nil
		for _, row := range c.x {
			doubled.x = append(doubled.x, append(append([]float64{}, row...), row...))
		}
		for _, power := range []float64{0.5, 1} {
			doubled.power = power
			post := doubled.posterior(t)
			o := DefaultOptions()
			o.Others, o.Blocks = 1, 3
			z := c.worst(t, fmt.Sprintf("doubled %s %v", name, power), length(scans/20), o.scan(post, &tuner{Tuning: newTuning(o)}), func(s *target) {
				*s = *must(newState(post, Start{Scales: c.scales}))
			})
			t.Logf("%s: |z| = %.2f at power %v", name, z, power)
			if z < limit != (power == 0.5) {
				t.Errorf("%s: |z| = %.2f at power %v", name, z, power)
			}
		}
	}
}

// TestPowerErrors checks that powers out of range are refused, and powers below 1 with unknown cells.
func TestPowerErrors(t *testing.T) {
	for _, power := range []float64{-0.1, 1.1, nan} {
		c := threeItems
		c.power = power
		if err := c.posterior(t).Validate(); err == nil || !strings.Contains(err.Error(), fmt.Sprint("found ", power)) {
			t.Errorf("power %v: found error %v", power, err)
		}
	}
	c := threeWithGaps[0]
	c.power = 0.5
	if err := c.posterior(t).Validate(); err == nil || !strings.Contains(err.Error(), "2 unknown cells") {
		t.Errorf("unknown cells: found error %v", err)
	}
	c = threeItems
	c.power = 0.5
	if _, err := NewPopulation(c.posterior(t), Start{Scales: c.scales}, DefaultOptions(), PopulationConfig{Members: 2, Scans: 2}, 1, "coarse"); err == nil || !strings.Contains(err.Error(), "power of the likelihood") {
		t.Errorf("population: found error %v", err)
	}
}
