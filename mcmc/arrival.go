package mcmc

import (
	"fmt"
	"math/rand/v2"

	"aibd/feature"
)

// arrivalBlock is the number of columns that DrawLast draws jointly.
const arrivalBlock = 8

// MaxOwn is the max number of new features that DrawLast gives the last item, in addition to the
// features at the start. Only an item with cells far outside the range of the others needs so many.
const MaxOwn = 32

// DrawLast draws the features of the last item given all else: the rows of Z of the other
// items in start, the mass, temperature and permutation of the law, and the scales of start.
// It makes the given number of updates of the row, at least 1, from the row in start. Its law
// after many updates is the conditional one, whatever that row. DrawLast returns Z, the values of
// the cells of X that have bounds, which it draws too, and the error of CheckStart.
func (p *Posterior) DrawLast(rng *rand.Rand, start Start, updates int) (z *feature.Allocation, cells []float64, err error) {
	if p.Features.weights() {
		return nil, nil, fmt.Errorf("features: found %s, expected %s for a new item", p.Features, Binary)
	}
	most := MaxFeatures
	if start.Z != nil {
		most = min(most, start.Z.K()+MaxOwn)
	}
	s, err := newTarget(p, start, true, most)
	if err != nil {
		return nil, nil, err
	}
	last := s.N() - 1
	var flips passage
	var single exactSingletons
	block := newBlocks(arrivalBlock)
	for range updates {
		s.DrawCells(rng)
		s.DrawBounded(rng)
		s.Refresh()
		s.Open(last)
		flips.run(rng, s, last)
		s.SetSingletons(single.draw(rng, s, last))
		s.Close(rng)
		s.Open(last)
		block.choose(rng, s)
		block.draw(rng, s, last)
		s.Close(rng)
	}
	return s.Unknowns().Z, s.BoundedCells(), nil
}
