package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// work is scratch memory of Cache.Refresh.
type work struct {
	features  [][]entry // of each item, its columns ascending
	overlap   []float64 // the lower triangle of Z'Z, k x k
	v         []float64 // inverse of the factor of Z'Z + rI, k x k
	zx        []float64 // Z'X, k x rank
	loadings  []float64 // B, k x rank
	members   []int     // of a column to be added
	counts    []float64 // overlap of that column with each column
	fit       []float64 // P times counts
	residuals []float64 // what fit leaves of that column, by item
	sum       []float64 // that column's sum of X without its part, or one row of X without it
}

// entry is a nonzero entry of a row or a column of Z: the place of the other index, and the weight,
// which is 1 unless features are weighted.
type entry struct {
	index  int
	weight float64
}

// setZ lists the columns of each item and computes the overlaps of columns, the row skip left
// out. If features are weighted, the matrix of the weights of the ones of Z takes its place. The
// weights are as in draws.Draw; nil stands for ones.
func (w *work) setZ(z *feature.Allocation, weights []float64, skip int) {
	w.features = vector.Extend(w.features, z.N())
	for i := range w.features {
		w.features[i] = w.features[i][:0]
	}
	k, next, weight := z.K(), 0, 1.0
	for a := range k {
		for i := range feature.Items(z.Column(a)) {
			if weights != nil {
				weight = weights[next]
				next++
			}
			if i != skip {
				w.features[i] = append(w.features[i], entry{a, weight})
			}
		}
	}
	w.overlap = vector.Extend(w.overlap, k*k)
	if weights != nil {
		clear(w.overlap)
		for _, row := range w.features {
			for x, a := range row {
				for _, b := range row[:x+1] {
					w.overlap[a.index*k+b.index] += a.weight * b.weight
				}
			}
		}
		return
	}
	for a := range k {
		ca := z.Column(a)
		for b := range a + 1 {
			count := feature.Common(z.Column(b), ca)
			if skip >= 0 && z.Has(skip, a) && z.Has(skip, b) {
				count--
			}
			w.overlap[a*k+b] = float64(count)
		}
	}
}

// invertGram puts (Z'Z + rI)^{-1} into p, with leading dimension ld, and returns
// log det(Z'Z + rI). The first columns, free in number, have no ridge, and the determinant
// is the one of the Schur complement of theirs. It reports false if that is numerically singular.
func (w *work) invertGram(p []float64, k, ld, free int, r float64) (logDet float64, ok bool) {
	if k == 0 {
		return 0, true
	}
	// Z'Z + rI = L L' in the lower triangle of p; then V = L^{-1} in v, and V'V.
	w.v = vector.Extend(w.v, k*k)
	v := w.v
	for i := range k {
		row := p[i*ld : i*ld+i+1]
		copy(row, w.overlap[i*k:])
		if i >= free {
			row[i] += r
		}
	}
	if logDet = 2 * vector.Cholesky(p, k, ld); math.IsNaN(logDet) {
		return logDet, false
	}
	for i := range free {
		logDet -= 2 * math.Log(p[i*ld+i])
	}
	invert(v, p, k, ld)
	for i := range k {
		row := p[i*ld : i*ld+i+1]
		clear(row)
		vector.AddRows(row, k-i, v[i*k+i:], k, v[i*k:], k)
		for j, x := range row {
			p[j*ld+i] = x
		}
	}
	return logDet, true
}

// times puts ZP into out, n x k.
func (w *work) times(out, p []float64, k int) {
	clear(out)
	for i, columns := range w.features {
		for _, a := range columns {
			vector.Axpy(out[i*k:(i+1)*k], a.weight, p[a.index*k:])
		}
	}
}

// regress puts B = P Z'X into loadings, for P = (Z'Z + rI)^{-1} with leading dimension ld.
func (w *work) regress(data *Data, p []float64, k, ld int) {
	rank := data.rank
	w.zx = vector.Extend(w.zx, k*rank)
	clear(w.zx)
	for i, columns := range w.features {
		for _, a := range columns {
			vector.Axpy(w.zx[a.index*rank:(a.index+1)*rank], a.weight, data.rows[i])
		}
	}
	w.loadings = vector.Extend(w.loadings, k*rank)
	clear(w.loadings)
	for a := range k {
		vector.AddRows(w.loadings[a*rank:(a+1)*rank], k, p[a*ld:], 1, w.zx, rank)
	}
}

// penalized returns tr(X'X) - tr(X'Z P Z'X) in the form |X - Z B|^2 + r |B|^2:
// B minimizes it, so that its error enters squared only. B comes from regress.
func (w *work) penalized(data *Data, r float64) float64 {
	rank := data.rank
	ridged := w.loadings[data.ones*rank:]
	sum := r * vector.Dot(ridged, ridged)
	w.sum = vector.Extend(w.sum, rank)
	for i, columns := range w.features {
		copy(w.sum, data.rows[i])
		for _, a := range columns {
			vector.Axpy(w.sum, -a.weight, w.loadings[a.index*rank:])
		}
		sum += vector.Dot(w.sum, w.sum)
	}
	return sum
}
