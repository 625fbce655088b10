package mcmc

import "math/rand/v2"

// cells draws the missing cells of X from their joint conditional given all others, Z and the
// scales. It comes first in a scan: rows then derives everything from the new
// cells.
type cells struct{}

func (cells) Name() string { return "cells" }

func (cells) Step(rng *rand.Rand, s *target) Info { return accepted(s.DrawCells(rng)) }

// bounded draws the unknown cells that have bounds, each from its conditional given all other
// cells, Z and the scales.
type bounded struct{}

func (bounded) Name() string { return "bounded" }

func (bounded) Step(rng *rand.Rand, s *target) Info { return accepted(s.DrawBounded(rng)) }

// cutpoints draws the unknown cutpoints of ordinal columns with the cells of these columns, given
// the other cells, Z and the scales.
type cutpoints struct{}

func (cutpoints) Name() string { return "cutpoints" }

func (cutpoints) Step(rng *rand.Rand, s *target) Info { return accepted(s.DrawCutpoints(rng)) }

// accepted is the outcome of a draw from a conditional, which is always accepted if there is
// something to draw.
func accepted(drawn bool) Info {
	if !drawn {
		return Info{}
	}
	return Info{1, 1}
}
