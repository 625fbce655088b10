package mcmc

import (
	"math/rand/v2"

	"aibd/lglfm"
)

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

// sparse updates the rows of Z of items with few observed cells, as rows does but with the
// unknown cells of the item integrated out, and then draws these. Given its unknown cells,
// the row of such an item moves slowly.
type sparse struct {
	items      []int
	singletons exactSingletons
	passage    passage
}

// maxSparse is the max number of items that a step updates.
const maxSparse = 5

// newSparse returns the kernel for items with at least half of their cells unknown.
func newSparse(data *lglfm.Data) *sparse { return &sparse{items: data.Collapsed().Sparse()} }

func (k *sparse) Name() string { return "sparse" }

// Step updates items chosen at random. Info counts flips of entries in shared columns.
func (k *sparse) Step(rng *rand.Rand, s *target) Info {
	var info Info
	if !s.Partial() {
		return info
	}
	for range min(maxSparse, len(k.items)) {
		i := k.items[rng.IntN(len(k.items))]
		s.OpenObserved(i)
		info.add(k.passage.run(rng, s, i))
		s.SetSingletons(k.singletons.draw(rng, s, i))
		s.CloseObserved(rng)
	}
	return info
}
