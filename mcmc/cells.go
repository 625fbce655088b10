package mcmc

import "math/rand/v2"

// cells draws the unknown cells of X from their joint conditional given the observed ones,
// Z and the scales. It comes first in a scan: rows then derives everything from the new
// cells.
type cells struct{}

func (cells) Name() string { return "cells" }

// Step always accepts.
func (cells) Step(rng *rand.Rand, s *target) Info {
	if !s.DrawCells(rng) {
		return Info{}
	}
	return Info{1, 1}
}
