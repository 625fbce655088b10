package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// Spectrum computes the likelihood at one allocation for many pairs of scales. It
// rotates the rows so that only the first m = min(N, K) rows and columns of ZZ' are
// nonzero, brings that part to tridiagonal form T once and rotates the data alike; a
// pair of scales then takes a factorization of T + rI and one forward substitution.
//
// With x the rotated data, tr(X'X) - tr(X'Z (Z'Z + rI)^{-1} Z'X) is
// r tr(x'(T + rI)^{-1} x) over the first m rows and the square of the rest, without
// cancellation. Rounding of T limits the accuracy if Z has less than full rank and r is
// small, so that a span is used below minRatio.
//
// The zero value is ready for Reset. A Spectrum belongs to one chain; it does not
// allocate once it has held the largest problem.
type Spectrum struct {
	data *Data
	k    int
	m    int // order of T
	gram []float64
	diag []float64
	off  []float64
	y    []float64 // rotated X, n x rank
	rest float64   // square of all rows but the first m
	sum  []float64 // one row of y or of z
	v, w []float64 // one column
	z    []float64 // Z, n x k, and its factor R
	list []int     // items of one column

	columns []uint64 // Z
	span    span
	spanned bool    // the span is of Z
	outside float64 // |X - ZB|^2 as r tends to 0
}

// Reset prepares for the likelihood of data at z. It panics if z is of another
// number of items than the data.
func (s *Spectrum) Reset(data *Data, z *feature.Allocation) {
	if z.N() != data.n {
		panic("collapsed: an allocation of another number of items than the data")
	}
	s.data, s.k, s.spanned = data, z.K(), false
	words := z.Words()
	s.columns = vector.Extend(s.columns, s.k*words)
	for k := range s.k {
		copy(s.columns[k*words:], z.Column(k))
	}
	n, rank := data.n, data.rank
	s.m = min(n, s.k)
	m := s.m
	s.gram = vector.Extend(s.gram, m*m)
	clear(s.gram)
	s.y = vector.Extend(s.y, n*rank)
	for i, row := range data.rows {
		copy(s.y[i*rank:], row)
	}
	if n < s.k {
		for k := range s.k {
			s.list = z.Members(s.list[:0], k)
			for _, i := range s.list {
				for _, j := range s.list {
					s.gram[i*m+j]++
				}
			}
		}
	} else {
		s.project(z)
	}
	s.rest = 0
	for _, v := range s.y[m*rank:] {
		s.rest += v * v
	}
	s.tridiagonal()
}

// project turns the rows by Q' of Z = QR, for K <= N: of ZZ' the first K rows hold
// RR', the others nothing.
func (s *Spectrum) project(z *feature.Allocation) {
	n, k, rank := s.data.n, s.k, s.data.rank
	s.z = vector.Extend(s.z, n*k)
	clear(s.z)
	for a := range k {
		s.list = z.Members(s.list[:0], a)
		for _, i := range s.list {
			s.z[i*k+a] = 1
		}
	}
	s.v, s.sum = vector.Extend(s.v, n), vector.Extend(s.sum, max(k, rank))
	for a := range k {
		// H = I - tau v v' takes what is below the diagonal of column a away.
		v := s.v[:n-a]
		for i := range v {
			v[i] = s.z[(a+i)*k+a]
		}
		beta, tau := reflector(v)
		s.z[a*k+a] = beta
		if tau != 0 {
			s.reflect(s.z[a*k+a+1:], k, k-a-1, v, tau)
			s.reflect(s.y[a*rank:], rank, rank, v, tau)
		}
	}
	for a := range k {
		for b := range a + 1 {
			// Rows of R begin at the diagonal.
			x := vector.Dot(s.z[a*k+a:(a+1)*k], s.z[b*k+a:])
			s.gram[a*k+b], s.gram[b*k+a] = x, x
		}
	}
}

// reflector makes v the vector of a Householder reflection I - tau v v' that takes
// it to beta times the first unit vector; v[0] is 1. tau is 0 if it is there already.
func reflector(v []float64) (beta, tau float64) {
	alpha, rest := v[0], v[1:]
	v[0] = 1
	norm := vector.Dot(rest, rest)
	if norm == 0 {
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+norm), alpha)
	inverse := 1 / (alpha - beta)
	for i := range rest {
		rest[i] *= inverse
	}
	return beta, (beta - alpha) / beta
}

// reflect applies I - tau v v' to the rows of a matrix, as many as v is long, with
// leading dimension ld and the given number of columns.
func (s *Spectrum) reflect(m []float64, ld, columns int, v []float64, tau float64) {
	sum := s.sum[:columns]
	clear(sum)
	vector.AddRows(sum, len(v), v, 1, m, ld)
	vector.AddOuter(m, ld, len(v), -tau, v, 1, sum)
}

// tridiagonal brings gram to tridiagonal form by reflections from both sides, and
// turns the rows of y along.
func (s *Spectrum) tridiagonal() {
	m, rank := s.m, s.data.rank
	s.diag, s.off = vector.Extend(s.diag, m), vector.Extend(s.off, max(m-1, 0))
	s.v, s.w, s.sum = vector.Extend(s.v, m), vector.Extend(s.w, m), vector.Extend(s.sum, rank)
	for i := range m {
		s.diag[i] = s.gram[i*m+i]
		if i == m-1 {
			break
		}
		size := m - i - 1
		v, w := s.v[:size], s.w[:size]
		copy(v, s.gram[i*m+i+1:])
		beta, tau := reflector(v)
		s.off[i] = beta
		if tau == 0 {
			continue
		}
		// With p = tau A v and w = p - tau (p'v) v/2, A - v w' - w v' is A from both
		// sides.
		below := s.gram[(i+1)*m+i+1:]
		clear(w)
		vector.AddRows(w, size, v, 1, below, m)
		half := tau * vector.Dot(w, v) / 2
		for j, x := range v {
			w[j] = tau * (w[j] - half*x)
		}
		vector.AddOuter2(below, m, -1, v, w, -1, w, v)
		s.reflect(s.y[(i+1)*rank:], rank, rank, v, tau)
	}
}

// logLikSpan is LogLik by a span.
func (s *Spectrum) logLikSpan(scales Scales) float64 {
	p, rank := &s.span, s.data.rank
	if !s.spanned {
		p.set(s.data, s.columns, s.k, -1)
		p.solve(0)
		s.outside, s.spanned = p.unexplained(), true
	}
	r, x := ratio(scales), s.data.noise(scales)
	sum := s.outside
	for j, l := range p.lambda {
		y := p.y[j*rank : (j+1)*rank]
		sum += r / (l + r) * vector.Dot(y, y)
	}
	return s.data.constant(0, scales) - s.data.half*p.logDet(r) - sum/(2*x*x)
}

// LogLik returns log p(X | Z, scales), NaN if Data.Check returns an error.
func (s *Spectrum) LogLik(scales Scales) float64 {
	rank, r := s.data.rank, ratio(scales)
	if s.data.Check(scales) != nil {
		return math.NaN()
	}
	if r < minRatio {
		return s.logLikSpan(scales)
	}
	// With T + rI = L D L', y'(T + rI)^{-1} y is the sum of w^2/D over L w = y.
	logDet, quad, l := 0.0, 0.0, 0.0
	pivot, pivots := 0.0, 1.0
	w := s.sum[:rank]
	clear(w)
	for i := range s.m {
		d := s.diag[i] + r
		if i > 0 {
			l = s.off[i-1] / pivot
			d -= l * s.off[i-1]
		}
		if !(d > 0) {
			return math.NaN()
		}
		pivot = d
		if pivots *= d; pivots < 1e-150 || pivots > 1e150 {
			logDet += math.Log(pivots)
			pivots = 1
		}
		quad += vector.Forward(w, l, s.y[i*rank:(i+1)*rank]) / d
	}
	logDet += math.Log(pivots)
	// Z'Z has K - m eigenvalues more than ZZ', or fewer, all 0.
	logDet += float64(s.k-s.m) * math.Log(r)
	residual, x := s.rest+r*quad, s.data.noise(scales)
	return s.data.constant(s.k, scales) - s.data.half*logDet - residual/(2*x*x)
}

// LogLik is lglfm.LogLik.
func LogLik(data *Data, z *feature.Allocation, scales Scales) float64 {
	var c Cells
	if data.unknown == nil || !c.Reset(data, z, scales) {
		return NewCache(data, z, scales).LogLik()
	}
	// Any values of the unknown cells would do; at their means little cancels.
	own := data.Own()
	c.Fill(own)
	return NewCache(own, z, scales).LogLik() - c.LogDensity(own)
}
