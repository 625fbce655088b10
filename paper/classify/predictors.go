package classify

import "aibd/feature"

// Predictors returns the rows of z as numbers.
func Predictors(z *feature.Allocation) [][]float64 {
	entries, x := z.Weighted(nil, nil), make([][]float64, z.N())
	for i := range x {
		x[i] = entries[i*z.K() : (i+1)*z.K()]
	}
	return x
}
