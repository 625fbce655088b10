package cli

// aibd classify

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/results"
	"aibd/internal/visible"
	"aibd/internal/words"
)

type classifyOptions struct {
	results.ClassifyOptions
	printing
	quiet bool
}

func newClassify() *cobra.Command {
	o := classifyOptions{printing: printing{tells: true}}
	c := &cobra.Command{
		Use:   "classify RUN --labels FILE --column NAME",
		Short: "Predict a label from the features: expected posterior AUC",
		Long: `For each draw of a run, fits an L2-regularized logistic regression of a label on the
features (the columns of Z) of a random training set, and computes the area under the ROC
curve (AUC) on the other items. Prints the verdict on the draws (see aibd summary) and the
expected posterior AUC, the mean over the draws. Its
95% Monte Carlo interval accounts for the autocorrelation of the draws.

Training sets are stratified by the label: half of each value, or --train-positive and
--train-negative items. With --groups, a group is in the training set as a whole or not at
all. The training set of the i-th draw depends only on the labels, the groups and --seed:
runs with equally many draws use the same sets.`,
		Example: `  # Predict which states are in the South
  aibd fit --warmup 200 --draws 200 --out states
  aibd data write usstates
  aibd classify states --labels usstates_side.csv --column region --positive South

  # Add a covariate
  aibd classify states --labels usstates_side.csv --column region --positive South --with lat`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: o.ofRun(func([]string) error { return o.validate() }, func(c *cobra.Command, j *results.Judged, _ []string) (printed, error) {
			o.Watch = func(done func() int, all int) func() {
				return newProgress(logOf(c, o.quiet), "draws", 0, all).follow(done)
			}
			found, err := j.Classify(o.ClassifyOptions)
			return printed{result: found, text: func(w io.Writer) { writeClassification(w, found) }}, err
		}),
	}
	f := c.Flags()
	f.StringVar(&o.Labels, "labels", "", "A CSV `file` with the labels, a line for each item.")
	f.StringVar(&o.Column, "column", "", "The `column` of the labels. It has two values unless --positive is given.")
	f.StringVar(&o.Positive, "positive", "", "The `value` to predict against all others. The default is the first in alphabetical order.")
	f.IntVar(&o.TrainPositive, "train-positive", 0, "Number of items with that value in a training set; 0 for half of them.")
	f.IntVar(&o.TrainNegative, "train-negative", 0, "Number of items with another value in a training set; 0 for half of them.")
	f.StringVar(&o.Groups, "groups", "", "A `column` of groups. Training sets consist of whole groups.")
	f.Float64Var(&o.Share, "share", 0.5, "Share of the groups in a training set.")
	f.StringSliceVar(&o.With, "with", nil, "Numeric `columns` to use as predictors with the features.")
	f.Float64Var(&o.Lambda, "lambda", 1e-6, "Weight of the penalty, lambda/2 times the sum of squared coefficients.")
	f.Uint64Var(&o.Seed, "seed", 1, "Seed of the training sets.")
	addCores(c, "The result does")
	addStrict(c, &o.strict)
	f.BoolVar(&o.quiet, "quiet", false, "Print only the result.")
	f.BoolVar(&o.json, "json", false, "Print JSON, with the AUC of each draw.")
	return c
}

func (o classifyOptions) validate() error {
	switch {
	case o.Labels == "":
		return usageError{errors.New("--labels: expected a CSV file with the labels")}
	case o.Column == "":
		return usageError{errors.New("--column: expected the column of the labels")}
	case !(o.Lambda > 0) || math.IsInf(o.Lambda, 1):
		return usageError{fmt.Errorf("--lambda: found %v, expected a positive finite number", o.Lambda)}
	case o.TrainPositive < 0 || o.TrainNegative < 0:
		return usageError{fmt.Errorf("--train-positive, --train-negative: found %d and %d, expected at least 0", o.TrainPositive, o.TrainNegative)}
	case o.Groups != "" && (o.TrainPositive > 0 || o.TrainNegative > 0):
		return usageError{errors.New("--groups: found also --train-positive or --train-negative, expected --share")}
	case !(o.Share > 0 && o.Share < 1):
		return usageError{fmt.Errorf("--share: found %v, expected a number between 0 and 1", o.Share)}
	}
	return nil
}

func writeClassification(w io.Writer, r *results.Classification) {
	by := "features"
	if len(r.With) > 0 {
		by += " and " + strings.Join(r.With, ", ")
	}
	fmt.Fprintln(w, visible.Text(fmt.Sprintf("%s = %s (%d of %d items), predicted by %s; %s", r.Label, r.Positive, r.Positives, r.Items, by, r.Split)))
	fmt.Fprintln(w, visible.Text("Labels are matched to the items "+r.Matched))
	fmt.Fprintf(w, "Expected posterior AUC %s, 95%% Monte Carlo interval %s to %s; sd of %s %s\n",
		words.Fixed(r.AUC, 4), words.Fixed(r.Low, 4), words.Fixed(r.High, 4), plural(r.Draws, "draw"), words.Fixed(r.SD, 4))
}
