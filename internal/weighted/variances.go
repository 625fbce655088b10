package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/internal/collapsed"
)

// A ScalePrior is the prior of SigmaA.
type ScalePrior interface {
	LogDensity(sigmaA float64) float64
}

// variances has what the density of the weights u = SigmaA w needs as a function of two variances alone: that of the common
// part, c' = c SigmaA^2, and that of the other parts, b' = (1 - c) SigmaA^2. The covariance of the weights u of a feature is
// c' 11' + b' B, and B stays.
type variances struct {
	ones, products, squares []float64 // of each feature: 1'B^-1 1, 1'B^-1 w, w'B^-1 w
	counts                  []float64 // weights of each feature

	// With a network the common parts are among the weights, except those of single items.
	common, commons float64 // sum of squares, and number
	single, singles float64
}

// sweeps is the number of updates of the variances in a scan. They take little time: B does not change.
const sweeps = 3

// drawVariances draws c' and b' in turn, and their sum, given u and B, with the loadings integrated out: the likelihood
// depends on u alone. Thus c moves far together with SigmaA. If SigmaA is fixed it draws c.
func (m *Model) drawVariances(rng *rand.Rand, scale ScalePrior) {
	v := &m.variances
	m.sumVariances()
	shares := m.now.Shares
	c, b := shares[0], 1-shares[0] // in units of the current SigmaA^2
	own := m.now.OwnShare() / b
	log := func(c, b float64) float64 {
		total := c + b
		if !(own*b/total >= minOwnShare) {
			return math.Inf(-1)
		}
		// The density of the logs of the variances has the product of all shares as a factor.
		sum := v.log(c, b) + math.Log(c/total) + float64(len(shares))*math.Log(b/total)
		if scale != nil {
			after := *m.scales
			after.SigmaA *= math.Sqrt(total)
			if m.data.Check(after) != nil {
				return math.Inf(-1)
			}
			sum += math.Log(total)/2 + scale.LogDensity(after.SigmaA)
		}
		return sum
	}
	slice := func(width float64, move func(step float64) (c, b float64)) {
		c, b = move(collapsed.Slice(rng, 0, math.Inf(-1), math.Inf(1), width, func(step float64) float64 { return log(move(step)) }))
	}
	for range sweeps {
		if scale == nil {
			slice(1, func(step float64) (float64, float64) {
				x := c * math.Exp(step)
				return x / (x + b), b / (x + b)
			})
			continue
		}
		slice(1, func(step float64) (float64, float64) { return c * math.Exp(step), b })
		slice(0.3, func(step float64) (float64, float64) { return c, b * math.Exp(step) })
		slice(0.3, func(step float64) (float64, float64) { return c * math.Exp(step), b * math.Exp(step) })
	}
	total := c + b
	m.next.Shares[0] = c / total
	for a, x := range shares[1:] {
		m.next.Shares[1+a] = x / (1 - shares[0]) * b / total
	}
	copy(m.next.Rates, m.now.Rates)
	if !m.prior.Valid(m.next) { // rounding
		return
	}
	m.setNext()
	m.accept()
	if scale == nil {
		return
	}
	factor := 1 / math.Sqrt(total)
	for a := range m.w {
		m.w[a] *= factor
	}
	for k := range m.common {
		m.common[k] *= factor
	}
	m.scales.SigmaA /= factor
	m.changed()
}

// sumVariances computes variances.
func (m *Model) sumVariances() {
	v := &m.variances
	v.ones, v.products, v.squares, v.counts = v.ones[:0], v.products[:0], v.squares[:0], v.counts[:0]
	v.common, v.commons, v.single, v.singles = 0, 0, 0, 0
	c, b := m.now.Shares[0], 1-m.now.Shares[0]
	for k := range m.z.K() {
		n := m.gather(k)
		switch {
		case m.net() != nil && n == 1:
			v.single += m.vec[0] * m.vec[0]
			v.singles++
			continue
		case m.net() != nil:
			nodes, w := m.links.traced[k], m.nodeWeights(k)
			common := w[0] * w[0]
			v.common += common
			v.commons++
			v.add(0, 0, b*(m.net().square(&m.conditional, nodes, w)-common/m.conditional.variance[0]), float64(len(nodes)-1))
			continue
		case !m.near():
			ones, products, squares := float64(n), 0.0, dot(m.vec[:n], m.vec)
			for _, x := range m.vec[:n] {
				products += x
			}
			v.add(ones, products, squares, float64(n))
			continue
		}
		root := m.factorMembers(k, false).root
		m.part = m.part[:0]
		for range n {
			m.part = append(m.part, 1)
		}
		forward(m.part, root, n)
		forward(m.vec[:n], root, n)
		ones, products, squares := dot(m.part, m.part), dot(m.part, m.vec), dot(m.vec[:n], m.vec)
		// The inverse of C - c 11', by that of C.
		complement := max(1-c*ones, 1e-12)
		v.add(b*ones/complement, b*products/complement, b*(squares+c*products*products/complement), float64(n))
	}
}

func (v *variances) add(ones, products, squares, count float64) {
	v.ones, v.products, v.squares, v.counts = append(v.ones, ones), append(v.products, products), append(v.squares, squares), append(v.counts, count)
}

// log returns the log density of u at c' and b', up to a constant.
func (v *variances) log(c, b float64) (sum float64) {
	x, product, logB := c/b, 1.0, math.Log(b)
	for k, ones := range v.ones {
		one := 1 + x*ones
		sum += v.counts[k]*logB + (v.squares[k]-x*v.products[k]*v.products[k]/one)/b
		if product *= one; product > 1e200 {
			sum += math.Log(product)
			product = 1
		}
	}
	sum += math.Log(product)
	if v.commons > 0 {
		sum += v.common/c + v.commons*math.Log(c)
	}
	if v.singles > 0 {
		sum += v.single/(c+b) + v.singles*math.Log(c+b)
	}
	return -sum / 2
}
