package mcmc

import (
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/weighted"
)

// arrivalBlock is the number of columns that DrawLast draws jointly.
const arrivalBlock = 8

// MaxSingletons is the max number of new features that DrawLast gives the last item, in addition to the
// features at the start. Only an item with cells far outside the range of the others needs so many.
const MaxSingletons = 32

// An Arrival is what DrawLast draws: Z, the weights of its ones as in draws.Draw, nil if features are
// binary, and the values of the cells of X that have bounds.
type Arrival struct {
	Z              *feature.Allocation
	Weights, Cells []float64
}

// DrawLast draws the features of the last item given all else: the rows of Z and of the weights of the
// other items in start, the mass, temperature and permutation of the law, and the scales and shares of
// start. It makes the given number of updates of the row, at least 1, from the row in start. After
// many updates it has the conditional distribution, whatever that row. DrawLast returns the error of
// CheckStart.
func (p *Posterior) DrawLast(rng *rand.Rand, start Start, updates int) (Arrival, error) {
	limit := MaxFeatures
	if start.Z != nil {
		limit = min(limit, start.Z.K()+MaxSingletons)
	}
	s, err := newTarget(p, start, true, limit)
	if err != nil {
		return Arrival{}, err
	}
	if w := s.Weighted(); w != nil {
		w.DrawItem(rng, s.N()-1, updates, weighted.Births{Mass: s.Mass})
	} else {
		s.drawLast(rng, updates)
	}
	u := s.Unknowns()
	return Arrival{u.Z, u.Weights, s.BoundedCells()}, nil
}

// drawLast makes updates of the row of the last item, with binary features.
func (s *target) drawLast(rng *rand.Rand, updates int) {
	last := s.N() - 1
	var flips passage
	var single exactSingletons
	block := &blocks{size: arrivalBlock}
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
}
