package intensity

import "math"

// oneMinus returns the product of 1 - u r over the elements of u. r is at least as
// long as u. The product may underflow.
func oneMinus(u, r []float64) float64 {
	a, b, c, d := 1.0, 1.0, 1.0, 1.0 // four products, which a processor forms at the same time
	for ; len(u) >= 4 && len(r) >= 4; u, r = u[4:], r[4:] {
		a *= 1 - u[0]*r[0]
		b *= 1 - u[1]*r[1]
		c *= 1 - u[2]*r[2]
		d *= 1 - u[3]*r[3]
	}
	for i, x := range u {
		a *= 1 - x*r[i]
	}
	return a * b * (c * d)
}

// flipProducts returns the products of 1 - u r - s f r and of 1 - u r over the
// elements of u. f and r are at least as long as u. The products may underflow.
func flipProducts(u, f, r []float64, s float64) (num, den float64) {
	num, den = 1, 1
	f, r = f[:len(u)], r[:len(u)]
	for i, x := range u {
		c := 1 - x*r[i]
		den *= c
		num *= c - f[i]*s*r[i]
	}
	return num, den
}

// swapProducts returns the products of (1 - a x) (1 - b y) and of (1 - c x) (1 - d y)
// over the elements of x. y is at least as long as x. The products may underflow.
func swapProducts(x, y []float64, a, b, c, d float64) (num, den float64) {
	num, den = 1, 1
	y = y[:len(x)]
	for i, v := range x {
		num *= (1 - a*v) * (1 - b*y[i])
		den *= (1 - c*v) * (1 - d*y[i])
	}
	return num, den
}

// shrink subtracts x from y and reports whether any difference is below least times the
// element of y. x is at least as long as y.
func shrink(y, x []float64, least float64) bool {
	below := false
	x = x[:len(y)]
	for i, v := range y {
		after := v - x[i]
		y[i] = after
		below = below || after < v*least
	}
	return below
}

// exp replaces the elements of x by exp((x - shift) scale), for arguments of at most 0;
// those below -708, where a double has less than all its digits, are taken as -708.
func exp(x []float64, shift, scale float64) {
	for i, v := range x {
		x[i] = math.Exp(max((v-shift)*scale, -708))
	}
}
