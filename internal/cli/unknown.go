package cli

// The unknown cells of X: which are missing, and which are held out.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/model"
	"aibd/internal/spec"
)

// describeUnknown returns a line on the missing cells of X and one on the held-out cells, ""
// if there are none.
func describeUnknown(s spec.Spec, ids, columns []string, o *model.Observed) (missing, held string) {
	byItem, byVariable, sum := make([]int, len(ids)), make([]int, len(columns)), 0
	count := func(i, j, by int) {
		byItem[i] += by
		byVariable[j] += by
		sum += by
	}
	for i, row := range o.X {
		for j, v := range row {
			if math.IsNaN(v) {
				count(i, j, 1)
			}
		}
	}
	for _, c := range o.Held {
		count(c.Item, c.Variable, -1)
	}
	cells := len(ids) * len(columns)
	if sum > 0 {
		missing = fmt.Sprintf("%d of %d cells (%s%%), sampled as unknowns; most in %s; and in %s", sum, cells,
			significant(100*float64(sum)/float64(cells), 2), mostOf(byItem, ids, len(columns)), mostOf(byVariable, columns, len(ids)))
	}
	if len(o.Held) > 0 {
		how := fmt.Sprintf("drawn by seed %d", s.Sampler.Seed)
		if s.Data.HoldoutFile != "" {
			how = "listed in " + s.Data.HoldoutFile
		}
		held = fmt.Sprintf("%d of %d observed cells, %s, hidden from the fit; aibd predict scores them", len(o.Held), cells-sum, how)
	}
	return missing, held
}

// mostOf names the three with the largest counts, of all.
func mostOf(counts []int, names []string, all int) string {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	var parts []string
	for _, i := range order[:min(3, len(order))] {
		if counts[i] > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d of %d)", names[i], counts[i], all))
		}
	}
	return strings.Join(parts, ", ")
}
