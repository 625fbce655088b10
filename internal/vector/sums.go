package vector

// Kernels of linear algebra.

// Axpy adds a times x to y. x is at least as long as y.
func Axpy(y []float64, a float64, x []float64) {
	n := len(y)
	x = x[:n]
	if avx2 && n > 0 {
		axpyAVX2(n, a, &x[0], &y[0])
		return
	}
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

// Exchange takes one row of two symmetric matrices p and g through an update of rank
// two each:
//
//	p += cv v - cm m
//	g += cv a + ca v + cm b + cb m
//
// added up in this order. All are at least as long as p.
func Exchange(p, g, v, m, a, b []float64, cv, cm, ca, cb float64) {
	n := len(p)
	g, v, m, a, b = g[:n], v[:n], m[:n], a[:n], b[:n]
	if avx2 && n > 0 {
		exchangeAVX2(n, &p[0], &g[0], &v[0], &m[0], &a[0], &b[0], cv, cm, ca, cb)
		return
	}
	for i := range p {
		p[i] = p[i] + float64(cv*v[i]) - float64(cm*m[i])
		g[i] = g[i] + float64(cv*a[i]) + float64(ca*v[i]) + float64(cm*b[i]) + float64(cb*m[i])
	}
}

// AddRows adds to y the rows of m, which has leading dimension ld, each times its
// weight: row i times x[i*inc], in the order of the rows. Their number is rows.
func AddRows(y []float64, rows int, x []float64, inc int, m []float64, ld int) {
	addRows(y, rows, 1, x, inc, m, ld)
}

// SubRows subtracts from y the sum that AddRows adds.
func SubRows(y []float64, rows int, x []float64, inc int, m []float64, ld int) {
	addRows(y, rows, -1, x, inc, m, ld)
}

// addRows is AddRows with weights times a.
func addRows(y []float64, rows int, a float64, x []float64, inc int, m []float64, ld int) {
	n := len(y)
	if n == 0 || rows <= 0 {
		return
	}
	_, _ = x[(rows-1)*inc], m[(rows-1)*ld+n-1]
	if avx2 {
		rowsAVX2(n, rows, a, &x[0], inc*8, &m[0], ld*8, &y[0])
		return
	}
	for i := range rows {
		w := a * x[i*inc]
		for j, v := range m[i*ld : i*ld+n] {
			y[j] += float64(w * v)
		}
	}
}

// AddOuter adds to each of the rows of m, which has leading dimension ld, a multiple
// of y: (a x[i*inc]) y to row i.
func AddOuter(m []float64, ld, rows int, a float64, x []float64, inc int, y []float64) {
	n := len(y)
	if n == 0 || rows <= 0 {
		return
	}
	_, _ = x[(rows-1)*inc], m[(rows-1)*ld+n-1]
	if avx2 {
		outerAVX2(n, rows, a, &x[0], inc*8, &m[0], ld*8, &y[0])
		return
	}
	for i := range rows {
		w, row := a*x[i*inc], m[i*ld:i*ld+n]
		for j, v := range y {
			row[j] += float64(w * v)
		}
	}
}

// AddOuter2 adds (a x[i]) y, and then (b w[i]) z, to row i of m, which has leading
// dimension ld. There are as many rows as x is long; y and z are equally long.
func AddOuter2(m []float64, ld int, a float64, x, y []float64, b float64, w, z []float64) {
	n, rows := len(y), len(x)
	if n == 0 || rows == 0 {
		return
	}
	w, z = w[:rows], z[:n]
	_ = m[(rows-1)*ld+n-1]
	if avx2 {
		outer2AVX2(n, rows, a, &x[0], &y[0], b, &w[0], &z[0], 8, &m[0], ld*8)
		return
	}
	for i := range rows {
		p, q, row := a*x[i], b*w[i], m[i*ld:i*ld+n]
		for j, v := range y {
			row[j] = row[j] + float64(p*v) + float64(q*z[j])
		}
	}
}

// Starts returns the layout of an upper triangle of n columns, in about N²/2 numbers:
// entry (q, p), p > q, is number starts[q]+p of size. A row begins with the entries of
// its own block of columns up to q, which are 0.
func Starts(n int) (starts []int, size int) {
	starts = make([]int, n)
	for q := range starts {
		first := q - q%columns
		starts[q] = size - first
		size += n - first
	}
	return starts, size
}

// columns is the number of columns of a block of Triangle.
const columns = 32

// Triangle sets y to the sum of the rows in members, which ascend, of an upper triangle
// in the layout of Starts.
func Triangle(y []float64, members []int, m []float64, starts []int) {
	n := len(y)
	if n == 0 {
		return
	}
	if len(members) == 0 {
		clear(y)
		return
	}
	_ = m[starts[members[len(members)-1]]+n-1]
	if avx2 && members[0] >= 0 {
		triangleAVX2(n, len(members), &members[0], &m[0], &starts[0], &y[0])
		return
	}
	clear(y)
	for _, q := range members {
		for j, x := range m[starts[q]+q+1 : starts[q]+n] {
			y[q+1+j] += x
		}
	}
}

// Dot returns the sum of the products of x and y. y is at least as long as x.
func Dot(x, y []float64) float64 {
	n := len(x)
	y = y[:n]
	if avx2 && n > 0 {
		return dotAVX2(n, &x[0], &y[0])
	}
	var s lanes
	rest := n - n%4
	for i := range rest {
		s[i&7] += float64(x[i] * y[i])
	}
	sum := s.sum()
	for i := rest; i < n; i++ {
		sum += float64(x[i] * y[i])
	}
	return sum
}

// Forward sets w to y - l w and returns the sum of its squares. w is at least as
// long as y.
func Forward(w []float64, l float64, y []float64) float64 {
	n := len(y)
	w = w[:n]
	if avx2 && n > 0 {
		return forwardAVX2(n, l, &y[0], &w[0])
	}
	var s lanes
	rest := n - n%4
	for i := range rest {
		x := y[i] - float64(l*w[i])
		w[i] = x
		s[i&7] += float64(x * x)
	}
	sum := s.sum()
	for i := rest; i < n; i++ {
		x := y[i] - float64(l*w[i])
		w[i] = x
		sum += float64(x * x)
	}
	return sum
}

// lanes are the parts that a sum or a product is split into: number i is in part i&7. The
// last numbers, those after a multiple of 4, are added or multiplied one by one at the end.
type lanes [8]float64

// sum returns the sum of the parts in the order of the kernels.
func (s *lanes) sum() float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// product returns the product of the parts in the order of the kernels.
func (s *lanes) product() float64 {
	a, b := float64(s[0]*s[4])*float64(s[2]*s[6]), float64(s[1]*s[5])*float64(s[3]*s[7])
	return a * b
}
