package mcmc

import "math/rand/v2"

// cells draws the missing cells of X from their joint conditional given all others, Z and the
// scales. It comes first in a scan: rows then derives everything from the new
// cells.
var cells = simple{"cells", func(rng *rand.Rand, s *target) Info { return accepted(s.DrawCells(rng)) }}

// bounded draws the unknown cells that have bounds, each from its conditional given all other
// cells, Z and the scales.
var bounded = simple{"bounded", func(rng *rand.Rand, s *target) Info { return accepted(s.DrawBounded(rng)) }}

// cutpoints draws the unknown cutpoints of ordinal columns with the cells of these columns, given
// the other cells, Z and the scales.
var cutpoints = simple{"cutpoints", func(rng *rand.Rand, s *target) Info { return accepted(s.DrawCutpoints(rng)) }}

// accepted is the outcome of a draw from a conditional, which is always accepted if there is
// something to draw.
func accepted(drawn bool) Info {
	if !drawn {
		return Info{}
	}
	return Info{1, 1}
}
