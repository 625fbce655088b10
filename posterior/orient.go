package posterior

import (
	"math"
	"math/bits"

	"aibd/draws"
	"aibd/feature"
)

// Orient returns the draws with some features replaced by their complements. Under data with
// an intercept a complement has the same likelihood: a draw says how a feature splits the
// items, and hardly which side has it. The reference is the draw with the largest log joint
// density. A feature is replaced if, of its correlations with the features of the reference,
// the largest in absolute value is negative. The returned draws share everything else with
// the given ones. Orient panics if there are no draws.
func Orient(from []*draws.Draw) []*draws.Draw {
	reference := from[0]
	for _, d := range from {
		if d.LogPrior+d.LogLik > reference.LogPrior+reference.LogLik {
			reference = d
		}
	}
	oriented := make([]*draws.Draw, len(from))
	for t, d := range from {
		c := *d
		c.Z = orient(d.Z, reference.Z)
		oriented[t] = &c
	}
	return oriented
}

// orient returns z with the features replaced that are opposed to those of the reference.
func orient(z, reference *feature.Allocation) *feature.Allocation {
	oriented := feature.NewSized(z.N(), z.K())
	for k := range z.K() {
		column := z.Column(k)
		if opposed(column, z.Size(k), reference) {
			column = feature.Complement(nil, column, z.N())
		}
		oriented.AppendColumn(column)
	}
	return oriented
}

// opposed reports whether, of the correlations of a column with those of the reference, the
// largest in absolute value is negative. A column of all items has no correlations.
func opposed(column []uint64, size int, reference *feature.Allocation) bool {
	n, largest := float64(reference.N()), 0.0
	for l := range reference.K() {
		both := 0
		for w, word := range reference.Column(l) {
			both += bits.OnesCount64(word & column[w])
		}
		of := float64(reference.Size(l))
		r := (n*float64(both) - float64(size)*of) / math.Sqrt(of*(n-of))
		if math.Abs(r) > math.Abs(largest) && size < int(n) {
			largest = r
		}
	}
	return largest < 0
}
