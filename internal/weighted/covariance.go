package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// covariance is the prior of the weights at the current shares, with scratch space. Without components C
// has a closed form. With them it is a matrix, or has a network.
type covariance struct {
	prior *Prior
	now   Shares

	cov       []float64 // C, N x N, if there are components
	factored  bool      // root and precision belong to cov
	root      []float64 // Cholesky factor of C
	precision []float64 // its inverse

	otherCov []float64 // C at proposed shares
	otherW   []float64 // weights that moved along
	next     Shares

	walkScale [len(steps)]float64 // see walkSteps

	density float64 // of the weights at the current shares
	weighed bool    // density belongs to the current state

	conditional, proposedConditional conditional // of a network, at the current shares and at proposed ones
	common                           []float64   // common part of each feature, in use as the weights of items without it
	links                            links

	factors, nextFactors []factor  // by feature, at the current shares and at proposed ones
	members              []int     // of a feature
	part, vec            []float64 // a matrix of them, and their weights

	variances variances

	columnDraws
}

// factor is the Cholesky factor of C of the members of a feature.
type factor struct {
	valid  bool // it belongs to the members
	root   []float64
	logDet float64
}

// factorMembers returns the factor of the gathered members of feature k, at the current shares or at proposed ones.
func (m *Model) factorMembers(k int, proposed bool) *factor {
	all, c := &m.factors, m.cov
	if proposed {
		all, c = &m.nextFactors, m.otherCov
	}
	*all = vector.Extend(*all, max(len(*all), m.z.K()))
	f := &(*all)[k]
	if !f.valid {
		n := len(m.members)
		if f.root == nil && m.n <= manyItems {
			f.root = make([]float64, m.n*m.n) // never grows
		}
		f.root = vector.Extend(f.root, n*n)
		m.pick(f.root, c, n)
		f.logDet, f.valid = vector.Cholesky(f.root, n, n), true
	}
	return f
}

// unfactor drops the factors of feature k, whose members have changed.
func (m *Model) unfactor(k int) {
	m.links.kept = -1
	if k < len(m.factors) {
		m.factors[k].valid = false
	}
}

// unfactorAll drops all of some factors.
func unfactorAll(all []factor) {
	for k := range all {
		all[k].valid = false
	}
}

// Dependent reports whether weights of different items are dependent.
func (m *Model) Dependent() bool { return m.prior != nil }

// near reports whether weights follow distances.
func (m *Model) near() bool { return m.prior != nil && len(m.prior.Near) > 0 }

// net returns the network, nil without one.
func (m *Model) net() *network {
	if m.prior == nil {
		return nil
	}
	return m.prior.network
}

// SharesNow returns the current shares, to be read.
func (m *Model) SharesNow() Shares { return m.now }

func (m *Model) setShares(s Shares) {
	m.now = Shares{append(m.now.Shares[:0], s.Shares...), append(m.now.Rates[:0], s.Rates...)}
	m.next = m.now.Clone()
	switch {
	case m.net() != nil:
		m.net().condition(&m.conditional, m.prior, m.now)
	case m.near():
		m.cov = m.build(m.cov, m.now)
	}
	m.factored, m.weighed, m.links.kept = false, false, -1
	unfactorAll(m.factors)
}

// build puts C into c.
func (m *Model) build(c []float64, s Shares) []float64 {
	n := m.n
	c = vector.Extend(c, n*n)
	for i := range n {
		row := c[i*n : i*n+i+1]
		vector.Fill(row, s.Shares[0])
		for k, near := range m.prior.Near {
			share, rate := s.Shares[1+k], s.Rates[k]
			for j := range i {
				row[j] += float64(share * near.correlation(near.Distances.At(i, j), rate))
			}
		}
		row[i] = 1
		for j, x := range row[:i] {
			c[j*n+i] = x
		}
	}
	return c
}

// factorC computes root and q.
func (m *Model) factorC() {
	if m.factored {
		return
	}
	n := m.n
	m.root, m.precision = append(m.root[:0], m.cov...), vector.Extend(m.precision, n*n)
	vector.Cholesky(m.root, n, n)
	inverse(m.precision, m.root, n, n)
	m.factored = true
}

// gather puts the members of feature k into members, and their weights into vec.
func (m *Model) gather(k int) (n int) {
	m.members = feature.Members(m.members[:0], m.z.Column(k))
	n = len(m.members)
	m.vec = vector.Extend(m.vec, n)
	w := m.column(k)
	for a, i := range m.members {
		m.vec[a] = w[i]
	}
	return n
}

// pick puts the lower triangle of c of the gathered members into out.
func (m *Model) pick(out, c []float64, n int) {
	for a, i := range m.members {
		row := c[i*m.n : (i+1)*m.n]
		for b, j := range m.members[:a+1] {
			out[a*n+b] = row[j]
		}
	}
}

// spectrum returns the two eigenvalues of C of n members without components: that of the mean, and the other.
func (s Shares) spectrum(n int) (mean, other float64) {
	other = s.OwnShare()
	return other + float64(n)*s.Shares[0], other
}

// split returns the sum of vec over n members divided by the root of n, and the sum of the other squares.
func split(vec []float64) (mean, squares float64) {
	for _, x := range vec {
		mean += x
	}
	average := mean / float64(len(vec))
	for _, x := range vec {
		squares += (x - average) * (x - average)
	}
	return mean / math.Sqrt(float64(len(vec))), squares
}

// quadratic returns w' C^-1 w over the members of feature k, and log |C|, at the current shares or at proposed ones.
func (m *Model) quadratic(k int, proposed bool) (square, logDet float64) {
	n := m.gather(k)
	switch {
	case m.prior == nil:
		return dot(m.vec[:n], m.vec), 0
	case n == 1:
		return m.vec[0] * m.vec[0], 0
	case m.net() != nil:
		return m.quadraticLinked(k, proposed)
	case !m.near():
		mean, squares := split(m.vec[:n])
		s := m.now
		if proposed {
			s = m.next
		}
		a, b := s.spectrum(n)
		return mean*mean/a + squares/b, math.Log(a) + float64(n-1)*math.Log(b)
	}
	f := m.factorMembers(k, proposed)
	forward(m.vec[:n], f.root, n)
	return dot(m.vec[:n], m.vec), 2 * f.logDet
}

// inverseTimes replaces v by C^-1 v over the gathered members of feature k.
func (m *Model) inverseTimes(k int, v []float64) {
	n := len(m.members)
	switch {
	case m.prior == nil || n == 1:
	case m.near():
		root := m.factorMembers(k, false).root
		forward(v, root, n)
		backward(v, root, n, 1)
	default:
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		a, b := m.now.spectrum(n)
		average := sum / float64(n)
		for i, x := range v {
			v[i] = (x-average)/b + average/a
		}
	}
}

// LogWeights returns the log prior density of the weights at the current shares.
func (m *Model) LogWeights() float64 {
	if !m.weighed {
		m.density, m.weighed = m.logWeights(false), true
	}
	return m.density
}

func (m *Model) logWeights(proposed bool) (sum float64) {
	for k := range m.z.K() {
		square, logDet := m.quadratic(k, proposed)
		sum -= (square+logDet)/2 + float64(m.z.Size(k))*logRoot2Pi
	}
	return sum
}

// LogShares returns the log prior density of the current shares and rates.
func (m *Model) LogShares() float64 { return m.prior.LogDensity(m.now) }

// randColumn appends a draw of the weights of feature k from their prior to out.
func (m *Model) randColumn(rng *rand.Rand, k int, out []float64) []float64 {
	m.members = feature.Members(m.members[:0], m.z.Column(k))
	n := len(m.members)
	if m.net() != nil {
		m.drawPriorLinked(rng)
		for _, i := range m.members {
			out = append(out, m.columnDraws.drawn[i])
		}
		return out
	}
	normal := make([]float64, n)
	for a := range normal {
		normal[a] = rng.NormFloat64()
	}
	if m.near() {
		root := m.factorMembers(k, false).root
		for a := range n {
			out = append(out, dot(root[a*n:a*n+a+1], normal))
		}
		return out
	}
	common := math.Sqrt(m.now.Shares[0]) * rng.NormFloat64()
	for _, x := range normal {
		out = append(out, common+math.Sqrt(m.now.OwnShare())*x)
	}
	return out
}

// allCoordinates stands for all shares and rates.
const allCoordinates = -1

// coordinates returns the number of shares, with e as the last one, and rates.
func (m *Model) coordinates() int { return len(m.now.Shares) + 1 + len(m.now.Rates) }

// propose moves the logs of the shares over e, and of the rates, by normal steps: all by independent ones, or one
// coordinate alone. If this is e, the other shares keep their proportions. It puts the result into next and returns whether
// it is valid, and the log ratio of the prior densities of these logs.
func (m *Model) propose(rng *rand.Rand, step float64, coordinate int) (ratio float64, valid bool) {
	move := func(c int) float64 {
		if coordinate != allCoordinates && coordinate != c {
			return 0
		}
		return step * rng.NormFloat64()
	}
	ownShare, sum, logs, common := m.now.OwnShare(), 1.0, 0.0, 0.0
	next := m.next.Shares
	own := len(next)
	if coordinate == own {
		common = move(own)
	}
	for a, x := range m.now.Shares {
		l := common + move(a)
		next[a] = x / ownShare * math.Exp(l)
		sum += next[a]
		logs += l
	}
	for a := range next {
		next[a] /= sum
	}
	for a, c := range m.prior.Near {
		if m.next.Rates[a] = m.now.Rates[a]; c.MaxRate > c.MinRate {
			m.next.Rates[a] *= math.Exp(move(own + 1 + a))
		}
	}
	// The density of the logs is the product of all shares.
	after := 1 / sum
	return logs + float64(1+len(next))*math.Log(after/ownShare), m.prior.Valid(m.next)
}

// steps are the standard deviations of the random walks on the shares, from fine to coarse, for few weights.
var steps = [...]float64{0.1, 0.4, 1.2}

// fewWeights is the number of weights up to which steps are as they are. The standard deviation of the shares given
// more weights falls with the root of their number.
const fewWeights = 500

// manyItems is the number of items above which the factor of a feature takes memory for its members only.
const manyItems = 100

// walkSteps returns the steps of a walk on the shares.
func (m *Model) walkSteps() []float64 {
	scale := 1.0
	if ones := m.z.Ones(); m.near() && ones > fewWeights {
		scale = math.Sqrt(fewWeights / float64(ones))
	}
	for i, x := range steps {
		m.walkScale[i] = scale * x
	}
	return m.walkScale[:]
}

// proposeNext proposes shares and computes their matrix.
func (m *Model) proposeNext(rng *rand.Rand, step float64, coordinate int) (ratio float64, valid bool) {
	if ratio, valid = m.propose(rng, step, coordinate); valid {
		m.setNext()
	}
	return ratio, valid
}

// setNext computes what belongs to proposed shares.
func (m *Model) setNext() {
	switch {
	case m.net() != nil:
		m.net().condition(&m.proposedConditional, m.prior, m.next)
	case m.near():
		m.otherCov = m.build(m.otherCov, m.next)
		unfactorAll(m.nextFactors)
	}
}

// A shareWalk weighs shares.
type shareWalk struct {
	now      float64        // log density at the current shares
	proposed func() float64 // and at the proposed ones
	reject   func()         // takes back what proposed has changed
}

// walk proposes shares, and returns 1 if it accepts them.
func (m *Model) walk(rng *rand.Rand, size float64, coordinate int, w *shareWalk) (accepted int) {
	ratio, valid := m.proposeNext(rng, size, coordinate)
	u := rng.ExpFloat64()
	if !valid {
		return 0
	}
	if log := w.proposed(); ratio+log-w.now+u > 0 {
		m.accept()
		w.now = log
		return 1
	}
	w.reject()
	return 0
}

// DrawShares moves the shares, the rates and SigmaA in three ways, which mix well in different posteriors. The first is a
// walk given the weights that items have, with all others integrated out, or with a network those drawn on which they
// depend. The second is drawVariances. The third is a walk of one coordinate at a time that moves the weights of each
// feature along, L' L^-1 w for the roots L and L' of C of its members before and after, with the loadings and the noise
// scales integrated out. A nil prior stands for a fixed SigmaA.
func (m *Model) DrawShares(rng *rand.Rand, prior ScalePrior) (proposed, accepted int) {
	steps := m.walkSteps()
	fixedWalk := shareWalk{reject: func() {}}
	if m.net() != nil {
		m.drawInner(rng)
		fixedWalk.now, fixedWalk.proposed = m.logInner(&m.conditional), func() float64 { return m.logInner(&m.proposedConditional) }
	} else {
		fixedWalk.now, fixedWalk.proposed = m.LogWeights(), func() float64 { return m.logWeights(true) }
	}
	fixedSteps, movingSteps := fixedFew, movingFew
	if m.net() != nil {
		fixedSteps, movingSteps = fixedMany, movingMany
	}
	size := func() float64 { return steps[rng.IntN(len(steps))] }
	for range fixedSteps {
		accepted += m.walk(rng, size(), allCoordinates, &fixedWalk)
	}
	m.drawVariances(rng, prior)
	swap := func() {
		m.w, m.otherW = m.otherW, m.w
		m.common, m.links.common = m.links.common, m.common
		m.changed()
	}
	movingWalk := shareWalk{now: m.LogFreeAt(*m.scales), reject: swap, proposed: func() float64 {
		m.carry()
		swap()
		return m.LogFreeAt(*m.scales)
	}}
	for range movingSteps {
		accepted += m.walk(rng, size(), rng.IntN(m.coordinates()), &movingWalk)
	}
	if m.net() != nil {
		m.drawOuter(rng)
	}
	return fixedSteps + movingSteps, accepted
}

// Numbers of steps of the walk that leaves the weights as they are, and of the one that moves them. With few items shares mix
// faster than Z, so that more steps gain little. With many a step of the second costs as much as three of the first.
const (
	fixedFew, movingFew   = 1, 2
	fixedMany, movingMany = 3, 1
)

// accept moves to the proposed shares.
func (m *Model) accept() {
	m.now, m.next = m.next, m.now
	m.cov, m.otherCov = m.otherCov, m.cov
	m.factors, m.nextFactors = m.nextFactors, m.factors
	m.conditional, m.proposedConditional = m.proposedConditional, m.conditional
	m.factored, m.weighed, m.links.kept = false, false, -1
}

// carry puts the weights that move along into otherW.
func (m *Model) carry() {
	m.otherW = vector.Extend(m.otherW, len(m.w))
	if m.net() != nil {
		m.carryLinked()
		return
	}
	for k := range m.z.K() {
		n := m.gather(k)
		out := m.otherW[k*m.n : (k+1)*m.n]
		switch {
		case n == 1:
		case !m.near():
			mean, _ := split(m.vec[:n])
			mean /= math.Sqrt(float64(n))
			a, b := m.now.spectrum(n)
			c, d := m.next.spectrum(n)
			meanScale, scale := math.Sqrt(c/a), math.Sqrt(d/b)
			for i, x := range m.vec[:n] {
				m.vec[i] = meanScale*mean + scale*(x-mean)
			}
		default:
			forward(m.vec[:n], m.factorMembers(k, false).root, n)
			root := m.factorMembers(k, true).root
			for a := n - 1; a >= 0; a-- {
				m.vec[a] = dot(root[a*n:a*n+a+1], m.vec)
			}
		}
		for a, i := range m.members {
			out[i] = m.vec[a]
		}
	}
}
