package lglfm

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"aibd/feature"
)

// Spectrum answers for the likelihood at one allocation under many scales, one
// pair after the other. It brings Z'Z, or ZZ' where that is smaller, to
// tridiagonal form T once and rotates the data with it; a pair of scales then
// costs a factorization of T + rI and one forward substitution.
//
// The zero value is ready for Reset. A Spectrum belongs to one chain; it does not
// allocate once it has held the largest problem.
type Spectrum struct {
	data  *Data
	k     int
	dual  bool // T comes from ZZ'
	m     int  // order of T
	gram  []float64
	diag  []float64
	off   []float64
	tau   []float64
	lap   []float64 // workspace of Dsytrd
	y     []float64 // rotated X, or Z'X, m x rank
	sum   []float64 // one row of y
	items []int     // of one column
	work  work
}

// Reset prepares for the likelihood of data at z.
func (s *Spectrum) Reset(data *Data, z *feature.Allocation) {
	s.data, s.k = data, z.K()
	n, rank := data.n, data.rank
	s.dual = n < s.k
	s.m = min(n, s.k)
	m := s.m
	s.work.setZ(z, -1)
	s.gram = extend(s.gram, m*m)
	s.y = extend(s.y, m*rank)
	if s.dual {
		for i := range n {
			copy(s.y[i*rank:(i+1)*rank], data.rows[i])
		}
		clear(s.gram)
		for k := range s.k {
			s.items = z.Members(s.items[:0], k)
			for a, i := range s.items {
				for _, j := range s.items[:a+1] {
					s.gram[i*m+j]++
				}
			}
		}
	} else {
		copy(s.gram, s.work.overlap)
		clear(s.y)
		for i, columns := range s.work.features {
			for _, a := range columns {
				axpy(s.y[a*rank:(a+1)*rank], 1, data.rows[i])
			}
		}
	}
	s.diag, s.off, s.tau = extend(s.diag, m), extend(s.off, max(m-1, 0)), extend(s.tau, max(m-1, 0))
	if m == 0 {
		return
	}
	const blockSize = 32 // of Dsytrd
	s.lap = extend(s.lap, m*blockSize)
	gonum.Implementation{}.Dsytrd(gblas.Lower, m, s.gram, m, s.diag, s.off, s.tau, s.lap, len(s.lap))
	s.rotate()
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

// LogLik returns log p(X | Z, scales), NaN if Z'Z + rI is numerically singular.
func (s *Spectrum) LogLik(scales Scales) float64 {
	rank, r := s.data.rank, scales.ratio()
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
	var residual float64
	if s.dual {
		residual = r * quad
		logDet += float64(s.k-s.m) * math.Log(r)
	} else {
		residual = s.data.total - quad
	}
	return s.data.constant(s.k, scales) - float64(s.data.d)/2*logDet - residual/(2*scales.SigmaX*scales.SigmaX)
}

// LogLik returns log p(X | Z, scales) of the collapsed model, NaN if Z'Z + rI is
// numerically singular. It panics if z is of another number of items.
func LogLik(data *Data, z *feature.Allocation, scales Scales) float64 {
	if z.N() != data.n {
		panic("lglfm: an allocation of another number of items than the data")
	}
	return NewCache(data, z, scales).LogLik()
}
