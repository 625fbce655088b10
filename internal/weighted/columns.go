package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// columnDraws is the scratch space of drawColumns.
type columnDraws struct {
	resid    []float64 // N x D: residuals without the features of single items, over noise, 0 for missing cells
	share    []float64 // N: precision of the residuals of an item, whose singletons are noise
	loading  []float64 // D: of a feature, over noise
	obs, sum []float64 // see drawColumn
	normal   []float64 // N
	drawn    []float64 // N: weights before the item's cells are seen
	gram     []float64 // D, or 1 if no cell is missing: sums of squared weights over the observed cells
	cross    []float64 // D: sums of weights times residuals
	nextGram []float64 // both after a flip
	next     []float64
	sheared  []float64 // see Shear
	several  []int     // see DrawFeatures
	born     []uint64
}

// drawColumns updates each feature of several items given the loadings of the others, with the loadings of the feature, the
// features of single items and the missing cells integrated out: who has it, its loadings, and its weights. With
// components it draws the weights of the items without the feature too, given those.
func (m *Model) drawColumns(rng *rand.Rand) (proposed, accepted int) {
	m.residuals()
	switch {
	case m.net() != nil:
		m.drawAllOthers(rng)
	case m.near():
		m.factorC()
	}
	for k := range m.z.K() {
		if m.single(k) {
			if m.near() {
				m.drawOthers(rng, k)
			}
			continue
		}
		p, a := m.drawColumn(rng, k)
		proposed, accepted = proposed+p, accepted+a
	}
	// The loadings of features of single items, which later rows may join.
	for i := range m.n {
		m.drawSingletonLoadings(rng, i, m.missing[i])
	}
	return proposed, accepted
}

// residuals computes resid and share.
func (m *Model) residuals() {
	d := m.d
	m.resid, m.share = vector.Extend(m.resid, m.n*d), vector.Extend(m.share, m.n)
	r := ratio(*m.scales)
	for i := range m.n {
		t, _ := m.singletonSquares(i)
		m.share[i] = 1 / (1 + t/r)
		resid := m.resid[i*d : (i+1)*d]
		for j, x := range m.row(i) {
			resid[j] = x - m.mu[j]
		}
		for _, f := range m.features[i] {
			if !m.single(int(f)) {
				vector.Axpy(resid, -m.column(int(f))[i], m.loading(int(f)))
			}
		}
		for j := range resid {
			resid[j] /= m.scales.SigmaX * m.noise[j]
		}
		for _, j := range m.missing[i] {
			resid[j] = 0
		}
	}
}

// drawColumn is drawColumns for feature k. Given its loading, the cells of member i are worth an observation of its
// weight with precision obs and mean sum/obs.
func (m *Model) drawColumn(rng *rand.Rand, k int) (proposed, accepted int) {
	w := m.column(k)
	m.scaleColumn(k)
	loading := m.columnDraws.loading
	for i := range feature.Items(m.z.Column(k)) {
		m.explain(i, -w[i], loading)
	}
	switch {
	case m.net() != nil: // the others are drawn
	case m.near():
		m.drawOthers(rng, k)
	default:
		m.drawOthersExchangeable(rng, k)
	}
	proposed, accepted = m.flipColumn(rng, k)
	m.drawLoading(rng, k)
	n := m.gather(k)
	m.obs, m.columnDraws.sum = vector.Extend(m.obs, n), vector.Extend(m.columnDraws.sum, n)
	full := dot(loading, loading)
	for e, i := range m.members {
		q := full
		for _, j := range m.missing[i] {
			q -= loading[j] * loading[j]
		}
		m.obs[e] = m.share[i] * max(q, 0)
		m.columnDraws.sum[e] = m.share[i] * dot(loading, m.resid[i*m.d:(i+1)*m.d])
	}
	if m.near() {
		m.drawNear(rng, k)
	} else {
		m.drawExchangeable(rng, w)
	}
	for _, i := range m.members {
		m.explain(i, w[i], loading)
	}
	return proposed, accepted
}

// scaleColumn puts the loading of feature k over the noise into loading.
func (m *Model) scaleColumn(k int) {
	m.columnDraws.loading = vector.Extend(m.columnDraws.loading, m.d)
	for j, x := range m.loading(k) {
		m.columnDraws.loading[j] = x / (m.scales.SigmaX * m.noise[j])
	}
}

// drawLoading draws the loading of feature k, and puts it over the noise into loading, given gram and cross of its
// members.
func (m *Model) drawLoading(rng *rand.Rand, k int) {
	m.columnDraws.loading = vector.Extend(m.columnDraws.loading, m.d)
	a, step := m.scales.SigmaA/m.scales.SigmaX, m.step()
	for j := range m.columnDraws.loading {
		precision := 1/(a*a) + m.gram[j*step]
		x := m.cross[j]/precision + rng.NormFloat64()/math.Sqrt(precision)
		m.columnDraws.loading[j], m.loading(k)[j] = x, x*m.scales.SigmaX*m.noise[j]
	}
}

// logColumn returns twice the log density of the residuals of a feature, whose loadings are integrated out, less that
// without the feature.
func (m *Model) logColumn(gram, cross []float64) (sum float64) {
	a, step := m.scales.SigmaA/m.scales.SigmaX, m.step()
	rho, product := a*a, 1.0
	for j, c := range cross {
		one := 1 + rho*gram[j*step]
		sum += rho * c * c / one
		if product *= one; product > 1e200 {
			sum -= math.Log(product)
			product = 1
		}
	}
	return sum - math.Log(product)
}

// step returns the step from one column to the next in gram: 0 if no cell is missing.
func (m *Model) step() int {
	if m.gaps {
		return 1
	}
	return 0
}

// logAdded is logColumn after addMember to gram and cross.
func (m *Model) logAdded(i int, square, weight float64) float64 {
	m.nextGram, m.columnDraws.next = append(m.nextGram[:0], m.gram...), append(m.columnDraws.next[:0], m.cross...)
	m.addMember(m.nextGram, m.columnDraws.next, i, square, weight)
	return m.logColumn(m.nextGram, m.columnDraws.next)
}

// explain subtracts weight w times a loading over noise from the residuals of item i.
func (m *Model) explain(i int, w float64, loading []float64) {
	resid := m.resid[i*m.d : (i+1)*m.d]
	vector.Axpy(resid, -w, loading)
	for _, j := range m.missing[i] {
		resid[j] = 0
	}
}

// flipColumn proposes to flip each item in feature k given the weights of all items, with the loadings of the
// feature integrated out. The residuals leave the feature out. It leaves gram and cross of the members.
func (m *Model) flipColumn(rng *rand.Rand, k int) (proposed, accepted int) {
	w := m.column(k)
	m.members = feature.Members(m.members[:0], m.z.Column(k))
	m.sumMembers(w)
	now := m.logColumn(m.gram, m.cross)
	for i := range m.n {
		member := m.z.Has(i, k)
		if member && m.z.Size(k) == 2 { // the feature would be of a single item
			continue
		}
		proposed++
		sign := 1.0
		if member {
			sign = -1
		}
		square, weight := sign*m.share[i]*w[i]*w[i], sign*m.share[i]*w[i]
		flipped := m.logAdded(i, square, weight)
		sum := (flipped-now)/2 + rng.ExpFloat64()
		if sum+m.tracker.FlipBound(i, k) <= 0 || !(sum+m.tracker.LogFlip(i, k) > 0) {
			continue
		}
		m.flip(i, k)
		if member {
			m.drop(i, m.entry(i, k))
		} else {
			m.features[i] = append(m.features[i], int32(k))
		}
		m.addMember(m.gram, m.cross, i, square, weight)
		now = flipped
		accepted++
	}
	return proposed, accepted
}

// addMember adds an item to sums of squares and products over the observed cells.
func (m *Model) addMember(gram, cross []float64, i int, square, weight float64) {
	resid := m.resid[i*m.d : (i+1)*m.d]
	if !m.gaps {
		gram[0] += square
		axpy(cross, weight, resid)
		return
	}
	for j, x := range resid {
		gram[j] += square
		cross[j] += weight * x
	}
	for _, j := range m.missing[i] {
		gram[j] -= square
	}
}

// drawOthersExchangeable draws the weights of the items without feature k given those of its members, without
// components.
func (m *Model) drawOthersExchangeable(rng *rand.Rand, k int) {
	n, w := m.gather(k), m.column(k)
	c, ownShare := m.now.Shares[0], m.now.OwnShare()
	sum := 0.0
	for _, x := range m.vec[:n] {
		sum += x
	}
	mean := c*sum/(ownShare+float64(n)*c) + math.Sqrt(c*ownShare/(ownShare+float64(n)*c))*rng.NormFloat64()
	for i := range w {
		w[i] = mean + math.Sqrt(ownShare)*rng.NormFloat64()
	}
	for e, i := range m.members {
		w[i] = m.vec[e]
	}
}

// drawExchangeable draws the weights of the gathered members, without components. They are sqrt(c) times a
// common number plus independent parts.
func (m *Model) drawExchangeable(rng *rand.Rand, w []float64) {
	c, ownShare := math.Sqrt(m.now.Shares[0]), m.now.OwnShare()
	precision, sum := 1.0, 0.0
	for e, q := range m.obs {
		precision += c * c * q / (ownShare*q + 1)
		sum += c * m.columnDraws.sum[e] / (ownShare*q + 1)
	}
	mean := c * (sum/precision + rng.NormFloat64()/math.Sqrt(precision))
	for e, i := range m.members {
		one := 1 + ownShare*m.obs[e]
		w[i] = (mean+ownShare*m.columnDraws.sum[e])/one + math.Sqrt(ownShare/one)*rng.NormFloat64()
	}
}

// drawNear draws the weights of all items by Matheron's rule: a draw from the prior, corrected by the cells of the
// gathered members.
func (m *Model) drawNear(rng *rand.Rand, k int) {
	if m.net() != nil {
		m.drawLinked(rng, k)
		return
	}
	w := m.column(k)
	n := len(m.members)
	m.part = vector.Extend(m.part, n*n)
	m.pick(m.part, m.cov, n)
	for a := range n {
		m.obs[a] = math.Sqrt(m.obs[a])
		row := m.part[a*n : a*n+a+1]
		for b := range row {
			row[b] *= m.obs[a] * m.obs[b]
		}
		row[a]++
	}
	vector.Cholesky(m.part, n, n)
	m.drawPrior(rng)
	for e, i := range m.members {
		if q := m.obs[e]; q > 0 {
			m.columnDraws.sum[e] = m.columnDraws.sum[e]/q - q*m.columnDraws.drawn[i] - rng.NormFloat64()
		} else {
			m.columnDraws.sum[e] = 0
		}
	}
	forward(m.columnDraws.sum, m.part, n)
	backward(m.columnDraws.sum, m.part, n, 1)
	copy(w, m.columnDraws.drawn)
	for e, i := range m.members {
		vector.Axpy(w, m.obs[e]*m.columnDraws.sum[e], m.cov[i*m.n:(i+1)*m.n])
	}
}

// drawOthers draws the weights of the items without feature k given those of its members.
func (m *Model) drawOthers(rng *rand.Rand, k int) {
	if m.net() != nil {
		m.drawOthersLinked(rng, k)
		return
	}
	n, w := m.gather(k), m.column(k)
	m.drawPrior(rng)
	m.columnDraws.sum = vector.Extend(m.columnDraws.sum, n)
	for e, i := range m.members {
		m.columnDraws.sum[e] = m.vec[e] - m.columnDraws.drawn[i]
	}
	m.inverseTimes(k, m.columnDraws.sum)
	copy(w, m.columnDraws.drawn)
	for e, i := range m.members {
		vector.Axpy(w, m.columnDraws.sum[e], m.cov[i*m.n:(i+1)*m.n])
	}
	for e, i := range m.members {
		w[i] = m.vec[e]
	}
}

// drawPrior draws the weights of a feature from their prior.
func (m *Model) drawPrior(rng *rand.Rand) {
	n := m.n
	m.normal, m.columnDraws.drawn = vector.Extend(m.normal, n), vector.Extend(m.columnDraws.drawn, n)
	for i := range n {
		m.normal[i] = rng.NormFloat64()
		m.columnDraws.drawn[i] = dot(m.root[i*n:i*n+i+1], m.normal)
	}
}
