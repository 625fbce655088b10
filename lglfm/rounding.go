package lglfm

import (
	"math"
	"slices"
)

// RoundingErrors returns for each column of x the standard deviation of a rounding error, r/sqrt(12),
// of which no noise is free. The unit r to which the column is recorded is taken to be the smallest
// difference between two of its values. Differences below 1e-9 of the range of the column do not
// count: they come from arithmetic. Cells that are NaN are unknown. The error of a column with fewer
// than two distinct values is 0.
func RoundingErrors(x [][]float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	errors, column := make([]float64, len(x[0])), make([]float64, 0, len(x))
	for j := range errors {
		column = column[:0]
		for _, row := range x {
			if !math.IsNaN(row[j]) {
				column = append(column, row[j])
			}
		}
		if len(column) == 0 {
			continue
		}
		slices.Sort(column)
		unit := column[len(column)-1] - column[0]
		least := 1e-9 * unit
		for i := range column[1:] {
			if gap := column[i+1] - column[i]; gap > least {
				unit = min(unit, gap)
			}
		}
		errors[j] = unit / math.Sqrt(12)
	}
	return errors
}
