package cli

// aibd summary

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/mcmc"
	"aibd/posterior"
)

func newSummary() *cobra.Command {
	var (
		asJSON, all, cells, strict bool
		plot                       string
	)
	c := &cobra.Command{
		Use:   "summary RUN",
		Short: "Summarize the draws of a run and check convergence",
		Long: fmt.Sprintf(`Prints the verdict: do the chains agree? They agree if the rank-normalized split R-hat is
at most %v and the bulk and tail effective sample sizes (ESS) are at least %d for each
quantity (Vehtari et al. 2021), and R-hat is at most %v for %s of the pairs of items
(number of features shared) and of the fitted values. If not, it says what the chains look
like and which commands to try.

Then it says what was found, as medians with 90%% intervals, and prints for each quantity the
mean, the standard deviation (sd), the Monte Carlo standard error of the mean (MCSE),
quantiles, R-hat and ESS. --all adds the acceptance rate of each kernel after warmup and two
versions of the DIC.

--plot draws a panel for each quantity: its trace in every chain, with warmup, and the
density of its draws on the same axis. aibd plot draws other pictures.`, verdict.MaxRHat, verdict.MinESS, verdict.MaxRHat, percent(1-verdict.MaxApart)),
		Example: `  # Summarize a short run
  aibd fit --warmup 200 --draws 500 --out short
  aibd summary short

  # Plot the traces
  aibd summary short --plot short.svg

  # For programs
  aibd summary short --json`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkPlot(plot); err != nil {
				return err
			}
			j, err := judgeAt(args[0])
			if err != nil {
				return err
			}
			s := j.summary()
			if cells {
				if s.cells, err = j.unknownCells(); err != nil {
					return err
				}
			}
			if err := writeOutputs(figureOutput(plot, func() figure.Figure { return picture.Trace(s.Judged) })); err != nil {
				return err
			}
			if err := show(c, asJSON, s.json(), func(w io.Writer) { s.write(w, all) }); err != nil {
				return err
			}
			return strictly(strict, s.Verdict)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "Print acceptance rates and DIC, too.")
	addCells(c, &cells)
	addStrict(c, &strict)
	c.Flags().BoolVar(&asJSON, "json", false, "Print JSON.")
	outputFlag(c, &plot, "plot", "Draw traces and densities into a `file` that ends in .svg or .png.")
	return c
}

// summary holds what aibd summary prints.
type summary struct {
	*judged
	quantities []verdict.Quantity
	summaries  []posterior.Summary // of the quantities
	reported   []int               // chains with reports, from one
	scans      int                 // of all reported chains
	limited    int                 // those in which the maximum number of features bound
	kernels    []kernelTotals
	deviance   posterior.Deviance
	cells      []prediction // nil: not asked for
	distances  []distanceJSON
	entangled  []results.Entangled
}

// kernelTotals holds the proposals of a kernel after warmup.
type kernelTotals struct {
	name               string
	proposed, accepted []int // by chain reported
}

func (k kernelTotals) rate() float64 {
	return float64(total(k.accepted)) / float64(total(k.proposed))
}

// summary returns what aibd summary prints.
func (j *judged) summary() *summary {
	run := j.Run
	s := &summary{judged: j, quantities: j.Quantities()}
	for _, q := range s.quantities {
		s.summaries = append(s.summaries, posterior.Summarize(q.Chains))
	}
	s.deviance = dic(j)
	s.distances, s.entangled = j.distances(), j.Entangled()
	reports, damage := run.Reports()
	s.Note = joined(s.Note, damage, run.Unreported(j.Traces, reports))
	for _, r := range reports {
		s.reported = append(s.reported, r.Chain)
		s.scans, s.limited = s.scans+r.Scans, s.limited+r.Limited
	}
	s.kernels = totalsOf(reports)
	return s
}

// totalsOf returns the totals of all kernels. A chain without proposals of a kernel does not report
// it, and has 0 of both.
func totalsOf(reports []runs.ChainReport) (all []kernelTotals) {
	for c, r := range reports {
		for _, k := range r.Kernels {
			i := slices.IndexFunc(all, func(t kernelTotals) bool { return t.name == k.Name })
			if i < 0 {
				i, all = len(all), append(all, kernelTotals{k.Name, make([]int, len(reports)), make([]int, len(reports))})
			}
			all[i].proposed[c], all[i].accepted[c] = k.Proposed, k.Accepted
		}
	}
	return all
}

// dic returns the deviance of the draws. It is NaN if X has cells with bounds, because the log
// likelihood then includes the sampled values of these cells.
func dic(j *judged) posterior.Deviance {
	if len(j.Chains[0][0].Cells) > 0 {
		return posterior.Deviance{MeanDeviance: math.NaN(), PD: math.NaN(), DIC: math.NaN()}
	}
	var logLik []float64
	for _, t := range j.Traces {
		logLik = append(logLik, t.Values[draws.KeyLogLik]...)
	}
	return posterior.DIC(logLik)
}

// joined joins the notes that are not empty.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// write writes the summary as text, with acceptance rates and DIC if all is set.
func (s *summary) write(w io.Writer, all bool) {
	fmt.Fprintln(w, visible.Text(s.headline()))
	s.writeVerdict(w)

	fmt.Fprintf(w, "Found (%s):\n", foundLegend)
	for _, line := range s.found() {
		fmt.Fprint(w, "- ", wrap(visible.Text(line), "  ", lineWidth(w)-2)[2:])
	}
	fmt.Fprintln(w)

	s.table().write(w)
	for _, line := range s.remarks() {
		fmt.Fprintln(w, line)
	}
	if line := s.limit(); line != "" {
		fmt.Fprintf(w, "\n%s\n", line)
	}
	writePredictions(w, s.cells, 0)
	if !all {
		return
	}
	if len(s.kernels) > 0 {
		fmt.Fprintln(w)
		s.kernelTable().write(w)
	}
	fmt.Fprintln(w)
	for _, line := range s.devianceLines() {
		fmt.Fprintln(w, line)
	}
}

// devianceLines gives the mean deviance and the DIC.
func (s *summary) devianceLines() []string {
	d := s.deviance
	switch {
	case math.IsNaN(d.DIC):
		return []string{"No DIC: the log likelihood has the density of drawn values of limits and categories."}
	}
	return []string{
		"Mean deviance (the paper calls it DIC): " + fixed(d.MeanDeviance, 1),
		fmt.Sprintf("DIC (mean deviance + p_D, p_D = 2(max - mean log likelihood) = %s): %s", fixed(d.PD, 1), fixed(d.DIC, 1)),
	}
}

// headline names the data, the law and the chains.
func (s *summary) headline() string {
	return fmt.Sprintf("%s, %d x %d; %s; %s of %s", s.Run.Spec.Data.Source(), s.Run.Data.N, s.Run.Data.D,
		s.Run.Spec.ModelName(), plural(len(s.Chains), "chain"), plural(len(s.Chains[0]), "draw"))
}

// table returns the quantities.
func (s *summary) table() table {
	t := table{{"", "mean", "sd", "MCSE", "5%", "50%", "95%", "R-hat", "bulk ESS", "tail ESS"}}
	for i, q := range s.quantities {
		t.add(s.row(q, s.summaries[i])...)
	}
	return t
}

// remarks explains the table of quantities.
func (s *summary) remarks() (lines []string) {
	if s.Run.Spec.Prior.HasPermutation() {
		lines = append(lines, fmt.Sprintf("Positions count from 1. A uniform permutation has mean positions %v.", float64(s.Run.Data.N+1)/2))
	}
	for _, remark := range s.Remarks {
		lines = append(lines, remark+".")
	}
	return lines
}

func (s *summary) row(q verdict.Quantity, of posterior.Summary) []string {
	if q.Kind == verdict.Fixed {
		return []string{q.Label(), significant(of.Mean, 4), "fixed"}
	}
	row, digits := []string{q.Label()}, decimals(of.Mean, firstPositive(of.MCSE, of.SD/10))
	for _, x := range []float64{of.Mean, of.SD, of.MCSE, of.Q5, of.Q50, of.Q95} {
		row = append(row, fixed(x, digits))
	}
	return append(row, verdict.RHat(of.RHat), verdict.ESS(of.ESSBulk), verdict.ESS(of.ESSTail))
}

// firstPositive returns the first positive finite argument, or 0.
func firstPositive(values ...float64) float64 {
	for _, x := range values {
		if x > 0 && !math.IsInf(x, 1) {
			return x
		}
	}
	return 0
}

// decimals returns the number of decimals that shows two digits of the error of x, or, if the error is
// not positive, three digits of x, but at least three decimals. It is negative if the error is above 100.
func decimals(x, err float64) int {
	scale := firstPositive(err, min(math.Abs(x)/10, 0.01), 0.01)
	return 1 - int(math.Floor(math.Log10(scale)))
}

// limit says in how many scans the maximum number of features bound, "" if in none.
func (s *summary) limit() string {
	if s.limited == 0 {
		return ""
	}
	return fmt.Sprintf("The maximum of %d features bound in %d of %d scans: the draws are from the posterior given at most that many features. Check the units of the data and the priors of SigmaX and SigmaA.", mcmc.MaxFeatures, s.limited, s.scans)
}

// kernelTable returns the acceptance rates of the kernels.
func (s *summary) kernelTable() table {
	head := []string{"accepted", "all chains"}
	for _, c := range s.reported {
		head = append(head, fmt.Sprintf("chain %d", c))
	}
	t := table{head}
	for _, k := range s.kernels {
		row := []string{k.name, fixed(k.rate(), 3)}
		for c := range k.proposed {
			row = append(row, fixed(float64(k.accepted[c])/float64(k.proposed[c]), 3))
		}
		t.add(row...)
	}
	return t
}
