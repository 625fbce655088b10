package weighted

import "aibd/internal/vector"

// Lower triangular matrices are the leading n rows and columns of slices with leading dimension ld.

// inverse puts the inverse of l l' into out, by forward and backward substitution of each column.
func inverse(out, l []float64, ld, n int) {
	for e := range n {
		x := out[e*ld : e*ld+n]
		clear(x)
		x[e] = 1 / l[e*ld+e]
		for a := e + 1; a < n; a++ {
			x[a] = -vector.Dot(l[a*ld+e:a*ld+a], x[e:]) / l[a*ld+a]
		}
		for a := n - 1; a >= 0; a-- {
			x[a] /= l[a*ld+a]
			vector.Axpy(x[:a], -x[a], l[a*ld:])
		}
	}
}

// backward replaces b, of n rows of d, by the inverse of l' times b.
func backward(b, l []float64, n, d int) {
	for a := n - 1; a >= 0; a-- {
		y := b[a*d : (a+1)*d]
		for c := a + 1; c < n; c++ {
			vector.Axpy(y, -l[c*n+a], b[c*d:])
		}
		scale := 1 / l[a*n+a]
		for j := range y {
			y[j] *= scale
		}
	}
}
