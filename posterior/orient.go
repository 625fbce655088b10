package posterior

import (
	"math"

	"aibd/draws"
	"aibd/feature"
)

// Orient returns the draws with some features replaced by their complements. Under data with
// an intercept a complement has the same likelihood: a draw says how a feature splits the
// items, and hardly which side has it. The reference is the draw with the largest log joint
// density, with each of its features on the side of at most half of the items. A feature of
// another draw is on the side that correlates with the feature of the reference with which its
// correlation is largest in absolute value; if that is below 1/2, it is on the side of at most
// half of the items. A feature of all items stays, and so do weighted features, whose complements
// have another likelihood. The returned draws share everything else with the given ones. Orient
// panics if there are no draws.
func Orient(ds []*draws.Draw) []*draws.Draw {
	best := ds[0]
	for _, d := range ds {
		if d.LogPrior+d.LogLik > best.LogPrior+best.LogLik {
			best = d
		}
	}
	reference := orient(best.Z, feature.New(best.Z.N()))
	oriented := make([]*draws.Draw, len(ds))
	for t, d := range ds {
		c := *d
		if d.Weights == nil {
			c.Z = orient(d.Z, reference)
		}
		oriented[t] = &c
	}
	return oriented
}

// orient returns z with the features replaced that are on the other side.
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

// opposed reports whether the complement of a column is on the side of the reference, see
// Orient.
func opposed(column []uint64, size int, reference *feature.Allocation) bool {
	n, largest := float64(reference.N()), 0.0
	if size == reference.N() {
		return false
	}
	spread := math.Sqrt(float64(size) * (n - float64(size)))
	for l := range reference.K() {
		both, count := feature.Common(reference.Column(l), column), float64(reference.Size(l))
		r := (n*float64(both) - float64(size)*count) / (spread * math.Sqrt(count*(n-count)))
		if math.Abs(r) > math.Abs(largest) {
			largest = r
		}
	}
	if math.Abs(largest) < 0.5 {
		return 2*float64(size) > n
	}
	return largest < 0
}
