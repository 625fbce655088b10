package mcmc

import "math/rand/v2"

// rows updates Z row by row: each entry in a column that other items have is offered a
// flip, accepted with probability min(1, ratio), and then the number of columns that the
// item alone has is drawn.
//
// The columns of a row are scanned in a fresh random order: new columns are at the end,
// so that a fixed order would depend on the past and bias the chain.
type rows struct {
	singletons singletons
	passage    passage
}

func (k *rows) Name() string { return "rows" }

// Step scans all rows. Info counts flips of entries in shared columns.
func (k *rows) Step(rng *rand.Rand, s *target) Info {
	s.Refresh()
	var info Info
	for i := range s.N() {
		if s.stops() {
			break
		}
		s.Open(i)
		info.add(k.passage.run(rng, s, i))
		s.SetSingletons(k.singletons.draw(rng, s, i))
		s.Close(rng)
	}
	return info
}

// flips reports whether item i's entry in column a flips: if u < ratio, where e is
// -log u. A bound of the prior's ratio mostly shows that it does not.
func flips(s *target, i, a int, e float64) bool {
	x := -s.LogFlip(a) - e
	law := s.Law()
	return law.FlipBound(i, a) > x && law.LogFlip(i, a) > x
}
