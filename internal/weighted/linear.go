package weighted

import "aibd/internal/vector"

// Lower triangular matrices are the leading n rows and columns of slices with leading dimension ld.

// short is the length up to which plain loops are faster than kernels.
const short = 8

// dot returns the sum of x y. y is at least as long as x.
func dot(x, y []float64) float64 {
	if len(x) > short {
		return vector.Dot(x, y)
	}
	sum := 0.0
	y = y[:len(x)]
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// axpy adds a times x to y. x is at least as long as y.
func axpy(y []float64, a float64, x []float64) {
	if len(y) > short {
		vector.Axpy(y, a, x)
		return
	}
	x = x[:len(y)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

// forward replaces b by the inverse of l times b.
func forward(b, l []float64, n int) {
	for i := range n {
		b[i] = (b[i] - dot(b[:i], l[i*n:])) / l[i*n+i]
	}
}

// inverse puts the inverse of l l' into out, by forward and backward substitution of each column.
func inverse(out, l []float64, ld, n int) {
	for e := range n {
		x := out[e*ld : e*ld+n]
		clear(x)
		x[e] = 1 / l[e*ld+e]
		for a := e + 1; a < n; a++ {
			x[a] = -dot(l[a*ld+e:a*ld+a], x[e:]) / l[a*ld+a]
		}
		for a := n - 1; a >= 0; a-- {
			x[a] /= l[a*ld+a]
			axpy(x[:a], -x[a], l[a*ld:])
		}
	}
}

// backward replaces b, of n rows of d, by the inverse of l' times b.
func backward(b, l []float64, n, d int) {
	for a := n - 1; a >= 0; a-- {
		y := b[a*d : (a+1)*d]
		for c := a + 1; c < n; c++ {
			axpy(y, -l[c*n+a], b[c*d:])
		}
		scale := 1 / l[a*n+a]
		for j := range y {
			y[j] *= scale
		}
	}
}
