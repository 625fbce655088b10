package prior

import "math"

// newAttracted returns the tables of an arrival law made from similarities: of the
// AIBD, or with self of the sequential dd-IBP, in which an arriving item is also
// attracted by itself, to new dishes.
func newAttracted(aff *Affinity, temperature float64, perm []int, self bool) *arrival {
	a := newArrival(aff.N())
	a.self = self
	f := make([]float64, a.n*a.n)
	safe := aff.rows(f, temperature, self, new([]float64))
	a.order(perm)
	a.attract(aff, temperature, f, safe)
	return a
}

// attract fills the tables from similarities f by item, as Affinity.rows leaves
// them.
func (a *arrival) attract(aff *Affinity, temperature float64, f []float64, safe bool) {
	n := a.n
	a.aff, a.temperature = aff, temperature
	a.h = 0
	for p, i := range a.perm {
		row := f[i*n : (i+1)*n]
		sum := 0.0
		for _, j := range a.perm[:p] {
			sum += row[j]
		}
		scale := 0.0
		if a.self {
			sum += row[i]
			scale = 1 / sum
			a.w[p] = row[i] * scale
		} else {
			scale = float64(p) / (float64(p+1) * sum)
			a.w[p] = 1 / float64(p+1)
		}
		a.h += a.w[p]
		if !safe && sum < tiny {
			a.attractExactly(p)
			continue
		}
		for q, j := range a.perm[:p] {
			a.give[q*n+p] = row[j] * scale
		}
	}
	if !a.self {
		a.h = harmonic(n)
	}
}

// attractExactly fills position p where the similarities to all earlier items are
// too small beside those to later ones for their sum to be safe.
func (a *arrival) attractExactly(p int) {
	for q := range p {
		a.give[q*a.n+p] = math.Exp(a.logTake(p, func(other int) bool { return other == q }))
	}
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
