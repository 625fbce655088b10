package collapsed

import (
	"aibd/feature"
	"aibd/internal/vector"
)

// Loadings implements lglfm.Loadings, which documents the methods. It decomposes Z, see
// span.
type Loadings struct {
	data    Data // with columns of X, not rotated
	span    span
	columns []uint64 // Z
	scales  Scales
	null    []float64 // diagonal of I - VV', by column
	part    []float64
}

func NewLoadings(data *Data, x [][]float64) *Loadings {
	l := &Loadings{data: *data}
	if len(x) != data.n {
		panic("collapsed: loadings of another number of items than the data")
	}
	l.data.rows, l.data.rank = x, 0
	for i, row := range x {
		if i == 0 {
			l.data.rank = len(row)
		} else if len(row) != l.data.rank {
			panic("collapsed: loadings of rows of different lengths")
		}
	}
	return l
}

// Reset computes the law at z.
func (l *Loadings) Reset(z *feature.Allocation, scales Scales) error {
	if z.N() != l.data.n {
		panic("collapsed: an allocation with another number of items than the data")
	}
	if err := l.data.Check(scales); err != nil {
		return err
	}
	l.scales = scales
	words, s, ones := z.Words(), &l.span, l.data.ones
	k := ones + z.K()
	l.columns = vector.Extend(l.columns, k*words)
	for a := range k {
		column := l.columns[a*words : (a+1)*words]
		if a >= ones {
			copy(column, z.Column(a-ones))
			continue
		}
		clear(column)
		for i := range z.N() {
			column[i>>6] |= 1 << (uint(i) & 63)
		}
	}
	s.set(&l.data, l.columns, k, -1)
	s.solve(ratio(scales))
	l.null = vector.Extend(l.null, k)
	for a := range l.null {
		l.null[a] = 1
		for _, v := range s.v[a*s.rank : (a+1)*s.rank] {
			l.null[a] -= v * v
		}
		l.null[a] = clean(l.null[a], 1)
	}
	return nil
}

// Mean returns the means of the loadings of feature k, by variable.
func (l *Loadings) Mean(k int) []float64 { return l.row(l.data.ones + k) }

// row returns row a of B, in which the intercept comes first.
func (l *Loadings) row(a int) []float64 {
	d := l.data.rank
	return l.span.b[a*d : (a+1)*d : (a+1)*d]
}

// Intercept returns the means of the intercept, by variable, and its variance, which is the
// same for all variables.
func (l *Loadings) Intercept() (mean []float64, variance float64) {
	if l.data.ones == 0 {
		panic("collapsed: data without an intercept")
	}
	// Given the loadings it is normal around the mean of X - ZA: with the row m of means of Z
	// the variance is SigmaX^2 (1/N + m'Pm).
	s, r, n := &l.span, ratio(l.scales), float64(l.data.n)
	l.part = vector.Extend(l.part, s.rank) // V'm
	clear(l.part)
	square := 0.0
	for a, members := range s.cols[1:] {
		m := float64(len(members)) / n
		square += m * m
		vector.Axpy(l.part, m, s.v[(1+a)*s.rank:(2+a)*s.rank])
	}
	sum, outside := 0.0, square
	for j, lambda := range s.lambda {
		sum += l.part[j] * l.part[j] * r / (lambda + r)
		outside -= l.part[j] * l.part[j]
	}
	x, a := l.scales.SigmaX, l.scales.SigmaA
	return l.row(0), x*x/n + a*a*(sum+clean(outside, square))
}

// Residual returns x_i less its fitted value z_i B, by variable.
func (l *Loadings) Residual(i int) []float64 {
	d := l.data.rank
	return l.span.e[i*d : (i+1)*d : (i+1)*d]
}

// Covariance returns the covariance of the loadings of features a and b on a
// variable, which is the same for all variables.
func (l *Loadings) Covariance(a, b int) float64 {
	// SigmaX^2 P = SigmaA^2 (I - VV' + V diag(r/(lambda + r)) V'). If Z identifies the
	// loading of one of the two, I - VV' is 0 but for rounding.
	s, r := &l.span, ratio(l.scales)
	a, b = l.data.ones+a, l.data.ones+b
	var sum float64
	switch {
	case a == b:
		sum = l.null[a]
	case l.null[a] > 0 && l.null[b] > 0:
		for j := range s.rank {
			sum -= s.v[a*s.rank+j] * s.v[b*s.rank+j]
		}
	}
	for j, lambda := range s.lambda {
		sum += s.v[a*s.rank+j] * s.v[b*s.rank+j] * r / (lambda + r)
	}
	return l.scales.SigmaA * l.scales.SigmaA * sum
}
