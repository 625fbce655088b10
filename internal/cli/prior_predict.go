package cli

// aibd prior predict: can the prior produce data like X?

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/figure"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/picture"
	"aibd/internal/prospect"
	"aibd/internal/quantity"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/predict"
)

type priorPredictOptions struct {
	fit             fitOptions
	size            int
	quantities      []string
	plot, csv       string
	asJSON, isQuiet bool
}

func newPriorPredict() *cobra.Command {
	o := &priorPredictOptions{}
	c := &cobra.Command{
		Use:   "predict [FILE | RUN]",
		Short: "Check whether the prior can produce data like X",
		Long: `Prior predictive checks: draws mass, temperature, permutation, Z, SigmaX, SigmaA, the noise
scales of columns, loadings and X from the priors of the spec, and compares X with these
replicates. It has the flags and defaults of fit; unlike in the other verbs of prior, nothing is
fixed unless a flag says so. It also prints quantiles of what the prior says about features,
distances and noise.

p is the share of replicates that exceed X. A p near 0 or 1 means that the prior contradicts
the data: it hardly ever produces data like X. If X came from the prior, about 2 of 100 p
would be below 0.01 or above 0.99 by chance; the first line names the kinds of quantities with
more than twice as many. Default priors depend on the standard deviations of X, and are wide.

The quantities, their units and the cells that count are the same as in aibd check, without the
residuals of items. An intercept has a flat prior, under which the mean of a column is improper:
each column of a replicate is shifted to the mean of X, and means are not compared.

` + quantityHelp,
		Example: `  # Can the default priors produce the 50 states?
  aibd prior predict

  # Smaller noise, and a quantity of your own, as a picture
  aibd prior predict --set prior.sigma_x.shape=3 --set prior.sigma_x.rate=10 --quantity 'near(Income)' --plot prior.svg

  # The replicates as a table
  aibd data write bars --items 12
  aibd prior predict bars.csv --n 20 --csv replicates.csv`,
		Args: wants(0, 1, "at most one FILE or RUN"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.fit.flags = addSpecFlags(c, modelSettings())
	c.Flags().StringVar(&o.fit.specFile, "spec", "", "A spec in TOML or a run.json: a `file`. Flags override it.")
	c.Flags().IntVar(&o.size, "n", 400, "Number of draws.")
	addQuantities(c, &o.quantities)
	outputFlag(c, &o.plot, "plot", "Draw all quantities to an .svg or .png `file`.")
	outputFlag(c, &o.csv, "csv", "Write the replicates of X, in the units of the file, to a CSV `file`, with a row for each draw and item.")
	c.Flags().BoolVar(&o.asJSON, "json", false, "Print JSON, with all quantities.")
	c.Flags().BoolVar(&o.isQuiet, "quiet", false, "Do not describe the data and the priors.")
	return c
}

// modelSettings are all settings of the model, and the seed.
func modelSettings() []spec.Setting {
	return slices.DeleteFunc(spec.Settings(), func(s spec.Setting) bool {
		return strings.HasPrefix(string(s.Key), "sampler.") && s.Key != "sampler.seed"
	})
}

const (
	maxReplicated = 10_000_000  // cells of replicates in a table
	maxCompared   = 100_000_000 // quantities of replicates that checks hold
)

// maxDraws returns the max number of draws that fit in memory, at least the default without a table.
func (o *priorPredictOptions) maxDraws(items, columns int) int {
	limit := max(400, maxCompared/(columns*(columns+7)/2))
	if o.csv != "" {
		limit = min(limit, maxReplicated/(items*columns))
	}
	return limit
}

func (o *priorPredictOptions) run(c *cobra.Command, args []string) error {
	if err := cmp.Or(checkPlot(o.plot), atLeast(1, "n", o.size)); err != nil {
		return err
	}
	if dir := runIn(args); dir != "" {
		args = []string{filepath.Join(dir, "run.json")}
	}
	log := logOf(c, o.isQuiet)
	s, err := o.fit.spec(args, log)
	if err != nil {
		return err
	}
	p, err := input.Build(s)
	if err != nil {
		return err
	}
	if limit := o.maxDraws(len(p.IDs), len(p.Columns)); o.size > limit {
		return fmt.Errorf("--n: found %d, expected at most %d with %s and %s", o.size, limit, plural(len(p.IDs), "item"), plural(len(p.Columns), "column"))
	}
	quantities, err := parseQuantities(o.quantities, quantity.Table{Columns: p.Columns, Units: p.SeenUnits(), Nearest: p.Nearest})
	if err != nil {
		return err
	}
	writeLines(log, describe.Model(p))
	replicates := table{append([]string{"draw", "item"}, p.Columns...)}
	units := p.SeenUnits()
	stop := doing(c, "Drawing replicates")
	predicted, err := prospect.Predict(p, o.size, quantities, func(d *draws.Draw, y predict.Replicate) {
		if o.csv == "" {
			return
		}
		for i, row := range y.X {
			cells := []string{strconv.Itoa(d.Iteration + 1), p.IDs[i]}
			for v, x := range row {
				cells = append(cells, cell(units.Undo(v, x)))
			}
			replicates.add(cells...)
		}
	})
	stop()
	if err != nil {
		return err
	}
	if err := writeOutputs(tableOutput(o.csv, func() table { return replicates }), figureOutput(o.plot, func() figure.Figure { return predictedFigure(p, predicted) })); err != nil {
		return err
	}
	return show(c, o.asJSON, predicted, func(w io.Writer) { writePriorPredicted(w, predicted) })
}

// predictedFigure draws the checks.
func predictedFigure(p *model.Problem, f *prospect.Predicted) figure.Figure {
	lines := []string{fmt.Sprintf("%s, %d items; %s; %s of the prior.", p.Spec.Data.Source(), len(p.IDs), f.Law, plural(f.Replicates, "draw"))}
	if f.Intercept != "" {
		lines = append(lines, f.Intercept)
	}
	return picture.PriorChecks(f.Checks, lines...)
}

func writePriorPredicted(w io.Writer, f *prospect.Predicted) {
	writeChecks(w, f.Checks)
	if f.Intercept != "" {
		fmt.Fprintln(w)
		paragraphs(w, f.Intercept)
	}
	fmt.Fprintln(w)
	t := table{{"under the prior", "5%", "median", "95%"}}
	for _, s := range f.Scalars {
		t.add(s.Name, words.Significant(float64(s.Q5), 3), words.Significant(float64(s.Q50), 3), words.Significant(float64(s.Q95), 3))
	}
	t.write(w)
}
