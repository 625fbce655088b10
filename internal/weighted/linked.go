package weighted

import (
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// links is the scratch space of a model with a network.
type links struct {
	w, v, z []float64 // by node
	free    []bool    // node is not a member of the feature
	marked  []bool    // node is among nodes
	nodes   []int32   // the members, and the nodes on which their weights depend, ascending
	matrix  sparse
	log     float64   // of its determinant
	kept    int       // feature of which matrix is the factor of the free ones of nodes at the current shares, or -1
	traced  [][]int32 // nodes of each feature, while shares are drawn
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

// trace puts the weights of feature k into w and marks the nodes that are not its gathered members as free. It lists the
// nodes on which the weights of the members depend. The weights of all other nodes can be drawn one by one afterwards, so
// features of few items take little time.
func (m *Model) trace(k int) *links {
	g, l := m.net(), &m.links
	l.v, l.z = vector.Extend(l.v, g.n+1), vector.Extend(l.z, g.n+1)
	l.free, l.marked = vector.Extend(l.free, g.n+1), vector.Extend(l.marked, g.n+1)
	m.nodeWeights(k)
	vector.Fill(l.free, true)
	clear(l.marked)
	for _, i := range m.members {
		l.free[g.node[i]], l.marked[g.node[i]] = false, true
	}
	l.nodes = g.ancestors(l.marked, l.nodes)
	return l
}

// drawRest draws the weights of the nodes that are not marked given those of the others.
func (l *links) drawRest(g *network, c *conditional, rng *rand.Rand) {
	for a, marked := range l.marked {
		if !marked {
			l.w[a] = rng.NormFloat64()
			g.colorNode(c, a, l.w)
		}
	}
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

// drawInner draws, for each feature of several items, the weights of the nodes on which the weights of its members depend.
// It lists these nodes in traced. Given their weights, the shares are independent of the weights of all other nodes.
func (m *Model) drawInner(rng *rand.Rand) {
	l := &m.links
	l.traced = append(l.traced, make([][]int32, max(0, m.z.K()-len(l.traced)))...)
	for k := range m.z.K() {
		if m.single(k) {
			continue
		}
		m.gather(k)
		m.complete(m.trace(k), &m.conditional, k, rng)
		l.traced[k] = append(l.traced[k][:0], l.nodes...)
		m.keepNodes(k)
	}
}

// drawOuter draws the weights of all other nodes after drawInner.
func (m *Model) drawOuter(rng *rand.Rand) {
	for k := range m.z.K() {
		if !m.single(k) {
			m.gather(k)
			m.trace(k).drawRest(m.net(), &m.conditional, rng)
			m.keepNodes(k)
		}
	}
	m.links.drawn = true
}

// logInner returns the log prior density, up to a constant, of the weights of traced nodes.
func (m *Model) logInner(c *conditional) (sum float64) {
	g := m.net()
	for k := range m.z.K() {
		if !m.single(k) {
			nodes := m.links.traced[k]
			sum -= (g.square(c, nodes, m.nodeWeights(k)) + g.logVariance(c, nodes)) / 2
		}
	}
	return sum
}

// complete gives the free ones of nodes their expected weights given those of the members, and returns the log of the
// determinant of the precision matrix of the free ones. With a generator it draws them.
func (m *Model) complete(l *links, c *conditional, k int, rng *rand.Rand) (log float64) {
	g := m.net()
	if current := c == &m.conditional; !current || l.kept != k {
		g.fill(&l.matrix, c, l.nodes, l.free)
		l.log = g.factor(&l.matrix, l.nodes)
		if l.kept = -1; current {
			l.kept = k
		}
	}
	g.pull(l.v, c, l.nodes, l.free, l.w)
	var z []float64
	if rng != nil {
		z = l.z
		for _, a := range l.nodes {
			if z[a] = 0; l.free[a] {
				z[a] = rng.NormFloat64()
			}
		}
	}
	g.solve(&l.matrix, l.nodes, l.v, z)
	for _, a := range l.nodes {
		if l.free[a] {
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
	c := &m.conditional
	if proposed {
		c = &m.proposedConditional
	}
	l := m.trace(k)
	logDet = m.complete(l, c, k, nil)
	return m.net().square(c, l.nodes, l.w), logDet + m.net().logVariance(c, l.nodes)
}

// drawOthersLinked is drawOthers.
func (m *Model) drawOthersLinked(rng *rand.Rand, k int) {
	m.gather(k)
	l := m.trace(k)
	m.complete(l, &m.conditional, k, rng)
	l.drawRest(m.net(), &m.conditional, rng)
	m.keepNodes(k)
}

// drawLinked is drawNear for feature k.
func (m *Model) drawLinked(rng *rand.Rand, k int) {
	g, l := m.net(), m.trace(k)
	g.fill(&l.matrix, &m.conditional, l.nodes, nil)
	l.kept = -1
	clear(l.w)
	for e, i := range m.members {
		a := g.node[i]
		l.matrix.diagonal[a] += m.obs[e]
		l.w[a] = m.columnDraws.sum[e]
	}
	g.factor(&l.matrix, l.nodes)
	for _, a := range l.nodes {
		l.z[a] = rng.NormFloat64()
	}
	g.solve(&l.matrix, l.nodes, l.w, l.z)
	l.drawRest(g, &m.conditional, rng)
	m.keepNodes(k)
}

// drawPriorLinked is drawPrior.
func (m *Model) drawPriorLinked(rng *rand.Rand) {
	g, l := m.net(), &m.links
	l.w, m.columnDraws.drawn = vector.Extend(l.w, g.n+1), vector.Extend(m.columnDraws.drawn, g.n)
	for a := range l.w {
		l.w[a] = rng.NormFloat64()
	}
	g.color(&m.conditional, g.all, l.w)
	for a, x := range l.w[1:] {
		m.columnDraws.drawn[g.item[a+1]] = x
	}
}

// predictLinked is predict.
func (m *Model) predictLinked(i int) {
	g, r := m.net(), &m.rows
	g.quadratic(&m.conditional)
	a := g.node[i]
	diagonal := m.conditional.q.diagonal[a]
	near, entry := g.near[g.links[a]:g.links[a+1]], g.entry[g.links[a]:g.links[a+1]]
	for k := range r.prior {
		w := m.column(k)
		sum := m.conditional.q.off[entry[0]] * m.common[k] // the common part is the first neighbor
		for x, b := range near[1:] {
			sum += m.conditional.q.off[entry[x+1]] * w[g.item[b]]
		}
		r.prior[k], r.precision[k] = -sum/diagonal, diagonal
	}
}

// givenLinked is given for the gathered members.
func (m *Model) givenLinked(i, k int) (mean, precision float64) {
	g := m.net()
	m.members = append(m.members, i)
	l, a := m.trace(k), g.node[i]
	l.free[a] = true
	l.kept = -1 // the members are others than those of the feature
	m.complete(l, &m.conditional, k, nil)
	l.kept = -1
	mean = l.w[a]
	clear(l.v)
	l.v[a] = 1
	g.solve(&l.matrix, l.nodes, l.v, nil)
	return mean, 1 / l.v[a]
}

// carryLinked is carry, for the weights of traced nodes.
func (m *Model) carryLinked() {
	g := m.net()
	m.common = vector.Extend(m.common, m.z.K())
	m.links.common = vector.Extend(m.links.common, m.z.K())
	for k := range m.z.K() {
		out := m.otherW[k*m.n : (k+1)*m.n]
		copy(out, m.column(k))
		m.links.common[k] = m.common[k]
		if m.single(k) { // normal(0, 1) at any shares
			continue
		}
		w, nodes := m.nodeWeights(k), m.links.traced[k]
		g.whiten(&m.conditional, nodes, w)
		g.color(&m.proposedConditional, nodes, w)
		m.links.common[k] = w[0]
		for _, a := range nodes[1:] {
			out[g.item[a]] = w[a]
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
	g, weights := m.net(), m.column(k)
	g.quadratic(&m.conditional)
	w := m.nodeWeights(l)
	m.links.v = vector.Extend(m.links.v, g.n+1)
	v := m.links.v
	clear(v)
	for i := range feature.Items(m.z.Column(k)) {
		v[g.node[i]] = weights[i]
	}
	for i := range feature.Items(m.z.Column(k)) {
		a := g.node[i]
		precision += weights[i] * (m.conditional.q.diagonal[a]*v[a] + g.product(&m.conditional, v, a))
		sum += weights[i] * (m.conditional.q.diagonal[a]*w[a] + g.product(&m.conditional, w, a))
	}
	return precision, sum
}
