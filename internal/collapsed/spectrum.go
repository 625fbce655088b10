package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"

	"gonum.org/v1/gonum/floats"
)

// Spectrum computes the likelihood at one allocation for many pairs of scales. With an
// intercept, N - 1 orthonormal contrasts of the rows of Z and X take their place. It
// rotates the rows so that only the first m = min(N, K) rows and columns of ZZ' are
// nonzero, brings that part to tridiagonal form T once and rotates the data alike; a
// pair of scales then takes a factorization of T + rI and one forward substitution.
//
// With x the rotated data, tr(X'X) - tr(X'Z (Z'Z + rI)^{-1} Z'X) is
// r tr(x'(T + rI)^{-1} x) over the first m rows and the square of the rest, without
// cancellation. Rounding of T limits the accuracy if Z has less than full rank and r is
// small.
//
// Of many rows it brings Z'Z to tridiagonal form instead, which takes no O(N·K²) reflections.
// Then tr(X'Z (Z'Z + rI)^{-1} Z'X) is y'(T + rI)^{-1} y with Z'X as y, rotated, and is taken from
// tr(X'X). If X has little noise, this difference has too few digits, and the rows are rotated
// after all.
//
// The zero value is ready for Reset. A Spectrum belongs to one chain; it does not
// allocate once it has held the largest problem.
type Spectrum struct {
	data      *Data
	k         int
	m         int // order of T
	gram      []float64
	diag      []float64
	off       []float64
	x         []float64 // rotated X, N x rank
	y         []float64 // that of the contrasts, n x rank; of products if normal
	products  []float64 // Z'X, m x rank
	remainder float64   // square of all rows but the first m, of all rows if normal
	normal    bool      // T is of Z'Z
	sum       []float64 // one row of y or of z
	v, w      []float64 // one column
	z         []float64 // Z, N rows, and its factor R
	list      []int     // items of one column

	columns []uint64 // Z
}

// Reset prepares for the likelihood of data at z. It panics if z is of another
// number of items than the data.
func (s *Spectrum) Reset(data *Data, z *feature.Allocation) {
	mustFit(data, z, nil)
	s.data, s.k = data, z.K()-data.ones
	s.columns = z.AppendColumns(s.columns[:0])
	n := data.n - data.ones
	s.m = min(n, s.k)
	s.gram = vector.Extend(s.gram, s.m*s.m)
	if s.normal = data.n > manyRows && n >= s.k; s.normal {
		s.multiply()
		s.tridiagonal()
		return
	}
	s.rotate()
}

// column returns column a of Z, counted with any column of ones, which comes first.
func (s *Spectrum) column(a int) []uint64 {
	words := (s.data.n + 63) / 64
	return s.columns[a*words : (a+1)*words]
}

// manyRows is the number of items above which Z'Z is computed.
const manyRows = 1000

// rotate computes T from the rows of Z and X.
func (s *Spectrum) rotate() {
	data := s.data
	rank, columns := data.rank, s.k+data.ones
	if data.n-data.ones < s.k {
		columns = data.ones
	}
	s.x = vector.Extend(s.x, data.n*rank)
	for i, row := range data.rows {
		copy(s.x[i*rank:], row)
	}
	s.project(columns)
	s.y = s.x[data.ones*rank:]
	s.remainder = 0
	for _, v := range s.y[s.m*rank:] {
		s.remainder += v * v
	}
	s.tridiagonal()
}

// multiply computes Z'Z, Z'X and tr(X'X), with an intercept those of the contrasts.
func (s *Spectrum) multiply() {
	data, ones := s.data, s.data.ones
	rank := data.rank
	s.sum = vector.Extend(s.sum, rank)
	mean := s.sum
	clear(mean)
	if ones > 0 {
		for _, row := range data.rows {
			vector.Axpy(mean, 1/float64(data.n), row)
		}
	}
	s.remainder, s.x = 0, vector.Extend(s.x, data.n*rank)
	for i, row := range data.rows {
		x := s.x[i*rank : (i+1)*rank]
		copy(x, row)
		vector.Axpy(x, -1, mean)
		s.remainder += vector.Dot(x, x)
	}
	s.products = vector.Extend(s.products, s.m*rank)
	s.y = s.products
	clear(s.y)
	s.w = vector.Extend(s.w, s.m)
	for a := range s.m {
		column := s.column(ones + a)
		s.list = feature.Members(s.list[:0], column)
		s.w[a] = float64(len(s.list))
		for _, i := range s.list {
			vector.Axpy(s.y[a*rank:(a+1)*rank], 1, s.x[i*rank:])
		}
		for b := range a + 1 {
			both := feature.Common(column, s.column(ones+b))
			x := float64(both) - float64(ones)*s.w[a]*s.w[b]/float64(data.n)
			s.gram[a*s.m+b], s.gram[b*s.m+a] = x, x
		}
	}
}

// project turns the rows by reflections that take away what is below the diagonal of the
// first columns of z, and computes ZZ'. For all columns Z = QR: of ZZ' the first K rows hold
// RR', the others nothing. For a column of ones the other rows become contrasts.
func (s *Spectrum) project(columns int) {
	n, k, ones, rank := s.data.n, s.k+s.data.ones, s.data.ones, s.data.rank
	s.z = vector.Extend(s.z, n*k)
	clear(s.z)
	for a := range k {
		s.list = feature.Members(s.list[:0], s.column(a))
		for _, i := range s.list {
			s.z[i*k+a] = 1
		}
	}
	s.v, s.sum = vector.Extend(s.v, n), vector.Extend(s.sum, max(k, rank))
	for a := range columns {
		// H = I - tau v v' takes what is below the diagonal of column a away.
		v := s.v[:n-a]
		for i := range v {
			v[i] = s.z[(a+i)*k+a]
		}
		beta, tau := reflector(v)
		s.z[a*k+a] = beta
		if tau != 0 {
			s.reflect(s.z[a*k+a+1:], k, k-a-1, v, tau)
			s.reflect(s.x[a*rank:], rank, rank, v, tau)
		}
	}
	m, rows := s.m, s.z[ones*k:]
	for a := range m {
		first := min(ones+a, columns) // rows of R begin at the diagonal
		for b := range a + 1 {
			x := vector.Dot(rows[a*k+first:(a+1)*k], rows[b*k+first:])
			s.gram[a*m+b], s.gram[b*m+a] = x, x
		}
	}
}

// reflector makes v the vector of a Householder reflection I - tau v v' that takes
// it to beta times the first unit vector; v[0] is 1. tau is 0 if it is there already.
func reflector(v []float64) (beta, tau float64) {
	alpha, remainder := v[0], v[1:]
	v[0] = 1
	norm := vector.Dot(remainder, remainder)
	if norm == 0 {
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+norm), alpha)
	inverse := 1 / (alpha - beta)
	for i := range remainder {
		remainder[i] *= inverse
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
		vector.AddOuter(below, m, size, -1, v, 1, w)
		vector.AddOuter(below, m, size, -1, w, 1, v)
		s.reflect(s.y[(i+1)*rank:], rank, rank, v, tau)
	}
}

// LogLik returns log p(X | Z, scales), NaN if Data.Check returns an error.
func (s *Spectrum) LogLik(scales Scales) float64 {
	rank, r := s.data.rank, ratio(scales)
	if s.data.Check(scales) != nil {
		return math.NaN()
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
		floats.AddScaledTo(w, s.y[i*rank:(i+1)*rank], -l, w)
		quad += vector.Dot(w, w) / d
	}
	logDet += math.Log(pivots)
	// Z'Z has K - m eigenvalues more than ZZ', or fewer, all 0.
	logDet += float64(s.k-s.m) * math.Log(r)
	residual, x := s.remainder+r*quad, s.data.noise(scales)
	if s.normal {
		if residual = s.remainder - quad; !(residual >= minResidual*s.remainder) {
			s.normal = false
			s.rotate()
			return s.LogLik(scales)
		}
	}
	return s.data.constant(s.k, scales) - s.data.half*logDet - residual/(2*x*x)
}

// minResidual is the min share of tr(X'X) that a difference from it must have.
const minResidual = 1e-5
