package intensity

import "aibd/internal/vector"

// attraction is working memory for similarities that are not safe to sum.
type attraction struct {
	row  []float64 // similarities of one item to those before it and itself, by position
	self []float64 // by position: similarity of an item to itself beside those to earlier ones
}

// attract fills the tables at temperatures.
func (a *arrival) attract(aff *Affinity, t Temperatures, work *attraction) {
	a.update(aff, t)
	a.similarities(work)
	a.addUp()
	a.normalize(work)
}

// update sets the temperatures, which it copies.
func (a *arrival) update(aff *Affinity, t Temperatures) {
	if a.aff == aff && a.temperatures.Equal(t) {
		return
	}
	a.aff = aff
	a.temperatures.Set(t)
	a.safe = aff.update(&a.decayed, a.temperatures, a.self)
}

// similarities computes what each item gives to each later one.
func (a *arrival) similarities(work *attraction) {
	if a.safe {
		for q, j := range a.perm {
			a.decayed.given(a.row(q), j, a.perm[q+1:])
		}
		return
	}
	work.row, work.self = vector.Extend(work.row, a.n), vector.Extend(work.self, a.n)
	for p, i := range a.perm {
		a.aff.row(work.row, a.temperatures, i, a.perm[:p+1], a.self)
		for q, x := range work.row[:p] {
			a.sim[a.starts[q]+p] = x
		}
		work.self[p] = work.row[p]
	}
}

// addUp computes what all earlier items give to each position.
func (a *arrival) addUp() {
	clear(a.total)
	for q := range a.n {
		vector.Axpy(a.total[q+1:], 1, a.row(q))
	}
}

// normalize computes w, scale and H from total, and from work if similarities are not
// safe.
func (a *arrival) normalize(work *attraction) {
	a.h = 0
	self := 0.0
	if a.self && a.safe {
		self = a.decayed.self()
	}
	for p := range a.n {
		all := a.total[p]
		if a.self {
			if !a.safe {
				self = work.self[p]
			}
			all += self
			a.scale[p] = 1 / all
			a.w[p] = self / all
		} else {
			a.scale[p] = float64(p) / (float64(p+1) * all)
			a.w[p] = 1 / float64(p+1)
		}
		a.h += a.w[p]
	}
	if !a.self {
		a.scale[0] = 0 // nothing is before the first
		a.h = harmonic(a.n)
	}
}

// logTake returns log b_p exactly, for b_p that underflow. Membership is by
// position.
func (a *arrival) logTake(p int, member func(q int) bool) float64 {
	in := func(j int) bool { return member(a.pos[j]) }
	return a.aff.logTake(a.temperatures, a.perm[p], a.perm[:p], a.self, in)
}
