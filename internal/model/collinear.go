package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

const (
	nearlyLinear = 0.99       // the correlation from which two columns say nearly the same
	maxPaired    = 3000       // columns whose pairs are compared
	maxScreened  = 20_000_000 // cells of pairs that are compared first
)

// collinear returns notes on pairs of columns of X that are linear functions of each other, and on those that nearly
// are. It compares the items that have both columns, at least minAlike. It returns "" for a note without pairs. If there
// are many pairs, it compares some of the items first, and all items of the pairs that then look alike.
func collinear(names []string, x [][]float64) (exact, near string) {
	if len(names) < 2 || len(names) > maxPaired {
		return "", ""
	}
	columns := lists.Transposed(x)
	var a, b []float64
	correlation := func(first, second []float64, step int) float64 {
		a, b = a[:0], b[:0]
		for i := 0; i < len(first); i += step {
			if !math.IsNaN(first[i] + second[i]) {
				a, b = append(a, first[i]), append(b, second[i])
			}
		}
		if len(a) < minAlike {
			return 0
		}
		return math.Abs(stat.Correlation(a, b, nil)) // NaN of a constant column
	}
	pairs := len(names) * (len(names) - 1) / 2
	step := max(1, len(x)/max(50, maxScreened/pairs))
	var same, alike []string
	for j := range names {
		for k := range j {
			r := correlation(columns[k], columns[j], step)
			if step > 1 && r > 0.9 {
				r = correlation(columns[k], columns[j], 1)
			}
			switch {
			case r > 1-1e-12:
				same = append(same, names[k]+" and "+names[j])
			case r > nearlyLinear:
				alike = append(alike, names[k]+" and "+names[j])
			}
		}
	}
	if same != nil {
		exact = fmt.Sprintf("linear functions of each other: %s; each counts as data (--columns leaves columns out)", hint.Listed(same, 3))
	}
	if alike != nil {
		near = fmt.Sprintf("correlations above %v: %s; features of such columns may hide those of others (--columns leaves columns out)", nearlyLinear, hint.Listed(alike, 3))
	}
	return exact, near
}
