package draws

import (
	"slices"

	"aibd/feature"
)

// MaxFeatures is the max number of features of a draw. It bounds the time and memory
// that a damaged or hostile segment can cost.
const MaxFeatures = 10_000

// Draw is one recorded state of a chain.
type Draw struct {
	Iteration   int     // among the kept scans of its chain, from zero
	Mass        float64 // mass of the law, > 0
	Temperature float64 // temperature of the law, >= 0; NaN if the law has none
	SigmaX      float64 // standard deviation of the noise, > 0
	SigmaA      float64 // standard deviation of the loadings, > 0
	LogLik      float64 // log p(X | Z, Weights, SigmaX, SigmaA, NoiseScales, Cells), every constant kept, times any power of the likelihood
	// LogPrior is the log prior density of all unknowns with a prior: the class of Z for binary features, the set
	// of columns with their weights otherwise, so that it compares draws of one kind of features only.
	LogPrior float64

	// FurtherTemperatures holds the temperatures of the distances after the first, if the law has several; else
	// nil. Temperature belongs to the first one.
	FurtherTemperatures []float64

	// Permutation holds the item that arrives at each position, counted from
	// zero; nil if the law has none.
	Permutation []int

	// Cells holds the values of the cells of X that lie between bounds, row by
	// row; nil if there are none.
	Cells []float64

	// Cutpoints holds the unknown cutpoints of the ordinal columns of X, column by column; nil if
	// there are none.
	Cutpoints []float64

	// NoiseScales holds the noise scale of each column of X, 1 where it is fixed: noise and loadings
	// of the column have standard deviations SigmaX and SigmaA times its scale. It is nil if all
	// columns share SigmaX and SigmaA.
	NoiseScales []float64

	Z *feature.Allocation // not nil, at most MaxFeatures features, none empty

	// Weights holds the weights of the ones of Z, feature by feature in the order of the columns of
	// Z, items ascending: items have features by degrees, and the matrix of weights takes the place
	// of Z in X = Z A + E (see feature.Allocation.Weighted). It is nil if features are binary, that
	// is, if all weights are 1.
	Weights []float64

	// Shares are the shares of the variance of the weights, which is 1: the first is common to all items, the
	// others follow a distance each. The rest of 1 is each item's own. nil if weights are independent.
	Shares []float64

	// Rates hold, for each of the shares that follow a distance, how fast the correlation decays with it; 0 for
	// one whose correlations are given.
	Rates []float64
}

// Clone returns a copy of a draw that shares no memory with it.
func Clone(d *Draw) *Draw {
	c := *d
	c.FurtherTemperatures, c.Permutation, c.Cells = slices.Clone(d.FurtherTemperatures), slices.Clone(d.Permutation), slices.Clone(d.Cells)
	c.Cutpoints, c.NoiseScales, c.Weights = slices.Clone(d.Cutpoints), slices.Clone(d.NoiseScales), slices.Clone(d.Weights)
	c.Shares, c.Rates = slices.Clone(d.Shares), slices.Clone(d.Rates)
	c.Z = d.Z.Clone()
	return &c
}

// Recorder receives the draws of one chain in order. A draw and its pointers are only valid
// during the call; a recorder that keeps a draw must Clone it.
type Recorder interface {
	Record(d *Draw) error
}

// RecorderFunc is a function as a Recorder.
type RecorderFunc func(d *Draw) error

// Record calls f.
func (f RecorderFunc) Record(d *Draw) error { return f(d) }
