package prior

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/vector"
)

// attracted is what the arrival laws made from similarities share: the AIBD and
// the sequential dd-IBP.
type attracted struct {
	aff         *Affinity
	mass        float64
	temperature float64
	arr         *arrival
}

// newAttracted returns the law. With self, as in the sequential dd-IBP, an arriving
// item is also attracted by itself, to new dishes.
func newAttracted(aff *Affinity, mass, temperature float64, perm []int, self bool) attracted {
	a := newArrival(aff.N())
	a.self = self
	f := make([]float64, a.n*a.n)
	safe := aff.rows(f, temperature, self, new([]float64))
	a.order(perm)
	a.attract(aff, temperature, f, safe)
	return attracted{aff: aff, mass: mass, temperature: temperature, arr: a}
}

// N returns the number of items.
func (l *attracted) N() int { return l.aff.N() }

// Mass returns the mass parameter.
func (l *attracted) Mass() float64 { return l.mass }

// Temperature returns the temperature.
func (l *attracted) Temperature() float64 { return l.temperature }

// Permutation returns a copy of the permutation.
func (l *attracted) Permutation() []int { return slices.Clone(l.arr.perm) }

// Affinity returns the distances and the decay.
func (l *attracted) Affinity() *Affinity { return l.aff }

// LogIntensity returns log nu of a column.
func (l *attracted) LogIntensity(column []uint64) float64 { return l.arr.logIntensity(column) }

// tables returns what the law does position by position.
func (l *attracted) tables() *arrival { return l.arr }

// sumLogIntensity returns the sum of log nu over the columns of z.
func (l *attracted) sumLogIntensity(z *feature.Allocation) float64 { return l.arr.sumLogIntensity(z) }

// TotalIntensity returns the sum of w_p: the N-th harmonic number for the AIBD, as
// for the IBP; the sum of 1/h_p, which depends on the permutation, for the
// sequential dd-IBP.
func (l *attracted) TotalIntensity() float64 { return l.arr.h }

// Rand draws an allocation by the generative process.
func (l *attracted) Rand(rng *rand.Rand) *feature.Allocation { return l.arr.rand(rng, l.mass) }

// ExpectedSharing returns the exact expected sharing under the permutation, in
// O(N^3).
func (l *attracted) ExpectedSharing() [][]float64 { return l.arr.sharing(l.mass) }

// attract fills the tables from similarities f by item, as Affinity.rows leaves
// them.
func (a *arrival) attract(aff *Affinity, temperature float64, f []float64, safe bool) {
	n := a.n
	a.aff, a.temperature = aff, temperature
	for q, j := range a.perm {
		clear(a.sim[q*n : q*n+q+1])
		row := a.row(q)
		for p, i := range a.perm[q+1:] {
			row[p] = f[i*n+j]
		}
	}
	a.addUp()
	a.normalize(func(i int) float64 { return f[i*n+i] }, safe)
}

// addUp computes what all earlier items give to each position.
func (a *arrival) addUp() {
	clear(a.total)
	for q := range a.n {
		vector.Axpy(a.total[q+1:], 1, a.row(q))
	}
}

// normalize computes w, scale and H from total. own is the similarity of an item to
// itself, which plays a part for the sequential dd-IBP only.
func (a *arrival) normalize(own func(i int) float64, safe bool) {
	a.h = 0
	for p, i := range a.perm {
		all := a.total[p]
		if a.self {
			self := own(i)
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
		a.sim[q*a.n+p] = math.Exp(a.logTake(p, func(other int) bool { return other == q }))
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
