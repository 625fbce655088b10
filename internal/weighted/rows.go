package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/internal/vector"
)

// rows is the scratch space of DrawRows.
type rows struct {
	scaled []float64 // loadings over noise, K x D
	gram   []float64 // scaled scaled', K x K
	rest   []float64 // an item's cells less the intercept, over noise; 0 if missing
	b      []float64 // K
	odds   []float64 // bounds on prior odds of flips, K
	order  []int32
	active []int32   // features of the item that others have too
	at     []int32   // index of each feature in active; -1 if the item lacks it, -2 if no other item has it
	v      []float64 // covariance of the weights of active features, with leading dimension K
	mean   []float64 // and their mean
	cross  []float64 // gram of a feature and the active ones
	vq     []float64
	chol   []float64
	drawn  []float64
}

// DrawRows updates each row of Z and of the weights given the loadings, and draws the unknown cells.
// It returns how many flips it proposed and how many it accepted.
func (m *Model) DrawRows(rng *rand.Rand) (proposed, accepted int) {
	m.startRows(rng)
	for i := range m.n {
		p, a := m.drawRow(rng, i)
		proposed, accepted = proposed+p, accepted+a
	}
	m.known = false
	return proposed, accepted
}

// DrawItem draws the own features of item i, and then its row of Z and of the weights as DrawRows does.
// The mass must be fixed.
func (m *Model) DrawItem(rng *rand.Rand, i int, births Births) {
	m.current()
	m.invert()
	m.drawSingletons(rng, i, births)
	m.Stale()
	m.startRows(rng)
	m.drawRow(rng, i)
	m.known = false
}

// startRows prepares for drawRow.
func (m *Model) startRows(rng *rand.Rand) {
	m.ready(rng)
	k, d, r := m.z.K(), m.d, &m.rows
	r.scaled, r.gram, r.rest = vector.Extend(r.scaled, k*d), vector.Extend(r.gram, k*k), vector.Extend(r.rest, d)
	for a := range k {
		m.scaleLoading(a, a)
	}
	r.b, r.odds, r.at = vector.Extend(r.b, k), vector.Extend(r.odds, k), vector.Extend(r.at, k)
	r.v, r.mean, r.cross, r.vq = vector.Extend(r.v, k*k), vector.Extend(r.mean, k), vector.Extend(r.cross, k), vector.Extend(r.vq, k)
	r.chol, r.drawn = vector.Extend(r.chol, k*k), vector.Extend(r.drawn, k)
}

// scaleLoading updates scaled and gram after the loading of feature a has changed. In gram it updates
// the products with the first others features.
func (m *Model) scaleLoading(a, others int) {
	r, k, d := &m.rows, m.z.K(), m.d
	scaled, noise := r.scaled[a*d:(a+1)*d], m.hot().SigmaX
	for j, x := range m.loading(a) {
		scaled[j] = x / (noise * m.noise[j])
	}
	for b := range others {
		g := vector.Dot(scaled, r.scaled[b*d:(b+1)*d])
		r.gram[a*k+b], r.gram[b*k+a] = g, g
	}
	r.gram[a*k+a] = vector.Dot(scaled, scaled)
}

// gramOf returns the product of the scaled loadings of two features over the observed cells of an item.
func (m *Model) gramOf(i, a, b int) float64 {
	r := &m.rows
	g := r.gram[a*m.z.K()+b]
	for _, j := range m.missing[i] {
		g -= r.scaled[a*m.d+j] * r.scaled[b*m.d+j]
	}
	return g
}

func (m *Model) drawRow(rng *rand.Rand, i int) (proposed, accepted int) {
	r, k, d := &m.rows, m.z.K(), m.d
	variance := m.sd * m.sd
	t, _ := m.own(i, 1)
	hot := m.hot()
	om := 1 / (1 + t/ratio(hot))
	for j, x := range m.row(i) {
		r.rest[j] = (x - m.mu[j]) / (hot.SigmaX * m.noise[j])
	}
	for _, j := range m.missing[i] {
		r.rest[j] = 0
	}
	// The item's own features stay, with their weights.
	r.active, r.order = r.active[:0], r.order[:0]
	for a := range k {
		r.at[a] = -1
	}
	kept := 0
	for e, f := range m.has[i] {
		if m.single(int(f)) {
			r.at[f] = -2
			m.has[i][kept], m.weight[i][kept] = f, m.weight[i][e]
			kept++
			continue
		}
		r.at[f] = int32(len(r.active))
		r.active = append(r.active, f)
	}
	m.has[i], m.weight[i] = m.has[i][:kept], m.weight[i][:kept]
	for a := range k {
		if r.at[a] != -2 {
			r.order = append(r.order, int32(a))
			r.b[a] = om*vector.Dot(r.scaled[a*d:(a+1)*d], r.rest) + m.mean/variance
		}
	}
	for e := len(r.order) - 1; e > 0; e-- {
		f := rng.IntN(e + 1)
		r.order[e], r.order[f] = r.order[f], r.order[e]
	}
	m.startRow(i, om, variance)
	m.tracker.FlipBounds(i, r.odds)
	offset := m.mean * m.mean / (2 * variance)
	for _, f := range r.order {
		a := int(f)
		proposed++
		u := rng.ExpFloat64()
		n := len(r.active)
		if e := int(r.at[a]); e >= 0 {
			own := r.v[e*k+e]
			change := 0.5*math.Log(variance/own) - r.mean[e]*r.mean[e]/(2*own) + offset
			if !m.accepts(i, a, change+u) {
				continue
			}
			m.flip(i, a)
			m.leave(e)
			accepted++
			continue
		}
		left := r.b[a]
		for e, f := range r.active {
			r.cross[e] = om * m.gramOf(i, a, int(f))
			left -= r.cross[e] * r.mean[e]
		}
		// The precision c is at least that of the prior.
		if bound := variance*left*left/2 - offset; !m.mayAccept(a, bound+u) {
			continue
		}
		c := 1/variance + om*m.gramOf(i, a, a)
		for e := range n {
			r.vq[e] = vector.Dot(r.cross[:n], r.v[e*k:])
			c -= r.cross[e] * r.vq[e]
		}
		change := left*left/(2*c) - 0.5*math.Log(variance*c) - offset
		if !m.accepts(i, a, change+u) {
			continue
		}
		m.flip(i, a)
		m.join(a, left, c)
		accepted++
	}
	m.drawWeights(rng, i)
	m.drawOwn(rng, i, m.missing[i])
	for _, f := range m.has[i] {
		if m.single(int(f)) {
			m.scaleLoading(int(f), k) // later items may turn it on
		}
	}
	m.drawCells(rng, i)
	return proposed, accepted
}

// mayAccept reports whether a flip of feature k can be accepted by the bound on its prior odds, if the
// rest of the log acceptance ratio and an exponential variate sum to at most rest. A bound may be NaN.
func (m *Model) mayAccept(k int, rest float64) bool {
	return !(math.Log(m.rows.odds[k])+rest <= 0)
}

// accepts reports whether the flip of item i in feature k is accepted. Most flips need no more than the
// bound.
func (m *Model) accepts(i, k int, rest float64) bool {
	return m.mayAccept(k, rest) && m.tracker.LogFlip(i, k)+rest > 0
}

func (m *Model) flip(i, k int) {
	m.tracker.Flip(i, k)
	m.z.Flip(i, k)
}

// startRow computes the law of the weights of the active features.
func (m *Model) startRow(i int, om, variance float64) {
	r, k := &m.rows, m.z.K()
	n := len(r.active)
	l := r.chol
	for a, f := range r.active {
		for b, g := range r.active[:a+1] {
			sum := om * m.gramOf(i, int(f), int(g))
			if a == b {
				sum += 1 / variance
			}
			sum -= vector.Dot(l[a*k:a*k+b], l[b*k:])
			if a == b {
				l[a*k+a] = math.Sqrt(max(sum, 1e-300))
			} else {
				l[a*k+b] = sum / l[b*k+b]
			}
		}
	}
	inverse(r.v, l, k, n)
	for e := range n {
		r.mean[e] = 0
		for b, f := range r.active {
			r.mean[e] += r.v[e*k+b] * r.b[f]
		}
	}
}

// join adds a feature to the active ones: its precision given theirs is c, and its mean left/c.
func (m *Model) join(a int, left, c float64) {
	r, k := &m.rows, m.z.K()
	n := len(r.active)
	for e := range n {
		vector.Axpy(r.v[e*k:e*k+n], r.vq[e]/c, r.vq)
		r.v[e*k+n], r.v[n*k+e] = -r.vq[e]/c, -r.vq[e]/c
		r.mean[e] -= r.vq[e] * left / c
	}
	r.v[n*k+n], r.mean[n] = 1/c, left/c
	r.at[a] = int32(n)
	r.active = append(r.active, int32(a))
}

// leave removes entry e from the active features.
func (m *Model) leave(e int) {
	r, k := &m.rows, m.z.K()
	last := len(r.active) - 1
	own, mean := r.v[e*k+e], r.mean[e]
	copy(r.vq[:last+1], r.v[e*k:])
	for a := range last + 1 {
		if a != e {
			vector.Axpy(r.v[a*k:a*k+last+1], -r.vq[a]/own, r.vq)
			r.mean[a] -= r.vq[a] * mean / own
		}
	}
	r.at[r.active[e]] = -1
	if e != last {
		r.active[e], r.mean[e] = r.active[last], r.mean[last]
		r.at[r.active[e]] = int32(e)
		copy(r.v[e*k:e*k+last+1], r.v[last*k:])
		for a := range last {
			r.v[a*k+e] = r.v[a*k+last]
		}
		r.v[e*k+e] = r.v[last*k+last]
	}
	r.active = r.active[:last]
}

// drawWeights draws the weights of the active features.
func (m *Model) drawWeights(rng *rand.Rand, i int) {
	r, k := &m.rows, m.z.K()
	n := len(r.active)
	l := r.chol
	for a := range n {
		for b := range a + 1 {
			sum := r.v[a*k+b] - vector.Dot(l[a*k:a*k+b], l[b*k:])
			if a == b {
				l[a*k+a] = math.Sqrt(max(sum, 0))
			} else if l[b*k+b] > 0 {
				l[a*k+b] = sum / l[b*k+b]
			} else {
				l[a*k+b] = 0
			}
		}
		r.drawn[a] = rng.NormFloat64()
		m.add(i, int(r.active[a]), r.mean[a]+vector.Dot(l[a*k:a*k+a+1], r.drawn))
	}
}
