package cli

// aibd summary: what the draws of a run say, and whether to believe them.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/mcmc"
	"aibd/posterior"
)

// What Vehtari et al. (2021) ask for before draws are relied upon: R-hat below
// 1.01 and effective sample sizes above 400.
const (
	mostRHat = 1.01
	leastESS = 400
)

func newSummary() *cobra.Command {
	var (
		asJSON bool
		plot   string
	)
	c := &cobra.Command{
		Use:   "summary RUN",
		Short: "Summarize the draws of a run and judge their convergence",
		Long: `Summarizes the draws of a run: mean, standard deviation (sd), Monte Carlo standard
error of the mean (MCSE), quantiles, rank-normalized split R-hat, bulk and tail
effective sample size (ESS; Vehtari et al. 2021); then acceptance rates of the
kernels after warmup, and two criteria that both go by the name of DIC.

The figure of --plot has a panel for each quantity: its trace in every chain, and
on the same axis the density of its draws.`,
		Example: `  # A short run and what it says
  aibd fit --warmup 200 --draws 500 --out short
  aibd summary short

  # Look before you read
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

// summary is all that is told about a run.
type summary struct {
	run        *runs.Run
	used       []int  // numbers of the chains, from one
	draws      int    // of each chain
	note       string // what became of an interrupted run
	quantities []quantity
	summaries  []posterior.Summary // of the quantities
	reported   []int               // chains that kernels have entries for, from zero
	scans      int                 // of all reported chains
	limited    int                 // those in which the maximum number of features bound
	kernels    []kernelTotals
	deviance   posterior.Deviance
}

// kernelTotals is what a kernel did after warmup.
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

// joined returns the notes that say something as one.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// write writes the summary for people.
func (s *summary) write(w io.Writer) {
	spec := s.run.Spec
	fmt.Fprintf(w, "%s, %d x %d; %s; %s of %s\n", sourceName(spec.Data), s.run.Data.N, s.run.Data.D,
		lawName(spec.Prior), plural(len(s.used), "chain"), plural(s.draws, "draw"))
	if s.note != "" {
		fmt.Fprintln(w, s.note)
	}

	fmt.Fprintln(w)
	t := table{{"", "mean", "sd", "MCSE", "5%", "50%", "95%", "R-hat", "bulk ESS", "tail ESS"}}
	for i, q := range s.quantities {
		t.add(s.row(q, s.summaries[i])...)
	}
	t.write(w)
	if spec.Prior.HasPermutation() {
		fmt.Fprintf(w, "Positions are counted from 1: their means are %v under a uniform permutation.\n", float64(s.run.Data.N+1)/2)
	}
	for _, warning := range s.warnings() {
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
	fmt.Fprintf(w, "\nMean deviance, what the paper prints as DIC: %.1f\nDIC, with p_D = 2(max - mean log likelihood) = %.1f added: %.1f\n", d.MeanDeviance, d.PD, d.DIC)
}

func (s *summary) row(q quantity, of posterior.Summary) []string {
	if q.fixed {
		return []string{q.label(), significant(of.Mean, 4), "fixed"}
	}
	// Two digits of the MCSE are all that is known of the mean, and as many
	// decimals serve the rest.
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

// firstPositive returns the first of its arguments that is a number above 0, or 0.
func firstPositive(values ...float64) float64 {
	for _, x := range values {
		if x > 0 && !math.IsInf(x, 1) {
			return x
		}
	}
	return 0
}

// known formats x, or a dash if it cannot be told.
func known(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// warnings says in plain words what speaks against relying on the draws.
func (s *summary) warnings() []string {
	var apart, few, untold []string
	worst, least, sampled := 0.0, math.Inf(1), 0
	for i, q := range s.quantities {
		if q.fixed {
			continue
		}
		sampled++
		of := s.summaries[i]
		if of.RHat > mostRHat {
			apart, worst = append(apart, q.name), max(worst, of.RHat)
		}
		if ess := min(of.ESSBulk, of.ESSTail); ess < leastESS {
			few, least = append(few, q.name), min(least, ess)
		}
		if math.IsNaN(of.RHat + of.ESSBulk + of.ESSTail) {
			untold = append(untold, q.name)
		}
	}
	var found []string
	if len(apart) > 0 {
		found = append(found, fmt.Sprintf("the chains disagree: R-hat is above %v for %s, up to %.2f", mostRHat, someOf(apart, sampled), worst))
	}
	if len(few) > 0 {
		found = append(found, fmt.Sprintf("ESS is below %d for %s, down to %.0f", leastESS, someOf(few, sampled), least))
	}
	if len(untold) > 0 {
		found = append(found, fmt.Sprintf("too few or too equal draws to tell all of %s", someOf(untold, sampled)))
	}
	if len(found) == 0 {
		return nil
	}
	// As many draws as the least ESS asks for, to one digit, but in steps: an ESS
	// of a few is hardly known itself.
	factor := 4.0
	if few != nil {
		factor = min(max(leastESS/least, 2), 20)
	}
	draws := factor * float64(max(s.run.Spec.Sampler.Draws, 250))
	digit := math.Pow10(int(math.Log10(draws)))
	draws = math.Ceil(draws/digit) * digit
	return []string{fmt.Sprintf("%s. Do not rely on these numbers yet: draw more, such as --warmup %.0f --draws %.0f.",
		strings.Join(found, "; "), max(draws/4, float64(s.run.Spec.Sampler.Warmup)), draws)}
}

// someOf names quantities, or counts them where they are many.
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
	return fmt.Sprintf("The maximum of %d features bound in %d of %d scans: the draws are of the posterior given that there are no more features. Check the units of the data and the priors of SigmaX and SigmaA.", mcmc.MaxFeatures, s.limited, s.scans)
}

// kernelTable tells the share of proposals that each kernel accepted.
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
