package model

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/hint"
)

// codes returns a note on columns of X that may be codes rather than measurements, or "": consecutive
// whole numbers, each in one row, at least three of them, each in one block of rows, or numbers that
// mostly count from row to row.
func codes(names []string, o Observed) string {
	var found []string
	for j, name := range names {
		if o.Categories[j] != nil || len(o.X) < 2*minIncreasing {
			continue
		}
		var values []float64
		for _, row := range o.X {
			whole := math.Round(o.Units.Undo(j, row[j]))
			if o.Units.Do(j, whole) == row[j] {
				values = append(values, whole)
			}
		}
		blocks := len(slices.Compact(slices.Clone(values)))
		steps := 0
		for i := 1; i < len(values); i++ {
			if values[i] == values[i-1]+1 {
				steps++
			}
		}
		counted := 10*steps >= 9*(len(values)-1) && len(values) > 1 // such as days of months
		slices.Sort(values)
		different := len(slices.Compact(slices.Clone(values)))
		switch n := len(o.X); {
		case len(values) < n || values[n-1]-values[0] != float64(different-1): // not consecutive whole numbers
		case different == n, different == blocks && different >= 3 && 2*different <= n, counted:
			found = append(found, name)
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("whole numbers that count rows or blocks of rows, as codes do, are data: %s (%s)", hint.Listed(found, 3), leavingOut(found))
}
