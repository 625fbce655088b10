package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/hint"
)

// codes returns a note on columns of X that may be codes rather than measurements, or "". They hold whole
// numbers: consecutive ones, each in one row or at least three of them, each in one block of rows; those of
// blocks of one length; those that repeat row by row in the same order; or numbers that mostly count from
// row to row.
func codes(names []string, o Observed) string {
	var found []string
	for j, name := range names {
		if o.Categories[j] != nil || len(o.X) < 2*minAlike {
			continue
		}
		var values []float64
		for _, row := range o.X {
			whole := math.Round(o.Units.Undo(j, row[j]))
			if o.Units.Do(j, whole) == row[j] {
				values = append(values, whole)
			}
		}
		if len(values) == len(o.X) && areCodes(values) {
			found = append(found, name)
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("whole numbers that number rows or blocks of rows are data and may be codes: %s (%s)", hint.Listed(found, 3), leavingOut(found))
}

// longNumbers returns a note on columns of X whose numbers have more digits than a float64 keeps, or "".
// Numbers written with a power of ten have fewer.
func (in *Input) longNumbers(names []string, o Observed) string {
	var found []string
	for j, name := range names {
		if o.Categories[j] != nil || o.IsCount(j) || slices.ContainsFunc(o.X, func(row []float64) bool { return o.Units.Undo(j, row[j]) < 1<<53 }) {
			continue
		}
		cells, _ := in.Items.Strings(name) // it is a column
		if slices.ContainsFunc(cells, func(cell string) bool {
			digits, _, _ := strings.Cut(cell, "e")
			return len(digits) > len("9.00719925474099")
		}) {
			found = append(found, name)
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("numbers beyond 2^53 lose digits and look like identifiers: %s (%s)", hint.Listed(found, 3), leavingOut(found))
}

// areCodes reports whether whole numbers, in the order of the rows, look like codes.
func areCodes(values []float64) bool {
	n := len(values)
	starts := []int{} // of blocks of equal numbers
	steps := 0
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			starts = append(starts, i)
		}
		if i > 0 && v == values[i-1]+1 {
			steps++
		}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	different := len(sorted)
	consecutive := sorted[different-1]-sorted[0] == float64(different-1)
	if consecutive && (different == n || 10*steps >= 9*(n-1)) { // such as days of months
		return true
	}
	if different < 3 || 2*different > n {
		return false
	}
	repeats, equal := true, true
	for i, v := range values {
		repeats = repeats && v == values[i%different]
	}
	for b, start := range starts {
		equal = equal && start == b*starts[min(1, len(starts)-1)]
	}
	equal = equal && n%len(starts) == 0
	return repeats || len(starts) == different && (consecutive || equal)
}
