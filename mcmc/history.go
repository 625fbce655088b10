package mcmc

import (
	"fmt"
	"math"
	"slices"

	"aibd/draws"
)

// maxHistory is the max number of entries of a History.
const maxHistory = 256

// History holds scalars of the scans of a chain from the first one on, warmup included: of
// every nth scan, where n doubles as the chain grows. It depends on the draws of the chain
// only, not on where the chain was stopped and resumed.
type History struct {
	Every  int                  // entry i belongs to scan (i+1) * Every, counted from one; 0: nothing is kept
	Values map[string][]float64 `json:",omitempty"` // by the key of the scalar, see draws.Scalar
}

// Len returns the number of entries.
func (h *History) Len() int {
	entries := math.MaxInt
	for _, column := range h.Values {
		entries = min(entries, len(column))
	}
	if len(h.Values) == 0 {
		return 0
	}
	return entries
}

// note adds the state of a chain after the given number of scans if Every divides it.
func (h *History) note(scans int, c *Chain) {
	if h.Every == 0 || scans%h.Every != 0 {
		return
	}
	if h.Len() == maxHistory {
		h.thin()
		if scans%h.Every != 0 {
			return
		}
	}
	c.row = draws.RowOf(c.record(0))
	c.row.LogLik += (1/c.target.Power() - 1) * c.target.LogLik() // at power 1, even during annealing
	for _, s := range c.scalars {
		column, begun := h.Values[s.Key]
		if !begun {
			column = make([]float64, 0, maxHistory)
		}
		h.Values[s.Key] = append(column, min(max(s.Value(&c.row), -math.MaxFloat64), math.MaxFloat64)) // JSON has no infinity
	}
}

// thin drops every other entry.
func (h *History) thin() {
	h.Every *= 2
	for key, column := range h.Values {
		for i := range len(column) / 2 {
			column[i] = column[2*i+1]
		}
		h.Values[key] = column[:len(column)/2]
	}
}

// clone returns a copy with room for all entries.
func (h *History) clone() History {
	c := History{h.Every, map[string][]float64{}}
	for key, column := range h.Values {
		c.Values[key] = append(make([]float64, 0, maxHistory), column...)
	}
	return c
}

// check returns an error unless the history fits a chain with the given number of scans and scalars.
func (h *History) check(scans int, scalars []draws.Scalar) error {
	entries := 0
	if h.Every > 0 {
		entries = scans / h.Every
	}
	valid := h.Every >= 0 && h.Every&(h.Every-1) == 0 && entries <= maxHistory && h.Len() == entries
	for key, column := range h.Values {
		valid = valid && len(column) == entries && slices.ContainsFunc(scalars, func(s draws.Scalar) bool { return s.Key == key })
	}
	if valid = valid && (entries == 0 || len(h.Values) == len(scalars)); !valid {
		return fmt.Errorf("found a history of %d entries, each of %d scans, expected one of %d scans", h.Len(), h.Every, scans)
	}
	return nil
}
