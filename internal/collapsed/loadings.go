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
	null    []float64 // diagonal of I - VV', by feature
	row     []float64 // of U
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
	words, s := z.Words(), &l.span
	l.columns = vector.Extend(l.columns, z.K()*words)
	for k := range z.K() {
		copy(l.columns[k*words:], z.Column(k))
	}
	s.set(&l.data, l.columns, z.K(), -1)
	s.solve(ratio(scales))
	l.null = vector.Extend(l.null, z.K())
	for k := range l.null {
		l.null[k] = 1
		for _, v := range s.v[k*s.rank : (k+1)*s.rank] {
			l.null[k] -= v * v
		}
		l.null[k] = clean(l.null[k], 1)
	}
	return nil
}

// Mean returns the means of the loadings of feature k, by variable.
func (l *Loadings) Mean(k int) []float64 {
	d := l.data.rank
	return l.span.b[k*d : (k+1)*d : (k+1)*d]
}

// Residual returns x_i - z_i B, by variable.
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

// OneMinusLeverage returns 1 - z_i P z_i'.
func (l *Loadings) OneMinusLeverage(i int) float64 {
	// With u the row of U: 1 - |u|^2 + sum of u^2 r/(lambda + r).
	s, r := &l.span, ratio(l.scales)
	if len(s.items[i]) == 0 {
		return 1
	}
	var u []float64
	if s.byRow {
		u = s.vec[s.place[i]*s.rank:]
	} else {
		l.row = vector.Extend(l.row, s.rank)
		clear(l.row)
		for _, a := range s.items[i] {
			vector.Axpy(l.row, 1, s.v[a*s.rank:])
		}
		for j, root := range s.root {
			l.row[j] /= root
		}
		u = l.row
	}
	outside, inside := 1.0, 0.0
	for j, lambda := range s.lambda {
		outside -= u[j] * u[j]
		inside += u[j] * u[j] * r / (lambda + r)
	}
	return clean(outside, 1) + inside
}
