package collapsed

import (
	"math/rand/v2"

	"aibd/internal/vector"
)

// The law of the m unknown cells of a column by its k loadings, in O(k^3 + m k) where that of
// cells takes O(m^3):
//
//	A | x_O ~ N(S Z_O'x_O, SigmaX^2 S),   S = (Z_O'Z_O + rI)^{-1}
//	x_M | A ~ N(Z_M A, SigmaX^2)
//
// Z_O'Z_O is Z'Z less the overlaps of unknown items, which are whole numbers unless features are
// weighted.

// factorLoadings factors S^{-1} = L L'. Factor is L, root the transposed inverse of L, so that
// S = root root'.
func (c *Cells) factorLoadings() {
	k := c.k
	c.factor, c.root = vector.Extend(c.factor, k*k), vector.Extend(c.root, k*k)
	copy(c.factor, c.work.overlap)
	for _, i := range c.pattern.items {
		columns := c.work.features[i]
		for x, f := range columns { // they ascend
			for _, g := range columns[:x+1] {
				c.factor[f.at*k+g.at] -= f.weight * g.weight
			}
		}
	}
	for f := c.data.ones; f < k; f++ {
		c.factor[f*k+f] += c.r
	}
	c.logDet = c.whole - cholesky(c.factor, k, 0)
	invert(c.root, c.factor, k)
	transpose(c.root, k)
}

// loadingsGiven puts the means of the loadings of a variable into c.fit, given c.sum, and L' times
// them into c.image.
func (c *Cells) loadingsGiven() {
	k := c.k
	c.image = vector.Extend(c.image, k)
	clear(c.image)
	if k > 0 {
		vector.AddRows(c.image, k, c.sum, 1, c.root, k)
	}
	c.loadingsOf(c.image)
}

// loadingsOf puts the loadings with the given image under L' into c.fit.
func (c *Cells) loadingsOf(image []float64) {
	c.fit = vector.Extend(c.fit, c.k)
	for f := range c.fit {
		c.fit[f] = vector.Dot(c.root[f*c.k:(f+1)*c.k], image)
	}
}

// meansOfLoadings puts the means of the unknown cells of a variable given the loadings in c.fit
// into c.mean.
func (c *Cells) meansOfLoadings(shift float64) {
	for a, i := range c.pattern.items {
		sum := 0.0
		for _, f := range c.work.features[i] {
			sum += f.weight * c.fit[f.at]
		}
		c.mean[a] = shift + sum
	}
}

// drawLoadings draws the loadings of variable j, then its unknown cells into c.mean.
func (c *Cells) drawLoadings(rng *rand.Rand, j int) {
	noise, shift := c.noise*c.data.unknown.noise(j), 0.0
	if c.data.ones > 0 {
		shift = c.data.unknown.means[j]
	}
	for f := range c.image {
		c.image[f] += noise * rng.NormFloat64()
	}
	c.loadingsOf(c.image)
	c.meansOfLoadings(shift)
	for a := range c.mean {
		c.mean[a] += noise * rng.NormFloat64()
	}
}

// leverage returns z_i S z_i'.
func (c *Cells) leverage(i int) float64 {
	c.image = vector.Extend(c.image, c.k)
	clear(c.image)
	for _, f := range c.work.features[i] {
		vector.Axpy(c.image, f.weight, c.root[f.at*c.k:])
	}
	return vector.Dot(c.image, c.image)
}

// varianceLoadings returns the variance of an unknown cell of item i over SigmaX^2.
func (c *Cells) varianceLoadings(i int) float64 {
	return 1 + c.leverage(i)
}

// squareLoadings returns y'(I + Z_M P_O Z_M')^{-1} y for y = c.mean. With a = P Z_M'y it is
// |y - Z_M a|^2 + a'(P_O)^{-1}a, in which nothing cancels.
func (c *Cells) squareLoadings() float64 {
	k := c.k
	c.sum, c.fit, c.image = vector.Extend(c.sum, k), vector.Extend(c.fit, k), vector.Extend(c.image, k)
	clear(c.sum)
	clear(c.fit)
	clear(c.image)
	for a, i := range c.pattern.items {
		for _, f := range c.work.features[i] {
			c.sum[f.at] += f.weight * c.mean[a]
		}
	}
	if k > 0 {
		vector.AddRows(c.fit, k, c.sum, 1, c.p, k)
		vector.AddRows(c.image, k, c.fit, 1, c.factor, k)
	}
	square := vector.Dot(c.image, c.image)
	for a, i := range c.pattern.items {
		y := c.mean[a]
		for _, f := range c.work.features[i] {
			y -= f.weight * c.fit[f.at]
		}
		square += y * y
	}
	return square
}
