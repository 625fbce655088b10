package mcmc

import (
	"math"
	"math/rand/v2"

	"aibd/lglfm"
	"aibd/prior"
)

// moveTerms are the logs of the ratios of a move that puts a column in the place of
// another, and what does not belong in it: by how much log of n_z! changes.
type moveTerms struct {
	s                              *State
	a                              int // the column that goes
	column                         []uint64
	likelihood, nu, multiplicities float64
}

func (t moveTerms) right() float64 { return t.likelihood + t.nu }

// moveCopy is Clusters or Sums, by what it proposes, with all computed afresh and
// with places for faults.
type moveCopy struct {
	// propose fills column and returns the number of the one that it is to replace,
	// or -1. An empty column removes that one.
	propose func(rng *rand.Rand, s *State, column []uint64) int
	ratio   func(moveTerms) float64 // nil: the right one
	after   func(moveTerms)         // before Z changes; nil: all is computed afresh
}

// copyTries is the number of proposals of a step.
const copyTries = 6

func (*moveCopy) Name() string { return "mutant" }

func (k *moveCopy) Step(rng *rand.Rand, s *State) Info {
	if s.cache.Scales() != s.Scales {
		s.refresh()
	}
	info := Info{Proposed: copyTries}
	column := make([]uint64, s.Z.Words())
	for range copyTries {
		a := k.propose(rng, s, column)
		if a < 0 {
			continue
		}
		next, nu := s.Z.Clone(), 0.0
		if !empty(column) {
			next.AppendColumn(column)
			nu = s.tracker.LogIntensity(column)
		}
		next.Remove(a)
		t := moveTerms{
			s: s, a: a, column: column,
			likelihood:     lglfm.LogLik(s.post.Data, next, s.Scales) - lglfm.LogLik(s.post.Data, s.Z, s.Scales),
			nu:             nu - s.tracker.LogIntensity(s.Z.Column(a)),
			multiplicities: next.LogMultiplicities() - s.Z.LogMultiplicities(),
		}
		log := t.right()
		if k.ratio != nil {
			log = k.ratio(t)
		}
		if !accept(rng, log) {
			continue
		}
		info.Accepted++
		if k.after != nil {
			k.after(t)
		}
		if !empty(column) {
			s.Z.AppendColumn(column)
		}
		s.Z.Remove(a)
		if k.after != nil {
			s.tracker.Reset(s.Z)
			s.logLik, s.spectral = s.cache.LogLik(), false
		} else {
			s.refresh()
		}
	}
	return info
}

func empty(column []uint64) bool {
	for _, w := range column {
		if w != 0 {
			return false
		}
	}
	return true
}

// clusterMove has places for faults in what Clusters proposes.
type clusterMove struct {
	nodes func(s *State) [][]int                // nil: those of the tree over the data
	pick  func(rng *rand.Rand, s *State) int    // the column; nil: any
	may   func(s *State, a int, node []int) bool // which nodes it is offered; nil: all
}

func (m clusterMove) proposal() func(*rand.Rand, *State, []uint64) int {
	var data *lglfm.Data
	var tree [][]int
	return func(rng *rand.Rand, s *State, column []uint64) int {
		if s.Z.K() == 0 {
			return -1
		}
		if m.nodes == nil && data != s.post.Data {
			data, tree = s.post.Data, linkage(s.post.Data)
		}
		nodes, a := tree, rng.IntN(s.Z.K())
		if m.nodes != nil {
			nodes = m.nodes(s)
		}
		if m.pick != nil {
			a = m.pick(rng, s)
		}
		if m.may != nil {
			var some [][]int
			for _, node := range nodes {
				if m.may(s, a, node) {
					some = append(some, node)
				}
			}
			nodes = some
		}
		if len(nodes) == 0 {
			return -1
		}
		copy(column, s.Z.Column(a))
		for _, i := range nodes[rng.IntN(len(nodes))] {
			column[i>>6] ^= 1 << (uint(i) & 63)
		}
		if empty(column) {
			return -1
		}
		return a
	}
}

// clusters is a copy of Clusters.
func clusters(m clusterMove, ratio func(moveTerms) float64) func() Kernel {
	return func() Kernel { return &moveCopy{propose: m.proposal(), ratio: ratio} }
}

// members returns how many of the items are in column a.
func members(s *State, a int, items []int) int {
	count := 0
	for _, i := range items {
		count += btoi(s.Z.Has(i, a))
	}
	return count
}

// Where a pair of columns may meet.
type meeting int

const (
	apart meeting = iota
	nested
	equal
	overlap
)

func meet(a, b []uint64) meeting {
	var both, onlyA, onlyB uint64
	for w := range a {
		both |= a[w] & b[w]
		onlyA |= a[w] &^ b[w]
		onlyB |= b[w] &^ a[w]
	}
	switch {
	case both == 0:
		return apart
	case onlyA == 0 && onlyB == 0:
		return equal
	case onlyA == 0 || onlyB == 0:
		return nested
	}
	return overlap
}

// sumMove proposes what Sums does, or by how the two columns meet something else.
type sumMove struct {
	of    map[meeting]func(x, y uint64) uint64      // a word of the new column
	pairs func(s *State, a, b int) bool             // of which one is drawn; nil: all
	keep  func(s *State, a int, column []uint64) bool // what of it is proposed; nil: all
}

func xor(x, y uint64) uint64   { return x ^ y }
func union(x, y uint64) uint64 { return x | y }

// sumsAndDifferences are the right ones.
var sumsAndDifferences = map[meeting]func(x, y uint64) uint64{apart: xor, nested: xor}

// with returns them and another.
func with(m meeting, f func(x, y uint64) uint64) map[meeting]func(x, y uint64) uint64 {
	return map[meeting]func(x, y uint64) uint64{apart: xor, nested: xor, m: f}
}

func (m sumMove) propose(rng *rand.Rand, s *State, column []uint64) int {
	var pairs [][2]int
	for a := range s.Z.K() {
		for b := range s.Z.K() {
			if a != b && (m.pairs == nil || m.pairs(s, a, b)) {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	if len(pairs) == 0 {
		return -1
	}
	pair := pairs[rng.IntN(len(pairs))]
	a, b := s.Z.Column(pair[0]), s.Z.Column(pair[1])
	f := m.of[meet(a, b)]
	if f == nil {
		return -1
	}
	for w := range column {
		column[w] = f(a[w], b[w])
	}
	if m.keep != nil && !m.keep(s, pair[0], column) {
		return -1
	}
	return pair[0]
}

// sums is a copy of Sums.
func sums(m sumMove, ratio func(moveTerms) float64) func() Kernel {
	return func() Kernel { return &moveCopy{propose: m.propose, ratio: ratio} }
}

// Faults of either.
func wrongLikelihood(t moveTerms) float64   { return t.nu - t.likelihood }
func withoutNu(t moveTerms) float64         { return t.likelihood }
func withoutLikelihood(t moveTerms) float64 { return t.nu }
func always(moveTerms) float64              { return 0 }

// among weighs unlabelled columns for labelled ones.
func withMultiplicities(t moveTerms) float64 { return t.right() - t.multiplicities }

// around returns the kernel itself, Clusters or Sums, in a wrapper.
func around(newKernel func(s *State) Kernel, wrap func(k Kernel, rng *rand.Rand, s *State) Info) func() Kernel {
	return func() Kernel {
		var k Kernel
		return step(func(rng *rand.Rand, s *State) Info {
			if k == nil {
				k = newKernel(s)
			}
			return wrap(k, rng, s)
		})
	}
}

func newClusters(s *State) Kernel { return NewClusters(s.post.Data, 2) }
func newSums(*State) Kernel       { return NewSums(4) }

// frozenTracker does not see columns come and go.
type frozenTracker struct{ prior.Tracker }

func (frozenTracker) AppendColumn([]uint64) {}
func (frozenTracker) Remove(int)            {}

// lowTracker says that no nu is above H/10.
type lowTracker struct{ prior.Tracker }

func (t lowTracker) TotalIntensity() float64 { return t.Tracker.TotalIntensity() / 10 }

// tracking runs a kernel with another tracker.
func tracking(other func(prior.Tracker) prior.Tracker) func(Kernel, *rand.Rand, *State) Info {
	return func(k Kernel, rng *rand.Rand, s *State) Info {
		own := s.tracker
		s.tracker = other(own)
		defer func() { s.tracker = own }()
		return k.Step(rng, s)
	}
}

var (
	staleTracker = tracking(func(t prior.Tracker) prior.Tracker { return frozenTracker{t} })
	lowBound     = tracking(func(t prior.Tracker) prior.Tracker { return lowTracker{t} })
)

func staleLikelihood(k Kernel, rng *rand.Rand, s *State) Info {
	log := s.logLik
	info := k.Step(rng, s)
	s.logLik = log
	return info
}

func staleSpectrum(k Kernel, rng *rand.Rand, s *State) Info {
	spectral := s.spectral
	info := k.Step(rng, s)
	s.spectral = spectral
	return info
}

// betweenScales alternates a kernel with changes of the scales.
func betweenScales(newKernel func() Kernel) func() Kernel {
	return func() Kernel {
		k, scales := newKernel(), NewScales(stepScale, stepScale, 0)
		return NewCycle(k, scales, k, scales, k, scales)
	}
}

var moveControls = []mutant{
	{"clusters", "a copy without a fault", ofSequential, clusters(clusterMove{}, nil)},
	{"sums", "a copy without a fault", ofThree, sums(sumMove{of: sumsAndDifferences}, nil)},
}

var moveMutants = []mutant{
	{"clusters", "wrong sign of the likelihood's change", ofIBP, clusters(clusterMove{}, wrongLikelihood)},
	{"clusters", "likelihood left out", ofWide, clusters(clusterMove{}, withoutLikelihood)},
	{"clusters", "nu left out", ofAIBD, clusters(clusterMove{}, withoutNu)},
	{"clusters", "every proposal accepted", ofIBP, clusters(clusterMove{}, always)},
	{"clusters", "n_z! in the ratio, though columns are labelled", ofThree, clusters(clusterMove{}, withMultiplicities)},
	{"clusters", "tree over the rows of Z, not of the data", ofAIBD, clusters(clusterMove{nodes: func(s *State) [][]int {
		rows := make2(s.Z.N(), s.Z.K())
		for i := range rows {
			for a := range rows[i] {
				rows[i][a] = float64(btoi(s.Z.Has(i, a)))
			}
		}
		return linkage(must(lglfm.NewData(rows)))
	}}, nil)},
	{"clusters", "nodes all in or all out, without the number of these", ofSymmetric, clusters(clusterMove{may: func(s *State, a int, node []int) bool {
		m := members(s, a, node)
		return m == 0 || m == len(node)
	}}, nil)},
	{"clusters", "items only join", ofIBP, clusters(clusterMove{may: func(s *State, a int, node []int) bool {
		return members(s, a, node) == 0
	}}, nil)},
	{"clusters", "the larger of two columns, as if any", ofSequential, clusters(clusterMove{pick: func(rng *rand.Rand, s *State) int {
		a, b := rng.IntN(s.Z.K()), rng.IntN(s.Z.K())
		if s.Z.Size(a) < s.Z.Size(b) {
			return b
		}
		return a
	}}, nil)},
	{"clusters", "bound of nu too low", ofIBP, around(newClusters, lowBound)},
	{"clusters", "law left at the old columns", ofAIBD, around(newClusters, staleTracker)},
	{"clusters", "likelihood left at the old columns", ofSymmetric, around(newClusters, staleLikelihood)},
	{"clusters", "likelihood for the scales stale", ofWide, betweenScales(around(newClusters, staleSpectrum))},

	{"sums", "wrong sign of the likelihood's change", ofIBP, sums(sumMove{of: sumsAndDifferences}, wrongLikelihood)},
	{"sums", "nu left out", ofAIBD, sums(sumMove{of: sumsAndDifferences}, withoutNu)},
	{"sums", "every proposal accepted", ofIBP, sums(sumMove{of: sumsAndDifferences}, always)},
	{"sums", "n_z! in the ratio, though columns are labelled", ofThree, sums(sumMove{of: sumsAndDifferences}, withMultiplicities)},
	{"sums", "columns that overlap are united", ofIBP, sums(sumMove{of: with(overlap, union)}, nil)},
	{"sums", "columns that overlap are weighed as their sum", ofAIBD, sums(sumMove{of: with(overlap, xor)}, func(t moveTerms) float64 {
		// Entries of 2, which the new column does not have.
		if b := other2(t); b >= 0 {
			return t.nu + t.s.cache.LogCombine(t.a, b, 1)
		}
		return t.right()
	})},
	{"sums", "equal columns leave a zero column, which is dropped", ofThree, sums(sumMove{of: with(equal, xor)}, nil)},
	{"sums", "columns are added, never subtracted", ofIBP, sums(sumMove{of: map[meeting]func(x, y uint64) uint64{apart: xor}}, nil)},
	{"sums", "of the pairs that can be combined, without the number of these", ofThree, sums(sumMove{
		of: sumsAndDifferences,
		pairs: func(s *State, a, b int) bool {
			m := meet(s.Z.Column(a), s.Z.Column(b))
			return m == apart || m == nested
		},
	}, nil)},
	{"sums", "bound of nu too low", ofIBP, around(newSums, lowBound)},
	{"sums", "law left at the old columns", ofAIBD, around(newSums, staleTracker)},
	{"sums", "likelihood left at the old columns", ofSymmetric, around(newSums, staleLikelihood)},
	{"sums", "likelihood for the scales stale", ofWide, betweenScales(around(newSums, staleSpectrum))},
}

// other2 returns the column that overlaps column a and whose sum with it, modulo 2,
// is the new column, or -1.
func other2(t moveTerms) int {
	a := t.s.Z.Column(t.a)
	for b := range t.s.Z.K() {
		if y := t.s.Z.Column(b); b != t.a && a[0]^y[0] == t.column[0] && meet(a, y) == overlap {
			return b
		}
	}
	return -1
}

// reversed keeps the loadings of a difference the wrong way round.
var _ = math.NaN
