package cli

// What a comparison of runs says, as text and CSV.

import (
	"fmt"
	"io"
	"math"
	"strings"

	"aibd/internal/compare"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// writeLeftOut writes a comparison by leave-one-out.
func writeLeftOut(w io.Writer, c *compare.LeftOut) {
	fmt.Fprintf(w, "%s\n\n", visible.Text(leftOutHeadline(c)))
	paragraphs(w, append([]string{c.Sentence}, c.Doubts...)...)
	fmt.Fprintln(w)
	leftOutTable(c).write(w)
	fmt.Fprintln(w, elpdLegend)
	fmt.Fprintln(w, "\nWhat differs:")
	labelled(w, "- ", differences(c)...)
}

// elpdLegend explains the columns of the table.
const elpdLegend = `elpd: sum of the log densities of the entries in nats, larger is better; SE: its standard error
difference: elpd minus that of the first run, with its standard error
MCSE: Monte Carlo error of the difference, or of elpd in the first row
k bad: entries with a bad Pareto k; p_loo: effective number of parameters; DIC: smaller is better`

// leftOutHeadline names the data and says what is compared.
func leftOutHeadline(c *compare.LeftOut) string {
	return fmt.Sprintf("%s, %d items x %d columns; each of %d entries is left out in turn.",
		c.Data, c.Items, c.Columns, len(c.Runs[0].LOO.Points))
}

// leftOutTable returns a row for each run.
func leftOutTable(c *compare.LeftOut) table {
	t := table{{"run", "prior", "features", "chains", "elpd", "SE", "difference", "SE", "MCSE", "k bad", "p_loo", "DIC"}}
	for i, r := range c.Runs {
		row := []string{r.Run.Dir, r.Run.Spec.LawName(), words.Fixed(r.Features, 1), agreement(r.Judged), words.Fixed(r.ELPD, 1), words.Fixed(r.SE, 1)}
		if i == 0 {
			row = append(row, "0", "")
		} else {
			row = append(row, words.Fixed(r.Difference, 1), words.Fixed(r.Error, 1))
		}
		t.add(append(row, words.Fixed(r.MCSE, 1), fmt.Sprint(r.Bad), words.Fixed(r.P, 1), words.Fixed(r.DIC, 1))...)
	}
	return t
}

// differences says for each run what is not the same for all.
func differences(c *compare.LeftOut) []string {
	return lists.Of(c.Runs, func(r *compare.Contender) string { return r.Dir + ": " + strings.Join(r.Differs, "; ") + "." })
}

// leftOutEntries returns a row for each run and entry.
func leftOutEntries(c *compare.LeftOut) table {
	t := table{{"run", "item", "column", "elpd", "k"}}
	for _, r := range c.Runs {
		d := r.Run.Data
		for p, point := range r.LOO.Points {
			k := "" // unknown
			if !math.IsInf(point.K, 0) {
				k = cell(point.K)
			}
			at := r.LOO.At[p]
			t.add(r.Run.Dir, d.IDs[at[0]], d.Columns[at[1]], cell(point.ELPD), k)
		}
	}
	return t
}

// agreement says whether chains agree.
func agreement(j *results.Judged) string {
	if j.Agreed {
		return "agree"
	}
	return "disagree"
}

// writeHeld writes a comparison by hidden cells of runs, of which first is one.
func writeHeld(w io.Writer, h *compare.Held, first *results.Judged) {
	fmt.Fprintf(w, "%s, %d items x %d columns; %s hidden from all runs.\n\n", visible.Text(h.Data), first.Run.Data.N, first.Run.Data.D, plural(h.Cells, "cell"))
	paragraphs(w, append([]string{h.Sentence}, h.Doubts...)...)
	fmt.Fprintln(w)
	heldTable(h).write(w)
	fmt.Fprintln(w, `log density: mean of a hidden cell in nats, larger is better; SE: its standard error
difference: sum over the cells minus that of the first run, with its standard error
MCSE: Monte Carlo error of the difference, or of the sum in the first row`)
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
func heldEntries(h *compare.Held, first *results.Judged) table {
	t := table{{"run", "item", "column", "log_density"}}
	data := first.Run.Data
	for _, r := range h.Runs {
		for _, c := range r.Scored {
			t.add(r.Title(), data.IDs[c.Item], data.Columns[c.Variable], cell(c.LogDensity))
		}
	}
	return t
}
