package results

// How well the features predict a label.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"aibd/classify"
	"aibd/draws"
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/parallel"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/mcmc"
	"aibd/posterior"
)

// ClassifyOptions are the options of Classify.
type ClassifyOptions struct {
	Labels                       string   // a CSV file with a line for each item
	Column                       string   // of the labels
	Positive                     string   // the value to predict against all others; "": the first of two
	TrainPositive, TrainNegative int      // numbers of items with it and without it in a training set; 0: half of them
	Groups                       string   // a column; if it is not "", training sets consist of whole groups
	Share                        float64  // of the groups in a training set
	With                         []string // columns of numbers that are predictors, too
	Lambda                       float64  // weight of the penalty
	Seed                         uint64   // of the training sets

	// Watch gets a function that counts the draws that are done, of all. It returns what is called at the end.
	// It may be nil.
	Watch func(done func() int, all int) (stop func())
}

// Classification is how well the features predict a label.
type Classification struct {
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
	AUC       Number           `json:"auc"` // mean over the draws
	MCSE      Number           `json:"mcse"`
	Low       Number           `json:"low"` // of the 95% Monte Carlo interval
	High      Number           `json:"high"`
	SD        Number           `json:"sd"` // between draws
	ByDraw    [][]float64      `json:"by_draw"`
}

// classifier classifies the items of a run.
type classifier struct {
	ClassifyOptions
	*Judged
	matched   string // how labels are matched to items
	y         []bool
	positives int         // of y
	group     []string    // of each item; nil without groups
	beside    [][]float64 // columns of each item
}

// Classify fits a logistic regression of a label on the features of each draw, and returns the areas under the
// ROC curve.
func (j *Judged) Classify(o ClassifyOptions) (*Classification, error) {
	c, err := o.classifier(j)
	if err != nil {
		return nil, err
	}
	return c.run()
}

// classifier reads the files and columns of the options for the items of a run.
func (o ClassifyOptions) classifier(j *Judged) (*classifier, error) {
	run := j.Run
	f, err := os.Open(o.Labels)
	if err != nil {
		return nil, files.Named(o.Labels, err)
	}
	defer f.Close()
	names := model.Names{Column: run.Spec.Data.ID}
	if j.Seen != nil {
		names = j.Seen.Names
	}
	t, err := input.ReadNamed(f, o.Labels, names, run.Spec.Data)
	if err != nil {
		return nil, err
	}
	matched := "in the order of the rows"
	if t.IDs == nil && names.Of > 0 && t.N() == names.Of {
		rows := make([]int, run.Data.N)
		for i, number := range run.Data.IDs {
			if rows[i], err = strconv.Atoi(number); err != nil || rows[i] < 1 || rows[i] > names.Of {
				return nil, fmt.Errorf("%s: found the item %q, expected a number of a row of %s", run.Dir, number, run.Spec.Data.File)
			}
			rows[i]--
		}
		t = t.Sample(rows)
		t.IDs = nil
		matched = "by the numbers of the rows"
	}
	switch {
	case t.IDs != nil:
		matched = "by " + cmp.Or(t.IDColumn, "the first column")
		if t, err = t.Rows(run.Data.IDs...); err != nil {
			return nil, err
		}
	case j.Missing != nil && names.Column == "":
		return nil, fmt.Errorf("%s: found no column called id, expected one: without the data it is unknown which column has the names of the items: %w", o.Labels, j.Missing)
	}
	if t.N() != run.Data.N {
		return nil, fmt.Errorf("%s: found %d items, expected the %d of %s", o.Labels, t.N(), run.Data.N, run.Dir)
	}
	c := &classifier{ClassifyOptions: o, Judged: j, matched: matched}
	values, err := t.Labels(o.Column)
	if err != nil {
		return nil, err
	}
	if err := c.label(values); err != nil {
		return nil, err
	}
	if o.Groups != "" {
		if c.group, err = t.Labels(o.Groups); err != nil {
			return nil, err
		}
	}
	if len(o.With) > 0 {
		if c.beside, err = t.Floats(o.With); err != nil {
			return nil, err
		}
	}
	if _, err := c.split(0); err != nil {
		return nil, err
	}
	return c, nil
}

// label sets y and the sizes of the training sets.
func (c *classifier) label(values []string) error {
	found := slices.Compact(slices.Sorted(slices.Values(values)))
	if c.Positive == "" {
		if len(found) != 2 {
			return fmt.Errorf("%s: column %s: found %s, expected two values, or --positive", c.Labels, c.Column, words.Plural(len(found), "value"))
		}
		c.Positive = found[0]
	}
	for _, v := range values {
		c.y = append(c.y, v == c.Positive)
		if v == c.Positive {
			c.positives++
		}
	}
	if c.positives == 0 || c.positives == len(values) {
		return fmt.Errorf("%s: column %s: found %d of %d items with the value %q, expected some with it and some without", c.Labels, c.Column, c.positives, len(values), c.Positive)
	}
	if c.TrainPositive == 0 {
		c.TrainPositive = c.positives / 2
	}
	if c.TrainNegative == 0 {
		c.TrainNegative = (len(values) - c.positives) / 2
	}
	return nil
}

// split returns the training set of a draw.
func (c *classifier) split(draw int) ([]int, error) {
	rng := mcmc.NewStream(c.Seed, fmt.Sprintf("split-%d", draw+1)).Rand
	if c.group != nil {
		return classify.Grouped(rng, c.y, c.group, c.Share)
	}
	return classify.Stratified(rng, c.y, c.TrainNegative, c.TrainPositive)
}

// run computes the AUC of all draws.
func (c *classifier) run() (*Classification, error) {
	length := len(c.Chains[0])
	auc := make([]float64, c.Size())
	var done atomic.Int64
	models := sync.Pool{New: func() any { return &classify.Logistic{Lambda: c.Lambda} }}
	if c.Watch != nil {
		defer c.Watch(func() int { return int(done.Load()) }, len(auc))()
	}
	err := parallel.Each(context.Background(), len(auc), func(d int) (err error) {
		f := models.Get().(*classify.Logistic)
		defer models.Put(f)
		defer done.Add(1)
		if auc[d], err = c.classify(f, d, c.Chains[d/length][d%length]); err != nil {
			return fmt.Errorf("chain %d, draw %d: %w", d/length+1, d%length+1, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c.result(slices.Collect(slices.Chunk(auc, length))), nil
}

// classify returns the AUC of one draw.
func (c *classifier) classify(f *classify.Logistic, draw int, d *draws.Draw) (float64, error) {
	train, err := c.split(draw)
	if err != nil {
		return 0, err
	}
	return f.HoldOut(classify.Predictors(d.Z, d.Weights, c.beside), c.y, train)
}

func (c *classifier) result(auc [][]float64) *Classification {
	s := posterior.Summarize(auc)
	r := &Classification{Verdict: c.Verdict,
		Label: c.Column, Matched: c.matched, Positive: c.Positive, Items: len(c.y), Positives: c.positives, With: c.With,
		Draws: c.Size(), Note: c.Note, ByDraw: auc,
		AUC: Number(s.Mean), MCSE: Number(s.MCSE), Low: Number(s.Mean - 1.96*s.MCSE), High: Number(s.Mean + 1.96*s.MCSE), SD: Number(s.SD),
	}
	r.Split = fmt.Sprintf("training sets of %d items with it and %d without", c.TrainPositive, c.TrainNegative)
	if c.group != nil {
		r.Split = fmt.Sprintf("training sets of whole groups of %s, a share of %v", c.Groups, c.Share)
	}
	return r
}
