package collapsed

import (
	"math"

	"aibd/internal/vector"
)

// signals is memory of SignalCovariances.
type signals struct {
	fitted     []float64 // ZB less the means of its columns, over scales, n x d
	features   []float64 // Z less the means of its columns, n x k
	covariance []float64 // of the loadings, mean over variables, k x k
	products   []float64 // features times covariance, n x k
}

// SignalCovariances implements lglfm.Loadings.SignalCovariances for noise scales by variable, nil for
// ones. With h_i the row z_i less the mean of the rows, B the means of the loadings, and C_v the
// covariance of those of variable v, the expectation of a product of signals is
//
//	E[h_i A_v h_j A_v] = h_i B_v h_j B_v + h_i C_v h_j'
//
// An intercept drops out: its column of ones leaves zeros in h_i.
func (l *Loadings) SignalCovariances(pairs [][2]int, noise, out []float64) {
	n, d, k, w := l.data.n, l.data.rank, l.k, &l.signals
	w.fitted, w.features, w.products = vector.Extend(w.fitted, n*d), vector.Extend(w.features, n*k), vector.Extend(w.products, n*k)
	clear(w.features)
	clear(w.products)
	for i, row := range l.work.features {
		l.Fitted(i, w.fitted[i*d:(i+1)*d])
		for _, a := range row {
			w.features[i*k+a.index] = a.weight
		}
	}
	for v := range d {
		scale := 1 / math.Sqrt(float64(d))
		if noise != nil {
			scale /= noise[v]
		}
		centerColumn(w.fitted, n, d, v, scale)
	}
	for a := range k {
		centerColumn(w.features, n, k, a, 1)
	}
	l.meanCovariance()
	for i := range n {
		if k > 0 {
			vector.AddRows(w.products[i*k:(i+1)*k], k, w.features[i*k:], 1, w.covariance, k)
		}
	}
	for p, pair := range pairs {
		i, j := pair[0], pair[1]
		out[p] = vector.Dot(w.fitted[i*d:(i+1)*d], w.fitted[j*d:]) + vector.Dot(w.products[i*k:(i+1)*k], w.features[j*k:])
	}
}

// centerColumn subtracts the mean from a column of an n x k matrix, and multiplies the rest by a factor.
func centerColumn(m []float64, n, k, column int, factor float64) {
	mean := 0.0
	for i := range n {
		mean += m[i*k+column] / float64(n)
	}
	for i := range n {
		m[i*k+column] = factor * (m[i*k+column] - mean)
	}
}

// meanCovariance puts the mean over variables of the covariances of the loadings, without noise scales,
// into signals.covariance. Rows and columns of an intercept are 0.
func (l *Loadings) meanCovariance() {
	d, k, ones := l.data.rank, l.k, l.data.ones
	sum := vector.Extend(l.signals.covariance, k*k)
	l.signals.covariance = sum
	clear(sum)
	complete := d
	if u := l.completed.unknown; u != nil {
		for _, p := range u.patterns {
			complete -= len(p.variables)
		}
		if complete < d {
			l.cells.addCovariances(sum)
			for c := range sum {
				sum[c] *= l.scales.SigmaX * l.scales.SigmaX
			}
		}
	}
	for a := ones; a < k; a++ {
		for b := ones; b <= a; b++ {
			if complete > 0 {
				sum[a*k+b] += float64(complete) * l.Covariance(a-ones, b-ones)
			}
			sum[a*k+b] /= float64(d)
			sum[b*k+a] = sum[a*k+b]
		}
	}
	clear(sum[:ones*k])
	for a := range k {
		clear(sum[a*k : a*k+ones])
	}
}
