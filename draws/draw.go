package draws

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// Header holds the constants of a segment.
type Header struct {
	N             int    // items, at least 1
	Chain         int    // number of the chain, from zero
	DrawsPerChain int    // planned number of kept scans of each chain of the run, at least 1
	Segment       int    // number of the segment in its chain, from zero
	Run           string // identifies the run; printable text
	Cells         int    // len(Draw.Cells) of each draw
	Cutpoints     int    // len(Draw.Cutpoints) of each draw
	NoiseScales   int    // len(Draw.NoiseScales) of each draw
}

// check returns an error if a number is out of range. The draws of all chains of a run are
// numbered in 32 bits.
func (h Header) check() error {
	switch {
	case h.N < 1 || h.N > math.MaxInt32:
		return fmt.Errorf("found %d items, expected 1 to %d", h.N, math.MaxInt32)
	case h.Chain < 0 || h.Chain >= math.MaxInt32:
		return fmt.Errorf("found chain %d (from zero), expected 0 to %d", h.Chain, math.MaxInt32-1)
	case h.DrawsPerChain < 1 || int64(h.DrawsPerChain) > math.MaxInt32/(int64(h.Chain)+1):
		return fmt.Errorf("found %d draws per chain in chain %d (from zero), expected 1 to %d", h.DrawsPerChain, h.Chain, math.MaxInt32/(h.Chain+1))
	case strings.ContainsFunc(h.Run, unicode.IsControl) || !utf8.ValidString(h.Run):
		return fmt.Errorf("found run %q, expected printable text", h.Run)
	case h.Cells < 0 || h.Cells > math.MaxInt32/8:
		return fmt.Errorf("found %d cells, expected 0 to %d", h.Cells, math.MaxInt32/8)
	case h.Cutpoints < 0 || h.Cutpoints > math.MaxInt32/8 || h.Cutpoints > 0 && h.Cells == 0:
		return fmt.Errorf("found %d cutpoints and %d cells, expected 0 to %d with cells", h.Cutpoints, h.Cells, math.MaxInt32/8)
	case h.NoiseScales < 0 || h.NoiseScales > math.MaxInt32/8:
		return fmt.Errorf("found %d noise scales, expected 0 to %d", h.NoiseScales, math.MaxInt32/8)
	case h.Segment < 0 || h.Segment >= math.MaxInt32:
		return fmt.Errorf("found segment %d (from zero), expected 0 to %d", h.Segment, math.MaxInt32-1)
	}
	return nil
}

// optional returns the numbers that a file gives only if they are above 0, by their keys.
func (h *Header) optional() map[string]*int {
	return map[string]*int{keyCells: &h.Cells, keyCutpoints: &h.Cutpoints, keyNoiseScales: &h.NoiseScales}
}

// draw returns the number of a draw among the draws of all chains, from one.
func (h Header) draw(iteration int) int { return h.Chain*h.DrawsPerChain + iteration + 1 }

// Recorder receives the draws of one chain in order. A draw and its pointers are only valid
// during the call; a recorder copies what it keeps.
type Recorder interface {
	Record(d *Draw) error
}

// RecorderFunc is a function as a Recorder.
type RecorderFunc func(d *Draw) error

// Record calls f.
func (f RecorderFunc) Record(d *Draw) error { return f(d) }
