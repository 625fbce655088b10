package weighted

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/vector"
)

// rows is the scratch space of DrawRows. Features include singletons.
type rows struct {
	scaled    []float64 // loadings over noise, D x K
	gram      []float64 // scaled' scaled, K x K
	order     []int32   // features, in the order in which rows propose to flip them
	residuals []float64 // an item's cells less the intercept, over noise; 0 if missing
	b         []float64 // K
	remainder []float64 // b of each feature less the part that the active features explain, K
	odds      []float64 // bounds on prior odds of flips, K
	active    []int32   // features of the item that others have too
	entry     []int32   // index of each feature in active; -1 if the item lacks it, -2 if no other item has it
	v         []float64 // covariance of the weights of active features, with leading dimension K
	mean      []float64 // and their mean
	cross     []float64 // gram of a feature and the active ones
	vq        []float64
	chol      []float64
	drawn     []float64

	prior, precision []float64 // mean of the weight of each feature given those of other items, and precision
	sums             []float64 // of the weights of the members of each feature, without components
}

// DrawRows updates each row of Z and of the weights given the loadings, and draws the unknown cells.
// It returns how many flips it proposed and how many it accepted.
//
// Given the weights of the other items, that of item i is normal. With components the items without a feature
// have weights of it too, which follow the prior and affect no cells.
func (m *Model) DrawRows(rng *rand.Rand) (proposed, accepted int) {
	m.ready(rng)
	if m.Dependent() {
		proposed, accepted = m.drawColumns(rng)
	}
	m.startRows(rng)
	for i := range m.n {
		if m.Abandon != nil && m.Abandon() {
			break
		}
		m.predict(i)
		p, a := m.drawRow(rng, i)
		proposed, accepted = proposed+p, accepted+a
	}
	m.forget()
	return proposed, accepted
}

// DrawItem makes updates of item i alone. Each draws the singletons of the item, and then its row of Z and of the weights
// as DrawRows does. The mass must be fixed. The weights of other items without a feature are integrated out.
func (m *Model) DrawItem(rng *rand.Rand, i, updates int, births Births) {
	var means, precisions []float64
	if m.near() { // these items stay as they are
		for k := range m.z.K() {
			mean, precision := m.given(i, k)
			means, precisions = append(means, mean), append(precisions, precision)
		}
	}
	for range updates {
		m.current()
		m.invert()
		m.drawSingletons(rng, i, births)
		m.changed()
		m.ready(rng)
		m.startRows(rng)
		if m.near() { // singletons of the item are behind the other features
			copy(m.rows.prior, means)
			copy(m.rows.precision, precisions)
		} else {
			m.predict(i)
		}
		m.drawRow(rng, i)
		m.forget()
	}
}

// given returns the mean and the precision of the weight of item i in feature k given those of the other members.
func (m *Model) given(i, k int) (mean, precision float64) {
	m.members = slices.DeleteFunc(feature.Members(m.members[:0], m.z.Column(k)), func(j int) bool { return j == i })
	if m.net() != nil {
		return m.givenLinked(i, k)
	}
	n := len(m.members)
	m.vec, m.columnDraws.sum = vector.Extend(m.vec, n), vector.Extend(m.columnDraws.sum, n)
	for e, j := range m.members {
		m.vec[e], m.columnDraws.sum[e] = m.column(k)[j], m.cov[i*m.n+j]
	}
	m.part = vector.Extend(m.part, n*n)
	m.pick(m.part, m.cov, n)
	vector.Cholesky(m.part, n, n)
	forward(m.vec[:n], m.part, n)
	forward(m.columnDraws.sum, m.part, n)
	return dot(m.columnDraws.sum, m.vec), 1 / (1 - dot(m.columnDraws.sum, m.columnDraws.sum))
}

// startRows prepares for drawRow.
func (m *Model) startRows(rng *rand.Rand) {
	k, d, r := m.z.K(), m.d, &m.rows
	r.scaled, r.gram, r.residuals = vector.Extend(r.scaled, d*k), vector.Extend(r.gram, k*k), vector.Extend(r.residuals, d)
	r.b, r.remainder = vector.Extend(r.b, k), vector.Extend(r.remainder, k)
	r.odds, r.entry, r.order = vector.Extend(r.odds, k), vector.Extend(r.entry, k), vector.Extend(r.order, k)
	r.v, r.mean, r.cross, r.vq = vector.Extend(r.v, k*k), vector.Extend(r.mean, k), vector.Extend(r.cross, k), vector.Extend(r.vq, k)
	r.chol, r.drawn = vector.Extend(r.chol, k*k), vector.Extend(r.drawn, k)
	r.prior, r.precision, r.sums = vector.Extend(r.prior, k), vector.Extend(r.precision, k), vector.Extend(r.sums, k)
	clear(r.prior)
	vector.Fill(r.precision, 1)
	if m.Dependent() && !m.near() {
		for f := range k {
			r.sums[f] = 0
			for i := range feature.Items(m.z.Column(f)) {
				r.sums[f] += m.column(f)[i]
			}
		}
	}
	for a := range k {
		m.scaleLoading(a)
	}
	for a := range k {
		m.multiply(a, a+1)
		f := rng.IntN(a + 1)
		r.order[a], r.order[f] = r.order[f], int32(a)
	}
}

// scaleLoading updates scaled after the loading of feature a has changed.
func (m *Model) scaleLoading(a int) {
	k, x := m.z.K(), m.scales.SigmaX
	for j, y := range m.loading(a) {
		m.rows.scaled[j*k+a] = y / (x * m.noise[j])
	}
}

// multiply updates the products of feature a with the first features, as many as count, in gram.
func (m *Model) multiply(a, count int) {
	r, k := &m.rows, m.z.K()
	products := r.gram[a*k : a*k+count]
	clear(products)
	if m.d > 0 { // a new item may have no cells
		vector.AddRows(products, m.d, r.scaled[a:], k, r.scaled, k)
	}
	for b, g := range products {
		r.gram[b*k+a] = g
	}
}

// gramOf returns the product of the scaled loadings of two features over the observed cells of an item.
func (m *Model) gramOf(i, a, b int) float64 {
	r, k := &m.rows, m.z.K()
	g := r.gram[a*k+b]
	for _, j := range m.missing[i] {
		g -= r.scaled[j*k+a] * r.scaled[j*k+b]
	}
	return g
}

// predict computes the mean and the precision of the weights of item i given those of the other items.
func (m *Model) predict(i int) {
	r := &m.rows
	switch {
	case m.net() != nil:
		m.predictLinked(i)
	case m.near():
		q := m.precision[i*m.n : (i+1)*m.n]
		for k := range r.prior {
			w := m.column(k)
			r.prior[k], r.precision[k] = w[i]-vector.Dot(q, w)/q[i], q[i]
		}
	case m.Dependent():
		c, ownShare := m.now.Shares[0], m.now.OwnShare()
		for k := range r.prior {
			count, sum := float64(m.z.Size(k)), r.sums[k]
			if m.z.Has(i, k) {
				count, sum = count-1, sum-m.column(k)[i]
			}
			r.sums[k] = sum
			r.prior[k], r.precision[k] = c*sum/(ownShare+count*c), 1/(ownShare+ownShare*c/(ownShare+count*c))
		}
	}
}

// keep updates the weights of item i that the next rows use, after its row was drawn.
func (m *Model) keep(rng *rand.Rand, i int) {
	r := &m.rows
	switch {
	case m.near():
		for k, entry := range r.entry {
			if entry == -1 {
				m.column(k)[i] = r.prior[k] + rng.NormFloat64()/math.Sqrt(r.precision[k])
			}
		}
	case m.Dependent():
		for _, f := range m.features[i] {
			r.sums[f] += m.column(int(f))[i]
		}
	}
}

func (m *Model) drawRow(rng *rand.Rand, i int) (proposed, accepted int) {
	r, k := &m.rows, m.z.K()
	t, _ := m.singletonSquares(i)
	om := 1 / (1 + t/ratio(*m.scales))
	for j, x := range m.row(i) {
		r.residuals[j] = (x - m.mu[j]) / (m.scales.SigmaX * m.noise[j])
	}
	for _, j := range m.missing[i] {
		r.residuals[j] = 0
	}
	// The singletons of the item stay, with their weights.
	r.active = r.active[:0]
	for a := range k {
		r.entry[a] = -1
	}
	kept := 0
	for _, f := range m.features[i] {
		if m.single(int(f)) {
			r.entry[f] = -2
			m.features[i][kept] = f
			kept++
			continue
		}
		r.entry[f] = int32(len(r.active))
		r.active = append(r.active, f)
	}
	m.features[i] = m.features[i][:kept]
	clear(r.b)
	vector.AddRows(r.b, m.d, r.residuals, 1, r.scaled, k)
	for a := range r.b {
		r.b[a] = om*r.b[a] + r.prior[a]*r.precision[a]
	}
	m.startRow(i, om)
	m.leave(i, om)
	m.tracker.FlipBounds(i, r.odds)
	for _, f := range r.order {
		a, e := int(f), int(r.entry[f])
		if e == -2 {
			continue
		}
		proposed++
		u := rng.ExpFloat64()
		mean, precision := r.prior[a], r.precision[a]
		offset := mean * mean * precision / 2
		if e >= 0 {
			variance := r.v[e*k+e]
			sum := u + offset - r.mean[e]*r.mean[e]/(2*variance)
			if odds := 1 / (precision * variance); !m.mayAccept(a, sum+0.5*logAbove(odds)) || !m.accepts(i, a, sum+0.5*math.Log(odds)) {
				continue
			}
			m.flip(i, a)
			m.remove(e)
			m.leave(i, om)
			accepted++
			continue
		}
		remainder, offsetSum := r.remainder[a], u-offset
		// The precision c is at least that of the prior.
		if !m.mayAccept(a, offsetSum+remainder*remainder/(2*precision)) {
			continue
		}
		c := precision + om*m.gramOf(i, a, a)
		vq := r.vq[:len(r.active)]
		clear(vq)
		for e, f := range r.active {
			r.cross[e] = om * m.gramOf(i, a, int(f))
			axpy(vq, r.cross[e], r.v[e*k:])
		}
		c -= dot(vq, r.cross)
		offsetSum += remainder * remainder / (2 * c)
		if !m.mayAccept(a, offsetSum+0.5*logAbove(precision/c)) || !m.accepts(i, a, offsetSum-0.5*math.Log(c/precision)) {
			continue
		}
		m.flip(i, a)
		m.join(a, remainder, c)
		m.leave(i, om)
		accepted++
	}
	m.drawWeights(rng, i)
	m.keep(rng, i)
	m.drawSingletonLoadings(rng, i, m.missing[i])
	for _, f := range m.features[i] {
		if m.single(int(f)) { // later items may turn it on
			m.scaleLoading(int(f))
			m.multiply(int(f), k)
		}
	}
	m.drawCells(rng, i)
	return proposed, accepted
}

// leave computes left: b less the part that the means of the weights of the active features explain.
func (m *Model) leave(i int, om float64) {
	r, k := &m.rows, m.z.K()
	copy(r.remainder, r.b)
	for e, f := range r.active {
		vector.Axpy(r.remainder, -om*r.mean[e], r.gram[int(f)*k:])
	}
	for _, j := range m.missing[i] {
		scaled, fit := r.scaled[j*k:(j+1)*k], 0.0
		for e, f := range r.active {
			fit += r.mean[e] * scaled[f]
		}
		vector.Axpy(r.remainder, om*fit, scaled)
	}
}

// mayAccept reports whether the bound on the prior odds of a flip of feature k allows to accept it, if the
// other terms of the log acceptance ratio and an exponential variate sum to at most sum. A bound may be NaN.
func (m *Model) mayAccept(k int, sum float64) bool {
	return !(logAbove(m.rows.odds[k])+sum <= 0)
}

// logAbove returns a number that exceeds log x by at most 0.06. It takes the bits of x as a number, which
// is linear in x between powers of 2. It is above 709 if x is NaN or infinite, and at most -708 if x is 0.
func logAbove(x float64) float64 {
	const scale, bias = math.Ln2 / (1 << 52), math.Ln2 * (1023 - 0.0861) // log2(1+f) <= f + 0.08608 for f from 0 to 1
	return float64(int64(math.Float64bits(x)&^(1<<63)))*scale - bias     // without the sign, which a NaN may have
}

// accepts reports whether the flip of item i in feature k is accepted. The bound decides most flips.
func (m *Model) accepts(i, k int, sum float64) bool {
	return m.mayAccept(k, sum) && m.tracker.LogFlip(i, k)+sum > 0
}

func (m *Model) flip(i, k int) {
	m.tracker.Flip(i, k)
	m.z.Flip(i, k)
	m.unfactor(k)
}

// startRow computes the distribution of the weights of the active features. Its factorization and that of drawWeights
// continue where rounding leaves no positive pivot, which vector.Cholesky does not.
func (m *Model) startRow(i int, om float64) {
	r, k := &m.rows, m.z.K()
	n := len(r.active)
	l := r.chol
	for a, f := range r.active {
		for b, g := range r.active[:a+1] {
			sum := om * m.gramOf(i, int(f), int(g))
			if a == b {
				sum += r.precision[f]
			}
			sum -= dot(l[a*k:a*k+b], l[b*k:])
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

// join adds a feature to the active ones: its precision given theirs is c, and its mean remainder/c.
func (m *Model) join(a int, remainder, c float64) {
	r, k := &m.rows, m.z.K()
	n := len(r.active)
	for e := range n {
		axpy(r.v[e*k:e*k+n], r.vq[e]/c, r.vq)
		r.v[e*k+n], r.v[n*k+e] = -r.vq[e]/c, -r.vq[e]/c
		r.mean[e] -= r.vq[e] * remainder / c
	}
	r.v[n*k+n], r.mean[n] = 1/c, remainder/c
	r.entry[a] = int32(n)
	r.active = append(r.active, int32(a))
}

// remove removes entry e from the active features.
func (m *Model) remove(e int) {
	r, k := &m.rows, m.z.K()
	last := len(r.active) - 1
	variance, mean := r.v[e*k+e], r.mean[e]
	copy(r.vq[:last+1], r.v[e*k:])
	for a := range last + 1 {
		if a != e {
			axpy(r.v[a*k:a*k+last+1], -r.vq[a]/variance, r.vq)
			r.mean[a] -= r.vq[a] * mean / variance
		}
	}
	r.entry[r.active[e]] = -1
	if e != last {
		r.active[e], r.mean[e] = r.active[last], r.mean[last]
		r.entry[r.active[e]] = int32(e)
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
			sum := r.v[a*k+b] - dot(l[a*k:a*k+b], l[b*k:])
			if a == b {
				l[a*k+a] = math.Sqrt(max(sum, 0))
			} else if l[b*k+b] > 0 {
				l[a*k+b] = sum / l[b*k+b]
			} else {
				l[a*k+b] = 0
			}
		}
		r.drawn[a] = rng.NormFloat64()
		m.add(i, int(r.active[a]), r.mean[a]+dot(l[a*k:a*k+a+1], r.drawn))
	}
}
