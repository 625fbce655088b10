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
	LogLik      float64 // log p(X | Z, SigmaX, SigmaA, NoiseScales), every constant kept, times any power of the likelihood
	LogPrior    float64 // log prior density of everything random

	// Permutation holds the item that arrives at each position, counted from
	// zero; nil if the law has none.
	Permutation []int

	// Cells holds the values of the cells of X that are known to lie between bounds, row by
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

	// SigmaW is the standard deviation of the weights about their mean 1; 0 if it is no unknown.
	SigmaW float64
}

// NoiseRange returns the min and the max standard deviation of the noise of a column of X, SigmaX if
// the columns have no noise scales.
func (d *Draw) NoiseRange() (minSD, maxSD float64) {
	if d.NoiseScales == nil {
		return d.SigmaX, d.SigmaX
	}
	return d.SigmaX * slices.Min(d.NoiseScales), d.SigmaX * slices.Max(d.NoiseScales)
}

// Scalars holds the scalar columns of draws, an entry for each draw, as in Draw. NFeatures
// and NOnes count the features and the ones of Z.
type Scalars struct {
	Iteration          []int
	Mass, Temperature  []float64
	SigmaX, SigmaA     []float64
	SigmaW             []float64 // nil if the weights have no unknown standard deviation
	NFeatures, NOnes   []int
	LogLik, LogPrior   []float64
	Cutpoints          [][]float64 // by cutpoint
	NoiseMin, NoiseMax []float64   // see Draw.NoiseRange; nil if the columns of X have no noise scales
}

// Recorder receives the draws of one chain in order. A draw and its pointers are only valid
// during the call; a recorder copies what it keeps.
type Recorder interface {
	Record(d *Draw) error
}

// RecorderFunc is a function as a Recorder.
type RecorderFunc func(d *Draw) error

// Record calls f.
func (f RecorderFunc) Record(d *Draw) error { return f(d) }
