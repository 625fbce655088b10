package mcmc

import (
	"fmt"
	"testing"

	"aibd/internal/intensity"
	"aibd/internal/oracle/fixture"
)

// alone is blocks with births and deaths of columns, which reach every allocation.
func alone(blocks kernel) *cycle { return newCycle(blocks, new(columns), new(columns)) }

// TestExactPosteriorBlocks compares chains with enumeration, by the rules of
// TestExactPosterior.
func TestExactPosteriorBlocks(t *testing.T) {
	cases := ddibpTargets(t)
	cases["three items"] = threeItems
	cases["IBP"] = goldenTargets(t)[0]
	sizes, scans := []int{1, 3}, scans/5
	if !*fixture.Long {
		sizes, scans, cases = []int{3}, scans/10, someOf(cases, "three items", "IBP")
	}
	for name, c := range cases {
		for _, size := range sizes {
			if z := c.worst(t, fmt.Sprint("blocks ", name, size), scans, alone(&blocks{size: size}), nil); !(z < limit) {
				t.Errorf("%s, blocks of %d: |z| = %.2f, want below %v", name, size, z, limit)
			}
		}
	}
}

// TestExactPosteriorBlocksTogether compares blocks with enumeration where there is an
// intercept, and where there are unknown cells, too, by the rules of TestExactPosterior.
func TestExactPosteriorBlocksTogether(t *testing.T) {
	for name, c := range map[string]enumerated{"an intercept": withOnes, "cells": threeWithGaps[1], "cells and an intercept": threeWithGaps[2]} {
		scan := newCycle(cells, &blocks{size: 3}, new(columns), new(columns))
		if c.intercept {
			scan = newCycle(cells, &blocks{size: 3}, new(columns), new(columns), complement)
		}
		if z := c.worst(t, "blocks with "+name, length(scans/10), scan, nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", name, z, limit)
		}
	}
}

// TestBlocksTwins shows that the test above rejects kernels with one fault.
func TestBlocksTwins(t *testing.T) {
	c := threeItems
	for name, twin := range map[string]struct {
		kernel kernel
		wrap   func(*target)
	}{
		"only columns that the item has": {&blocksCopy{blocks: blocks{size: 3}, owned: true}, nil},
		"no factor of first owner": {&blocks{size: 3}, func(s *target) {
			s.under(func(t intensity.Tracker) intensity.Tracker { return noOwner{t, s} })
		}},
	} {
		z := c.worst(t, name, length(scans/10), alone(twin.kernel), twin.wrap)
		t.Logf("%s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", name, z)
		}
	}
}
