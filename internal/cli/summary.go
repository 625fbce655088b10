package cli

// aibd summary

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/internal/visible"
	"aibd/mcmc"
	"aibd/posterior"
)

// Vehtari et al. (2021) recommend an R-hat below 1.01 and effective sample sizes above
// 400.
const (
	maxRHat = 1.01
	minESS  = 400
)

func newSummary() *cobra.Command {
	var (
		asJSON bool
		plot   string
	)
	c := &cobra.Command{
		Use:   "summary RUN",
		Short: "Summarize the draws of a run and check convergence",
		Long: `Prints, for each quantity, the mean, the standard deviation (sd), the Monte Carlo
standard error of the mean (MCSE), quantiles, the rank-normalized split R-hat, and the
bulk and tail effective sample sizes (ESS; Vehtari et al. 2021). Then it prints the
acceptance rate of each kernel after warmup and two versions of the DIC.

--plot draws a panel for each quantity: its trace in every chain, and the density of its
draws on the same axis.`,
		Example: `  # Summarize a short run
  aibd fit --warmup 200 --draws 500 --out short
  aibd summary short

  # Plot the traces
  aibd summary short --plot short.svg

  # For programs
  aibd summary short --json`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if plot != "" {
				if _, err := figureKind(plot); err != nil {
					return err
				}
			}
			run, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			s, err := summarize(run)
			if err != nil {
				return err
			}
			if plot != "" {
				if err := saveTraces(plot, s.quantities, s.used); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), s.json())
			}
			s.write(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "Print JSON.")
	c.Flags().StringVar(&plot, "plot", "", "Draw traces and densities into a `file` that ends in .svg or .png.")
	return c
}

// summary holds what aibd summary prints.
type summary struct {
	run        *runs.Run
	used       []int  // numbers of the chains, from one
	draws      int    // of each chain
	note       string // about interrupted or damaged chains
	quantities []quantity
	summaries  []posterior.Summary // of the quantities
	reported   []int               // chains with reports, from zero
	scans      int                 // of all reported chains
	limited    int                 // those in which the maximum number of features bound
	kernels    []kernelTotals
	deviance   posterior.Deviance
}

// kernelTotals holds the proposals of a kernel after warmup.
type kernelTotals struct {
	name               string
	proposed, accepted []int // by chain reported
}

func (k kernelTotals) rate() float64 {
	return float64(total(k.accepted)) / float64(total(k.proposed))
}

func summarize(run *runs.Run) (*summary, error) {
	traces, note, err := run.Scalars()
	if err != nil {
		return nil, err
	}
	s := &summary{run: run, note: note}
	for _, t := range traces {
		s.used, s.draws = append(s.used, t.Chain+1), len(t.Mass)
	}
	if s.draws == 0 {
		return nil, fmt.Errorf("%s: found no draws, expected at least one", run.Dir)
	}
	s.quantities = quantitiesOf(traces, run.Spec, run.Data.Unit)
	var logLik []float64
	for _, t := range traces {
		logLik = append(logLik, t.LogLik...)
	}
	for _, q := range s.quantities {
		s.summaries = append(s.summaries, posterior.Summarize(q.chains))
	}
	s.deviance = posterior.DIC(logLik)
	reports, damage := run.Reports()
	s.note = joined(s.note, damage)
	for _, r := range reports {
		s.reported = append(s.reported, r.Chain)
		s.scans, s.limited = s.scans+r.Scans, s.limited+r.Limited
		for _, k := range r.Kernels {
			i := slices.IndexFunc(s.kernels, func(t kernelTotals) bool { return t.name == k.Name })
			if i < 0 {
				i, s.kernels = len(s.kernels), append(s.kernels, kernelTotals{name: k.Name})
			}
			t := &s.kernels[i]
			t.proposed, t.accepted = append(t.proposed, k.Proposed), append(t.accepted, k.Accepted)
		}
	}
	return s, nil
}

// joined joins the notes that are not empty.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// write writes the summary as text.
func (s *summary) write(w io.Writer) {
	spec := s.run.Spec
	fmt.Fprintf(w, "%s, %d x %d; %s; %s of %s\n", visible.Text(sourceName(spec.Data)), s.run.Data.N, s.run.Data.D,
		lawName(spec.Prior), plural(len(s.used), "chain"), plural(s.draws, "draw"))
	if s.note != "" {
		fmt.Fprintln(w, visible.Text(s.note))
	}

	fmt.Fprintln(w)
	t := table{{"", "mean", "sd", "MCSE", "5%", "50%", "95%", "R-hat", "bulk ESS", "tail ESS"}}
	for i, q := range s.quantities {
		t.add(s.row(q, s.summaries[i])...)
	}
	t.write(w)
	if spec.Prior.HasPermutation() {
		fmt.Fprintf(w, "Positions count from 1. A uniform permutation has mean positions %v.\n", float64(s.run.Data.N+1)/2)
	}
	warnings, remarks := s.verdict()
	for _, remark := range remarks {
		fmt.Fprintf(w, "%s.\n", remark)
	}
	for _, warning := range warnings {
		fmt.Fprintf(w, "\nWarning: %s\n", warning)
	}

	if len(s.kernels) > 0 {
		fmt.Fprintln(w)
		s.kernelTable().write(w)
	}
	if line := s.limit(); line != "" {
		fmt.Fprintf(w, "\n%s\n", line)
	}
	d := s.deviance
	fmt.Fprintf(w, "\nMean deviance (the paper calls it DIC): %.1f\nDIC (mean deviance + p_D, p_D = 2(max - mean log likelihood) = %.1f): %.1f\n", d.MeanDeviance, d.PD, d.DIC)
}

func (s *summary) row(q quantity, of posterior.Summary) []string {
	if q.fixed {
		return []string{q.label(), significant(of.Mean, 4), "fixed"}
	}
	// Show two digits of the MCSE, and as many decimals of the others.
	decimals := 3
	if scale := firstPositive(of.MCSE, of.SD/10); scale > 0 {
		decimals = min(max(1-int(math.Floor(math.Log10(scale))), 0), 9)
	}
	row := []string{q.label()}
	for _, x := range []float64{of.Mean, of.SD, of.MCSE, of.Q5, of.Q50, of.Q95} {
		row = append(row, known(x, decimals))
	}
	return append(row, known(of.RHat, 3), known(of.ESSBulk, 0), known(of.ESSTail, 0))
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

// known formats x, or a dash if x is NaN.
func known(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// verdict returns warnings against the use of the draws, and remarks on quantities
// without diagnostics that are no reason for one. A quantity with few distinct values
// has no tail ESS; R-hat and bulk ESS suffice. A discrete quantity may be constant under
// the posterior; a continuous one is constant only in a chain that does not move.
func (s *summary) verdict() (warnings, remarks []string) {
	var disagree, few, short, stuck, equal, noTail []string
	worst, least, sampled := 0.0, math.Inf(1), 0
	for i, q := range s.quantities {
		if q.fixed {
			continue
		}
		sampled++
		of := s.summaries[i]
		if of.RHat > maxRHat {
			disagree, worst = append(disagree, q.name), max(worst, of.RHat)
		}
		ess := of.ESSBulk
		if of.ESSTail < ess {
			ess = of.ESSTail
		}
		if ess < minESS {
			few, least = append(few, q.name), min(least, ess)
		}
		switch {
		case of.SD == 0 && s.draws > 1 && q.discrete:
			equal = append(equal, q.name)
		case of.SD == 0 && s.draws > 1:
			stuck = append(stuck, q.name)
		case math.IsNaN(of.ESSBulk):
			short = append(short, q.name)
		case math.IsNaN(of.ESSTail):
			noTail = append(noTail, q.name)
		}
	}
	var found []string
	if len(disagree) > 0 {
		found = append(found, fmt.Sprintf("the chains disagree: R-hat is above %v for %s, up to %.2f", maxRHat, someOf(disagree, sampled), worst))
	}
	if len(few) > 0 {
		found = append(found, fmt.Sprintf("ESS is below %d for %s, down to %.0f", minESS, someOf(few, sampled), least))
	}
	if len(short) > 0 {
		found = append(found, fmt.Sprintf("too few draws for the diagnostics of %s", someOf(short, sampled)))
	}
	if len(stuck) > 0 {
		found = append(found, fmt.Sprintf("all draws of %s are equal", someOf(stuck, sampled)))
	}
	if len(equal) > 0 {
		remarks = append(remarks, fmt.Sprintf("All draws of %s are equal", someOf(equal, sampled)))
	}
	if len(noTail) > 0 {
		remarks = append(remarks, fmt.Sprintf("Too few distinct draws for the tail ESS of %s", someOf(noTail, sampled)))
	}
	if len(found) == 0 {
		return nil, remarks
	}
	// Suggest the draws that the min ESS calls for, to one digit, and within bounds: an
	// ESS of a few is itself uncertain.
	factor := 4.0
	if few != nil {
		factor = min(max(minESS/least, 2), 20)
	}
	draws := factor * float64(max(s.run.Spec.Sampler.Draws, 250))
	digit := math.Pow10(int(math.Log10(draws)))
	draws = math.Ceil(draws/digit) * digit
	return []string{fmt.Sprintf("%s. Do not rely on these numbers yet: draw more, such as --warmup %.0f --draws %.0f.",
		strings.Join(found, "; "), max(draws/4, float64(s.run.Spec.Sampler.Warmup)), draws)}, remarks
}

// someOf lists up to three names, or counts them.
func someOf(names []string, of int) string {
	if len(names) <= 3 {
		return strings.Join(names, " and ")
	}
	return fmt.Sprintf("%d of %d quantities", len(names), of)
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
		row := []string{k.name, known(k.rate(), 3)}
		for c := range k.proposed {
			row = append(row, known(float64(k.accepted[c])/float64(k.proposed[c]), 3))
		}
		t.add(row...)
	}
	return t
}
