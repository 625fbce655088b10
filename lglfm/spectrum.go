package lglfm

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"aibd/feature"
)

// Spectrum answers for the likelihood at one allocation under many scales, one
// pair after the other. It turns the rows so that ZZ' has all its weight in the
// first m = min(N, K), brings that part to tridiagonal form T once and turns the
// data along; a pair of scales then costs a factorization of T + rI and one
// forward substitution.
//
// With x the turned data, tr(X'X) - tr(X'Z (Z'Z + rI)^{-1} Z'X) is
// r tr(x'(T + rI)^{-1} x) over the first m rows and the square of the rest, without
// cancellation. Rounding of T limits it all the same where Z has less than full
// rank and r is small, so that a span takes over below leastRatio.
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
	tau  []float64
	lap  []float64 // workspace
	y    []float64 // turned X, the first m rows, m x rank
	rest float64   // square of the other rows
	sum  []float64 // one row of y
	z    []float64 // Z, n x k, and its factor R
	x    []float64 // turned X, n x rank
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
		panic("lglfm: an allocation of another number of items than the data")
	}
	s.data, s.k, s.spanned = data, z.K(), false
	words := z.Words()
	s.columns = extend(s.columns, s.k*words)
	for k := range s.k {
		copy(s.columns[k*words:], z.Column(k))
	}
	n, rank := data.n, data.rank
	s.m = min(n, s.k)
	m := s.m
	s.gram = extend(s.gram, m*m)
	clear(s.gram)
	s.y = extend(s.y, m*rank)
	if n < s.k {
		for i := range n {
			copy(s.y[i*rank:(i+1)*rank], data.rows[i])
		}
		s.rest = 0
		for k := range s.k {
			s.list = z.Members(s.list[:0], k)
			for a, i := range s.list {
				for _, j := range s.list[:a+1] {
					s.gram[i*m+j]++
				}
			}
		}
	} else {
		s.project(z)
	}
	s.diag, s.off, s.tau = extend(s.diag, m), extend(s.off, max(m-1, 0)), extend(s.tau, max(m-1, 0))
	if m == 0 {
		return
	}
	s.lap = extend(s.lap, m*blockSize)
	gonum.Implementation{}.Dsytrd(gblas.Lower, m, s.gram, m, s.diag, s.off, s.tau, s.lap, len(s.lap))
	s.rotate()
}

// blockSize is more than any block that the factorizations use, so that they do
// not allocate.
const blockSize = 64

// project turns the rows by Q' of Z = QR, for K <= N: of ZZ' the first K rows hold
// RR', the others nothing.
func (s *Spectrum) project(z *feature.Allocation) {
	n, k, rank := s.data.n, s.k, s.data.rank
	s.x = extend(s.x, n*rank)
	for i, row := range s.data.rows {
		copy(s.x[i*rank:(i+1)*rank], row)
	}
	if k > 0 {
		s.z = extend(s.z, n*k)
		clear(s.z)
		for a := range k {
			s.list = z.Members(s.list[:0], a)
			for _, i := range s.list {
				s.z[i*k+a] = 1
			}
		}
		s.tau = extend(s.tau, k)
		s.lap = extend(s.lap, max(n, k, rank))
		// Reflection by reflection: in blocks, gonum (0.17) is wrong where reflections
		// end in zeros, as those of a sparse Z do; its Dlarft forgets the first one's
		// length.
		var lap gonum.Implementation
		lap.Dgeqr2(n, k, s.z, k, s.tau, s.lap)
		if rank > 0 {
			lap.Dorm2r(gblas.Left, gblas.Trans, n, rank, k, s.z, k, s.tau, s.x, rank, s.lap)
		}
	}
	copy(s.y, s.x[:k*rank])
	s.rest = 0
	for _, v := range s.x[k*rank:] {
		s.rest += v * v
	}
	for a := range k {
		for b := range a + 1 {
			// Rows of R begin at the diagonal.
			s.gram[a*k+b] = blas.Ddot(k-a, s.z[a*k+a:], 1, s.z[b*k+a:], 1)
		}
	}
}

// rotate multiplies y by the transpose of Q = H_0 H_1 ..., each H_i = I - tau v v'
// with v_{i+1} = 1 and the rest of v below the subdiagonal of gram.
func (s *Spectrum) rotate() {
	m, rank := s.m, s.data.rank
	s.sum = extend(s.sum, rank)
	for i, tau := range s.tau {
		copy(s.sum, s.y[(i+1)*rank:(i+2)*rank])
		for j := i + 2; j < m; j++ {
			axpy(s.sum, s.gram[j*m+i], s.y[j*rank:(j+1)*rank])
		}
		axpy(s.y[(i+1)*rank:(i+2)*rank], -tau, s.sum)
		for j := i + 2; j < m; j++ {
			axpy(s.y[j*rank:(j+1)*rank], -tau*s.gram[j*m+i], s.sum)
		}
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
	r, x := scales.ratio(), s.data.noise(scales)
	sum := s.outside
	for j, l := range p.lambda {
		y := p.y[j*rank : (j+1)*rank]
		sum += r / (l + r) * blas.Ddot(rank, y, 1, y, 1)
	}
	return s.data.constant(0, scales) - float64(s.data.d)/2*p.logDet(r) - sum/(2*x*x)
}

// LogLik returns log p(X | Z, scales), NaN where Data.Check has an error.
func (s *Spectrum) LogLik(scales Scales) float64 {
	rank, r := s.data.rank, scales.ratio()
	if s.data.Check(scales) != nil {
		return math.NaN()
	}
	if r < leastRatio {
		return s.logLikSpan(scales)
	}
	// With T + rI = L D L', y'(T + rI)^{-1} y is the sum of w^2/D over L w = y.
	logDet, quad, l := 0.0, 0.0, 0.0
	pivot := 0.0
	s.sum = extend(s.sum, rank)
	w := s.sum
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
		logDet += math.Log(d)
		norm := 0.0
		for f, y := range s.y[i*rank : (i+1)*rank] {
			x := y - l*w[f]
			w[f] = x
			norm += x * x
		}
		quad += norm / d
	}
	// Z'Z has K - m eigenvalues more than ZZ', or fewer, all 0.
	logDet += float64(s.k-s.m) * math.Log(r)
	residual, x := s.rest+r*quad, s.data.noise(scales)
	return s.data.constant(s.k, scales) - float64(s.data.d)/2*logDet - residual/(2*x*x)
}

// LogLik returns log p(X | Z, scales) of the collapsed model, NaN where Data.Check
// has an error. It panics if z is of another number of items.
func LogLik(data *Data, z *feature.Allocation, scales Scales) float64 {
	return NewCache(data, z, scales).LogLik()
}
