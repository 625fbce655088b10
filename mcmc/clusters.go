package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// Clusters flips the entries of several items in a column at once: items that are
// alike can only join a column or leave it one by one through states in which they
// differ, which the likelihood may forbid. The items of a proposal are those of a
// node of a tree over the rows of the data (Data.Linkage), drawn uniformly. The tree
// does not depend on the state, so that proposals are symmetric; they are accepted by
// Metropolis.
//
// Nothing is proposed while the Cache is not Steady, which the move does not change.
type Clusters struct {
	tries   int
	tree    *collapsed.Tree
	toggles collapsed.Toggles
	column  []uint64
}

// NewClusters returns the kernel that draws a column as many times as there are
// columns and makes the given number of proposals for each. It panics if tries < 1.
func NewClusters(data *lglfm.Data, tries int) *Clusters {
	if tries < 1 {
		panic(fmt.Sprintf("mcmc: %d proposals of clusters", tries))
	}
	return &Clusters{tries: tries, tree: data.Linkage(), column: make([]uint64, (data.N()+63)/64)}
}

// Name returns "clusters".
func (k *Clusters) Name() string { return "clusters" }

// Step makes the proposals.
func (k *Clusters) Step(rng *rand.Rand, s *State) Info {
	s.catchUp()
	var info Info
	if k.tree.Nodes() == 0 || s.Z.K() == 0 || !s.cache.Steady() {
		return info
	}
	k.toggles.Reset(s.cache, s.Z, k.tree)
	most := math.Log(s.tracker.TotalIntensity())
	for range s.Z.K() {
		a := rng.IntN(s.Z.K())
		k.toggles.Column(a)
		nu := s.tracker.LogIntensity(s.Z.Column(a))
		for range k.tries {
			info.Proposed++
			v, u := rng.IntN(k.tree.Nodes()), rng.ExpFloat64()-nu
			// nu of the new column is at most H: bounds mostly decide.
			bound := u + k.toggles.LogToggleBound(v)
			if !(bound+most > 0) || !k.flipped(s.Z.Column(a), k.tree.Node(v)) ||
				!(bound+s.tracker.IntensityBound(k.column, -bound) > 0) {
				continue
			}
			new := s.tracker.LogIntensity(k.column)
			if !(u+k.toggles.LogToggle(v)+new > 0) {
				continue
			}
			info.Accepted++
			nu = new
			k.toggles.Toggle(v)
			s.tracker.AppendColumn(k.column)
			s.tracker.Remove(a) // the new one takes its number
		}
	}
	if info.Accepted > 0 {
		s.settle()
	}
	return info
}

// flipped puts the column with the items of a node flipped into k.column, and reports
// whether it has members.
func (k *Clusters) flipped(column, node []uint64) bool {
	var any uint64
	for w, x := range node {
		k.column[w] = column[w] ^ x
		any |= k.column[w]
	}
	return any != 0
}
