package mcmc

import (
	"testing"
)

// coarse returns small posteriors with the likelihood to power 0.4.
func coarse(t *testing.T) map[string]enumerated {
	all := map[string]enumerated{
		"IBP": goldenTargets(t)[0], "AIBD": threeItems, "intercept": withOnes,
		"cells": threeWithGaps[1], "cells, intercept": threeWithGaps[2],
		"noise, cells": noisyItems()[0], "noise, intercept": noisyItems()[1],
	}
	for name, c := range all {
		c.power = 0.4
		all[name] = c
	}
	return all
}

// TestExactPosteriorPower compares chains whose likelihood has a power below 1 with enumeration, by
// the rules of TestExactPosterior. Chains at power 1 are noticed.
func TestExactPosteriorPower(t *testing.T) {
	for name, c := range coarse(t) {
		o := DefaultOptions()
		o.Others, o.Blocks = 1, 3
		post := c.posterior(t)
		scan := func() kernel { return o.scan(post, &tuner{Tuning: newTuning(o)}) }
		z := c.worst(t, "power "+name, length(scans/20), scan(), nil)
		whole := c
		whole.power = 1
		twin := c.worst(t, "power 1 "+name, length(scans/20), scan(), func(s *target) {
			*s = *must(newState(whole.posterior(t), Start{Scales: c.scales}))
		})
		t.Logf("%s: |z| = %.2f, and %.1f at power 1", name, z, twin)
		if !(z < limit) || twin < limit {
			t.Errorf("%s: |z| = %.2f, and %.1f at power 1, want below and above %v", name, z, twin, limit)
		}
	}
}
