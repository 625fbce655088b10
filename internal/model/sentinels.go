package model

// Numbers that stand for missing cells.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/words"
)

// sentinels returns a note on numbers that may stand for missing cells of X, or "": 7, 8 or 9
// repeated, such as -9 and 9999, far outside the other values of their column.
func sentinels(names []string, o Observed) string {
	columns := map[string][]string{} // by mark
	for j, name := range names {
		if o.Categories[j] != nil {
			continue
		}
		low, high, codes := math.Inf(1), math.Inf(-1), map[float64]bool{}
		for _, row := range o.X {
			v := o.Units.Undo(j, row[j])
			if isCode(v) {
				codes[v] = true
			} else if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		for code := range codes {
			if outside := max(low-code, code-high); low < high && (outside >= high-low || code < 0 && low >= 0) {
				mark := words.Exact(code)
				columns[mark] = append(columns[mark], name)
			}
		}
	}
	if len(columns) == 0 {
		return ""
	}
	marks := slices.Sorted(maps.Keys(columns))
	where := lists.Of(marks, func(mark string) string { return mark + " in " + hint.Listed(columns[mark], 3) })
	return fmt.Sprintf("numbers far from the others, which may stand for missing cells: %s (--missing %s)", strings.Join(where, ", "), strings.Join(marks, ","))
}

// isCode reports whether a number is 7, 8 or 9 repeated: negative, or of two digits at least.
func isCode(v float64) bool {
	if v != math.Trunc(v) || math.Abs(v) >= 1e9 {
		return false
	}
	digits, negative := strings.CutPrefix(words.Exact(v), "-")
	return strings.Contains("789", digits[:1]) && strings.Trim(digits, digits[:1]) == "" && (negative || len(digits) > 1)
}
