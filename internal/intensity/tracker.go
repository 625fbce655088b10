package intensity

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
)

// A Reader gives the intensities of columns and the prior ratios of changes, at the current
// columns and parameters of a Tracker.
type Reader interface {
	// TotalIntensity returns H under the current parameters.
	TotalIntensity() float64
	// SumLogIntensity returns the sum of log nu over the columns.
	SumLogIntensity() float64
	// LogIntensity returns log nu of a column, not empty, given as a bitset over the
	// items, under the current parameters.
	LogIntensity(column []uint64) float64
	// IntensityBound returns an upper bound of LogIntensity, rounding errors included,
	// that is cheaper; +Inf if there is none. It may stop at a coarse bound that is at
	// most enough.
	IntensityBound(column []uint64, enough float64) float64
	// LogSingleton returns log nu of the column whose only member is item i.
	LogSingleton(i int) float64
	// LogFlip returns log nu(z')/nu(z), where z' is column k with item i flipped.
	// Item i must not be the only member of the column.
	LogFlip(i, k int) float64
	// FlipBound returns an upper bound of LogFlip(i, k), rounding errors included,
	// that is cheaper; +Inf if there is none.
	FlipBound(i, k int) float64
	// FlipBounds sets bounds[k] to a coarser and cheaper upper bound of
	// exp(LogFlip(i, k)); +Inf or NaN if there is none. It is undefined for columns
	// whose only member is item i.
	FlipBounds(i int, bounds []float64)
}

// A Tracker is the incremental form of a law: it follows the columns of one
// allocation and computes prior ratios of changes. Its columns are labelled, in the
// order of the allocation's, so that the factorials of the pmf do not enter: in the
// space of labelled columns a flip's prior ratio is nu(z')/nu(z). The caller makes the
// same changes to the allocation.
//
// A Tracker belongs to one chain and is not safe for concurrent use.
type Tracker interface {
	Reader
	// Reset computes everything from the columns of z and follows them.
	Reset(z *feature.Allocation)
	// Flip flips item i in column k.
	Flip(i, k int)
	// Append adds a column whose only member is item i.
	Append(i int)
	// AppendColumn adds a column given as a bitset over the items.
	AppendColumn(column []uint64)
	// DrawColumn draws a column from nu/H into column.
	DrawColumn(rng *rand.Rand, column []uint64)
	// Remove deletes column k; the last column takes its number.
	Remove(k int)
	// Propose returns the sum of log nu and H under other parameters, without
	// changing the current ones. Accept makes the parameters of the last Propose the
	// current ones; a change of the columns in between invalidates the proposal. Laws
	// without parameters ignore the proposed ones.
	Propose(t Temperatures, perm []int) (sumLogIntensity, totalIntensity float64)
	Accept()
}

// A Shuffler is a Tracker that weighs a change of few places of the permutation without a visit to
// all items.
type Shuffler interface {
	Tracker
	// ProposeShuffle is Propose at the current temperature and at the current permutation except
	// the items at some places.
	ProposeShuffle(places, items []int) (sumLogIntensity, totalIntensity float64)
}

// An Inserter is a Tracker that computes the weights of all positions of an item at
// once.
type Inserter interface {
	Tracker
	// Insertions fills weights, of length N, with the sum of log nu, up to a
	// constant, when item i arrives at each position and the others keep their
	// order. It invalidates a proposal.
	Insertions(i int, weights []float64)
}

// ibpTracker keeps the sizes of the columns.
type ibpTracker struct {
	law  *IBP
	size []int
	has  []uint64 // membership, words per column
	w    int
}

func (t *ibpTracker) Reset(z *feature.Allocation) {
	t.w = z.Words()
	t.size, t.has = t.size[:0], t.has[:0]
	for k := range z.K() {
		t.size = append(t.size, z.Size(k))
		t.has = append(t.has, z.Column(k)...)
	}
}

func (t *ibpTracker) TotalIntensity() float64 { return t.law.h }

func (t *ibpTracker) SumLogIntensity() float64 {
	sum := 0.0
	for _, m := range t.size {
		sum += t.law.nu[m]
	}
	return sum
}

func (t *ibpTracker) LogIntensity(column []uint64) float64 {
	return t.law.nu[feature.Ones(column)]
}

func (t *ibpTracker) IntensityBound(column []uint64, _ float64) float64 {
	return t.LogIntensity(column)
}

func (t *ibpTracker) LogSingleton(int) float64 { return t.law.nu[1] }

func (t *ibpTracker) member(i, k int) bool {
	return t.has[k*t.w+i>>6]>>(uint(i)&63)&1 != 0
}

func (t *ibpTracker) LogFlip(i, k int) float64 {
	m := t.size[k]
	if t.member(i, k) {
		return t.law.nu[m-1] - t.law.nu[m]
	}
	return t.law.nu[m+1] - t.law.nu[m]
}

func (t *ibpTracker) FlipBound(i, k int) float64 { return t.LogFlip(i, k) }

func (t *ibpTracker) FlipBounds(i int, bounds []float64) {
	for k := range t.size {
		bounds[k] = math.Exp(t.LogFlip(i, k)) * (1 + 1e-9)
	}
}

func (t *ibpTracker) Flip(i, k int) {
	if t.member(i, k) {
		t.size[k]--
	} else {
		t.size[k]++
	}
	t.has[k*t.w+i>>6] ^= 1 << (uint(i) & 63)
}

func (t *ibpTracker) Append(i int) {
	t.size = append(t.size, 1)
	for range t.w {
		t.has = append(t.has, 0)
	}
	t.has[(len(t.size)-1)*t.w+i>>6] = 1 << (uint(i) & 63)
}

func (t *ibpTracker) AppendColumn(column []uint64) {
	t.size = append(t.size, feature.Ones(column))
	t.has = append(t.has, column...)
}

func (t *ibpTracker) DrawColumn(rng *rand.Rand, column []uint64) { t.law.drawColumn(rng, column) }

func (t *ibpTracker) Remove(k int) {
	last := len(t.size) - 1
	t.size[k] = t.size[last]
	t.size = t.size[:last]
	copy(t.has[k*t.w:(k+1)*t.w], t.has[last*t.w:])
	t.has = t.has[:last*t.w]
}

func (t *ibpTracker) Propose(Temperatures, []int) (float64, float64) {
	return t.SumLogIntensity(), t.law.h
}

func (t *ibpTracker) Accept() {}
