package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
)

// longTails returns a note on columns of positive numbers that are skewed to the right while their
// logarithms are not, or "". The skewness of few items has no meaning.
func longTails(names []string, o Observed) string {
	if len(o.X) < minIncreasing {
		return ""
	}
	var found []string
	for j, name := range names {
		var raw, logs []float64
		for _, row := range o.X {
			if math.IsNaN(row[j]) {
				continue
			}
			v := o.Units.Undo(j, row[j])
			raw, logs = append(raw, v), append(logs, math.Log(v))
		}
		if o.Categories[j] == nil && !o.Units.Log(j) && stat.Skew(raw, nil) >= max(2, 2*math.Abs(stat.Skew(logs, nil))) { // NaN if not positive
			found = append(found, name)
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("long tails to the right: %s; few items may decide the features (--log takes logarithms)", hint.Listed(found, 3))
}
