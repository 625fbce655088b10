package cli

// aibd predict with new items.

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/mcmc"
	"aibd/prior"
)

func (o *predictOptions) predictNew(c *cobra.Command, j *results.Judged, file string) (printed, error) {
	read, err := j.Run.Input().Newcomers(j.Seen, j.Run.Data.Columns, file, o.side)
	if err != nil {
		return printed{}, err
	}
	if !o.quiet {
		tellNotes(c, read.Notes)
	}
	newcomers, err := j.PredictNew(read, o.NewcomerOptions)
	if err != nil {
		return printed{}, fmt.Errorf("%s: %w", file, err)
	}
	return printed{
		result: newcomers, text: func(w io.Writer) { writeNew(w, newcomers, o.top) },
		files: []output{tableOutput(o.out, func() table { return newCells(newcomers) }), tableOutput(o.features, func() table { return newcomerFeatures(newcomers) })},
	}, nil
}

// newCells returns a row for each cell.
func newCells(f *results.Newcomers) table {
	t := table{{"item", "variable", "median", "mean", "sd", "lower", "upper", "probabilities"}}
	for _, n := range f.Items {
		for _, c := range n.Cells {
			t.add(append(cellRow(c), probabilities(c, words.Exact))...)
		}
	}
	return t
}

// newcomerFeatures returns the probabilities of the features, or if they have weights their expected weights,
// items by features of the estimate.
func newcomerFeatures(f *results.Newcomers) table {
	t := table{append([]string{"item"}, words.Numbered("", f.Estimate.Z.K())...)}
	for _, n := range f.Items {
		row := []string{n.Item}
		values := n.Weights
		if values == nil {
			values = n.Probabilities
		}
		for _, x := range values {
			row = append(row, cell(x))
		}
		t.add(row...)
	}
	return t
}

// descending returns the indices of numbers, those of the largest first.
func descending(x []float64) []int {
	order := prior.Identity(len(x))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	return order
}

func writeNew(w io.Writer, f *results.Newcomers, top int) {
	fmt.Fprintf(w, `Predicted from %s. Each new item arrives alone after all %d items of the run. Its features
depend on its observed cells, on X of the run and on the draws; the draws do not depend on it.
`, plural(f.Draws, "draw"), f.Run.Data.N)
	fmt.Fprintln(w)
	t, cells := table{{"new item", "observed", "features", "singletons", "shares most with"}}, []results.Prediction{}
	for _, n := range f.Items {
		like := lists.Map(first(3, descending(n.SharedBy)), func(i int) string { return f.Beside(i, words.Fixed(n.SharedBy[i], 2)) })
		t.add(n.Item, fmt.Sprintf("%d of %d", n.Observed, f.Run.Data.D), words.Fixed(n.Features, 2), words.Fixed(n.Singletons, 2), strings.Join(like, ", "))
		cells = append(cells, n.Cells...)
	}
	t.write(w)
	fmt.Fprint(w, "features: expected number; singletons: those of them that no item of the run has\n")
	for _, n := range f.Items {
		if n.Limited > 0 {
			paragraphs(w, fmt.Sprintf("%s has as many singletons as allowed, %d, in %d of %s.", n.Item, mcmc.MaxSingletons, n.Limited, plural(f.Draws, "draw")))
		}
	}
	if f.Run.Spec.Data.HasIntercept() && !f.Run.Spec.Likelihood.HasWeights() {
		paragraphs(w, complementNote)
	}
	fmt.Fprintln(w)
	likelyFeatures(f).write(w)
	writeCells(w, cells, top)
}

// likelyFeatures returns a row for each feature of the estimate that a new item probably has.
func likelyFeatures(f *results.Newcomers) table {
	t, wide := table{{"new item", "feature", "probability"}}, len("of")
	for _, n := range f.Items {
		for _, k := range descending(n.Probabilities) {
			if n.Probabilities[k] < minProbability {
				continue
			}
			row := []string{n.Item, strconv.Itoa(k + 1), words.Fixed(n.Probabilities[k], 2)}
			if n.Weights != nil {
				row = append(row, words.Fixed(n.Weights[k], 2))
			}
			label := f.Estimate.Who(k, 3)
			wide = max(wide, utf8.RuneCountInString(label))
			t.add(append(row, label)...)
		}
		if t[len(t)-1][0] != n.Item {
			t.add(n.Item, "none", fmt.Sprintf("< %v", minProbability))
		}
	}
	if f.Estimate.Weights != nil {
		t[0] = append(t[0], "expected weight")
	}
	t[0] = append(t[0], "of")
	for _, row := range t { // aligned left
		if last := len(row) - 1; len(row) == len(t[0]) {
			row[last] += strings.Repeat(" ", wide-utf8.RuneCountInString(row[last]))
		}
	}
	return t
}

// minProbability is the least probability of a feature that is printed.
const minProbability = 0.05
