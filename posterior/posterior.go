// Package posterior judges and summarizes posterior draws. Of scalar quantities it gives the
// convergence of chains, the precision of means, quantiles, deviances, and the permutation
// diagnostics of Warr, Dahl, Meyer and Lui (The Attraction Indian Buffet Distribution,
// Bayesian Analysis; "the paper" below). Of draws of Z it gives the allocation of least
// expected FARO loss, the loadings of its features, how much of X the features explain, and
// how many features items share.
//
// Draws come as chains: chains[c][t] is draw t of chain c. All chains have the same length;
// the functions panic otherwise. Draws of a scalar that differ by rounding only, by at most 2^-36
// (1.5e-11) of their size, count as equal.
package posterior

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/lists"
	"aibd/internal/rounding"
)

// finite reports whether every draw is finite. It panics if the chains differ in
// length.
func finite(chains [][]float64) bool {
	for c, chain := range chains {
		if len(chain) != len(chains[0]) {
			panic(fmt.Sprintf("posterior: chain %d has %d draws, chain 0 has %d", c, len(chain), len(chains[0])))
		}
	}
	for _, chain := range chains {
		if slices.ContainsFunc(chain, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }) {
			return false
		}
	}
	return true
}

// split returns the first and second halves of every chain, which share memory
// with it. The middle draw of an odd number is left out.
func split(chains [][]float64) [][]float64 {
	halves := make([][]float64, 0, 2*len(chains))
	for _, chain := range chains {
		h := len(chain) / 2
		halves = append(halves, chain[:h], chain[len(chain)-h:])
	}
	return halves
}

// length returns the number of draws of each chain.
func length(chains [][]float64) int {
	if len(chains) == 0 {
		return 0
	}
	return len(chains[0])
}

// settle returns the draws and the same in increasing order. Draws that differ by rounding only
// (rounding.Same) are made equal. If the draws are differences of numbers, about is the size of
// the numbers. It is 1 for logarithms, and 0 otherwise.
func settle(chains [][]float64, about float64) (settled [][]float64, sorted []float64) {
	sorted = pool(chains)
	raw := sorted
	for first := 0; first < len(raw); {
		end := first + 1
		for end < len(raw) && rounding.Same(raw[first], raw[end], about) {
			end++
		}
		if raw[first] != raw[end-1] {
			if &raw[0] == &sorted[0] {
				sorted = slices.Clone(raw)
			}
			for i := first; i < end; i++ {
				sorted[i] = raw[(first+end)/2]
			}
		}
		first = end
	}
	if len(raw) == 0 || &raw[0] == &sorted[0] {
		return chains, sorted
	}
	return lists.MapRows(chains, func(x float64) float64 {
		rank, _ := slices.BinarySearch(raw, x)
		return sorted[rank]
	}), sorted
}

// pool returns the draws of all chains in increasing order.
func pool(chains [][]float64) []float64 {
	draws := slices.Concat(chains...)
	slices.Sort(draws)
	return draws
}

// Constant reports whether all draws of all chains are equal up to rounding.
func Constant(chains [][]float64) bool {
	draws := slices.Concat(chains...)
	return len(draws) == 0 || rounding.Same(slices.Min(draws), slices.Max(draws), 0)
}

// constant reports whether all draws of all chains are equal.
func constant(chains [][]float64) bool {
	for _, chain := range chains {
		if slices.ContainsFunc(chain, func(x float64) bool { return x != chains[0][0] }) {
			return false
		}
	}
	return true
}
