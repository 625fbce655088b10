package collapsed

import "math"

// flipBounds bounds the ratios of Gaussian likelihoods by many flips, each of which
// changes 1+s from one to one1 = one + delta u + md, and the square E from e to
// e1 = e - delta (c - g) + gd, times a factor of each:
//
//	factor exp(x),   x = half log(one/one1) + before - weight e1/one1
//
// from above, by log y <= t - t^2/2 + t^3/3 for y = 1 + t and by exp(x) <=
// (1 - x/64)^-64 for x < 64; it is +Inf for larger x, and NaN if one1 is not positive.
// All slices are at least as long as out.
func flipBounds(out, factor, delta, u, md, c, g, gd []float64, one, e, before, weight, half float64) {
	n := len(out)
	factor, delta, u, md, c, g, gd = factor[:n], delta[:n], u[:n], md[:n], c[:n], g[:n], gd[:n]
	for k, d := range delta {
		one1 := one + d*u[k] + md[k]
		if !(one1 > 0) {
			out[k] = math.NaN()
			continue
		}
		e1 := e - d*(c[k]-g[k]) + gd[k]
		inv := 1 / one1
		t := one*inv - 1
		y := 1 - (before-e1*inv*weight+half*t*(1-t*(0.5-1.0/3*t)))*(1.0/64)
		if y < 0 {
			y = 0
		}
		y *= y
		y *= y
		y *= y
		y *= y
		y *= y
		y *= y
		out[k] = factor[k] / y
	}
}
