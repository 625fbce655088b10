package lglfm

import (
	"math"

	"aibd/feature"
)

// LogRemove returns the change of the log likelihood if column k were deleted. No
// row may be open.
func (c *Cache) LogRemove(k int) float64 {
	x := c.scales.SigmaX
	p, g := c.p[k*c.ld+k], c.g[k*c.ld+k]
	return -float64(c.data.d)/2*math.Log(c.r*p) - g/(2*x*x*p)
}

// LogAppend returns the change of the log likelihood if a column were added to z,
// the allocation that the Cache is at. With H = I - ZPZ' and the residual R = X -
// ZB it is, for S = r + y'Hy, -(D/2) log(S/r) + y'RR'y/(2 SigmaX^2 S). No row may
// be open.
func (c *Cache) LogAppend(z *feature.Allocation, column []uint64) float64 {
	w := &c.work
	w.members = feature.Members(w.members[:0], column)
	w.counts = extend(w.counts, c.k)
	clear(w.counts)
	for _, i := range w.members {
		for a := range c.k {
			if z.Has(i, a) {
				w.counts[a]++
			}
		}
	}
	s := c.r + float64(len(w.members))
	for a, count := range w.counts {
		if count != 0 {
			for b, x := range w.counts[:a] {
				s -= 2 * count * x * c.p[a*c.ld+b]
			}
			s -= count * count * c.p[a*c.ld+a]
		}
	}
	norm := 0.0
	for f := range c.data.rank {
		sum := 0.0
		for _, i := range w.members {
			sum += c.data.rows[i][f]
		}
		sum -= blas.Ddot(c.k, w.counts, 1, c.b[f*c.ld:f*c.ld+c.k], 1)
		norm += sum * sum
	}
	x := c.scales.SigmaX
	return -float64(c.data.d)/2*math.Log(s/c.r) + norm/(2*x*x*s)
}
