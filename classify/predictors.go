package classify

import "aibd/feature"

// Predictors returns the rows of z as numbers, each followed by the row of beside for the
// same item if beside is not nil.
func Predictors(z *feature.Allocation, beside [][]float64) [][]float64 {
	x := make([][]float64, z.N())
	for i := range x {
		x[i] = make([]float64, z.K())
		for k := range x[i] {
			if z.Has(i, k) {
				x[i][k] = 1
			}
		}
		if beside != nil {
			x[i] = append(x[i], beside[i]...)
		}
	}
	return x
}
