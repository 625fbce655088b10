package mcmc

import (
	"math/rand/v2"

	"aibd/internal/collapsed"
	"aibd/internal/intensity"
)

// Rows updates Z row by row: each entry in a column that other items have is
// offered a flip, accepted with probability min(1, ratio), and then the number of
// columns that the item alone has is drawn.
//
// The columns of a row are scanned in a fresh random order: new columns stand at
// the end, so that a fixed order would depend on the past and bias the chain.
type Rows struct {
	singletons Singletons
	passage    passage
}

// NewRows returns the kernel with the given update of singletons.
func NewRows(singletons Singletons) *Rows { return &Rows{singletons: singletons} }

// Name returns "rows".
func (k *Rows) Name() string { return "rows" }

// Step scans all rows. Info counts flips of entries in shared columns.
func (k *Rows) Step(rng *rand.Rand, s *State) Info {
	s.refresh()
	var info Info
	for i := range s.Z.N() {
		info.add(k.row(rng, s, i))
	}
	s.logLik = s.cache.LogLik()
	return info
}

// row updates the row of item i.
func (k *Rows) row(rng *rand.Rand, s *State, i int) Info {
	c, t := s.cache, s.tracker
	c.Open(s.Z, i)
	info := k.passage.run(rng, c, t, i, s.Z.K())
	c.SetSingletons(k.singletons.draw(rng, s, i))
	edit := c.Close()
	for _, a := range edit.Removed {
		t.Remove(a)
	}
	for range edit.Appended {
		t.Append(i)
	}
	if edit.Changed() {
		s.spectral = false
	}
	return info
}

// flips reports whether item i's entry in column a flips: if u < ratio, where e is
// -log u. A bound of the prior's ratio mostly shows that it does not.
func flips(c *collapsed.Cache, t intensity.Tracker, i, a int, e float64) bool {
	x := -c.LogFlip(a) - e
	return t.FlipBound(i, a) > x && t.LogFlip(i, a) > x
}
