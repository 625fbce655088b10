package intensity

import (
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
