// Package dense is the reference implementation: the formulas of the paper as
// it writes them, computed densely and from scratch every time they are needed.
//
// It is the oracle of the project's tests, so it is slow on purpose and shares
// no code with the rest of the project: only _test.go files import it, and it
// imports none of the project's packages. Its own tests have the paper's
// sampler, the yardstick of a benchmark.
//
// Conventions. Z is the allocation: N >= 1 rows of K entries 0 or 1, no column
// all zero, the order of the columns without meaning. Items are numbered from
// zero; perm[p] is the item that arrives at position p, also from zero. f is
// the N x N matrix of similarities, whose diagonal is never read. All
// logarithms are natural. Arguments that break these rules are misuse: some
// panic, the others give meaningless numbers.
//
// "Paper" is Warr, Dahl, Meyer and Lui, The Attraction Indian Buffet
// Distribution, Bayesian Analysis.
package dense

import (
	"fmt"
	"math"
)

// size returns the number of members of column k of z.
func size(z [][]int, k int) int {
	m := 0
	for _, row := range z {
		m += row[k]
	}
	return m
}

// logMultiplicities returns log prod_h K_h!, where K_h counts the columns of z
// that are equal to the h-th distinct one. It panics on a zero column.
func logMultiplicities(z [][]int) float64 {
	count := make(map[string]int)
	sum := 0.0
	for k := range z[0] {
		if size(z, k) == 0 {
			panic(fmt.Sprintf("dense: column %d of Z is zero", k))
		}
		column := make([]byte, len(z))
		for i, row := range z {
			column[i] = byte(row[k])
		}
		count[string(column)]++
		sum += math.Log(float64(count[string(column)]))
	}
	return sum
}
