package lists

import (
	"iter"
	"math"
)

// Observed returns the columns of x in turn, each with its observed values: cells that are NaN are
// unknown. A slice of values is valid until the next one. x must have a row.
func Observed(x [][]float64) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		column := make([]float64, 0, len(x))
		for j := range x[0] {
			column = column[:0]
			for _, row := range x {
				if !math.IsNaN(row[j]) {
					column = append(column, row[j])
				}
			}
			if !yield(j, column) {
				return
			}
		}
	}
}
