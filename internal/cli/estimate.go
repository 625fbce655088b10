package cli

// aibd estimate

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/posterior"
)

// estimateOptions are the flags.
type estimateOptions struct {
	weight        float64
	starts, draws int
	seed          uint64
	top, shown    int
	printing
	quiet, cells bool

	out, csv, loadings, fit, fitted, plot string
}

func newEstimate() *cobra.Command {
	o := estimateOptions{printing: printing{progress: true}}
	c := &cobra.Command{
		Use:   "estimate RUN",
		Short: "Estimate Z, the loadings of its features, and their fit",
		Long: `Searches for the allocation Z with minimal expected FARO loss under the draws of a run
(Dahl, Johnson and Andros, 2023). The FARO loss is the number of entries in which Z and a
draw differ after an optimal matching of their features. --weight below 1 gives fewer
entries, above 1 more.

The result begins with the verdict on the draws (see aibd summary). Then it lists the
features, each with its items and its clear loadings. A loading is what the feature adds to a variable of
X as fitted, posterior mean and standard deviation (sd); it is clear if the mean is more than two sd from
0. If the overlap is far below 1, these average over different features. --items 0 prints all items.

The fit is the share of the sum of squares of X that the features of a draw explain,
1 - |X - ZB|^2 / |X|^2 with B the posterior mean of the loadings given the draw. It is in
sample, and thus usually above 1 - N/|X|^2 times the sum over columns of the variance of
their noise.

With an intercept, the default for centered data, a feature and its complement, with negative
loadings, fit X equally well. So features of draws are first replaced by their complements
where these are nearer to the features of the draw of largest density, which have at most half
of the items. The intercept is listed before the features. The fit describes X about the means
of its columns, with N - 1 instead of N.

If features have weights, the estimate is of G, the weights where items have features and 0
elsewhere. It minimizes the expected sum of |g - g_hat| over the entries after a matching of features
with signs, which is the FARO loss where all weights are 1. The likelihood does not determine the
sign of a feature: the sum of its weights is positive, or if they have both signs, the variable nearest
to it rises with it. It does not distinguish weighted features of the same items from their rotations
either, so they are shown by their principal axes. --csv writes the weights.

--loadings and --out number the features as printed; lower and upper are the
posterior 2.5% and 97.5% quantiles. --fitted writes the posterior mean of ZB with the intercept: its exponential for columns of
--log, the count that belongs to it for columns of counts, and the mean of the latent value, without an
observed one, for binary and ordinal columns.`,
		Example: `  # Estimate Z
  aibd fit --warmup 200 --draws 300 --out one
  aibd estimate one

  # Start another run at the estimate
  aibd estimate one --out Z.txt
  aibd fit --set sampler.init=Z.txt --out again

  # Write loadings and fit
  aibd estimate one --loadings loadings.csv --fit fit.csv --plot loadings.svg`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: o.ofRun(func([]string) error { return o.validate() }, func(c *cobra.Command, j *results.Judged, _ []string) (printed, error) {
			if j.Run.Spec.Likelihood.HasWeights() && o.weight != 1 {
				return printed{}, usageError{fmt.Errorf("--weight: found %v, expected 1 for features with weights", o.weight)}
			}
			e, err := o.estimate(j, logOf(c, o.quiet))
			if err == nil && o.cells {
				e.Cells, err = j.UnknownCells()
			}
			if err != nil {
				return printed{}, err
			}
			files, err := o.files(e)
			return printed{result: e.Listed(o.top), text: func(w io.Writer) { e.write(w, o) }, files: files}, err
		}),
	}
	f := c.Flags()
	f.Float64Var(&o.weight, "weight", 1, "Loss of a missing entry, 0 to 2. An extra entry costs 2 minus the weight.")
	f.IntVar(&o.starts, "starts", 4, "Number of draws that start the search.")
	f.IntVar(&o.draws, "most", 250, "Max number of draws to use, evenly spaced.")
	f.Uint64Var(&o.seed, "seed", 1, "Seed that selects the starts.")
	addCores(c, "The estimate does")
	f.IntVar(&o.shown, "items", 12, "Number of items to print for each feature, those that most draws give it; 0 for all.")
	f.IntVar(&o.top, "top", 5, "Number of loadings to print for each feature, the clearest; 0 for all that are clear.")
	outputFlag(c, &o.out, "out", "Write Z to a `file`, a line for each item.")
	outputFlag(c, &o.csv, "csv", "Write the estimate to a CSV `file`, items by features: 0 and 1, or weights.")
	outputFlag(c, &o.loadings, "loadings", "Write all loadings to a CSV `file`, with 95% intervals.")
	outputFlag(c, &o.fit, "fit", "Write the fit of each item and variable to a CSV `file`.")
	outputFlag(c, &o.fitted, "fitted", "Write the observed and the fitted value of each item and variable to a CSV `file`, in the units of the file.")
	outputFlag(c, &o.plot, "plot", "Draw the loadings to an .svg or .png `file`.")
	addCells(c, &o.cells)
	addStrict(c, &o.strict)
	f.BoolVar(&o.quiet, "quiet", false, "Print no progress.")
	f.BoolVar(&o.json, "json", false, "Print JSON.")
	return c
}

func (o *estimateOptions) validate() error {
	if !(o.weight >= 0 && o.weight <= 2) {
		return usageError{fmt.Errorf("--weight: found %v, expected 0 to 2", o.weight)}
	}
	return cmp.Or(atLeast(1, "starts", o.starts), atLeast(1, "most", o.draws),
		atLeast(0, "items", o.shown), atLeast(0, "top", o.top), checkPlot(o.plot))
}

// estimate is an estimate of Z, to print.
type estimate struct{ *results.Estimate }

// estimate searches for the estimate, shows its progress, and computes loadings and fit.
func (o *estimateOptions) estimate(j *results.Judged, log io.Writer) (estimate, error) {
	last := time.Now()
	e, err := j.Estimate(results.EstimateOptions{
		Weight: o.weight, Starts: o.starts, MaxDraws: o.draws, Seed: o.seed, Quantiles: o.loadings != "",
		Progress: func(loss float64) {
			if time.Since(last) > 5*time.Second {
				last = time.Now()
				fmt.Fprintf(log, "expected loss %s, still falling\n", words.Fixed(loss, 2))
			}
		},
	})
	return estimate{e}, err
}

// files returns the output files.
func (o *estimateOptions) files(e estimate) (files []output, err error) {
	var fitted [][]float64
	if o.fitted != "" {
		fitted, err = e.Fitted(o.draws)
	}
	return []output{
		{o.out, func() ([]byte, error) {
			var b bytes.Buffer
			err := feature.WriteText(&b, e.Z)
			return b.Bytes(), err
		}},
		tableOutput(o.csv, e.matrix),
		tableOutput(o.loadings, e.allLoadings),
		tableOutput(o.fit, e.allShares),
		tableOutput(o.fitted, func() table { return e.values(fitted) }),
		figureOutput(o.plot, func() figure.Figure { return picture.Loadings(e.Judged, e.Estimate) }),
	}, err
}

// matrix returns a row for each item.
func (e estimate) matrix() table {
	t := table{append([]string{"item"}, words.Numbered("", e.Z.K())...)}
	for i, item := range e.Items {
		row := []string{item}
		for k := range e.Z.K() {
			switch {
			case !e.Z.Has(i, k):
				row = append(row, "0")
			case e.Weights == nil:
				row = append(row, "1")
			default:
				row = append(row, cell(e.Weights[k][i]))
			}
		}
		t.add(row...)
	}
	return t
}

// estimateColumns and loadingsColumns explain the columns of the table.
const estimateColumns = `chains: those in which half of the draws have a feature that overlaps with this one by half
found: share of draws that have one
inside: share of draws whose matched feature has the item, mean over the feature's items
outside: the same, mean over all other items
`

const loadingsColumns = `percent: of what all features add to the fitted values, median over draws
overlap: items in both features, as a share of those in either, mean over draws with both
`

func (e estimate) write(w io.Writer, o estimateOptions) {
	fmt.Fprintln(w, e.headline())
	if line := e.explained(); line != "" {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	e.table().write(w)
	fmt.Fprint(w, e.legend())
	paragraphs(w, e.loadingsLegend())
	if line := e.Groups(); line != "" {
		paragraphs(w, line)
	}
	fmt.Fprintln(w)
	if e.Intercept != nil {
		labelled(w, interceptName+": ", e.Clear(e.Intercept, o.top))
	}
	for k := range e.Z.K() {
		labelled(w, fmt.Sprintf("%d: ", k+1), e.Describe(k, o.shown, o.top))
	}
	writeCells(w, e.Cells, 0)
}

// table returns a row for each feature.
func (e estimate) table() table {
	t := table{{"feature", "items", "percent", "chains", "found", "inside", "outside", "overlap"}}
	for _, p := range e.Parts {
		for n, k := range p.Features {
			items, inside, outside := e.Sureness(k)
			percent := ""
			if n == 0 {
				percent = words.Fixed(p.Median(), 1)
			}
			t.add(strconv.Itoa(k+1), strconv.Itoa(len(items)), percent, strconv.Itoa(p.Chains), words.Fixed(p.Found, 2),
				words.Fixed(inside, 2), words.Fixed(outside, 2), words.Fixed(e.Loadings[k].Overlap, 2))
		}
	}
	return t
}

// legend explains the columns of the table, a line for each.
func (e estimate) legend() string {
	return estimateColumns + loadingsColumns
}

// headline says how large the estimate is.
func (e estimate) headline() string {
	several := 0
	for k := range e.Z.K() {
		if e.Z.Size(k) > 1 {
			several++
		}
	}
	loss := "FARO loss"
	if e.Run.Spec.Likelihood.HasWeights() {
		loss = "sum of |g - g_hat|"
	}
	return fmt.Sprintf("%s of several items and %d of one, with %d entries; expected %s %s over %s",
		plural(several, "feature"), e.Z.K()-several, e.Z.Ones(), loss, words.Fixed(e.Loss, 2), plural(e.Draws, "draw"))
}

// lossMeaning explains the loss in the headline.
func (e estimate) lossMeaning() string {
	if e.Run.Spec.Likelihood.HasWeights() {
		return "g is the weight of an item in a feature of a draw (0 without the feature), and g_hat that of the estimate: the sum says how far a draw is from the estimate, over all items and features."
	}
	return "The FARO loss counts the entries of Z in which a draw and the estimate differ."
}

// explained says how much of X the features explain, "" without such columns.
func (e estimate) explained() string {
	if math.IsNaN(e.Fit.Total.Mean) {
		return ""
	}
	return fmt.Sprintf("The features explain %s of %s in sample, %s by SigmaX.",
		words.WithSD(e.Fit.Total.Mean, e.Fit.Total.SD), e.Squares(), words.WithSD(e.Fit.BySigmaX.Mean, e.Fit.BySigmaX.SD)) + e.AboveSpread()
}

// interceptName names the intercept among features.
const interceptName = "(intercept)"

// loadingsLegend explains the loadings beside the features.
func (e estimate) loadingsLegend() string {
	d := e.Run.Spec.Data
	unit := "in the unit of the file"
	if *d.Scale {
		unit = "in standard deviations of the variable"
	}
	if len(d.Log)+len(d.Log1p) > 0 {
		unit += ", after logarithms"
	}
	if len(d.Count) > 0 {
		unit += "; of a count in the unit of its latent value, a square root"
	}
	if len(d.Binary)+len(d.Ordinal) > 0 {
		unit += "; of a binary or ordinal variable in the unit of its latent value"
	}
	return "after each feature: what it adds to a variable, mean (standard deviation), " + unit + ", most standard deviations from 0 first, none within two"
}

// allLoadings returns a row for each feature and variable.
func (e estimate) allLoadings() table {
	t := table{{"feature", "variable", "mean", "sd", "lower", "upper"}}
	add := func(label string, f *posterior.FeatureLoadings) {
		for v, name := range e.Variables {
			t.add(label, name, cell(f.Mean[v]), cell(f.SD[v]), cell(f.Lower[v]), cell(f.Upper[v]))
		}
	}
	if e.Intercept != nil {
		add(interceptName, e.Intercept)
	}
	for k := range e.Loadings {
		add(strconv.Itoa(k+1), &e.Loadings[k])
	}
	return t
}

// allShares returns a row for each item and variable.
func (e estimate) allShares() table {
	t := table{{"kind", "name", "explained", "sd"}}
	add := func(kind string, names []string, shares []posterior.Share) {
		for i, s := range shares {
			t.add(kind, names[i], cell(s.Mean), cell(s.SD))
		}
	}
	add("item", e.Items, e.Fit.Items)
	add("variable", e.Variables, e.Fit.Variables)
	return t
}

// values returns a row for each item and variable: the observed value, which only columns of numbers
// have, and the fitted one.
func (e estimate) values(fitted [][]float64) table {
	t := table{{"item", "variable", "observed", "fitted"}}
	for i, item := range e.Items {
		for v, variable := range e.Variables {
			observed := math.NaN()
			value := e.Seen.Units.Undo(v, fitted[i][v])
			switch {
			case e.Seen.IsCount(v):
				observed, value = e.Seen.Count(v, e.Seen.Latent[i][v]), math.Floor(value)
			case e.Seen.Categories[v] == nil:
				observed = e.Seen.Units.Undo(v, e.Seen.X[i][v])
			}
			t.add(item, variable, cell(observed), cell(value))
		}
	}
	return t
}
