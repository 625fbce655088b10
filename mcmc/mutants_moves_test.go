package mcmc

import (
	"math/rand/v2"

	"aibd/internal/intensity"
	"aibd/internal/state"
	"aibd/lglfm"
)

// Mutants of the moves of columns, Clusters and Sums.

// moveTerms are the logs of the ratios of a move that replaces a column by
// another, and a wrong term: by how much the sum of log n_z! changes.
type moveTerms struct {
	s                              *target
	a, b                           int // the column that goes; of sums, the other one
	likelihood, nu, multiplicities float64
}

func (t moveTerms) right() float64 { return t.likelihood + t.nu }

// moveCopy is Clusters or Sums, depending on propose. It computes everything afresh and has
// places for faults.
type moveCopy struct {
	// propose fills column and returns the number of the one that it is to replace,
	// or -1, and that of the other in sums. An empty column removes the one.
	propose func(rng *rand.Rand, s *target, column []uint64) (a, b int)
	ratio   func(moveTerms) float64 // nil: the right one
}

// copyTries is the number of proposals of a step.
const copyTries = 6

func (*moveCopy) Name() string { return "mutant" }

func (k *moveCopy) Step(rng *rand.Rand, s *target) Info {
	info := Info{Proposed: copyTries}
	column := newColumn(s)
	for range copyTries {
		a, b := k.propose(rng, s, column)
		if a < 0 {
			continue
		}
		next, nu := s.Z().Clone(), 0.0
		before := lglfm.LogLik(s.post.Data, next, s.Scales())
		if !empty(column) {
			next.AppendColumn(column)
			nu = s.Law().LogIntensity(column)
		}
		next.Remove(a)
		t := moveTerms{
			s: s, a: a, b: b,
			likelihood:     lglfm.LogLik(s.post.Data, next, s.Scales()) - before,
			nu:             nu - s.Law().LogIntensity(s.Column(a)),
			multiplicities: next.LogMultiplicities() - s.Z().LogMultiplicities(),
		}
		log := t.right()
		if k.ratio != nil {
			log = k.ratio(t)
		}
		if !accept(rng, log) {
			continue
		}
		info.Accepted++
		if !empty(column) {
			s.Append(column)
		}
		s.Remove(a)
	}
	return info
}

// newColumn returns an empty column.
func newColumn(s *target) []uint64 { return make([]uint64, (s.N()+63)/64) }

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
	nodes func(s *target) [][]int                 // nil: those of the tree over the data
	pick  func(rng *rand.Rand, s *target) int     // the column; nil: any
	may   func(s *target, a int, node []int) bool // which nodes it is offered; nil: all
}

func (m clusterMove) proposal() func(*rand.Rand, *target, []uint64) (int, int) {
	var data *lglfm.Data
	var tree [][]int
	return func(rng *rand.Rand, s *target, column []uint64) (int, int) {
		if s.Z().K() == 0 {
			return -1, -1
		}
		if m.nodes == nil && data != s.post.Data {
			data, tree = s.post.Data, linkage(s.post.Data)
		}
		nodes, a := tree, rng.IntN(s.Z().K())
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
		copy(column, s.Column(a))
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
func clustersCopy(m clusterMove, ratio func(moveTerms) float64) func() kernel {
	return func() kernel { return &moveCopy{propose: m.proposal(), ratio: ratio} }
}

// members returns how many of the items are in column a.
func members(s *target, a int, items []int) int {
	count := 0
	for _, i := range items {
		count += btoi(s.Z().Has(i, a))
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

func (m sumMove) propose(rng *rand.Rand, s *target, column []uint64) (int, int) {
	if s.Z().K() < 2 {
		return -1, -1
	}
	a, b := rng.IntN(s.Z().K()), rng.IntN(s.Z().K()-1)
	if b >= a {
		b++
	}
	x, y := s.Column(a), s.Column(b)
	f := m[meet(x, y)]
	if f == nil {
		return -1, -1
	}
	for w := range column {
		column[w] = f(x[w], y[w])
	}
	return a, b
}

// complements proposes what Complement does.
func complements(rng *rand.Rand, s *target, column []uint64) (int, int) {
	if s.K() == 0 {
		return -1, -1
	}
	a := rng.IntN(s.K())
	clear(column)
	for i := range s.N() {
		column[i>>6] |= uint64(btoi(!s.Z().Has(i, a))) << (uint(i) & 63)
	}
	if empty(column) {
		return -1, -1
	}
	return a, -1
}

func complementsCopy(ratio func(moveTerms) float64) func() kernel {
	return func() kernel { return &moveCopy{propose: complements, ratio: ratio} }
}

func complementFor(*target) kernel { return complement }

// sums is a copy of Sums.
func sumsCopy(m sumMove, ratio func(moveTerms) float64) func() kernel {
	return func() kernel { return &moveCopy{propose: m.propose, ratio: ratio} }
}

// Faults of either.
func wrongLikelihood(t moveTerms) float64   { return t.nu - t.likelihood }
func withoutNu(t moveTerms) float64         { return t.likelihood }
func withoutLikelihood(t moveTerms) float64 { return t.nu }
func always(moveTerms) float64              { return 0 }

// withMultiplicities takes columns for unlabelled ones.
func withMultiplicities(t moveTerms) float64 { return t.right() - t.multiplicities }

// around returns the kernel itself, Clusters or Sums, in a wrapper.
func around(newKernel func(s *target) kernel, wrap func() func(k kernel, rng *rand.Rand, s *target) Info) func() kernel {
	return func() kernel {
		var k kernel
		wrap := wrap()
		return step(func(rng *rand.Rand, s *target) Info {
			if k == nil {
				k = newKernel(s)
			}
			return wrap(k, rng, s)
		})
	}
}

func clustersFor(s *target) kernel { return newClusters(s.post.Data, 2) }
func sumsFor(*target) kernel       { return &sums{tries: 4} }

// frozenTracker does not see columns come and go.
type frozenTracker struct{ intensity.Tracker }

func (frozenTracker) AppendColumn([]uint64) {}
func (frozenTracker) Remove(int)            {}

// smallTracker says that no nu is above H over a number.
type smallTracker struct {
	intensity.Tracker
	multiple float64
}

func (t smallTracker) TotalIntensity() float64 { return t.Tracker.TotalIntensity() / t.multiple }

// tracking runs a kernel under another tracker, from its first step on the data.
func tracking(other func(intensity.Tracker) intensity.Tracker) func(kernel, *rand.Rand, *target) Info {
	var wrapped *state.State
	return func(k kernel, rng *rand.Rand, s *target) Info {
		if s.State != wrapped {
			s.under(other)
			wrapped = s.State
		}
		return k.Step(rng, s)
	}
}

func staleTracker() func(kernel, *rand.Rand, *target) Info {
	return tracking(func(t intensity.Tracker) intensity.Tracker { return frozenTracker{t} })
}

func smallH() func(kernel, *rand.Rand, *target) Info {
	return tracking(func(t intensity.Tracker) intensity.Tracker { return smallTracker{t, 40} })
}

var moveControls = []mutant{
	{"clusters", "a copy without a fault", ofSequential, clustersCopy(clusterMove{}, nil)},
	{"sums", "a copy without a fault", ofThree, sumsCopy(sumsAndDifferences, nil)},
}

var moveMutants = []mutant{
	{"clusters", "wrong sign of the likelihood's change", ofIBP, clustersCopy(clusterMove{}, wrongLikelihood)},
	{"clusters", "likelihood left out", ofWide, clustersCopy(clusterMove{}, withoutLikelihood)},
	{"clusters", "nu left out", ofAIBD, clustersCopy(clusterMove{}, withoutNu)},
	{"clusters", "every proposal accepted", ofIBP, clustersCopy(clusterMove{}, always)},
	{"clusters", "n_z! in the ratio, though columns are labelled", ofThree, clustersCopy(clusterMove{}, withMultiplicities)},
	{"clusters", "tree over the rows of Z, not of the data", ofAIBD, clustersCopy(clusterMove{nodes: func(s *target) [][]int {
		rows := make2(s.Z().N(), s.Z().K())
		for i := range rows {
			for a := range rows[i] {
				rows[i][a] = float64(btoi(s.Z().Has(i, a)))
			}
		}
		return linkage(must(lglfm.NewData(rows)))
	}}, nil)},
	{"clusters", "nodes all in or all out, without the number of these", ofThree, clustersCopy(clusterMove{may: func(s *target, a int, node []int) bool {
		m := members(s, a, node)
		return m == 0 || m == len(node)
	}}, nil)},
	{"clusters", "items only join", ofIBP, clustersCopy(clusterMove{may: func(s *target, a int, node []int) bool {
		return members(s, a, node) == 0
	}}, nil)},
	{"clusters", "the larger of two columns, as if any", ofSequential, clustersCopy(clusterMove{pick: func(rng *rand.Rand, s *target) int {
		a, b := rng.IntN(s.Z().K()), rng.IntN(s.Z().K())
		if s.Z().Size(a) < s.Z().Size(b) {
			return b
		}
		return a
	}}, nil)},
	{"clusters", "bound of nu too low", ofMany, around(clustersFor, smallH)},
	{"clusters", "law left at the old columns", ofAIBD, around(clustersFor, staleTracker)},

	{"sums", "wrong sign of the likelihood's change", ofMany, sumsCopy(sumsAndDifferences, wrongLikelihood)},
	{"sums", "nu left out", ofAIBD, sumsCopy(sumsAndDifferences, withoutNu)},
	{"sums", "every proposal accepted", ofIBP, sumsCopy(sumsAndDifferences, always)},
	{"sums", "n_z! in the ratio, though columns are labelled", ofMany, sumsCopy(sumsAndDifferences, withMultiplicities)},
	{"sums", "columns that overlap are united", ofIBP, sumsCopy(with(overlap, union), nil)},
	{"sums", "equal columns leave a zero column, which is dropped", ofThree, sumsCopy(with(equal, xor), nil)},
	{"sums", "columns are added, never subtracted", ofIBP, sumsCopy(sumMove{apart: xor}, nil)},
	{"sums", "bound of nu too low", ofMany, around(sumsFor, smallH)},
	{"sums", "law left at the old columns", ofAIBD, around(sumsFor, staleTracker)},
	{"complement", "nu left out", ofIntercept, complementsCopy(withoutNu)},
	{"complement", "every proposal accepted", ofIntercept, complementsCopy(always)},
	{"complement", "n_z! in the ratio, though columns are labelled", ofThreeIntercept, complementsCopy(withMultiplicities)},
	{"complement", "law left at the old columns", ofIntercept, around(complementFor, staleTracker)},
}
