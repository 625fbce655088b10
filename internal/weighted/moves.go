package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/collapsed"
)

// Rescale multiplies the weights of each feature by a factor and its loadings by the inverse, which
// leaves the fit as it is. The log of the factor c has the log density
//
//	-c^2 sum w^2/(2v) + c m sum w/v - c^-2 sum (a_d/s_d)^2/(2 SigmaA^2) + (m_k - D) log c
//
// where m_k items have feature k.
func (m *Model) Rescale(rng *rand.Rand) {
	m.ready(rng)
	for k := range m.z.K() {
		loading := m.loading(k)
		squares, sums, size := 0.0, 0.0, 0.0
		for i := range feature.Items(m.z.Column(k)) {
			w := m.weightOf(i, k)
			squares, sums, size = squares+w*w, sums+w, size+1
		}
		square := 0.0
		for j, x := range loading {
			e := x / (m.noise[j] * m.scales.SigmaA)
			square += e * e
		}
		v := m.sd * m.sd
		squares, sums, size = squares/v, m.mean*sums/v, size-float64(m.d)
		c := math.Exp(collapsed.Slice(rng, 0, math.Inf(-1), math.Inf(1), 0.5, func(l float64) float64 {
			c := math.Exp(l)
			return -c*c*squares/2 + c*sums - square/(2*c*c) + size*l
		}))
		if !(c > 0) || math.IsInf(c, 1) {
			continue
		}
		for i := range feature.Items(m.z.Column(k)) {
			m.weight[i][m.entry(i, k)] *= c
		}
		for j := range loading {
			loading[j] /= c
		}
	}
	m.forget()
}

// Shear moves each pair of features k and l such that all items with k also have l. It draws t from
// its conditional law, adds t a_l to a_k and subtracts t w_ik from w_il, which leaves the fit as it is.
func (m *Model) Shear(rng *rand.Rand) {
	m.ready(rng)
	v := m.sd * m.sd
	for k := range m.z.K() {
		column := m.z.Column(k)
		m.members = feature.Members(m.members[:0], column)
		for l := range m.z.K() {
			if l == k || m.z.Size(l) < len(m.members) || feature.Common(column, m.z.Column(l)) < len(m.members) {
				continue
			}
			precision, sum := 0.0, 0.0
			a, b := m.loading(k), m.loading(l)
			for j := range a {
				s := m.noise[j] * m.scales.SigmaA
				precision += b[j] * b[j] / (s * s)
				sum -= a[j] * b[j] / (s * s)
			}
			for _, i := range m.members {
				w := m.weightOf(i, k)
				precision += w * w / v
				sum += w * (m.weightOf(i, l) - m.mean) / v
			}
			t := sum/precision + rng.NormFloat64()/math.Sqrt(precision)
			if math.IsNaN(t) || math.IsInf(t, 0) {
				continue
			}
			for j := range a {
				a[j] += t * b[j]
			}
			for _, i := range m.members {
				m.weight[i][m.entry(i, l)] -= t * m.weightOf(i, k)
			}
		}
	}
	m.forget()
}

// Spread returns the sum of the squared distances of the weights from their mean, and their number.
func (m *Model) Spread() (squares float64, count int) {
	for _, weights := range m.weight {
		for _, w := range weights {
			squares += (w - m.mean) * (w - m.mean)
		}
		count += len(weights)
	}
	return squares, count
}

// Stretch multiplies the standard deviation of the weights and their distances from their mean by factor.
func (m *Model) Stretch(factor float64) {
	for i, weights := range m.weight {
		for e := range weights {
			weights[e] = m.stretched(i, e, factor)
		}
	}
	m.sd *= factor
	m.changed()
}
