package describe

// The unknown cells of X: which are missing, and which are hidden.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/prior"
)

// Unknown returns lines on the binary and ordinal columns, on cells beyond limits, on missing and on
// hidden cells, where there are any.
func Unknown(s spec.Spec, ids, columns []string, o *model.Observed) (lines Lines) {
	byItem, byVariable, sum := make([]int, len(ids)), make([]int, len(columns)), 0
	count := func(i, j, step int) {
		byItem[i] += step
		byVariable[j] += step
		sum += step
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
	var zeroOne, binary, scales []string
	byScale := map[string][]string{} // ordinal columns by their categories
	for j, c := range o.Categories {
		switch {
		case c == nil:
		case c.Binary && slices.Equal(c.Labels, []string{"0", "1"}):
			zeroOne = append(zeroOne, columns[j])
		case c.Binary:
			binary = append(binary, fmt.Sprintf("%s (%s is 1)", columns[j], c.Labels[1]))
		default:
			labels := strings.Join(c.Labels, " < ")
			if byScale[labels] == nil {
				scales = append(scales, labels)
			}
			byScale[labels] = append(byScale[labels], columns[j])
		}
	}
	if zeroOne != nil {
		binary = slices.Insert(binary, 0, hint.Listed(zeroOne, shownColumns))
	}
	if binary != nil {
		lines.Add("Binary", strings.Join(binary, ", ")+": the signs of latent values with noise SigmaX, which are sampled (probit)")
	}
	if scales != nil {
		ordinal := lists.Map(scales, func(scale string) string {
			return fmt.Sprintf("%s (%s)", hint.Listed(byScale[scale], shownColumns), scale)
		})
		lines.Add("Ordinal", strings.Join(ordinal, ", ")+": latent values with noise SigmaX between cutpoints, both of which are sampled (ordered probit); the lowest cutpoint is 0")
	}
	var counts []string
	for j, name := range columns {
		if o.IsCount(j) {
			counts = append(counts, name)
		}
	}
	if counts != nil {
		lines.Add("Counts", hint.Listed(counts, shownColumns)+": rounded down from latent square roots, which are sampled; loadings and noise are of square roots")
	}
	limits, byLimit := 0, make([]int, len(columns))
	for _, b := range o.Bounds {
		count(b.Item, b.Variable, -1)
		if o.IsLimit(b) {
			limits++
			byLimit[b.Variable]++
		}
	}
	for _, column := range o.Ordinal {
		for i, level := range column.Level {
			if level >= 0 {
				count(i, column.Variable, -1)
			}
		}
	}
	cells := len(ids) * len(columns)
	if limits > 0 {
		lines.Add("Limits", fmt.Sprintf("%d of %d cells are below or above a limit, and sampled there; most in columns %s", limits, cells, mostOf(byLimit, columns, len(ids))))
	}
	if sum > 0 {
		lines.Add("Missing", fmt.Sprintf("%d of %d cells (%s%%), sampled as unknowns, on the assumption that whether a cell is missing does not depend on its value (limits are written as <0.5); most in items %s, and in columns %s", sum, cells,
			words.Significant(100*float64(sum)/float64(cells), 2), mostOf(byItem, ids, len(columns)), mostOf(byVariable, columns, len(ids))))
	}
	if len(o.Held) > 0 {
		how := fmt.Sprintf("drawn by seed %d", s.Sampler.Seed)
		if s.Data.HoldoutFile != "" {
			how = "listed in " + s.Data.HoldoutFile
		}
		lines.Add("Hidden", fmt.Sprintf("%d of %d observed cells, %s; aibd predict scores them", len(o.Held), cells-sum, how))
	}
	return lines
}

// mostOf names the three with the largest counts, of all.
func mostOf(counts []int, names []string, all int) string {
	order := prior.Identity(len(counts))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	var parts []string
	for _, i := range order[:min(3, len(order))] {
		if counts[i] > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d of %d)", names[i], counts[i], all))
		}
	}
	return strings.Join(parts, ", ")
}
