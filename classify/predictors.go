package classify

import "aibd/feature"

// Predictors returns the rows of z as numbers, with the columns of beside after them;
// beside may be nil, else it has a row for each item.
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
