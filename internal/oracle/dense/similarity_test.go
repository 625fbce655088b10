package dense

// Similarities from distances.

import "math"

// Exponential returns the matrix exp(-temperature*d) of the N x N distances d.
func Exponential(temperature float64, distance [][]float64) [][]float64 {
	return decayed(distance, func(d float64) float64 { return math.Exp(-temperature * d) })
}

func decayed(distance [][]float64, decay func(float64) float64) [][]float64 {
	f := make([][]float64, len(distance))
	for i, row := range distance {
		f[i] = make([]float64, len(row))
		for j, d := range row {
			f[i][j] = decay(d)
		}
	}
	return f
}
