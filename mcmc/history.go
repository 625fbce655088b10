package mcmc

import (
	"fmt"
	"math"

	"aibd/internal/permutation"
)

// maxHistory is the max number of entries of a History.
const maxHistory = 256

// History holds scalars of the scans of a chain from the first one on, warmup included: of
// every nth scan, where n doubles as the chain grows. It depends on the draws of the chain
// only, not on where the chain was stopped and resumed.
type History struct {
	Every              int // entry i is of scan (i+1) * Every, counted from one; 0: nothing is kept
	NFeatures, NOnes   []int
	Mass               []float64
	Temperature        []float64 `json:",omitempty"` // nil if the law has none
	SigmaX, SigmaA     []float64
	LogLik, LogPrior   []float64
	NoiseMin, NoiseMax []float64 `json:",omitempty"` // see draws.Draw.NoiseRange; nil if the columns of X have no noise scales
	FirstHalf, Odd     []float64 `json:",omitempty"` // see posterior.PermutationMeans; nil if the law has no permutation
}

// ints and floats return the columns.
func (h *History) ints() [2]*[]int { return [2]*[]int{&h.NFeatures, &h.NOnes} }

func (h *History) floats() [10]*[]float64 {
	return [10]*[]float64{&h.Mass, &h.Temperature, &h.SigmaX, &h.SigmaA, &h.LogLik, &h.LogPrior, &h.FirstHalf, &h.Odd, &h.NoiseMin, &h.NoiseMax}
}

// newHistory returns an empty history with room for all entries.
func newHistory() History {
	h := History{Every: 1}
	for _, column := range h.ints() {
		*column = make([]int, 0, maxHistory)
	}
	for _, column := range h.floats() {
		*column = make([]float64, 0, maxHistory)
	}
	return h
}

// note adds the state of a target after the given number of scans, if it is to be kept.
func (h *History) note(scans int, c *Chain) {
	if h.Every == 0 || scans%h.Every != 0 {
		return
	}
	if len(h.Mass) == maxHistory {
		h.thin()
		if scans%h.Every != 0 {
			return
		}
	}
	d := c.record(0)
	d.LogLik += (c.target.post.power()/c.target.Power() - 1) * c.target.LogLik() // that of draws, also while it is annealed
	h.NFeatures, h.NOnes = append(h.NFeatures, d.Z.K()), append(h.NOnes, d.Z.Ones())
	for _, entry := range []struct {
		column *[]float64
		x      float64
	}{{&h.Mass, d.Mass}, {&h.SigmaX, d.SigmaX}, {&h.SigmaA, d.SigmaA}, {&h.LogLik, d.LogLik}, {&h.LogPrior, d.LogPrior}} {
		*entry.column = append(*entry.column, min(max(entry.x, -math.MaxFloat64), math.MaxFloat64)) // JSON has no infinity
	}
	if !math.IsNaN(d.Temperature) {
		h.Temperature = append(h.Temperature, d.Temperature)
	}
	if d.NoiseScales != nil {
		minSD, maxSD := d.NoiseRange()
		h.NoiseMin, h.NoiseMax = append(h.NoiseMin, minSD), append(h.NoiseMax, maxSD)
	}
	if len(d.Permutation) > 1 {
		firstHalf, odd := permutation.Means(d.Permutation)
		h.FirstHalf, h.Odd = append(h.FirstHalf, firstHalf), append(h.Odd, odd)
	}
}

// thin drops every other entry.
func (h *History) thin() {
	h.Every *= 2
	for _, column := range h.ints() {
		*column = thinned(*column)
	}
	for _, column := range h.floats() {
		*column = thinned(*column)
	}
}

// thinned keeps the entries 1, 3, 5, ...
func thinned[T any](column []T) []T {
	for i := range len(column) / 2 {
		column[i] = column[2*i+1]
	}
	return column[:len(column)/2]
}

// clone returns a copy with room for all entries.
func (h *History) clone() History {
	c := newHistory()
	c.Every = h.Every
	for i, column := range c.ints() {
		*column = append(*column, *h.ints()[i]...)
	}
	for i, column := range c.floats() {
		*column = append(*column, *h.floats()[i]...)
	}
	return c
}

// check returns an error unless the history is one of a chain of the given number of scans.
func (h *History) check(scans int) error {
	entries := 0
	if h.Every > 0 {
		entries = scans / h.Every
	}
	valid := h.Every >= 0 && h.Every&(h.Every-1) == 0 && entries <= maxHistory
	for _, column := range h.ints() {
		valid = valid && len(*column) == entries
	}
	for i, column := range h.floats() {
		valid = valid && (len(*column) == entries || len(*column) == 0 && (i == 1 || i > 5))
	}
	if !valid {
		return fmt.Errorf("found a history of %d entries, each of %d scans, expected one of %d scans", len(h.Mass), h.Every, scans)
	}
	return nil
}
