package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/vector"
)

// Rescale multiplies the weights of each feature by a factor and its loadings by the inverse, which
// leaves the fit as it is. The log of the factor g has the log density
//
//	-g^2 w'C^-1 w/2 - g^-2 sum (a_d/s_d)^2/(2 SigmaA^2) + (n_k - D) log g
//
// where n_k items have feature k, with weights w of covariance C. With a network w has the weights of all items and the
// common part.
func (m *Model) Rescale(rng *rand.Rand) {
	m.ready(rng)
	if m.net() != nil {
		m.drawAllOthers(rng)
	}
	for k := range m.z.K() {
		loading, w := m.loading(k), m.column(k)
		square := 0.0
		for j, x := range loading {
			e := x / (m.noise[j] * m.scales.SigmaA)
			square += e * e
		}
		all := m.net() != nil && !m.single(k) // the weights of all items
		squares, size := 0.0, float64(m.n+1-m.d)
		if all {
			squares = m.net().square(&m.conditional, m.net().all, m.nodeWeights(k))
		} else {
			squares, _ = m.quadratic(k, false)
			size = float64(m.z.Size(k) - m.d)
		}
		g := math.Exp(collapsed.Slice(rng, 0, math.Inf(-1), math.Inf(1), 0.5, func(l float64) float64 {
			g := math.Exp(l)
			return -g*g*squares/2 - square/(2*g*g) + size*l
		}))
		if !(g > 0) || math.IsInf(g, 1) {
			continue
		}
		if all {
			m.rescaleLinked(k, g)
		} else {
			for i := range feature.Items(m.z.Column(k)) {
				w[i] *= g
			}
		}
		for j := range loading {
			loading[j] /= g
		}
	}
	m.forget()
}

// Shear moves each pair of features k and l such that all items with k also have l. It draws t from
// its conditional distribution, adds t a_l to a_k and subtracts t w_ik from w_il, which leaves the fit as it is.
func (m *Model) Shear(rng *rand.Rand) {
	m.ready(rng)
	if m.net() != nil {
		m.drawAllOthers(rng)
	}
	for l := range m.z.K() {
		b, outerWeights := m.loading(l), m.column(l)
		outer, gathered := m.z.Column(l), false
		squares := 0.0
		for j, x := range b {
			e := x / (m.noise[j] * m.scales.SigmaA)
			squares += e * e
		}
		for k := range m.z.K() {
			size := m.z.Size(k)
			if l == k || m.z.Size(l) < size || feature.Common(m.z.Column(k), outer) < size {
				continue
			}
			if !gathered {
				m.gather(l)
				gathered = true
			}
			precision, sum := squares, 0.0
			a, innerWeights := m.loading(k), m.column(k)
			for j, x := range a {
				s := m.noise[j] * m.scales.SigmaA
				sum -= x * b[j] / (s * s)
			}
			// The weights of k, 0 for items that have only l, and their product with C^-1 of the items of l.
			n := len(m.members)
			m.sheared, m.obs = vector.Extend(m.sheared, n), vector.Extend(m.obs, n)
			for e, i := range m.members {
				m.sheared[e] = 0
				if size == n || m.z.Has(i, k) {
					m.sheared[e] = innerWeights[i]
				}
			}
			if m.net() != nil && !m.single(l) {
				p, s := m.shearLinked(k, l)
				precision, sum = precision+p, sum+s
			} else {
				copy(m.obs, m.sheared)
				m.inverseTimes(l, m.obs)
				precision += dot(m.obs, m.sheared)
				for e, i := range m.members {
					sum += m.obs[e] * outerWeights[i]
				}
			}
			t := sum/precision + rng.NormFloat64()/math.Sqrt(precision)
			if math.IsNaN(t) || math.IsInf(t, 0) {
				continue
			}
			for j := range a {
				a[j] += t * b[j]
			}
			for e, i := range m.members {
				outerWeights[i] -= t * m.sheared[e]
			}
		}
	}
	m.forget()
}
