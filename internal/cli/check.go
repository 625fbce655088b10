package cli

// aibd check: does the model reproduce the data?

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/quantity"
	"aibd/internal/verdict"
	"aibd/mcmc"
	"aibd/predict"
)

func newCheck() *cobra.Command {
	var (
		asJSON, strict bool
		plot           string
		replicates     int
		quantities     []string
	)
	c := &cobra.Command{
		Use:   "check RUN",
		Short: "Check whether the model reproduces the data",
		Long: `Posterior predictive checks: draws replicates of X with the features and loadings of the
posterior draws, and compares them with X. It looks at mean, standard deviation, minimum and
maximum of each column, at the correlation of each pair of columns, and at the residuals of
each item (their mean square in units of the noise).

p is the share of replicates that exceed X. A p near 0 or 1 shows what the model does not
reproduce. As the replicates are drawn given X, other values do not prove that the model
fits.

Numbers are in the units of the file. Means, standard deviations and correlations of columns in
logarithms are taken on the log scale. Pictures show columns as the model sees them: centred,
scaled and in logarithms as the spec says. Binary and ordinal cells are the numbers of their
categories from 0, and cells beyond a limit are the limit, in X and in the replicates; residuals
come from latent values. Where X has missing or hidden cells, only the observed cells of X
and of the replicates count.

` + quantityHelp,
		Example: `  # What the model does not reproduce
  aibd fit --warmup 200 --draws 300 --out checked
  aibd check checked

  # A picture of all quantities
  aibd check checked --plot checks.svg

  # Your own quantities: are near states alike, and how heavy is the upper tail?
  aibd check checked --quantity 'near(Income)' --quantity 'tail = quantile(Area, 0.95) / sd(Area)'`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(checkPlot(plot), atLeast(1, "replicates", replicates)); err != nil {
				return err
			}
			j, err := judgeAt(args[0])
			if err != nil {
				return err
			}
			k, err := j.check(replicates, quantities)
			if err != nil {
				return err
			}
			if err := writeOutputs(figureOutput(plot, func() figure.Figure { return picture.Checks(j.Judged, k.panels()) })); err != nil {
				return err
			}
			return j.show(c, asJSON, strict, k, k.write)
		},
	}
	addStrict(c, &strict)
	addQuantities(c, &quantities)
	c.Flags().BoolVar(&asJSON, "json", false, "Print JSON, with all quantities.")
	outputFlag(c, &plot, "plot", "Draw all quantities to an .svg or .png `file`.")
	c.Flags().IntVar(&replicates, "replicates", 400, "Max number of replicates, one for each of equally spaced draws.")
	return c
}

// checked holds the checks of a run.
type checked struct {
	Verdict *verdict.Verdict `json:"verdict"`
	Note    string           `json:"note,omitempty"`
	checks
}

// check checks a run with at most the given number of replicates.
func (j *judged) check(replicates int, quantities []string) (*checked, error) {
	if _, err := j.Observations(); err != nil {
		return nil, err
	}
	mine, err := parseQuantities(quantities, quantity.Table{Columns: j.Run.Data.Columns, Units: j.Seen.SeenUnits(), Nearest: func() ([][]int, error) {
		p, err := j.Problem()
		if err != nil {
			return nil, err
		}
		return p.Nearest()
	}})
	if err != nil {
		return nil, err
	}
	r, err := replicator(j)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(j.Chains...)
	step := (len(all) + replicates - 1) / replicates
	checker, rng := predict.NewChecker(r, mine...), mcmc.NewStream(j.Run.Spec.Sampler.Seed, "check").Rand
	for t := 0; t < len(all); t += step {
		y, err := r.Draw(all[t], rng)
		if err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		checker.Add(all[t], y)
	}
	return &checked{j.Verdict, j.Note, newChecks(checker, (len(all)+step-1)/step, j.Run.Data.Columns, j.Run.Data.IDs, j.Seen.SeenUnits(), mine)}, nil
}
