package prior

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"aibd/feature"
	"aibd/internal/vector"
)

// attracted is what the arrival laws made from similarities share: the AIBD and
// the sequential dd-IBP.
type attracted struct {
	aff         *Affinity
	mass        float64
	temperature float64
	perm        []int
	self        bool // an arriving item is also attracted by itself, to new dishes
	lazy        *lazy
}

// lazy is what a law does position by position, computed when it is asked for: it is
// large, and samplers have their own.
type lazy struct {
	once    sync.Once
	arrival *arrival
}

// newAttracted returns the law.
func newAttracted(aff *Affinity, mass, temperature float64, perm []int, self bool) attracted {
	return attracted{aff: aff, mass: mass, temperature: temperature, perm: slices.Clone(perm), self: self, lazy: new(lazy)}
}

// N returns the number of items.
func (l *attracted) N() int { return l.aff.N() }

// Mass returns the mass parameter.
func (l *attracted) Mass() float64 { return l.mass }

// Temperature returns the temperature.
func (l *attracted) Temperature() float64 { return l.temperature }

// Permutation returns a copy of the permutation.
func (l *attracted) Permutation() []int { return slices.Clone(l.perm) }

// Affinity returns the distances and the decay.
func (l *attracted) Affinity() *Affinity { return l.aff }

// LogIntensity returns log nu of a column.
func (l *attracted) LogIntensity(column []uint64) float64 { return l.tables().logIntensity(column) }

// tables returns what the law does position by position.
func (l *attracted) tables() *arrival {
	l.lazy.once.Do(func() {
		l.lazy.arrival = newArrival(l.perm, l.self)
		l.lazy.arrival.attract(l.aff, l.temperature, new(attraction))
	})
	return l.lazy.arrival
}

// tracker returns the incremental form of the law.
func (l *attracted) tracker() *arrivalTracker {
	return newArrivalTracker(l.aff, l.temperature, l.perm, l.self)
}

// sumLogIntensity returns the sum of log nu over the columns of z.
func (l *attracted) sumLogIntensity(z *feature.Allocation) float64 {
	return l.tables().sumLogIntensity(z)
}

// TotalIntensity returns the sum of w_p: the N-th harmonic number for the AIBD, as
// for the IBP; the sum of 1/h_p, which depends on the permutation, for the
// sequential dd-IBP.
func (l *attracted) TotalIntensity() float64 {
	if !l.self {
		return harmonic(l.N())
	}
	return l.tables().h
}

// Rand draws an allocation by the generative process.
func (l *attracted) Rand(rng *rand.Rand) *feature.Allocation { return l.tables().rand(rng, l.mass) }

// ExpectedSharing returns the exact expected sharing under the permutation, in
// O(N^3).
func (l *attracted) ExpectedSharing() [][]float64 { return l.tables().sharing(l.mass) }

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
