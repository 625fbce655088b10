package classify

import "aibd/feature"

// Predictors returns the rows of z as numbers, or those of its weights, given as in draws.Draw, unless they are nil. Each
// is followed by the row of beside for the same item if beside is not nil.
func Predictors(z *feature.Allocation, weights []float64, beside [][]float64) [][]float64 {
	g, x := z.Weighted(nil, weights), make([][]float64, z.N())
	for i := range x {
		x[i] = append(x[i], g[i*z.K():(i+1)*z.K()]...)
		if beside != nil {
			x[i] = append(x[i], beside[i]...)
		}
	}
	return x
}
