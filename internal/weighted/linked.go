package weighted

import (
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// links is the scratch space of a model with a network.
type links struct {
	w, v, z []float64 // by node
	free    []bool    // node is no member of the feature
	matrix  sparse
	log     float64   // of its determinant
	kept    int       // feature of which matrix is the factor of Q of the free nodes at the current shares, or -1
	common  []float64 // common parts that moved along
	drawn   bool      // common and the weights of items without a feature are a draw given those of its members
}

// nodeWeights returns the weights of feature k by node, in w.
func (m *Model) nodeWeights(k int) []float64 {
	g, l := m.net(), &m.links
	l.w, m.common = vector.Extend(l.w, g.n+1), vector.Extend(m.common, m.z.K())
	l.w[0] = m.common[k]
	for i, x := range m.column(k) {
		l.w[g.node[i]] = x
	}
	return l.w
}

// nodes puts the weights of feature k into w, and marks the nodes that are not its gathered members as free.
func (m *Model) nodes(k int) *links {
	g, l := m.net(), &m.links
	l.v, l.z, l.free = vector.Extend(l.v, g.n+1), vector.Extend(l.z, g.n+1), vector.Extend(l.free, g.n+1)
	m.nodeWeights(k)
	vector.Fill(l.free, true)
	for _, i := range m.members {
		l.free[g.node[i]] = false
	}
	return l
}

// drawAllOthers draws the weights of the items without a feature given those of its members, of the features of several
// items, unless they are drawn. They stay a draw until the scan ends: moves change the weights of a feature together.
func (m *Model) drawAllOthers(rng *rand.Rand) {
	if m.links.drawn {
		return
	}
	for k := range m.z.K() {
		if !m.single(k) {
			m.drawOthersLinked(rng, k)
		}
	}
	m.links.drawn = true
}

// logAll returns the log prior density, up to a constant, of the weights of all items in the features of several.
func (m *Model) logAll(c *conditional) (sum float64) {
	for k := range m.z.K() {
		if !m.single(k) {
			sum -= (m.net().square(c, m.nodeWeights(k)) - c.log) / 2
		}
	}
	return sum
}

// complete gives the nodes that are free of feature k their expected weights given those of the others, and returns the
// log of the determinant of their precision. With a generator it draws them.
func (m *Model) complete(l *links, c *conditional, k int, rng *rand.Rand) (log float64) {
	g := m.net()
	if current := c == &m.at; !current || l.kept != k {
		g.fill(&l.matrix, c, l.free)
		l.log = g.factor(&l.matrix)
		if l.kept = -1; current {
			l.kept = k
		}
	}
	g.pull(l.v, c, l.free, l.w)
	var z []float64
	if rng != nil {
		z = l.z
		for a, free := range l.free {
			if z[a] = 0; free {
				z[a] = rng.NormFloat64()
			}
		}
	}
	g.solve(&l.matrix, l.v, z)
	for a, free := range l.free {
		if free {
			l.w[a] = l.v[a]
		}
	}
	return l.log
}

// keepNodes keeps the weights in w as those of feature k.
func (m *Model) keepNodes(k int) {
	g := m.net()
	m.common[k] = m.links.w[0]
	w := m.column(k)
	for a, x := range m.links.w[1:] {
		w[g.item[a+1]] = x
	}
}

// quadraticLinked is quadratic for the gathered members of feature k.
func (m *Model) quadraticLinked(k int, proposed bool) (square, logDet float64) {
	c := &m.at
	if proposed {
		c = &m.there
	}
	l := m.nodes(k)
	log := m.complete(l, c, k, nil)
	return m.net().square(c, l.w), log - c.log
}

// drawOthersLinked is drawOthers.
func (m *Model) drawOthersLinked(rng *rand.Rand, k int) {
	if n := m.gather(k); n == 1 {
		m.drawOthersOfOne(rng, k)
		return
	}
	m.complete(m.nodes(k), &m.at, k, rng)
	m.keepNodes(k)
}

// drawOthersOfOne is drawOthersLinked for one gathered member: a draw from the prior, corrected by Matheron's rule.
func (m *Model) drawOthersOfOne(rng *rand.Rand, k int) {
	g, l := m.net(), m.nodes(k)
	a := g.node[m.members[0]]
	x := l.w[a]
	m.drawPriorLinked(rng)
	g.covariance(&m.at, l.v, a)
	x -= l.w[a]
	for b, v := range l.v {
		l.w[b] += v * x // all variances are 1
	}
	m.keepNodes(k)
	m.column(k)[m.members[0]] = m.vec[0]
}

// drawLinked is drawNear for feature k.
func (m *Model) drawLinked(rng *rand.Rand, k int) {
	g, l := m.net(), m.nodes(k)
	g.fill(&l.matrix, &m.at, nil)
	l.kept = -1
	clear(l.w)
	for e, i := range m.members {
		a := g.node[i]
		l.matrix.diagonal[a] += m.obs[e]
		l.w[a] = m.columnDraws.sum[e]
	}
	g.factor(&l.matrix)
	for a := range l.z {
		l.z[a] = rng.NormFloat64()
	}
	g.solve(&l.matrix, l.w, l.z)
	m.keepNodes(k)
}

// drawPriorLinked is drawPrior.
func (m *Model) drawPriorLinked(rng *rand.Rand) {
	g, l := m.net(), &m.links
	l.w, m.columnDraws.drawn = vector.Extend(l.w, g.n+1), vector.Extend(m.columnDraws.drawn, g.n)
	for a := range l.w {
		l.w[a] = rng.NormFloat64()
	}
	g.color(&m.at, l.w)
	for a, x := range l.w[1:] {
		m.columnDraws.drawn[g.item[a+1]] = x
	}
}

// predictLinked is predict.
func (m *Model) predictLinked(i int) {
	g, r := m.net(), &m.rows
	g.quadratic(&m.at)
	a := g.node[i]
	own := m.at.diagonal[a]
	near, entry := g.near[g.links[a]:g.links[a+1]], g.entry[g.links[a]:g.links[a+1]]
	for k := range r.prior {
		w := m.column(k)
		sum := m.at.off[entry[0]] * m.common[k] // the common part is the first neighbor
		for x, b := range near[1:] {
			sum += m.at.off[entry[x+1]] * w[g.item[b]]
		}
		r.prior[k], r.precision[k] = -sum/own, own
	}
}

// givenLinked is given for the gathered members.
func (m *Model) givenLinked(i, k int) (mean, precision float64) {
	g, l := m.net(), m.nodes(k)
	l.kept = -1 // the members are others than those of the feature
	m.complete(l, &m.at, k, nil)
	l.kept = -1
	a := g.node[i]
	mean = l.w[a]
	clear(l.v)
	l.v[a] = 1
	g.solve(&l.matrix, l.v, nil)
	return mean, 1 / l.v[a]
}

// carryLinked is carry.
func (m *Model) carryLinked() {
	g := m.net()
	m.common = vector.Extend(m.common, m.z.K())
	m.links.common = vector.Extend(m.links.common, m.z.K())
	for k := range m.z.K() {
		out := m.otherW[k*m.n : (k+1)*m.n]
		if m.single(k) { // normal(0, 1) at any shares
			copy(out, m.column(k))
			m.links.common[k] = m.common[k]
			continue
		}
		w := m.nodeWeights(k)
		g.whiten(&m.at, w)
		g.color(&m.there, w)
		m.links.common[k] = w[0]
		for a, x := range w[1:] {
			out[g.item[a+1]] = x
		}
	}
}

// rescaleLinked multiplies the weights of all items in feature k by a factor.
func (m *Model) rescaleLinked(k int, g float64) {
	m.common[k] *= g // drawn with the weights of the items without the feature
	for i := range m.column(k) {
		m.column(k)[i] *= g
	}
}

// shearLinked returns v'Qv and v'Qw for the weights w of all items in feature l, where v has those of the members of
// feature k, and 0 for others.
func (m *Model) shearLinked(k, l int) (precision, sum float64) {
	g, from := m.net(), m.column(k)
	g.quadratic(&m.at)
	w := m.nodeWeights(l)
	m.links.v = vector.Extend(m.links.v, g.n+1)
	v := m.links.v
	clear(v)
	for i := range feature.Items(m.z.Column(k)) {
		v[g.node[i]] = from[i]
	}
	for i := range feature.Items(m.z.Column(k)) {
		a := g.node[i]
		precision += from[i] * (m.at.diagonal[a]*v[a] + g.product(&m.at, v, a))
		sum += from[i] * (m.at.diagonal[a]*w[a] + g.product(&m.at, w, a))
	}
	return precision, sum
}
