package dense

// Decay functions that turn a matrix of distances into one of similarities.

import "math"

// Exponential returns the matrix exp(-temperature*d) of the N x N distances d.
func Exponential(temperature float64, distance [][]float64) [][]float64 {
	return decayed(distance, func(d float64) float64 { return math.Exp(-temperature * d) })
}

// Reciprocal returns the matrix d^(-temperature) of the N x N distances d,
// which is infinite for d = 0 unless temperature is 0: distances between
// different items must be positive.
func Reciprocal(temperature float64, distance [][]float64) [][]float64 {
	return decayed(distance, func(d float64) float64 { return math.Pow(d, -temperature) })
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
