package cli

// What a comparison of runs says, as text and CSV.

import (
	"fmt"
	"io"

	"aibd/internal/compare"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// agreement says whether chains agree.
func agreement(j *results.Judged) string {
	switch {
	case j.Agreed:
		return "agree"
	case j.OnLarge:
		return "on what is large"
	}
	return "disagree"
}

// writeHeld writes a comparison by hidden cells of runs, of which first is one.
func writeHeld(w io.Writer, h *compare.Held, first *runs.Run) {
	fmt.Fprintf(w, "%s\n\n", visible.Text(heldHeadline(h, first)))
	paragraphs(w, append([]string{h.Sentence}, h.Doubts...)...)
	fmt.Fprintln(w)
	heldTable(h).write(w)
	fmt.Fprintln(w, heldLegend)
}

// heldLegend explains the columns of the table.
const heldLegend = `log density: mean of a hidden cell in nats, larger is better; SE: its standard error
difference: sum over the cells minus that of the first run, with its standard error
MCSE: Monte Carlo error of the difference, or of the sum in the first row`

// heldHeadline names the data and says what is compared.
func heldHeadline(h *compare.Held, first *runs.Run) string {
	return fmt.Sprintf("%s, %d items x %d columns; %s hidden from all runs.", h.Data, first.Data.N, first.Data.D, plural(h.Cells, "cell"))
}

// heldTable returns a row for each run.
func heldTable(h *compare.Held) table {
	t := table{{"run", "prior", "features", "chains", "log density", "SE", "difference", "SE", "MCSE"}}
	for m, r := range h.Runs {
		row := []string{r.Baseline, "-", "-", "-"}
		if r.Judged != nil {
			row = []string{r.Dir, r.Run.Spec.LawName(), r.Features, agreement(r.Judged)}
		}
		row = append(row, words.Fixed(r.LogDensity, 3), words.Fixed(r.SE, 3))
		if m == 0 {
			row = append(row, "0", "")
		} else {
			row = append(row, words.Fixed(r.Difference, 1), words.Fixed(r.Error, 1))
		}
		t.add(append(row, words.Fixed(r.MCSE, 1))...)
	}
	return t
}

// heldEntries returns a row for each run and hidden cell.
func heldEntries(h *compare.Held, first *runs.Run) table {
	t := table{{"run", "item", "column", "log_density"}}
	data := first.Data
	for _, r := range h.Runs {
		for _, c := range r.Scored {
			t.add(r.Title(), data.IDs[c.Item], data.Columns[c.Variable], cell(c.LogDensity))
		}
	}
	return t
}
