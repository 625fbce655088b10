package mcmc

import (
	"math/rand/v2"

	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/lglfm"
)

// Mutants of the moves of columns, Clusters and Sums.

// moveTerms are the logs of the ratios of a move that puts a column in the place of
// another, and one that does not belong there: by how much the sum of log n_z!
// changes.
type moveTerms struct {
	s                              *State
	a, b                           int // the column that goes; of sums, the other one
	likelihood, nu, multiplicities float64
}

func (t moveTerms) right() float64 { return t.likelihood + t.nu }

// meet says how the two columns of a sum meet.
func (t moveTerms) meet() meeting { return meet(t.s.Z.Column(t.a), t.s.Z.Column(t.b)) }

// sign is that of the second column.
func (t moveTerms) sign() float64 {
	if t.meet() == nested {
		return -1
	}
	return 1
}

func (t moveTerms) terms() []collapsed.Term { return []collapsed.Term{{Column: t.b, Sign: t.sign()}} }

// moveCopy is Clusters or Sums, by what it proposes, with all computed afresh and
// with places for faults.
type moveCopy struct {
	// propose fills column and returns the number of the one that it is to replace,
	// or -1, and that of the other in sums. An empty column removes the one.
	propose func(rng *rand.Rand, s *State, column []uint64) (a, b int)
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
		a, b := k.propose(rng, s, column)
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
			s: s, a: a, b: b,
			likelihood:     lglfm.LogLik(s.post.Data, next, s.Scales) - s.logLik,
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
	nodes func(s *State) [][]int                 // nil: those of the tree over the data
	pick  func(rng *rand.Rand, s *State) int     // the column; nil: any
	may   func(s *State, a int, node []int) bool // which nodes it is offered; nil: all
}

func (m clusterMove) proposal() func(*rand.Rand, *State, []uint64) (int, int) {
	var data *lglfm.Data
	var tree [][]int
	return func(rng *rand.Rand, s *State, column []uint64) (int, int) {
		if s.Z.K() == 0 {
			return -1, -1
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
			return -1, -1
		}
		copy(column, s.Z.Column(a))
		for _, i := range nodes[rng.IntN(len(nodes))] {
			column[i>>6] ^= 1 << (uint(i) & 63)
		}
		if empty(column) {
			return -1, -1
		}
		return a, -1
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

// meeting is how two columns meet.
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

// sumMove proposes what Sums does, or something else, by how the two columns meet:
// the words of the new column.
type sumMove map[meeting]func(x, y uint64) uint64

func xor(x, y uint64) uint64   { return x ^ y }
func union(x, y uint64) uint64 { return x | y }

// sumsAndDifferences are the right ones.
var sumsAndDifferences = sumMove{apart: xor, nested: xor}

// with returns them and another.
func with(m meeting, f func(x, y uint64) uint64) sumMove {
	return sumMove{apart: xor, nested: xor, m: f}
}

func (m sumMove) propose(rng *rand.Rand, s *State, column []uint64) (int, int) {
	if s.Z.K() < 2 {
		return -1, -1
	}
	a, b := rng.IntN(s.Z.K()), rng.IntN(s.Z.K()-1)
	if b >= a {
		b++
	}
	x, y := s.Z.Column(a), s.Z.Column(b)
	f := m[meet(x, y)]
	if f == nil {
		return -1, -1
	}
	for w := range column {
		column[w] = f(x[w], y[w])
	}
	return a, b
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

// withMultiplicities takes columns for unlabelled ones.
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
type frozenTracker struct{ intensity.Tracker }

func (frozenTracker) AppendColumn([]uint64) {}
func (frozenTracker) Remove(int)            {}

// smallTracker says that no nu is above H over a number.
type smallTracker struct {
	intensity.Tracker
	by float64
}

func (t smallTracker) TotalIntensity() float64 { return t.Tracker.TotalIntensity() / t.by }

// tracking runs a kernel with another tracker.
func tracking(other func(intensity.Tracker) intensity.Tracker) func(Kernel, *rand.Rand, *State) Info {
	return func(k Kernel, rng *rand.Rand, s *State) Info {
		own := s.tracker
		s.tracker = other(own)
		defer func() { s.tracker = own }()
		return k.Step(rng, s)
	}
}

var (
	staleTracker = tracking(func(t intensity.Tracker) intensity.Tracker { return frozenTracker{t} })
	smallH       = tracking(func(t intensity.Tracker) intensity.Tracker { return smallTracker{t, 40} })
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
	{"sums", "a copy without a fault", ofThree, sums(sumsAndDifferences, nil)},
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
	{"clusters", "nodes all in or all out, without the number of these", ofThree, clusters(clusterMove{may: func(s *State, a int, node []int) bool {
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
	{"clusters", "bound of nu too low", ofMany, around(newClusters, smallH)},
	{"clusters", "law left at the old columns", ofAIBD, around(newClusters, staleTracker)},
	{"clusters", "likelihood left at the old columns", ofSymmetric, around(newClusters, staleLikelihood)},
	{"clusters", "likelihood for the scales stale", ofMany, betweenScales(around(newClusters, staleSpectrum))},

	{"sums", "wrong sign of the likelihood's change", ofMany, sums(sumsAndDifferences, wrongLikelihood)},
	{"sums", "nu left out", ofAIBD, sums(sumsAndDifferences, withoutNu)},
	{"sums", "every proposal accepted", ofIBP, sums(sumsAndDifferences, always)},
	{"sums", "n_z! in the ratio, though columns are labelled", ofMany, sums(sumsAndDifferences, withMultiplicities)},
	{"sums", "columns that overlap are united", ofIBP, sums(with(overlap, union), nil)},
	{"sums", "equal columns leave a zero column, which is dropped", ofThree, sums(with(equal, xor), nil)},
	{"sums", "columns are added, never subtracted", ofIBP, sums(sumMove{apart: xor}, nil)},
	{"sums", "loadings of a difference the wrong way round", ofWide, func() Kernel {
		return &moveCopy{
			propose: sumsAndDifferences.propose,
			ratio:   func(t moveTerms) float64 { return t.nu + t.s.cache.LogCombine(t.a, t.terms()) },
			after: func(t moveTerms) {
				t.s.cache.Combine(t.a, t.terms(), t.meet() == nested && t.s.Z.Size(t.a) > t.s.Z.Size(t.b))
			},
		}
	}},
	{"sums", "bound of nu too low", ofMany, around(newSums, smallH)},
	{"sums", "law left at the old columns", ofAIBD, around(newSums, staleTracker)},
	{"sums", "likelihood left at the old columns", ofSymmetric, around(newSums, staleLikelihood)},
	{"sums", "likelihood for the scales stale", ofMany, betweenScales(around(newSums, staleSpectrum))},
}
