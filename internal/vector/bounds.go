package vector

import "math"

// FlipBounds bounds the changes of a Gaussian log likelihood by many flips, each of
// which changes 1+s from one to one1 = one + delta u + md, and the square E from e to
// e1 = e - delta (c - g) + gd:
//
//	half log(one/one1) + before - weight e1/one1
//
// from above, by log y <= t - t^2/2 + t^3/3 for y = 1 + t. Where one1 is not positive
// it is not a number. All are at least as long as out.
func FlipBounds(out, delta, u, md, c, g, gd []float64, one, e, before, weight, half float64) {
	n := len(out)
	delta, u, md, c, g, gd = delta[:n], u[:n], md[:n], c[:n], g[:n], gd[:n]
	if fast && n > 0 {
		flipBoundsAVX2(n, &out[0], &delta[0], &u[0], &md[0], &c[0], &g[0], &gd[0], one, e, before, weight, half)
		return
	}
	for k, d := range delta {
		one1 := one + float64(d*u[k]) + md[k]
		e1 := e - float64(d*(c[k]-g[k])) + gd[k]
		inv := 1 / one1
		x := before - float64(float64(e1*inv)*weight)
		t := float64(one*inv) - 1
		p := 1 - float64(t*(0.5-float64(1.0/3*t)))
		out[k] = x + float64(half*float64(t*p))
		if !(one1 > 0) {
			out[k] = math.NaN()
		}
	}
}
