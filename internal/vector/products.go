package vector

import "math"

// Kernels of probabilities.

// unit are lanes before anything is multiplied.
var unit = lanes{1, 1, 1, 1, 1, 1, 1, 1}

// OneMinus returns the product of 1 - u r over the elements of u. r is at least as
// long as u. The product may underflow.
func OneMinus(u, r []float64) float64 {
	n := len(u)
	r = r[:n]
	if avx2 && n > 0 {
		return oneMinusAVX2(n, &u[0], &r[0])
	}
	p := unit
	rest := n - n%4
	for i := range rest {
		p[i&7] *= 1 - float64(u[i]*r[i])
	}
	prod := p.product()
	for i := rest; i < n; i++ {
		prod *= 1 - float64(u[i]*r[i])
	}
	return prod
}

// FlipProducts returns the products of 1 - u r - s f r and of 1 - u r over the
// elements of u. f and r are at least as long as u. The products may
// underflow.
func FlipProducts(u, f, r []float64, s float64) (num, den float64) {
	n := len(u)
	f, r = f[:n], r[:n]
	if avx2 && n > 0 {
		return flipProductsAVX2(n, &u[0], &f[0], &r[0], s)
	}
	x, y := unit, unit
	rest := n - n%4
	for i := range rest {
		c := 1 - float64(u[i]*r[i])
		y[i&7] *= c
		x[i&7] *= c - float64(float64(f[i]*s)*r[i])
	}
	num, den = x.product(), y.product()
	for i := rest; i < n; i++ {
		c := 1 - float64(u[i]*r[i])
		den *= c
		num *= c - float64(float64(f[i]*s)*r[i])
	}
	return num, den
}

// SwapProducts returns the products of (1 - a x) (1 - b y) and of (1 - c x) (1 - d y)
// over the elements of x. y is at least as long as x. The products may
// underflow.
func SwapProducts(x, y []float64, a, b, c, d float64) (num, den float64) {
	n := len(x)
	y = y[:n]
	if avx2 && n > 0 {
		return swapProductsAVX2(n, &x[0], &y[0], a, b, c, d)
	}
	p, q := unit, unit
	rest := n - n%4
	for i := range rest {
		p[i&7] *= (1 - float64(a*x[i])) * (1 - float64(b*y[i]))
		q[i&7] *= (1 - float64(c*x[i])) * (1 - float64(d*y[i]))
	}
	num, den = p.product(), q.product()
	for i := rest; i < n; i++ {
		num *= (1 - float64(a*x[i])) * (1 - float64(b*y[i]))
		den *= (1 - float64(c*x[i])) * (1 - float64(d*y[i]))
	}
	return num, den
}

// Shrink subtracts x from y and reports whether any difference is below least times the
// element of y. x is at least as long as y.
func Shrink(y, x []float64, least float64) bool {
	n := len(y)
	x = x[:n]
	if avx2 && n > 0 {
		return shrinkAVX2(n, &x[0], &y[0], least) != 0
	}
	any := false
	for i, v := range y {
		after := v - x[i]
		y[i] = after
		any = any || after < float64(v*least)
	}
	return any
}

// Exp sets out to exp((x - shift) scale), to within two units of the last place,
// for arguments of at most 0; those below -708, where a double has less than all
// its digits, are taken as -708. x is at least as long as out.
func Exp(out, x []float64, shift, scale float64) {
	n := len(out)
	x = x[:n]
	if avx2 && n > 0 {
		expAVX2(n, shift, scale, &x[0], &out[0])
		return
	}
	// 2^n e^r with n the nearest whole number to the argument over log 2.
	const magic, high, low = 3 << 51, 6.93147180369123816490e-01, 1.90821492927058770002e-10
	for i, v := range x {
		v = float64((v - shift) * scale)
		if !(v > -708) {
			v = -708
		}
		t := float64(v*math.Log2E) + magic
		w := t - magic
		v -= float64(w * high)
		v -= float64(w * low)
		p := series[len(series)-1]
		for k := len(series) - 2; k >= 0; k-- {
			p = float64(p*v) + series[k]
		}
		out[i] = p * math.Float64frombits((math.Float64bits(t)+1023)<<52)
	}
}

// series holds 1/k!.
var series = func() (s [14]float64) {
	factorial := 1.0
	for k := range s {
		if k > 0 {
			factorial *= float64(k)
		}
		s[k] = 1 / factorial
	}
	return s
}()
