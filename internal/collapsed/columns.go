package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// LogRemove returns the change of the log likelihood if column k is deleted. No row may
// be open.
func (c *Cache) LogRemove(k int) float64 {
	x := c.noise
	p, g := c.p[k*c.ld+k], c.g[k*c.ld+k]
	return -c.data.half*math.Log(c.r*p) - g/(2*x*x*p)
}

// LogAppend returns the change of the log likelihood if a column is added to z, the
// allocation of the Cache. With H = I - ZPZ' and the residual R = X -
// ZB it is, for S = r + y'Hy, -(D/2) log(S/r) + y'RR'y/(2 SigmaX^2 S). No row may
// be open.
func (c *Cache) LogAppend(z *feature.Allocation, column []uint64) float64 {
	w := &c.work
	w.members = feature.Members(w.members[:0], column)
	w.counts = vector.Extend(w.counts, c.k)
	clear(w.counts)
	for _, i := range w.members {
		for a := range c.k {
			if z.Has(i, a) {
				w.counts[a]++
			}
		}
	}
	// y'Hy = |y - Zg|^2 + r|g|^2 for g = PZ'y, which minimizes it: where y depends on
	// the columns and r is small, the difference itself would be rounding.
	w.fit, w.residuals = vector.Extend(w.fit, c.k), vector.Extend(w.residuals, c.data.n)
	clear(w.fit)
	clear(w.residuals)
	for a, count := range w.counts {
		if count != 0 {
			addRow(w.fit, count, c.p, a, c.ld)
		}
	}
	for _, i := range w.members {
		w.residuals[i] = 1
	}
	for a, g := range w.fit {
		for i := range feature.Items(z.Column(a)) {
			w.residuals[i] -= g
		}
	}
	clear(w.fit[:c.data.ones]) // no ridge
	s := c.r + vector.Dot(w.residuals, w.residuals) + c.r*vector.Dot(w.fit, w.fit)
	// Likewise y'HX = (y - Zg)'(X - ZB) + r g'B.
	for a, g := range w.fit {
		w.counts[a] = -c.r * g
		for i := range feature.Items(z.Column(a)) {
			w.counts[a] += w.residuals[i]
		}
	}
	w.sum = vector.Extend(w.sum, c.data.rank)
	clear(w.sum)
	for i, x := range w.residuals {
		vector.Axpy(w.sum, x, c.data.rows[i])
	}
	norm := 0.0
	for f, x := range w.sum {
		x -= vector.Dot(w.counts, c.b[f*c.ld:])
		norm += x * x
	}
	x := c.noise
	return -c.data.half*math.Log(s/c.r) + norm/(2*x*x*s)
}
