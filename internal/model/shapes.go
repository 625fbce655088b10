package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
)

// A column of numbers has few values if it has at most maxFewValues different ones, and at least
// perFewValue items for each.
const (
	maxFewValues = 5
	perFewValue  = 5
)

// shapes returns notes on columns of numbers whose cells look unlike normal ones, or "" in place
// of each: long tails, of columns of positive numbers that are skewed to the right while their
// logarithms are not, and few different values. With few items neither has a meaning.
func shapes(names []string, o Observed) (tails, values string) {
	var long, few []string
	for j, name := range names {
		if len(o.X) < minAlike || o.Categories[j] != nil {
			continue
		}
		var raw, logs []float64
		for _, row := range o.X {
			if math.IsNaN(row[j]) {
				continue
			}
			v := o.Units.Undo(j, row[j])
			raw, logs = append(raw, v), append(logs, math.Log(v))
		}
		if !o.Units.Log(j) && stat.Skew(raw, nil) >= max(2, 2*math.Abs(stat.Skew(logs, nil))) { // NaN if not positive
			long = append(long, name)
		}
		items := len(raw)
		slices.Sort(raw)
		if n := len(slices.Compact(raw)); n > 2 && n <= maxFewValues && items >= perFewValue*n {
			few = append(few, fmt.Sprintf("%s (%d)", name, n))
		}
	}
	if long != nil {
		tails = fmt.Sprintf("long tails to the right: %s; few items may decide the features (--log takes logarithms)", hint.Listed(long, 3))
	}
	if few != nil {
		values = fmt.Sprintf("few different values: %s; features may fit them exactly (--binary and --ordinal take categories)", hint.Listed(few, 3))
	}
	return tails, values
}
