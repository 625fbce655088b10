package cli

// aibd summary

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/mcmc"
)

func newSummary() *cobra.Command {
	var (
		p          printing
		all, cells bool
		plot       string
	)
	c := &cobra.Command{
		Use:   "summary RUN",
		Short: "Summarize the draws of a run and check convergence",
		Long: fmt.Sprintf(`Prints the verdict: the chains agree, agree on what is large, or do not agree. They agree if the rank-normalized split R-hat is
at most %v and the bulk and tail effective sample sizes (ESS) are at least %d for each
quantity (Vehtari et al. 2021), and R-hat is at most %v for %s of the pairs of items
(number of features shared) and of the fitted values. Otherwise they agree on what is large if
the halves of all chains have the same largest principal axes of the fitted values: those that
differ by at most %s of their size, if together they have at least %s of the sum of squares. If
the chains do not agree on all, it says what they look like and which commands to try.

Then it says what was found, as medians with 90%% intervals, and prints for each quantity the
mean, the standard deviation (sd), the Monte Carlo standard error of the mean (MCSE),
quantiles, R-hat and ESS. --all adds the acceptance rate of each kernel after warmup and two
versions of the DIC.

Like all verbs that read a run, it reads the files of the fit again, which must not have changed: where
the fit found them, or beside the run.

--plot draws a panel for each quantity: its trace in every chain, with warmup, and the
density of its draws on the same axis. aibd plot draws other pictures.`, verdict.MaxRHat, verdict.MinESS, verdict.MaxRHat, words.Percent(1-verdict.MaxApart), words.Percent(verdict.MaxDiffer), words.Percent(verdict.MinLarge)),
		Example: `  # Summarize a short run
  aibd fit --warmup 200 --draws 500 --out short
  aibd summary short

  # Plot the traces
  aibd summary short --plot short.svg

  # For programs
  aibd summary short --json`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: p.ofRun(func([]string) error { return checkPlot(plot) }, func(_ *cobra.Command, j *results.Judged, _ []string) (content printed, err error) {
			s := summary{j.Summary()}
			if cells {
				s.Cells, err = j.UnknownCells()
			}
			return printed{
				result: s, title: s.headline(), text: func(w io.Writer) { s.write(w, all) },
				files: []output{figureOutput(plot, func() figure.Figure { return picture.Trace(j) })},
			}, err
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "Print acceptance rates, DIC and all of many cutpoints, too.")
	addCells(c, &cells)
	addStrict(c, &p.strict)
	c.Flags().BoolVar(&p.json, "json", false, "Print JSON.")
	outputFlag(c, &plot, "plot", "Draw traces and densities into a `file` that ends in .svg or .png.")
	return c
}

// summary is the summary of a run, to print.
type summary struct{ *results.Summary }

// write writes the summary below the verdict, with acceptance rates and DIC if all is set.
func (s summary) write(w io.Writer, all bool) {
	fmt.Fprintf(w, "Found (%s):\n", results.FoundLegend)
	labelled(w, "- ", s.Found...)
	fmt.Fprintln(w)

	var hidden []string
	if !all {
		hidden = s.hidden()
	}
	s.table(hidden).write(w)
	if len(hidden) > 0 {
		fmt.Fprintf(w, "and %s, with R-hat of at most that of those above (--all prints them)\n", plural(len(hidden), "cutpoint"))
	}
	for _, line := range s.remarks() {
		fmt.Fprintln(w, line)
	}
	if line := s.limit(); line != "" {
		fmt.Fprintf(w, "\n%s\n", line)
	}
	writeCells(w, s.Cells, 0)
	if !all {
		return
	}
	if len(s.Kernels) > 0 {
		fmt.Fprintln(w)
		s.kernelTable().write(w)
	}
	fmt.Fprintln(w)
	for _, line := range s.devianceLines() {
		fmt.Fprintln(w, line)
	}
}

// devianceLines gives the mean deviance and the DIC.
func (s summary) devianceLines() []string {
	d := s.Deviance
	if math.IsNaN(float64(d.DIC)) {
		return []string{"No DIC: the log likelihood has the density of drawn values of limits and categories."}
	}
	return []string{
		"Mean deviance (the paper calls it DIC): " + words.Fixed(d.Mean, 1),
		fmt.Sprintf("DIC (mean deviance + p_D, p_D = 2(max - mean log likelihood) = %s): %s", words.Fixed(d.PD, 1), words.Fixed(d.DIC, 1)),
	}
}

// headline names the data, the law and the chains.
func (s summary) headline() string {
	return fmt.Sprintf("%s, %d x %d; %s; %s of %s", s.Run.Spec.Data.Source(), s.Run.Data.N, s.Run.Data.D,
		s.Run.Spec.ModelName(), plural(len(s.Chains), "chain"), plural(len(s.Chains[0]), "draw"))
}

// maxCutpoints is the max number of cutpoints whose rows are all shown, and worstCutpoints how many are shown of more.
const (
	maxCutpoints   = 12
	worstCutpoints = 3
)

// hidden returns the keys of cutpoints that the table leaves out: of many all except those with the largest R-hat.
func (s summary) hidden() []string {
	if keys := results.Cutpoints(s.Judged.Quantities()); len(keys) > maxCutpoints {
		return keys[worstCutpoints:]
	}
	return nil
}

// table returns the quantities, without those with the given keys.
func (s summary) table(hidden []string) table {
	t := table{{"", "mean", "sd", "MCSE", "5%", "50%", "95%", "R-hat", "bulk ESS", "tail ESS"}}
	for _, q := range s.Quantities {
		if !slices.Contains(hidden, q.Key) {
			t.add(quantityRow(q)...)
		}
	}
	return t
}

// remarks explains the table of quantities.
func (s summary) remarks() (lines []string) {
	if s.Run.Spec.Prior.HasPermutation() {
		lines = append(lines, fmt.Sprintf("Positions count from 1. A uniform permutation has mean positions %v.", float64(s.Run.Data.N+1)/2))
	}
	for _, d := range s.Distances {
		if d.Remark != "" {
			lines = append(lines, d.Remark)
		}
	}
	for _, remark := range s.Remarks {
		lines = append(lines, remark+".")
	}
	return lines
}

func quantityRow(q results.QuantitySummary) []string {
	summary := q.Statistics
	if q.Fixed {
		return []string{q.Label(), words.Significant(summary.Mean, 4), "fixed"}
	}
	row, digits := []string{q.Label()}, words.Decimals(summary.Mean, summary.MCSE, summary.SD/10)
	for _, x := range []float64{summary.Mean, summary.SD, summary.MCSE, summary.Q5, summary.Q50, summary.Q95} {
		row = append(row, words.Fixed(x, digits))
	}
	return append(row, verdict.RHat(summary.RHat), verdict.ESS(summary.ESSBulk), verdict.ESS(summary.ESSTail))
}

// limit says in how many scans the maximum number of features bound, "" if in none.
func (s summary) limit() string {
	if s.Limited == 0 {
		return ""
	}
	return fmt.Sprintf("The maximum of %d features was reached in %d of %d scans: the draws are from the posterior given at most that many features. Check the units of the data and the priors of SigmaX and SigmaA.", mcmc.MaxFeatures, s.Limited, s.Scans)
}

// kernelTable returns the acceptance rates of the kernels.
func (s summary) kernelTable() table {
	head := []string{"accepted", "all chains"}
	for _, c := range s.Reported {
		head = append(head, fmt.Sprintf("chain %d", c))
	}
	t := table{head}
	for _, k := range s.Kernels {
		row := []string{k.Name, words.Fixed(k.Rate, 3)}
		for c := range k.Proposed {
			row = append(row, words.Fixed(float64(k.Accepted[c])/float64(k.Proposed[c]), 3))
		}
		t.add(row...)
	}
	return t
}
