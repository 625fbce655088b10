package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
)

// nearlyLinear is the correlation from which two columns say nearly the same.
const nearlyLinear = 0.99

// maxPaired is the max number of columns whose pairs are compared.
const maxPaired = 1000

// collinear returns a note on pairs of columns of X that are linear functions of each other, or nearly, by the items
// that have both; or "". Few items are collinear by chance.
func collinear(names []string, x [][]float64) string {
	if len(names) > maxPaired {
		return ""
	}
	var exact, near []string
	var a, b []float64
	for j := range names {
		for k := range j {
			a, b = a[:0], b[:0]
			for _, row := range x {
				if !math.IsNaN(row[j] + row[k]) {
					a, b = append(a, row[k]), append(b, row[j])
				}
			}
			if len(a) < minAlike {
				continue
			}
			switch r := math.Abs(stat.Correlation(a, b, nil)); { // NaN for a constant column
			case r > 1-1e-12:
				exact = append(exact, names[k]+" and "+names[j])
			case r > nearlyLinear:
				near = append(near, names[k]+" and "+names[j])
			}
		}
	}
	note := ""
	if exact != nil {
		note = fmt.Sprintf("linear functions of each other: %s; each counts as data (--columns leaves columns out)", hint.Listed(exact, 3))
	}
	if near != nil {
		if note != "" {
			note += "; "
		}
		note += fmt.Sprintf("correlations above %v: %s; features of such columns may hide those of others (--columns leaves columns out)", nearlyLinear, hint.Listed(near, 3))
	}
	return note
}
