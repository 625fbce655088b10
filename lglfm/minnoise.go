package lglfm

import (
	"math"
	"slices"

	"aibd/internal/lists"
)

// MinNoise returns for each column of x the smallest standard deviation of noise that its unit allows,
// r/sqrt(2 pi): then a value has at most the density 1/r. Density times unit stands for the
// probability of a recorded value, which cannot exceed 1. The unit r to which a column is recorded is
// taken to be the smallest difference between two of its values. Differences below 1e-9 of the range
// of the column do not count: they come from arithmetic. Cells that are NaN are unknown. The result is
// 0 for a column with fewer than two distinct values.
func MinNoise(x [][]float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	noise := make([]float64, len(x[0]))
	for j, column := range lists.Observed(x) {
		if len(column) == 0 {
			continue
		}
		slices.Sort(column)
		unit := column[len(column)-1] - column[0]
		minGap := 1e-9 * unit
		for i := range column[1:] {
			if gap := column[i+1] - column[i]; gap > minGap {
				unit = min(unit, gap)
			}
		}
		noise[j] = unit / math.Sqrt(2*math.Pi)
	}
	return noise
}
