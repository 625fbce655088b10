package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// clusters flips the entries of several items in a column at once: items that are alike
// can only join a column or leave it one by one through states in which they differ,
// which the likelihood may forbid. The items of a proposal are below a node of a tree
// over the rows of the data (Data.Linkage), drawn uniformly. The tree does not depend on
// the state, so that proposals are symmetric; they are accepted by Metropolis.
//
// Nothing is proposed while the state is not Steady, which the move does not change.
type clusters struct {
	tries  int // proposals for a column
	tree   *collapsed.Tree
	column []uint64
}

// newClusters returns the kernel that draws a column as many times as there are columns
// and makes the given number of proposals for each.
func newClusters(data *lglfm.Data, tries int) *clusters {
	return &clusters{tries: tries, tree: collapsed.Unwrap(data).Linkage(), column: make([]uint64, (data.N()+63)/64)}
}

func (k *clusters) Name() string { return "clusters" }

func (k *clusters) Step(rng *rand.Rand, s *target) Info {
	var info Info
	if k.tree.Nodes() == 0 || s.K() == 0 || !s.Steady() {
		return info
	}
	s.Toggles(k.tree)
	law := s.Law()
	maxNu := math.Log(law.TotalIntensity())
	for range s.K() {
		a := rng.IntN(s.K())
		s.ToggleColumn(a)
		nu := law.LogIntensity(s.Column(a))
		for range k.tries {
			info.Proposed++
			v, u := rng.IntN(k.tree.Nodes()), rng.ExpFloat64()-nu
			// nu of the new column is at most H: bounds mostly decide.
			bound := u + s.LogToggleBound(v)
			if !(bound+maxNu > 0) || !k.flipped(s.Column(a), v) ||
				!(bound+law.IntensityBound(k.column, -bound) > 0) {
				continue
			}
			new := law.LogIntensity(k.column)
			if !(u+s.LogToggle(v)+new > 0) {
				continue
			}
			info.Accepted++
			nu = new
			s.Toggle(v)
		}
	}
	return info
}

// flipped puts the column with the items of a node flipped into k.column, and reports
// whether it has members.
func (k *clusters) flipped(column []uint64, node int) bool {
	copy(k.column, column)
	k.tree.Flip(k.column, node)
	return slices.Max(k.column) > 0
}
