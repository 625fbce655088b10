package lglfm

import (
	"math"
	"math/bits"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"aibd/feature"
)

// work is scratch memory for computing a Cache afresh.
type work struct {
	features [][]int   // columns of each item
	overlap  []float64 // Z'Z, k x k
	zx       []float64 // (Z'X)', rank x k
	members  []int     // of a column to be added
	counts   []float64 // overlap of that column with each column
	fit      []float64 // P times counts
	left     []float64 // what fit leaves of that column, by item
	sum      []float64 // what it leaves of that column's sum of X
}

// setZ lists the columns of each item and counts the overlaps of columns, the
// row skip left out.
func (w *work) setZ(z *feature.Allocation, skip int) {
	w.features = extend(w.features, z.N())
	for i := range w.features {
		w.features[i] = w.features[i][:0]
	}
	k := z.K()
	w.overlap = extend(w.overlap, k*k)
	for a := range k {
		ca := z.Column(a)
		for wi, word := range ca {
			for ; word != 0; word &= word - 1 {
				if i := wi<<6 + bits.TrailingZeros64(word); i != skip {
					w.features[i] = append(w.features[i], a)
				}
			}
		}
		for b := range a + 1 {
			count := 0
			for wi, word := range z.Column(b) {
				count += bits.OnesCount64(word & ca[wi])
			}
			if skip >= 0 && z.Has(skip, a) && z.Has(skip, b) {
				count--
			}
			w.overlap[a*k+b] = float64(count)
		}
	}
}

// invertGram puts (Z'Z + rI)^{-1} into p, with leading dimension ld, and
// returns log det(Z'Z + rI). It reports false if that is numerically singular.
func (w *work) invertGram(p []float64, k, ld int, r float64) (logDet float64, ok bool) {
	if k == 0 {
		return 0, true
	}
	for a := range k {
		copy(p[a*ld:a*ld+a+1], w.overlap[a*k:a*k+a+1])
		p[a*ld+a] += r
	}
	chol, ok := lapack64.Potrf(blas64.Symmetric{Uplo: gblas.Lower, N: k, Stride: ld, Data: p})
	if !ok {
		return math.NaN(), false
	}
	for a := range k {
		logDet += 2 * math.Log(p[a*ld+a])
	}
	if _, ok := lapack64.Potri(chol); !ok {
		return math.NaN(), false
	}
	for a := range k {
		for b := range a {
			p[b*ld+a] = p[a*ld+b]
		}
	}
	return logDet, true
}

// extend returns s with length n, growing its capacity by half at a time.
func extend[T any](s []T, n int) []T {
	if n > cap(s) {
		grown := make([]T, n, n+n/2)
		copy(grown, s[:cap(s)])
		return grown
	}
	return s[:n]
}
