package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// Births is the mass, or the prior of the mass. Births and deaths under the prior integrate the mass
// out. It must then be drawn before it is used again.
type Births struct {
	Mass        float64
	Shape, Rate float64 // gamma prior of the mass; 0: Mass is fixed
}

// logMass returns the log of the mass, or of its mean given k features under a law of total intensity h.
func (b Births) logMass(k int, h float64) float64 {
	if b.Shape > 0 {
		return math.Log((b.Shape + float64(k)) / (b.Rate + h))
	}
	return math.Log(b.Mass)
}

// DrawFeatures proposes births and deaths of features of several items, given the loadings of the other such features
// and the weights, with the loadings of the feature, the features of single items and the missing cells integrated out.
// Flips alone would build or dissolve such a feature item by item. It returns how many it proposed and accepted.
//
// A feature is born from nu/H, with weights from their prior. The ratio of densities is then that of the cells, times
// the mass, times H over the number of features of several items after the birth, of which one chosen at random dies.
func (m *Model) DrawFeatures(rng *rand.Rand, tries int, births Births) (proposed, accepted int) {
	m.ready(rng)
	m.residuals()
	if m.net() == nil && m.near() {
		m.factorC()
	}
	h := m.tracker.TotalIntensity()
	m.several = m.several[:0]
	for k := range m.z.K() {
		if !m.single(k) {
			m.several = append(m.several, k)
		}
	}
	m.born, m.pos = vector.Extend(m.born, m.z.Words()), vector.Extend(m.pos, m.z.K())
	for range tries {
		proposed++
		kind, u := rng.IntN(2), rng.ExpFloat64()
		if kind == 0 {
			m.tracker.DrawColumn(rng, m.born)
			m.members = feature.Members(m.members[:0], m.born)
			if len(m.members) < 2 { // DrawSingletons
				continue
			}
			w := m.drawBorn(rng)
			m.sumMembers(w)
			if !(m.logColumn(m.gram, m.cross)/2+births.logMass(m.z.K(), h)+math.Log(h/float64(len(m.several)+1))+u > 0) {
				continue
			}
			if m.z.K() >= m.limit {
				m.Limited = true
				continue
			}
			m.several = append(m.several, m.z.K())
			m.appendColumn(m.born, w)
			m.drawLoading(rng, m.z.K()-1)
			for _, i := range m.members {
				m.explain(i, w[i], m.columnDraws.loading)
			}
			accepted++
			continue
		}
		if len(m.several) == 0 {
			continue
		}
		e := rng.IntN(len(m.several))
		k := m.several[e]
		m.gather(k)
		w := m.column(k)
		m.scaleColumn(k)
		for _, i := range m.members {
			m.explain(i, -w[i], m.columnDraws.loading)
		}
		m.sumMembers(w)
		if !(-m.logColumn(m.gram, m.cross)/2-births.logMass(m.z.K()-1, h)+math.Log(float64(len(m.several))/h)+u > 0) {
			for _, i := range m.members {
				m.explain(i, w[i], m.columnDraws.loading)
			}
			continue
		}
		m.removeColumn(k)
		last := len(m.several) - 1
		m.several[e] = m.several[last]
		m.several = m.several[:last]
		for e, l := range m.several {
			if l == m.z.K() { // the last feature took the number of the dead one
				m.several[e] = k
			}
		}
		accepted++
	}
	if accepted > 0 {
		for i := range m.n {
			m.drawSingletonLoadings(rng, i, m.missing[i])
			m.drawCells(rng, i)
		}
		m.links.drawn = false // the new features have no such weights
		m.forget()
	}
	return proposed, accepted
}

// sumMembers computes gram and cross of the gathered members with weights w.
func (m *Model) sumMembers(w []float64) {
	m.gram, m.cross = vector.Extend(m.gram, 1+m.step()*(m.d-1)), vector.Extend(m.cross, m.d)
	clear(m.gram)
	clear(m.cross)
	for _, i := range m.members {
		m.addMember(m.gram, m.cross, i, m.share[i]*w[i]*w[i], m.share[i]*w[i])
	}
}

// drawBorn draws weights of the gathered members from their prior.
func (m *Model) drawBorn(rng *rand.Rand) (w []float64) {
	switch {
	case m.net() != nil:
		m.drawPriorLinked(rng)
		return m.columnDraws.drawn
	case m.near():
		m.drawPrior(rng)
		return m.columnDraws.drawn
	}
	common, sd := 0.0, 1.0
	if m.Dependent() {
		common, sd = math.Sqrt(m.now.Shares[0])*rng.NormFloat64(), math.Sqrt(m.now.OwnShare())
	}
	m.columnDraws.drawn = vector.Extend(m.columnDraws.drawn, m.n)
	for _, i := range m.members {
		m.columnDraws.drawn[i] = common + sd*rng.NormFloat64()
	}
	return m.columnDraws.drawn
}
