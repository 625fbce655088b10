package cli

// aibd classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"aibd/classify"
	"aibd/feature"
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/parallel"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/mcmc"
	"aibd/posterior"
)

type classifyOptions struct {
	labels, column, positive string
	trainPositive            int
	trainNegative            int
	groups                   string
	share                    float64
	with                     []string
	lambda                   float64
	seed                     uint64
	cores                    int
	quiet, json, strict      bool
}

func newClassify() *cobra.Command {
	var o classifyOptions
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
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			j, err := judgeAt(args[0])
			if err != nil {
				return err
			}
			task, err := o.task(j)
			if err != nil {
				return err
			}
			result, err := task.run(o.cores, logOf(c, o.quiet))
			if err != nil {
				return err
			}
			return j.show(c, o.json, o.strict, result, result.write)
		},
	}
	f := c.Flags()
	f.StringVar(&o.labels, "labels", "", "A CSV `file` with the labels, a line for each item.")
	f.StringVar(&o.column, "column", "", "The `column` of the labels. It has two values unless --positive is given.")
	f.StringVar(&o.positive, "positive", "", "The `value` to predict against all others. The default is the first in alphabetical order.")
	f.IntVar(&o.trainPositive, "train-positive", 0, "Number of items with that value in a training set; 0 for half of them.")
	f.IntVar(&o.trainNegative, "train-negative", 0, "Number of items with another value in a training set; 0 for half of them.")
	f.StringVar(&o.groups, "groups", "", "A `column` of groups. Training sets consist of whole groups.")
	f.Float64Var(&o.share, "share", 0.5, "Share of the groups in a training set.")
	f.StringSliceVar(&o.with, "with", nil, "Numeric `columns` to use as predictors with the features.")
	f.Float64Var(&o.lambda, "lambda", 1e-6, "Weight of the penalty, lambda/2 times the sum of squared coefficients.")
	f.Uint64Var(&o.seed, "seed", 1, "Seed of the training sets.")
	f.IntVar(&o.cores, "cores", 0, "Number of cores; 0 for all. The result does not depend on it.")
	addStrict(c, &o.strict)
	f.BoolVar(&o.quiet, "quiet", false, "Print only the result.")
	f.BoolVar(&o.json, "json", false, "Print JSON, with the AUC of each draw.")
	return c
}

func (o classifyOptions) validate() error {
	switch {
	case o.labels == "":
		return usageError{errors.New("--labels: expected a CSV file with the labels")}
	case o.column == "":
		return usageError{errors.New("--column: expected the column of the labels")}
	case !(o.lambda > 0) || math.IsInf(o.lambda, 1):
		return usageError{fmt.Errorf("--lambda: found %v, expected a positive finite number", o.lambda)}
	case o.trainPositive < 0 || o.trainNegative < 0:
		return usageError{fmt.Errorf("--train-positive, --train-negative: found %d and %d, expected at least 0", o.trainPositive, o.trainNegative)}
	case o.groups != "" && (o.trainPositive > 0 || o.trainNegative > 0):
		return usageError{errors.New("--groups: found also --train-positive or --train-negative, expected --share")}
	case !(o.share > 0 && o.share < 1):
		return usageError{fmt.Errorf("--share: found %v, expected a number between 0 and 1", o.share)}
	}
	return atLeast(0, "cores", o.cores)
}

// classification is a task of aibd classify.
type classification struct {
	classifyOptions
	*judged
	matched   string // how labels are matched to items
	y         []bool
	positives int         // of y
	group     []string    // of each item; nil without groups
	beside    [][]float64 // columns of each item
}

// task reads the files and columns of the options for the items of a run.
func (o classifyOptions) task(j *judged) (*classification, error) {
	run := j.Run
	f, err := os.Open(o.labels)
	if err != nil {
		return nil, files.Named(o.labels, err)
	}
	defer f.Close()
	names := model.Names{Column: run.Spec.Data.ID}
	if j.Seen != nil {
		names = j.Seen.Names
	}
	t, err := input.ReadNamed(f, o.labels, names, run.Spec.Data)
	if err != nil {
		return nil, err
	}
	matched := "in the order of the rows"
	switch {
	case t.IDs != nil:
		matched = "by " + cmp.Or(t.IDColumn, "the first column")
		if t, err = t.Rows(run.Data.IDs...); err != nil {
			return nil, err
		}
	case j.Missing != nil && names.Column == "":
		return nil, fmt.Errorf("%s: found no column called id, expected one: without the data it is unknown which column has the names of the items: %w", o.labels, j.Missing)
	}
	if t.N() != run.Data.N {
		return nil, fmt.Errorf("%s: found %d items, expected the %d of %s", o.labels, t.N(), run.Data.N, run.Dir)
	}
	c := &classification{classifyOptions: o, judged: j, matched: matched}
	values, err := t.Labels(o.column)
	if err != nil {
		return nil, err
	}
	if err := c.label(values); err != nil {
		return nil, err
	}
	if o.groups != "" {
		if c.group, err = t.Labels(o.groups); err != nil {
			return nil, err
		}
	}
	if len(o.with) > 0 {
		if c.beside, err = t.Floats(o.with); err != nil {
			return nil, err
		}
	}
	if _, err := c.split(0); err != nil {
		return nil, err
	}
	return c, nil
}

// label sets y and the sizes of the training sets.
func (c *classification) label(values []string) error {
	found := slices.Compact(slices.Sorted(slices.Values(values)))
	if c.positive == "" {
		if len(found) != 2 {
			return fmt.Errorf("%s: column %s: found %s, expected two values, or --positive", c.labels, c.column, plural(len(found), "value"))
		}
		c.positive = found[0]
	}
	for _, v := range values {
		c.y = append(c.y, v == c.positive)
		if v == c.positive {
			c.positives++
		}
	}
	if c.positives == 0 || c.positives == len(values) {
		return fmt.Errorf("%s: column %s: found %d of %d items with the value %q, expected some with it and some without", c.labels, c.column, c.positives, len(values), c.positive)
	}
	if c.trainPositive == 0 {
		c.trainPositive = c.positives / 2
	}
	if c.trainNegative == 0 {
		c.trainNegative = (len(values) - c.positives) / 2
	}
	return nil
}

// split returns the training set of a draw.
func (c *classification) split(draw int) ([]int, error) {
	rng := mcmc.NewStream(c.seed, fmt.Sprintf("split-%d", draw+1)).Rand
	if c.group != nil {
		return classify.Grouped(rng, c.y, c.group, c.share)
	}
	return classify.Stratified(rng, c.y, c.trainNegative, c.trainPositive)
}

// run computes the AUC of all draws.
func (c *classification) run(cores int, log io.Writer) (*classified, error) {
	draws := len(c.Chains[0])
	auc := make([]float64, c.Size())
	var done atomic.Int64
	models := sync.Pool{New: func() any { return &classify.Logistic{Lambda: c.lambda} }}
	ended := newProgress(log, "draws", 0, len(auc)).follow(func() int { return int(done.Load()) })
	err := parallel.Each(context.Background(), cmp.Or(cores, runtime.GOMAXPROCS(0)), len(auc), func(d int) (err error) {
		f := models.Get().(*classify.Logistic)
		defer models.Put(f)
		defer done.Add(1)
		if auc[d], err = c.classify(f, d, c.Chains[d/draws][d%draws].Z); err != nil {
			return fmt.Errorf("chain %d, draw %d: %w", d/draws+1, d%draws+1, err)
		}
		return nil
	})
	ended()
	if err != nil {
		return nil, err
	}
	return c.result(slices.Collect(slices.Chunk(auc, draws))), nil
}

// classify returns the AUC of one draw.
func (c *classification) classify(f *classify.Logistic, draw int, z *feature.Allocation) (float64, error) {
	train, err := c.split(draw)
	if err != nil {
		return 0, err
	}
	return f.HoldOut(classify.Predictors(z, c.beside), c.y, train)
}

// classified is the result of aibd classify.
type classified struct {
	Verdict   *verdict.Verdict `json:"verdict"`
	Label     string           `json:"label"`
	Matched   string           `json:"matched"` // to the items
	Positive  string           `json:"positive"`
	Items     int              `json:"items"`
	Positives int              `json:"positives"`
	With      []string         `json:"with"`
	Split     string           `json:"split"`
	Draws     int              `json:"draws"`
	Note      string           `json:"note,omitempty"`
	AUC       number           `json:"auc"` // mean over the draws
	MCSE      number           `json:"mcse"`
	Low       number           `json:"low"` // of the 95% Monte Carlo interval
	High      number           `json:"high"`
	SD        number           `json:"sd"` // between draws
	ByDraw    [][]float64      `json:"by_draw"`
}

func (c *classification) result(auc [][]float64) *classified {
	s := posterior.Summarize(auc)
	r := &classified{Verdict: c.Verdict,
		Label: c.column, Matched: c.matched, Positive: c.positive, Items: len(c.y), Positives: c.positives, With: c.with,
		Draws: c.Size(), Note: c.Note, ByDraw: auc,
		AUC: number(s.Mean), MCSE: number(s.MCSE), Low: number(s.Mean - 1.96*s.MCSE), High: number(s.Mean + 1.96*s.MCSE), SD: number(s.SD),
	}
	r.Split = fmt.Sprintf("training sets of %d items with it and %d without", c.trainPositive, c.trainNegative)
	if c.group != nil {
		r.Split = fmt.Sprintf("training sets of whole groups of %s, a share of %v", c.groups, c.share)
	}
	return r
}

func (r *classified) write(w io.Writer) {
	by := "features"
	if len(r.With) > 0 {
		by += " and " + strings.Join(r.With, ", ")
	}
	fmt.Fprintln(w, visible.Text(fmt.Sprintf("%s = %s (%d of %d items), predicted by %s; %s", r.Label, r.Positive, r.Positives, r.Items, by, r.Split)))
	fmt.Fprintln(w, visible.Text("Labels are matched to the items "+r.Matched))
	fmt.Fprintf(w, "Expected posterior AUC %s, 95%% Monte Carlo interval %s to %s; sd of %s %s\n",
		fixed(float64(r.AUC), 4), fixed(float64(r.Low), 4), fixed(float64(r.High), 4), plural(r.Draws, "draw"), fixed(float64(r.SD), 4))
}
