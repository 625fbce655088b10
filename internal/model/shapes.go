package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// A column of numbers has few values if it has at most maxFewValues different ones, and at least
// perFewValue items for each.
const (
	maxFewValues = 5
	perFewValue  = 5
)

// Columns of numbers look like counts if they hold whole numbers from 0 on with many zeros, at least this share, or
// with a skewness of at least longTail and a number below smallCount: the logarithms of larger ones are as good.
const (
	manyZeros  = 0.25
	longTail   = 2
	smallCount = 10
)

// shapes returns notes on columns of numbers whose cells look unlike normal ones, or "" in place
// of each: long tails, of columns of positive numbers that are skewed to the right while their
// logarithms are not, few different values, and counts. With few items none has a meaning. A column is in one note.
func shapes(names []string, o Observed) (tails, values, counts string) {
	var long, few, whole []string
	for j, column := range lists.Observed(o.X) {
		if len(o.X) < minAlike || o.Categories[j] != nil || o.IsCount(j) {
			continue
		}
		raw := lists.Of(column, func(x float64) float64 { return o.Units.Undo(j, x) })
		logs := lists.Of(raw, math.Log)
		items, skew, logged := len(raw), stat.Skew(raw, nil), stat.Skew(logs, nil) // NaN if not positive
		zeros, isWhole := 0, !slices.ContainsFunc(raw, func(v float64) bool { return v < 0 || v > maxCount || v != math.Trunc(v) })
		for _, v := range raw {
			if v == 0 {
				zeros++
			}
		}
		slices.Sort(raw)
		n := len(slices.Compact(slices.Clone(raw)))
		switch isFew := n > 2 && n <= maxFewValues && items >= perFewValue*n; {
		case n > 2 && isWhole && !o.Units.Log(j) && (skew >= longTail && raw[0] < smallCount || !isFew && float64(zeros) >= manyZeros*float64(items)):
			whole = append(whole, names[j])
		case isFew:
			few = append(few, fmt.Sprintf("%s (%d)", names[j], n))
		case !o.Units.Log(j) && skew >= max(longTail, 2*math.Abs(logged)):
			long = append(long, names[j])
		}
	}
	if whole != nil {
		counts = fmt.Sprintf("whole numbers with many zeros or a long tail: %s; features may fit the zeros (--count takes counts)", hint.Listed(whole, 3))
	}
	if long != nil {
		tails = fmt.Sprintf("long tails to the right: %s; few items may decide the features (--log takes logarithms)", hint.Listed(long, 3))
	}
	if few != nil {
		values = fmt.Sprintf("few different values: %s; features may fit them exactly (--binary and --ordinal take categories)", hint.Listed(few, 3))
	}
	return tails, values, counts
}
