package collapsed

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"aibd/feature"
	"aibd/internal/vector"
)

// span is the singular value decomposition of Z, or of the matrix G of weighted features in its
// place: Z = U diag(sqrt(lambda)) V' without
// the zeros, so that V spans the rows of Z and U its columns. Then
//
//	(Z'Z + rI)^{-1} = V diag(1/(lambda + r)) V' + (I - VV')/r
//	log det(I + ZZ'/r) = sum of log(1 + lambda/r)
//
// and nothing cancels however small r is: the terms in 1/r are separate. Z is a matrix
// of integers, whose singular values are 0 or well away from 0, so that zeros are
// recognized. Those of G may be anything: only what rounding leaves of a zero is taken for one.
//
// With an intercept, whose column of ones is column 0, all this is of the contrasts HZ and
// HX, with H = I - 11'/n for the n items used. The entries of n HZ are integers unless features are
// weighted. B has the intercept as row 0, without a ridge.
//
// It is computed from the eigenvectors of ZZ' or Z'Z, the smaller one, in
// O(min(N, K)^3), without a K x K matrix if K > N. A Cache and a Spectrum use it if r
// is small, and a Cache if there are very many features.
type span struct {
	data  *Data
	k     int
	items [][]entry // columns of each item
	cols  [][]entry // items of each column
	sums  []float64 // of each column
	used  []int     // items that have a column
	place []int     // their places in used
	byRow bool      // U is of ZZ' over the items used; else V is of Z'Z

	weighted bool
	rank     int // of Z
	lambda   []float64
	root     []float64 // sqrt(lambda)
	vec      []float64 // eigenvectors, m x rank: of ZZ' over used, or V
	v        []float64 // V, k x rank
	y        []float64 // U'X, rank x data.rank
	c        []float64 // of B = V c
	b        []float64 // B, k x data.rank
	e        []float64 // X - ZB, n x data.rank
	means    []float64 // V'm for the means m of the columns of Z, with an intercept

	gram, eig, off, tau, lap, part, wide []float64
}

// The max eigenvalue of ZZ' that is taken for 0, relative to the largest: far above rounding. Of
// weighted features it is relative to the largest square of a column too, as contrasts cancel, and
// not far above rounding: eigenvalues that are in truth 0 matter little if they are kept, unless r is
// below them.
const (
	zeroEigenvalue = 1e-11
	zeroWeighted   = 1e-14
)

// The max part of a row or a unit vector outside the row space of Z, relative to its square, that
// is taken for rounding.
const (
	maxOutside         = 1e-8
	maxOutsideWeighted = 1e-12
)

// clean returns the part of a row outside the row space of Z, 0 if it is rounding.
func (s *span) clean(outside, square float64) float64 {
	most := maxOutside
	if s.weighted {
		most = maxOutsideWeighted
	}
	if outside <= most*square {
		return 0
	}
	return outside
}

// set decomposes the matrix of k columns, bitsets with the weights of their items as in draws.Draw,
// nil for ones. The row skip is left out (-1 for none).
func (s *span) set(data *Data, columns []uint64, weights []float64, k, skip int) {
	s.data, s.k, s.weighted = data, k, weights != nil
	n := data.n
	words := (n + 63) / 64
	s.items, s.cols = vector.Extend(s.items, n), vector.Extend(s.cols, k)
	s.place = vector.Extend(s.place, n)
	for i := range s.items {
		s.items[i] = s.items[i][:0]
	}
	s.sums = vector.Extend(s.sums, k)
	next, weight, largest := 0, 1.0, 0.0
	for a := range k {
		s.cols[a], s.sums[a] = s.cols[a][:0], 0
		square := 0.0
		for i := range feature.Items(columns[a*words : (a+1)*words]) {
			if s.weighted {
				weight = weights[next]
				next++
			}
			if i != skip {
				s.cols[a] = append(s.cols[a], entry{i, weight})
				s.items[i] = append(s.items[i], entry{a, weight})
				s.sums[a] += weight
				square += weight * weight
			}
		}
		largest = max(largest, square)
	}
	s.used = s.used[:0]
	for i, columns := range s.items {
		if len(columns) > 0 {
			s.place[i] = len(s.used)
			s.used = append(s.used, i)
		}
	}
	s.byRow = len(s.used) < k
	m := k
	if s.byRow {
		m = len(s.used)
	}
	s.gram = vector.Extend(s.gram, m*m)
	clear(s.gram)
	if s.byRow {
		for _, members := range s.cols {
			for x, i := range members {
				for _, j := range members[:x+1] {
					s.gram[s.place[i.at]*m+s.place[j.at]] += i.weight * j.weight
				}
			}
		}
	} else {
		for _, columns := range s.items {
			for x, a := range columns {
				for _, b := range columns[:x+1] {
					s.gram[a.at*m+b.at] += a.weight * b.weight
				}
			}
		}
	}
	if data.ones > 0 {
		s.contrast(m)
	}
	s.decompose(m, largest)
	s.coordinates()
	if data.ones > 0 {
		s.means = vector.Extend(s.means, s.rank)
		clear(s.means)
		for a, sum := range s.sums[1:] {
			vector.Axpy(s.means, sum/float64(len(s.used)), s.v[(1+a)*s.rank:(2+a)*s.rank])
		}
	}
	s.y = vector.Extend(s.y, s.rank*data.rank)
	s.e = vector.Extend(s.e, n*data.rank)
	s.residual(nil)
	s.left(s.y)
}

// contrast makes gram, m x m, that of HZ. Its integers are exact.
func (s *span) contrast(m int) {
	n := float64(len(s.used))
	if !s.byRow {
		for a := range m {
			for b := range a + 1 {
				s.gram[a*m+b] = (n*s.gram[a*m+b] - s.sums[a]*s.sums[b]) / n
			}
		}
		return
	}
	s.part = vector.Extend(s.part, m) // sums of the rows of ZZ'
	all := 0.0
	for p, i := range s.used {
		s.part[p] = 0
		for _, a := range s.items[i] {
			s.part[p] += a.weight * s.sums[a.at]
		}
		all += s.part[p]
	}
	for p := range m {
		for q := range p + 1 {
			s.gram[p*m+q] = (n*(n*s.gram[p*m+q]-s.part[p]-s.part[q]) + all) / (n * n)
		}
	}
}

// center subtracts the means of the items used from e and adds them to row 0 of b.
func (s *span) center(b []float64) {
	d, n := s.data.rank, float64(len(s.used))
	s.part = vector.Extend(s.part, d)
	clear(s.part)
	for _, i := range s.used {
		vector.Axpy(s.part, 1/n, s.e[i*d:(i+1)*d])
	}
	for _, i := range s.used {
		vector.Axpy(s.e[i*d:(i+1)*d], -1, s.part)
	}
	if b != nil {
		vector.Axpy(b[:d], 1, s.part)
	}
}

// blockSize is more than any block that Dsytrd uses, so that it does not allocate.
const blockSize = 64

// decompose finds the eigenvalues of gram, m x m, that are not 0, and their
// vectors. The largest square of a column of Z is given.
func (s *span) decompose(m int, largest float64) {
	s.rank, s.lambda, s.root = 0, s.lambda[:0], s.root[:0]
	if m == 0 {
		return
	}
	s.eig, s.off, s.tau = vector.Extend(s.eig, m), vector.Extend(s.off, m-1), vector.Extend(s.tau, m-1)
	s.lap = vector.Extend(s.lap, m*blockSize)
	var lap gonum.Implementation
	lap.Dsytrd(gblas.Lower, m, s.gram, m, s.eig, s.off, s.tau, s.lap, len(s.lap))
	// The reflections, one column to the right, make the orthogonal matrix; not in
	// blocks, see Spectrum.project.
	for i := range m {
		row := s.gram[i*m : (i+1)*m]
		copy(row[1:], row[:m-1])
		row[0] = 0
	}
	for j := range m {
		s.gram[j] = 0
	}
	s.gram[0] = 1
	if m > 1 {
		lap.Dorg2r(m-1, m-1, m-1, s.gram[m+1:], m, s.tau, s.lap)
	}
	if !lap.Dsteqr(lapack.EVOrig, m, s.eig, s.off, s.gram, m, s.lap) {
		vector.Fill(s.eig, math.NaN())
	}
	zero := zeroEigenvalue * s.eig[m-1]
	if s.weighted {
		zero = zeroWeighted * max(s.eig[m-1], largest)
	}
	first := 0 // they ascend
	for first < m-1 && s.eig[first] <= zero {
		first++
	}
	if s.eig[m-1] == 0 || s.weighted && s.eig[m-1] <= zero { // no entry is 1
		return
	}
	s.rank = m - first
	s.lambda, s.root = vector.Extend(s.lambda, s.rank), vector.Extend(s.root, s.rank)
	s.vec = vector.Extend(s.vec, m*s.rank)
	for j := range s.rank {
		s.lambda[j] = s.eig[first+j]
		s.root[j] = math.Sqrt(s.lambda[j])
	}
	for i := range m {
		copy(s.vec[i*s.rank:(i+1)*s.rank], s.gram[i*m+first:(i+1)*m])
	}
}

// coordinates computes V.
func (s *span) coordinates() {
	s.v = vector.Extend(s.v, s.k*s.rank)
	if !s.byRow {
		copy(s.v, s.vec)
		return
	}
	clear(s.v)
	for a, members := range s.cols {
		v := s.v[a*s.rank : (a+1)*s.rank]
		for _, i := range members {
			vector.Axpy(v, i.weight, s.vec[s.place[i.at]*s.rank:])
		}
		for j, root := range s.root {
			v[j] /= root
		}
	}
}

// left puts U'E into out, rank x data.rank.
func (s *span) left(out []float64) {
	d := s.data.rank
	clear(out)
	if s.byRow {
		for p, i := range s.used {
			for j := range s.rank {
				vector.Axpy(out[j*d:(j+1)*d], s.vec[p*s.rank+j], s.e[i*d:])
			}
		}
		return
	}
	s.part = vector.Extend(s.part, d)
	for a, members := range s.cols {
		clear(s.part)
		for _, i := range members {
			vector.Axpy(s.part, i.weight, s.e[i.at*d:])
		}
		for j := range s.rank {
			vector.Axpy(out[j*d:(j+1)*d], s.v[a*s.rank+j], s.part)
		}
	}
	for j, root := range s.root {
		for f := range d {
			out[j*d+f] /= root
		}
	}
}

// spread puts V c into b.
func (s *span) spread() {
	d := s.data.rank
	clear(s.b)
	if !s.byRow {
		for a := range s.k {
			b := s.b[a*d : (a+1)*d]
			for j := range s.rank {
				vector.Axpy(b, s.v[a*s.rank+j], s.c[j*d:])
			}
		}
		return
	}
	s.wide = vector.Extend(s.wide, len(s.used)*d)
	clear(s.wide)
	for p := range s.used {
		out := s.wide[p*d : (p+1)*d]
		for j, root := range s.root {
			vector.Axpy(out, s.vec[p*s.rank+j]/root, s.c[j*d:])
		}
	}
	for a, members := range s.cols {
		for _, i := range members {
			vector.Axpy(s.b[a*d:(a+1)*d], i.weight, s.wide[s.place[i.at]*d:])
		}
	}
}

// residual puts X - ZB into e, with an intercept HX - HZB and the intercept into B.
func (s *span) residual(b []float64) {
	d := s.data.rank
	for i, columns := range s.items {
		e := s.e[i*d : (i+1)*d]
		copy(e, s.data.rows[i])
		if b != nil {
			for _, a := range columns {
				vector.Axpy(e, -a.weight, b[a.at*d:])
			}
		}
	}
	if s.data.ones > 0 {
		s.center(b)
	}
}

// solve computes B = (Z'Z + rI)^{-1} Z'X, for r = 0 its limit, and the residual. One
// step of refinement leaves errors in the order of rounding where the residual is 0.
func (s *span) solve(r float64) {
	d := s.data.rank
	s.c, s.b = vector.Extend(s.c, s.rank*d), vector.Extend(s.b, s.k*d)
	for j, l := range s.lambda {
		for f := range d {
			s.c[j*d+f] = s.y[j*d+f] * s.root[j] / (l + r)
		}
	}
	s.spread()
	s.residual(s.b)
	s.gram = vector.Extend(s.gram, s.rank*d) // no longer needed
	s.left(s.gram)
	for j, l := range s.lambda {
		for f := range d {
			s.c[j*d+f] += (s.root[j]*s.gram[j*d+f] - r*s.c[j*d+f]) / (l + r)
		}
	}
	s.spread()
	s.residual(s.b)
}

// null returns entry a of the diagonal of I - VV'.
func (s *span) null(a int) float64 {
	left := 1.0
	for _, v := range s.v[a*s.rank : (a+1)*s.rank] {
		left -= v * v
	}
	return s.clean(left, 1)
}

// ridged returns entry a, b of r (Z'Z + rI)^{-1} = I - VV' + V diag(r/(lambda + r)) V', given the
// entries of the diagonal of I - VV'. If Z identifies the loading of one of the two, I - VV' is 0
// except rounding.
func (s *span) ridged(a, b int, nullA, nullB, r float64) (sum float64) {
	switch {
	case a == b:
		sum = nullA
	case nullA > 0 && nullB > 0:
		for j := range s.rank {
			sum -= s.v[a*s.rank+j] * s.v[b*s.rank+j]
		}
	}
	for j, lambda := range s.lambda {
		sum += s.v[a*s.rank+j] * s.v[b*s.rank+j] * r / (lambda + r)
	}
	return sum
}

// within returns entry a of the diagonal of V diag(1/(lambda + r)) V'.
func (s *span) within(a int, r float64) float64 {
	sum := 0.0
	for j, lambda := range s.lambda {
		v := s.v[a*s.rank+j]
		sum += v * v / (lambda + r)
	}
	return sum
}

// row puts row i of U into out.
func (s *span) row(i int, out []float64) {
	clear(out)
	switch {
	case len(s.items[i]) == 0:
	case s.byRow:
		copy(out, s.vec[s.place[i]*s.rank:(s.place[i]+1)*s.rank])
	default:
		for _, a := range s.items[i] {
			vector.Axpy(out, a.weight, s.v[a.at*s.rank:])
		}
		if s.data.ones > 0 {
			vector.Axpy(out, -1, s.means)
		}
		for j, root := range s.root {
			out[j] /= root
		}
	}
}

// oneMinusLeverage returns 1 - z_i P z_i', with an intercept that of HZ less 1/n, of an item
// that is used. It is 1 of others.
func (s *span) oneMinusLeverage(i int, r float64) float64 {
	// With u the row of U: 1 - |u|^2 + sum of u^2 r/(lambda + r).
	if len(s.items[i]) == 0 {
		return 1
	}
	s.part = vector.Extend(s.part, s.rank)
	u := s.part
	s.row(i, u)
	outside, inside := 1.0, 0.0
	if s.data.ones > 0 {
		outside -= 1 / float64(len(s.used))
	}
	for j, lambda := range s.lambda {
		outside -= u[j] * u[j]
		inside += u[j] * u[j] * r / (lambda + r)
	}
	return s.clean(outside, 1) + inside
}

// interceptVariance returns the variance of the intercept over SigmaX^2. Given the loadings
// it is normal around the mean of X - ZA: with the row m of means of Z it is 1/n + m'Pm.
func (s *span) interceptVariance(r float64) float64 {
	n := float64(len(s.used))
	square := 0.0
	for _, total := range s.sums[1:] {
		m := total / n
		square += m * m
	}
	sum, outside := 0.0, square
	for j, lambda := range s.lambda {
		sum += s.means[j] * s.means[j] / (lambda + r)
		outside -= s.means[j] * s.means[j]
	}
	return 1/n + sum + s.clean(outside, square)/r
}

// logDet returns log det(I + ZZ'/r).
func (s *span) logDet(r float64) float64 {
	sum := 0.0
	for _, l := range s.lambda {
		sum += math.Log1p(l / r)
	}
	return sum
}

// unexplained returns |X - ZB|^2.
func (s *span) unexplained() float64 { return vector.Dot(s.e, s.e) }

// logLik returns the log likelihood, all rows counted; x is SigmaX in units of the
// data.
func (s *span) logLik(scales Scales, x float64) float64 {
	r := ratio(scales)
	s.solve(r)
	ridged := s.b[s.data.ones*s.data.rank:]
	penalized := s.unexplained() + r*vector.Dot(ridged, ridged)
	return s.data.constant(0, scales) - s.data.half*s.logDet(r) - penalized/(2*x*x)
}
