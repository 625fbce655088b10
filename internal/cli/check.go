package cli

// aibd check: does the model reproduce the data?

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/quantity"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/predict"
)

func newCheck() *cobra.Command {
	var (
		p          printing
		plot       string
		replicates int
		quantities []string
	)
	c := &cobra.Command{
		Use:   "check RUN",
		Short: "Check whether the model reproduces the data",
		Long: `Posterior predictive checks: draws replicates of X with the features and loadings of the
posterior draws, and compares them with X. It looks at mean, standard deviation, minimum and
maximum of each column, at the correlation of each pair of columns, at the residuals of each item (their mean square in units
of the noise), and at Moran's I of the residuals of each column by each distance: near 0 if the
features explain all that follows the distance.

p is the share of replicates that exceed X. A p near 0 or 1 shows what the model does not
reproduce. As the replicates are drawn given X, other values do not prove that the model
fits.

Numbers are in the units of the file. Means, standard deviations and correlations of columns in
logarithms are taken on the log scale. Pictures show columns as the model sees them: centered,
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
		RunE: p.ofRun(func([]string) error {
			return cmp.Or(checkPlot(plot), atLeast(1, "replicates", replicates))
		}, func(_ *cobra.Command, j *results.Judged, _ []string) (printed, error) {
			k, err := checkedBy(j, replicates, quantities)
			return printed{
				result: k, text: func(w io.Writer) { writeChecks(w, k) },
				files: []output{figureOutput(plot, func() figure.Figure { return picture.Checks(j, k) })},
			}, err
		}),
	}
	addStrict(c, &p.strict)
	addQuantities(c, &quantities)
	c.Flags().BoolVar(&p.json, "json", false, "Print JSON, with all quantities.")
	outputFlag(c, &plot, "plot", "Draw all quantities to an .svg or .png `file`.")
	c.Flags().IntVar(&replicates, "replicates", 400, "Max number of replicates, one for each of equally spaced draws.")
	return c
}

// checkedBy checks a run with the quantities of --quantity.
func checkedBy(j *results.Judged, replicates int, quantities []string) (*results.Checks, error) {
	parsed, err := parseQuantities(quantities, quantity.Table{Columns: j.Run.Data.Columns, Units: j.Seen.SeenUnits(), Nearest: j.Problem.Nearest})
	if err != nil {
		return nil, err
	}
	return j.Check(replicates, parsed)
}

// addQuantities adds the flag --quantity.
func addQuantities(c *cobra.Command, texts *[]string) {
	c.Flags().StringArrayVar(texts, "quantity", nil, "A test quantity of your own: an `expression`, or a name, = and an expression. May be repeated.")
}

// quantityHelp explains the expressions of --quantity.
const quantityHelp = `--quantity adds a quantity of your own, an expression over the columns of X in the units of the
file, with categories as numbers from 0. A column is called by its name, or column("Life Exp").
Functions of columns: mean, sd, var, min, max, median, sum, count, skewness, kurtosis (0 for a
normal distribution), quantile(c, 0.9), cor(a, b), and near(c): the correlation of each item's value with
the mean of its nearest items under the distances of the spec, of several at the same distance.
Cell by cell: + - * / ^, abs, sqrt, log, exp, and comparisons with and, or, not, which give 1 and
0: mean(a > 2) is a share. Missing cells do not count. A quantity with an undefined part, such as
the logarithm of a negative cell, is undefined. Your quantities are always printed.`

// parseQuantities parses the values of --quantity.
func parseQuantities(texts []string, t quantity.Table) (all []predict.Quantity, err error) {
	for _, text := range texts {
		q, err := quantity.Parse(text, t)
		if err != nil {
			return nil, usageError{fmt.Errorf("--quantity %w", err)}
		}
		all = append(all, q)
	}
	return all, nil
}

// writeChecks writes a sentence, a table of the user's quantities, and one of the misfits.
func writeChecks(w io.Writer, k *results.Checks) {
	paragraphs(w, k.Sentence())
	fmt.Fprintln(w, k.Legend())
	writeQuantities(w, k)
	t, count := misfits(k)
	if len(t) == 1 {
		return
	}
	fmt.Fprintln(w)
	t.write(w)
	if count > 0 {
		fmt.Fprintf(w, "... and %d more (--json lists all)\n", count)
	}
}

// writeQuantities writes the user's quantities, if there are any, and which are not finite.
func writeQuantities(w io.Writer, k *results.Checks) {
	t, notes := table{checkHeader(predict.YourQuantities)}, []string{}
	for _, kind := range k.Kinds {
		if kind.Name != predict.YourQuantities {
			continue
		}
		for _, c := range kind.Checks {
			t.add(checkRow(c, c.Subject)...)
			if x := float64(c.Observed); math.IsNaN(x) || math.IsInf(x, 0) {
				notes = append(notes, fmt.Sprintf("%s is not finite in X: it has no p.", c.Subject))
			}
			if c.NotFinite > 0 {
				notes = append(notes, fmt.Sprintf("%s is not finite in %d of %d replicates, which do not count.", c.Subject, c.NotFinite, k.Replicates))
			}
		}
	}
	if len(t) == 1 {
		return
	}
	fmt.Fprintln(w)
	t.write(w)
	paragraphs(w, notes...)
}

// checkHeader returns the header of a table of checks.
func checkHeader(subject string) []string { return []string{subject, "X", "replicates 5%", "95%", "p"} }

// checkRow returns the row of a check in a table. Numbers have three digits, and more if they would look
// alike.
func checkRow(c results.Check, name string) []string {
	x, low, high := float64(c.Observed), float64(c.Q5), float64(c.Q95)
	digits, size := 3, max(math.Abs(x), math.Abs(low), math.Abs(high))
	if spread := max(math.Abs(x-low), math.Abs(x-high), high-low); spread > 1e-12*size && !math.IsInf(spread, 0) {
		digits = max(digits, 2+int(math.Ceil(math.Log10(size/spread))))
	}
	return []string{name, words.Significant(x, digits), words.Significant(low, digits), words.Significant(high, digits), words.Fixed(float64(c.P), 3)}
}

// misfits returns the worst misfits of each kind that misfits, and the number of the others.
func misfits(k *results.Checks) (t table, count int) {
	const shown = 5
	t = table{checkHeader("misfit")}
	for _, kind := range k.Kinds {
		if kind.Name == predict.YourQuantities || !k.Misfits(kind) {
			continue // the former have their own table; the latter misfit no more than chance does
		}
		for _, c := range kind.Worst(shown) {
			t.add(checkRow(c, kind.Name+": "+c.Subject)...)
		}
		count += max(0, kind.Extreme-shown)
	}
	return t, count
}
