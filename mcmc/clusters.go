package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/lglfm"
)

// Clusters flips the entries of several items in a column at once: items that are
// alike can only join a column or leave it one by one through states in which they
// differ, which the likelihood may forbid. The items of a proposal are those of a
// node of a tree over the rows of the data (see linkage), drawn uniformly. The tree
// does not depend on the state, so that proposals are symmetric; they are accepted by
// Metropolis.
//
// Nothing is proposed while the Cache is not Steady, which the move does not change.
type Clusters struct {
	tries   int
	nodes   [][]int
	toggles lglfm.Toggles
	column  []uint64
}

// NewClusters returns the kernel that draws a column as many times as there are
// columns and makes the given number of proposals for each. It panics if tries < 1.
func NewClusters(data *lglfm.Data, tries int) *Clusters {
	if tries < 1 {
		panic(fmt.Sprintf("mcmc: %d proposals of clusters", tries))
	}
	return &Clusters{tries: tries, nodes: linkage(data), column: make([]uint64, (data.N()+63)/64)}
}

// Name returns "clusters".
func (k *Clusters) Name() string { return "clusters" }

// Step makes the proposals.
func (k *Clusters) Step(rng *rand.Rand, s *State) Info {
	if s.cache.Scales() != s.Scales {
		s.refresh()
	}
	var info Info
	if len(k.nodes) == 0 || s.Z.K() == 0 || !s.cache.Steady() {
		return info
	}
	k.toggles.Reset(s.cache, s.Z)
	most := math.Log(s.tracker.TotalIntensity())
	for range s.Z.K() {
		a := rng.IntN(s.Z.K())
		k.toggles.Column(a)
		nu := s.tracker.LogIntensity(s.Z.Column(a))
		for range k.tries {
			info.Proposed++
			items := k.nodes[rng.IntN(len(k.nodes))]
			log := rng.ExpFloat64() - nu + k.toggles.LogToggle(items)
			// nu of the new column is at most H, which mostly decides.
			if !(log+most > 0) || !k.flipped(s.Z.Column(a), items) {
				continue
			}
			new := s.tracker.LogIntensity(k.column)
			if !(log+new > 0) {
				continue
			}
			info.Accepted++
			nu = new
			k.toggles.Toggle(items)
			s.tracker.AppendColumn(k.column)
			s.tracker.Remove(a) // the new one takes its number
		}
	}
	if info.Accepted > 0 {
		s.logLik, s.spectral = s.cache.LogLik(), false
	}
	return info
}

// flipped puts the column with the items flipped into k.column, and reports whether
// it has members.
func (k *Clusters) flipped(column []uint64, items []int) bool {
	copy(k.column, column)
	for _, i := range items {
		k.column[i>>6] ^= 1 << (uint(i) & 63)
	}
	for _, w := range k.column {
		if w != 0 {
			return true
		}
	}
	return false
}

// linkage returns the items of the N-1 inner nodes of the tree over the rows of the
// data by average linkage of squared distances, found by chains of nearest
// neighbours in O(N²).
func linkage(data *lglfm.Data) [][]int {
	n := data.N()
	distance := make([][]float64, n) // between clusters
	clusters := make([][]int, n)
	for i := range n {
		clusters[i] = []int{i}
		distance[i] = make([]float64, n)
		for j := range i {
			distance[i][j] = data.SquaredDistance(i, j)
			distance[j][i] = distance[i][j]
		}
	}
	var nodes [][]int
	var chain []int
	for len(nodes) < n-1 {
		if len(chain) == 0 {
			for i, c := range clusters {
				if c != nil {
					chain = append(chain, i)
					break
				}
			}
		}
		a := chain[len(chain)-1]
		before := -1 // the one before in the chain wins a tie, so that chains end
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}
		b := before
		for j, c := range clusters {
			if c != nil && j != a && (b < 0 || distance[a][j] < distance[a][b]) {
				b = j
			}
		}
		if b != before {
			chain = append(chain, b)
			continue
		}
		chain = chain[:len(chain)-2]
		wa, wb := float64(len(clusters[a])), float64(len(clusters[b]))
		for j, c := range clusters {
			if c != nil {
				d := (wa*distance[a][j] + wb*distance[b][j]) / (wa + wb)
				distance[a][j], distance[j][a] = d, d
			}
		}
		merged := append(append(make([]int, 0, len(clusters[a])+len(clusters[b])), clusters[a]...), clusters[b]...)
		nodes = append(nodes, merged)
		clusters[a], clusters[b] = merged, nil
	}
	return nodes
}
