package verdict

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Large says what chains agree on of what is large: of the principal axes of the fitted values, which are centered by
// variable and divided by the noise. These do not depend on which features encode the signals.
type Large struct {
	Axes   int     `json:"axes"`   // how many of the largest axes are the same in all chains
	Share  float64 `json:"share"`  // their part of the sum of squares of the fitted values of a half, on average
	Differ float64 `json:"differ"` // the largest difference of a half of a chain on these axes, as a share of the axis
	// Nothing is set if the fitted values of each half of a chain are negligible beside the noise.
	Nothing bool `json:"nothing,omitempty"`
}

// almostAll is the share from which on further axes are not worth naming.
const almostAll = 0.99

// agreed reports whether the chains agree on what is large.
func (l *Large) agreed() bool { return l.Nothing || l.Share >= MinLarge }

// large compares the mean fitted values F_h of each half of a chain with their mean F = U S V'. Axis a is the same in all
// if |(F_h - F) v_a| and |(F_h - F)' u_a| are at most MaxDiffer s_a. Unlike angles between axes this needs no gap between
// the sizes of axes, and it covers the size of an axis too. It returns nil for a family that is not of fitted values.
func (f *Family) large() *Large {
	if f.variables == 0 || f.n < 2 {
		return nil
	}
	n := len(f.mean[0]) / f.variables
	mean := mat.NewDense(n, f.variables, nil)
	halves := make([]*mat.Dense, len(f.mean))
	l, total := &Large{Nothing: true}, 0.0
	for h, values := range f.mean {
		halves[h] = mat.NewDense(n, f.variables, slices.Clone(values))
		for v := range f.variables {
			column := mat.Col(nil, v, halves[h])
			floats.AddConst(-floats.Sum(column)/float64(n), column)
			halves[h].SetCol(v, column)
		}
		square := math.Pow(mat.Norm(halves[h], 2), 2)
		total += square / float64(len(f.mean))
		l.Nothing = l.Nothing && square <= f.Negligible*f.Negligible*float64(n*f.variables)
		mean.Add(mean, halves[h])
	}
	mean.Scale(1/float64(len(halves)), mean)
	var svd mat.SVD
	if l.Nothing || !svd.Factorize(mean, mat.SVDThin) {
		return l
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	sizes := svd.Values(nil)
	for _, half := range halves {
		half.Sub(half, mean)
	}
	for a, size := range sizes {
		differ := 0.0
		for _, half := range halves {
			var items, variables mat.VecDense
			items.MulVec(half, v.ColView(a))
			variables.MulVec(half.T(), u.ColView(a))
			differ = max(differ, mat.Norm(&items, 2)/size, mat.Norm(&variables, 2)/size)
		}
		if !(differ <= MaxDiffer) || l.Share > almostAll { // NaN too
			break
		}
		l.Axes, l.Share, l.Differ = a+1, l.Share+size*size/total, max(l.Differ, differ)
	}
	return l
}
