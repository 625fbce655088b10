package intensity

import (
	"math"

	"aibd/internal/vector"
)

// attraction is working memory of attract.
type attraction struct {
	decayed decayed
	row     []float64 // similarities of one item, by item
	own     []float64 // by position: similarity of an item to itself beside those to others
}

// attract fills the tables at a temperature and reports whether similarities are safe
// to sum, as Affinity.spread says.
func (a *arrival) attract(aff *Affinity, temperature float64, work *attraction) (safe bool) {
	a.aff, a.temperature = aff, temperature
	least, safe := aff.spread(temperature, a.self)
	if safe {
		work.decayed.at(aff.exponents, temperature, least)
		for q, j := range a.perm {
			work.decayed.after(a.row(q), j, a.perm[q+1:])
		}
		a.addUp()
		a.normalizeSafe(least)
		return true
	}
	work.row, work.own = extend(work.row, a.n), extend(work.own, a.n)
	for p, i := range a.perm {
		aff.row(work.row, temperature, i, a.self)
		for q, j := range a.perm[:p] {
			a.sim[a.starts[q]+p] = work.row[j]
		}
		work.own[p] = work.row[i]
	}
	a.addUp()
	a.normalize(func(p int) float64 { return work.own[p] }, false)
	return false
}

// addUp computes what all earlier items give to each position.
func (a *arrival) addUp() {
	clear(a.total)
	for q := range a.n {
		vector.Axpy(a.total[q+1:], 1, a.row(q))
	}
}

// normalizeSafe is normalize where similarities are safe.
func (a *arrival) normalizeSafe(least float64) {
	own := 0.0
	if a.self {
		own = ownSimilarity(a.temperature, least)
	}
	a.normalize(func(int) float64 { return own }, true)
}

// normalize computes w, scale and H from total. own is the similarity of the item at a
// position to itself, which plays a part for the sequential dd-IBP only.
func (a *arrival) normalize(own func(p int) float64, safe bool) {
	a.h = 0
	for p := range a.n {
		all := a.total[p]
		if a.self {
			self := own(p)
			all += self
			a.scale[p] = 1 / all
			a.w[p] = self / all
		} else {
			a.scale[p] = float64(p) / (float64(p+1) * all)
			a.w[p] = 1 / float64(p+1)
		}
		if !safe && all < tiny {
			a.attractExactly(p)
		}
		a.h += a.w[p]
	}
	if !a.self {
		a.scale[0] = 0 // nothing is before the first
		a.h = harmonic(a.n)
	}
}

// attractExactly fills position p where the similarities to all earlier items are
// too small beside those to later ones for their sum to be safe.
func (a *arrival) attractExactly(p int) {
	for q := range p {
		a.sim[a.starts[q]+p] = math.Exp(a.logTake(p, func(other int) bool { return other == q }))
	}
	a.scale[p] = 1
	if a.self {
		a.w[p] = math.Exp(-a.aff.logSum(a.temperature, a.perm[p], a.perm[:p]))
	}
}

// logTake returns log b_p exactly, for b_p that underflow. Membership is by
// position.
func (a *arrival) logTake(p int, member func(q int) bool) float64 {
	item, earlier := a.perm[p], a.perm[:p]
	in := func(j int) bool { return member(a.pos[j]) }
	if a.self {
		return a.aff.logSumOf(a.temperature, item, earlier, in) - a.aff.logSum(a.temperature, item, earlier)
	}
	return math.Log(float64(p)/float64(p+1)) + a.aff.logShare(a.temperature, item, earlier, in)
}
