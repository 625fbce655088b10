package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/lglfm"
)

// minInflation is the least ratio of the variance of a column to that which other columns leave, at which the column is
// a function of them. Columns of few values leave less than their unit at small ratios.
const minInflation = 100

// exact is the inflation from which a column is a function of others whatever its unit.
const exact = 1e8

// numeric returns the columns of X that have no latent cells, as categories and counts do.
func (o *Observed) numeric(columns []string) (names []string, x [][]float64) {
	var at []int
	for j, c := range o.Categories {
		if c == nil && !o.IsCount(j) {
			at = append(at, j)
		}
	}
	return lists.Pick(columns, at), lists.Of(o.X, func(row []float64) []float64 { return lists.Pick(row, at) })
}

// dependent returns a note on columns of X that are linear functions of several others up to the unit in which
// they are recorded, such as a total and its parts, or "". Features fit such columns exactly. There must be twice as
// many items without unknown cells as columns.
func dependent(names []string, x [][]float64) string {
	n, d := 0, len(names)
	for _, row := range x {
		if !slices.ContainsFunc(row, math.IsNaN) {
			n++
		}
	}
	if d < 3 || n < 2*d+minAlike {
		return ""
	}
	var found []string
	left, units := lglfm.Unexplained(x), lglfm.MinNoise(x)
	for j, column := range lists.Observed(x) {
		inflation := stat.PopVariance(column, nil) / (left[j] * left[j])
		if unit := units[j] * math.Sqrt(2*math.Pi); left[j] > 0 && (left[j] < unit/2 && inflation > minInflation || inflation > exact) {
			found = append(found, names[j])
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("linear functions of other columns, up to rounding: %s; features may fit them exactly (%s)", hint.Listed(found, 3), leaveOut)
}
