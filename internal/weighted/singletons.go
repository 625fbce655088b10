package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/internal/vector"
)

// tries is the number of changes of singletons that a scan proposes for each item.
const tries = 3

// DrawSingletons proposes births, deaths and new weights of the singletons of each item, with the loadings
// integrated out. It makes tries proposals for each item, and returns how many it made and accepted.
//
// Without singletons, item i has noise of variance SigmaX^2 (1 + h) about its prediction from the other
// items. R is the residual. With squared weights t of singletons the density is, up to a constant,
//
//	-(D/2) log(1 + t/r + h) - sum_d (R_d/s_d)^2 / (2 SigmaX^2 (1 + t/r + h))
func (m *Model) DrawSingletons(rng *rand.Rand, births Births) (proposed, accepted int) {
	m.current()
	m.invert()
	for i := range m.n {
		p, a := m.drawSingletons(rng, i, births)
		proposed, accepted = proposed+p, accepted+a
	}
	m.changed()
	return proposed, accepted
}

// drawSingletons is DrawSingletons for item i. The inverse of M and the means of the loadings must be
// current, and stay current. The rest of the collapsed form is then out of date.
func (m *Model) drawSingletons(rng *rand.Rand, i int, births Births) (proposed, accepted int) {
	intensity, r := m.tracker.TotalIntensity(), ratio(*m.scales)
	m.list(i)
	om, before := m.omega[i], 0.0
	m.u = vector.Extend(m.u, m.p)
	clear(m.u)
	for e, a := range m.entries {
		vector.Axpy(m.u, m.values[e], m.inverse[int(a)*m.p:])
	}
	for e, a := range m.entries {
		before += m.values[e] * m.u[a]
	}
	remainder := 1 - om*before
	h, square := before/remainder, 0.0
	if !(remainder > 0 && h < 1e9) { // rounding; singletons do not change h
		return 0, 0
	}
	m.res = vector.Extend(m.res, m.d)
	copy(m.res, m.row(i))
	for e, a := range m.entries {
		vector.Axpy(m.res, -m.values[e], m.b[int(a)*m.d:])
	}
	for j := range m.res {
		m.res[j] /= remainder
		e := m.res[j] / (m.scales.SigmaX * m.noise[j])
		square += e * e
	}
	density := func(t float64) float64 {
		one := 1 + max(t, 0)/r + h
		return -float64(m.d)/2*math.Log(one) - square/(2*one)
	}
	t, count := m.singletonSquares(i)
	now := density(t)
	log := m.tracker.LogSingleton(i)
	for range tries {
		proposed++
		kind, u := rng.IntN(3), rng.ExpFloat64()
		if kind == 0 { // birth
			w := rng.NormFloat64()
			next := density(t + w*w)
			if !(next-now+log+births.logMass(m.z.K(), intensity)-math.Log(float64(count+1))+u > 0) {
				continue
			}
			if m.z.K() >= m.limit {
				m.Limited = true
				continue
			}
			m.appendSingleton(i, w)
			t, now, count, accepted = t+w*w, next, count+1, accepted+1
			continue
		}
		if count == 0 {
			continue
		}
		e := m.singletonEntry(i, rng.IntN(count))
		w := m.column(int(m.features[i][e]))[i]
		if kind == 1 { // death
			next := density(t - w*w)
			if count == 1 {
				next = density(0)
			}
			if !(next-now-log-births.logMass(m.z.K()-1, intensity)+math.Log(float64(count))+u > 0) {
				continue
			}
			m.removeColumn(int(m.features[i][e]))
			count--
		} else {
			other := rng.NormFloat64()
			if !(density(t-w*w+other*other)-now+u > 0) {
				continue
			}
			m.column(int(m.features[i][e]))[i] = other
		}
		t, _ = m.singletonSquares(i)
		now = density(t)
		accepted++
	}
	if accepted == 0 {
		return proposed, 0
	}
	next := 1 / (1 + t/r)
	// Replace row i by one with the new weight. u and the residual leave the row out.
	vector.Axpy(m.u, 1/remainder-1, m.u)
	old, new := om/(1+om*h), next/(1+next*h)
	m.omega[i] = next
	vector.AddOuter(m.inverse, m.p, m.p, old-new, m.u, 1, m.u)
	vector.AddOuter(m.b, m.d, m.p, new-old, m.u, 1, m.res)
	return proposed, accepted
}

// singletonEntry returns the entry of singleton c of item i, counted from zero.
func (m *Model) singletonEntry(i, c int) int {
	for e, k := range m.features[i] {
		if m.single(int(k)) {
			if c == 0 {
				return e
			}
			c--
		}
	}
	panic("weighted: an item has fewer singletons")
}

// invert computes the inverse of M, and the means of the loadings.
func (m *Model) invert() {
	p, d := m.p, m.d
	m.inverse, m.b = vector.Extend(m.inverse, p*p), vector.Extend(m.b, p*d)
	inverse(m.inverse, m.chol, p, p)
	copy(m.b, m.c)
	backward(m.b, m.chol, p, d)
}
