package mcmc

import "math/rand/v2"

// cells draws the missing cells of X from their joint conditional given all others, Z and the
// scales. It comes first in a scan: rows then derives everything from the new
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

// bounded draws the unknown cells that have bounds, each from its conditional given all other
// cells, Z and the scales.
type bounded struct{}

func (bounded) Name() string { return "bounded" }

// Step always accepts.
func (bounded) Step(rng *rand.Rand, s *target) Info {
	if !s.DrawBounded(rng) {
		return Info{}
	}
	return Info{1, 1}
}

// cutpoints draws the unknown cutpoints of ordinal columns with the cells of these columns, given
// the other cells, Z and the scales.
type cutpoints struct{}

func (cutpoints) Name() string { return "cutpoints" }

// Step always accepts.
func (cutpoints) Step(rng *rand.Rand, s *target) Info {
	if !s.DrawCutpoints(rng) {
		return Info{}
	}
	return Info{1, 1}
}
