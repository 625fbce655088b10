package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
)

// Turns returns how far draws turn the features of an estimate with weights (EstimateG) into each other,
// by pair of features: the root mean square of the sine of the angle, 0 for features that stay as they
// are and up to 0.71 for features whose rotations are equally likely. The sine of a draw is half the cosine
// between its match of k and feature l, less half the cosine between its match of l and feature k. What
// weights have in common cancels, and so does most of their noise. Draws without a match of both do not count.
func Turns(e *Estimate, ds []*draws.Draw) [][]float64 {
	features := e.Z.K()
	turns, count := make([][]float64, features), make([][]float64, features)
	for k := range turns {
		turns[k], count[k] = make([]float64, features), make([]float64, features)
	}
	cosine := make([][]float64, features)
	for _, d := range ds {
		matched, turned := MatchWeights(d, e.Weights)
		columns := weightedColumns(d)
		entries := entriesOf(columns, len(columns), d.Z.N())
		for k, l := range matched {
			cosine[k] = make([]float64, features)
			for f, w := range e.Weights {
				if l >= 0 {
					cosine[k][f] = signed(floats.Dot(entries[l], w)/math.Sqrt(floats.Dot(entries[l], entries[l])*floats.Dot(w, w)), turned[k])
				}
			}
		}
		for k := range matched {
			for l := range k {
				if matched[k] >= 0 && matched[l] >= 0 {
					sine := (cosine[k][l] - cosine[l][k]) / 2
					turns[k][l] += sine * sine
					count[k][l]++
				}
			}
		}
	}
	for k := range turns {
		for l := range k {
			turns[k][l] = math.Sqrt(turns[k][l] / max(count[k][l], 1))
			turns[l][k] = turns[k][l]
		}
	}
	return turns
}
