package vector

import "math"

// FlipBounds bounds the ratios of Gaussian likelihoods by many flips, each of which
// changes 1+s from one to one1 = one + delta u + md, and the square E from e to
// e1 = e - delta (c - g) + gd, times a factor of each:
//
//	factor exp(x),   x = half log(one/one1) + before - weight e1/one1
//
// from above, by log y <= t - t^2/2 + t^3/3 for y = 1 + t and by exp(x) <=
// (1 - x/64)^-64 for x < 64; it is +Inf for larger x, and NaN if one1 is not positive.
// All slices are at least as long as out.
func FlipBounds(out, factor, delta, u, md, c, g, gd []float64, one, e, before, weight, half float64) {
	n := len(out)
	factor, delta, u, md, c, g, gd = factor[:n], delta[:n], u[:n], md[:n], c[:n], g[:n], gd[:n]
	if avx2 && n > 0 {
		flipBoundsAVX2(n, &out[0], &factor[0], &delta[0], &u[0], &md[0], &c[0], &g[0], &gd[0], one, e, before, weight, half)
		return
	}
	for k, d := range delta {
		one1 := one + float64(d*u[k]) + md[k]
		e1 := e - float64(d*(c[k]-g[k])) + gd[k]
		inv := 1 / one1
		x := before - float64(float64(e1*inv)*weight)
		t := float64(one*inv) - 1
		p := 1 - float64(t*(0.5-float64(1.0/3*t)))
		x += float64(half * float64(t*p))
		y := 1 - float64(x*(1.0/64))
		if y < 0 {
			y = 0
		}
		for range 6 {
			y *= y
		}
		out[k] = factor[k] / y
		if !(one1 > 0) {
			out[k] = math.NaN()
		}
	}
}
