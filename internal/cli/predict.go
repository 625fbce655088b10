package cli

// aibd predict

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/dataset"
	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/model"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/predict"
	"aibd/prior"
)

type predictOptions struct {
	side, out, plot string
	features        string
	most, top       int
	cores           int
	sweeps          int
	seed            uint64
	json, strict    bool
	quiet           bool
}

func newPredict() *cobra.Command {
	var o predictOptions
	c := &cobra.Command{
		Use:   "predict RUN [NEW]",
		Short: "Predict unknown cells of X, score hidden cells, predict new items",
		Long: `Predicts every unknown cell of X: those that are missing in the file and those that
aibd fit hid (--holdout, or data.holdout_file). The prediction of a cell is the mixture over draws
of its exact law given Z, the standard deviations and the observed cells of its column. The loadings
and any intercept are integrated out. Values are in the units of the file.

Hidden cells are scored: the mean log predictive density of a cell (larger is better; in
the units of the file, so that runs with other transformations of X compare), the root mean
squared error of the predicted means (RMSE), and the share of cells within the central 50%
and 90% of their predictions (50% and 90% are right). Numbers in parentheses are standard
errors over cells; the Monte Carlo error is over chains. The RMSE over all variables and of
an item is in the unit of X as fitted, that of a variable in the unit of the file, or of the
logarithm. Binary and ordinal cells are predicted by the probabilities of their categories, and
scored by the log of the probability of their category (log score) and the squared error of the
mean (of binary cells the Brier score). Counts are predicted by the law of the count, and scored by
the log of its probability and by the RMSE of its median.

With NEW, a CSV file with the columns of X, predicts items that the fit has not seen: their
features, and their missing cells. Each new item arrives alone after all items of the run. Its
features are drawn from their law given the draw (Z, mass, temperature, permutation, SigmaX,
SigmaA), X of the run and the observed cells of the new item. New items do not change Z of
the run. Columns of the distances are in NEW or in --side.

Needs the data file of the run under its original name.`,
		Example: `  # Hide a tenth of the cells and score them
  aibd fit --columns Assault,UrbanPop,Rape --holdout 0.1 --warmup 200 --draws 300 --out hidden
  aibd predict hidden
  aibd predict hidden --out cells.csv --plot cells.svg

  # Predict a state that the run has not seen, of which one column is unknown
  printf 'state,Assault,UrbanPop,Rape\nNowhere,120,NA,15\n' > new.csv
  printf 'state,lon,lat\nNowhere,-100,40\n' > new_side.csv
  aibd predict hidden new.csv --side new_side.csv`,
		Args: wants(1, 2, "the directory of a RUN and maybe a file of NEW items"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.validate(len(args) > 1); err != nil {
				return err
			}
			j, err := judgeAt(args[0])
			if err != nil {
				return err
			}
			if j.Missing != nil {
				return j.Missing
			}
			if len(args) > 1 {
				return o.predictNew(c, j, args[1])
			}
			p, err := o.predict(j)
			if err != nil {
				return err
			}
			if err := writeOutputs(tableOutput(o.out, p.table), figureOutput(o.plot, p.figure)); err != nil {
				return err
			}
			return j.show(c, o.json, o.strict, p.json(), func(w io.Writer) { p.write(w, o.top) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.side, "side", "", "CSV `file` with covariates of the new items.")
	outputFlag(c, &o.out, "out", "Write all predictions to a CSV `file`, with 90% intervals.")
	outputFlag(c, &o.features, "features", "Write the probability of each feature of aibd estimate, or its expected weight if features have weights, a line for each new item, to a CSV `file`.")
	outputFlag(c, &o.plot, "plot", "Draw predicted against true values of hidden cells to an .svg or .png `file`.")
	f.IntVar(&o.top, "top", 10, "Number of lines to print in each table; 0 for all.")
	f.IntVar(&o.most, "most", 1000, "Max number of draws to use, evenly spaced.")
	f.IntVar(&o.sweeps, "sweeps", 20, "Updates of the features of a new item for each draw.")
	f.Uint64Var(&o.seed, "seed", 1, "Seed of the features of new items.")
	f.IntVar(&o.cores, "cores", 0, "Number of cores; 0 for all. The predictions do not depend on it.")
	addStrict(c, &o.strict)
	f.BoolVar(&o.json, "json", false, "Print JSON.")
	f.BoolVar(&o.quiet, "quiet", false, "Print no notes on the file of new items.")
	return c
}

func (o *predictOptions) validate(isNew bool) error {
	if err := cmp.Or(atLeast(1, "most", o.most), atLeast(1, "sweeps", o.sweeps), atLeast(0, "top", o.top), atLeast(0, "cores", o.cores)); err != nil {
		return err
	}
	switch {
	case o.side != "" && !isNew:
		return usageError{errors.New("--side: found no file of new items, expected aibd predict RUN NEW")}
	case o.features != "" && !isNew:
		return usageError{errors.New("--features: found no file of new items, expected aibd predict RUN NEW")}
	case o.plot != "" && isNew:
		return usageError{errors.New("--plot: expected no file of new items, which have no hidden cells")}
	}
	o.cores = cmp.Or(o.cores, runtime.GOMAXPROCS(0))
	return checkPlot(o.plot)
}

// spaced returns at most the given number of draws of all chains, the same number of each,
// evenly spaced.
func spaced(chains [][]*draws.Draw, most int) [][]*draws.Draw {
	kept := make([][]*draws.Draw, len(chains))
	for c, chain := range chains {
		kept[c] = results.Thinned([][]*draws.Draw{chain}, max(1, most/len(chains)))
	}
	return kept
}

// prediction is the prediction of one cell, in the units of the file. Value and LogScore are nil
// unless the cell is hidden.
type prediction struct {
	Item       string     `json:"item"`
	Variable   string     `json:"variable"`
	Mean       number     `json:"mean"`
	SD         number     `json:"sd"`
	Lower      number     `json:"lower"` // 5%
	Upper      number     `json:"upper"` // 95%
	Value      *number    `json:"held_out,omitempty"`
	LogScore   *number    `json:"log_density,omitempty"`
	Categories []category `json:"categories,omitempty"`
	fitted     float64    // the mean of X as fitted
}

// category is a category of a binary or ordinal column with its probability.
type category struct {
	Label       string `json:"category"`
	Probability number `json:"probability"`
}

// predicted holds the predictions of a run, by item.
type predicted struct {
	*judged
	draws   int
	cells   []prediction
	scored  []predict.Scored // of the hidden cells of columns of numbers
	binary  []predict.Scored // of those of binary columns
	ordinal []predict.Scored // of those of ordinal columns
	counts  []predict.Scored // of those of columns of counts
	scaled  bool             // the RMSE over variables is in standard deviations
	logs    []bool           // variables whose logarithm is in X
	scale   []float64        // by variable, see dataset.Units.Scale
}

// addCells adds the flag --cells, which adds the unknown cells to the output.
func addCells(c *cobra.Command, cells *bool) {
	c.Flags().BoolVar(cells, "cells", false, "Print the posterior of each missing cell: mean, sd and 90% interval in the units of the file.")
}

// unknownCells returns the posterior of the unknown cells, as aibd predict does.
func (j *judged) unknownCells() ([]prediction, error) {
	if j.Missing != nil {
		return nil, fmt.Errorf("%s: %w", j.Run.Dir, j.Missing)
	}
	p, err := j.predictions()
	if err != nil {
		return nil, err
	}
	return p.cells, nil
}

// predictions predicts the unknown cells with the default options.
func (j *judged) predictions() (*predicted, error) {
	return (&predictOptions{most: 1000, cores: runtime.GOMAXPROCS(0)}).predict(j)
}

// predict predicts the unknown cells of a run.
func (o *predictOptions) predict(j *judged) (*predicted, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	chains := spaced(j.Chains, o.most)
	cells, err := predict.NewCells(data, chains, o.cores)
	if err != nil {
		return nil, err
	}
	if len(cells.At) == 0 {
		return nil, fmt.Errorf("%s: found no unknown cells, expected missing cells in X, or cells hidden by aibd fit --holdout 0.1", j.Run.Dir)
	}
	p := &predicted{judged: j, scaled: *j.Run.Spec.Data.Scale}
	for _, chain := range chains {
		p.draws += len(chain)
	}
	for v := range j.Run.Data.Columns {
		scale := 1.0
		if !j.Seen.IsCount(v) {
			scale = j.Seen.Units.Scale(v)
		}
		p.logs, p.scale = append(p.logs, j.Seen.Units.Log(v)), append(p.scale, scale)
	}
	held := map[[2]int]float64{}
	for _, h := range j.Seen.Held {
		held[[2]int{h.Item, h.Variable}] = h.Value
	}
	for cell, at := range cells.At {
		c := predictionOf(cells, cell, j.Run.Data.IDs[at[0]], j.Run.Data.Columns[at[1]], j.Seen)
		value, isHeld := held[at]
		switch of := j.Seen.Categories[at[1]]; {
		case !isHeld:
		case j.Seen.IsCount(at[1]):
			p.counts = append(p.counts, c.scoreCount(cells, cell, value, j.Seen))
		case of == nil:
			p.scored = append(p.scored, c.score(cells, cell, value, j.Seen.Units))
		case of.Binary:
			p.binary = append(p.binary, c.scoreCategory(cells, cell, int(value), of))
		default:
			p.ordinal = append(p.ordinal, c.scoreCategory(cells, cell, int(value), of))
		}
		p.cells = append(p.cells, c)
	}
	return p, nil
}

// predictionOf returns the prediction of a cell in the units of the file, of a binary or ordinal
// cell in values of its categories.
func predictionOf(cells *predict.Cells, cell int, item, variable string, seen *model.Observed) prediction {
	u, v := seen.Units, cells.At[cell][1]
	c := prediction{Item: item, Variable: variable}
	if of := seen.Categories[v]; of != nil {
		c.setCategories(of, cells.Categories(cell))
		c.fitted = u.Do(v, float64(c.Mean))
		return c
	}
	mean, sd := cells.Moments(cell)
	c.fitted = mean
	if seen.IsCount(v) {
		c.setCount(cells, cell, v, seen)
		return c
	}
	mean, sd = u.Linear(v, mean), u.Scale(v)*sd
	if u.Log(v) {
		mean, sd = cells.ExpMoments(cell, u.Linear(v, 0), u.Scale(v))
		mean -= u.Plus(v)
	}
	c.Mean, c.SD = number(mean), number(sd)
	c.Lower, c.Upper = number(u.Undo(v, cells.Quantile(cell, 0.05))), number(u.Undo(v, cells.Quantile(cell, 0.95)))
	return c
}

// setCategories sets the prediction of a cell with the given probabilities of its categories.
func (c *prediction) setCategories(of *model.Categories, probabilities []float64) {
	mean, square, below := 0.0, 0.0, 0.0
	for level, p := range probabilities {
		value := of.Value(level)
		c.Categories = append(c.Categories, category{of.Labels[level], number(p)})
		mean += p * value
		square += p * value * value
		if below < 0.05 {
			c.Lower = number(value)
		}
		if below <= 0.95 {
			c.Upper = number(value)
		}
		below += p
	}
	c.Mean, c.SD = number(mean), number(math.Sqrt(max(0, square-mean*mean)))
}

// scoreCategory scores a hidden cell of a binary or ordinal column, and notes the value of its
// category and the log probability.
func (c *prediction) scoreCategory(cells *predict.Cells, cell, level int, of *model.Categories) predict.Scored {
	value := of.Value(level)
	s := predict.Scored{Item: cells.At[cell][0], Variable: cells.At[cell][1], Error: value - float64(c.Mean), Below: math.NaN()}
	s.LogDensity, s.ByChain = cells.LogCategory(cell, level)
	c.Value, c.LogScore = new(number(value)), new(number(s.LogDensity))
	return s
}

// score scores a hidden cell, and notes its value and log density.
func (c *prediction) score(cells *predict.Cells, cell int, value float64, u dataset.Units) predict.Scored {
	v := cells.At[cell][1]
	x := u.Do(v, value)
	mean, _ := cells.Moments(cell)
	s := predict.Scored{Item: cells.At[cell][0], Variable: v, Error: x - mean, Below: cells.Below(cell, x)}
	s.LogDensity, s.ByChain = cells.LogDensity(cell, x)
	// The density of the value in the file.
	slope := u.LogSlope(v, value)
	s.LogDensity += slope
	for chain := range s.ByChain {
		s.ByChain[chain] += slope
	}
	c.Value, c.LogScore = new(number(value)), new(number(s.LogDensity))
	return s
}

// row returns the prediction as cells of a CSV file, but the categories.
func (c *prediction) row() []string {
	row := []string{c.Item, c.Variable}
	for _, x := range []number{c.Mean, c.SD, c.Lower, c.Upper} {
		row = append(row, cell(float64(x)))
	}
	return row
}

// probabilities returns those of the categories of a cell, "" if its column has none.
func (c *prediction) probabilities(format func(float64) string) string {
	var parts []string
	for _, k := range c.Categories {
		parts = append(parts, k.Label+": "+format(float64(k.Probability)))
	}
	return strings.Join(parts, "; ")
}

// figure draws the hidden cells.
func (p *predicted) figure() figure.Figure { return picture.Predicted(p.Judged, p.held()) }

// held returns the hidden cells as fitted.
func (p *predicted) held() (cells []picture.Prediction) {
	for _, c := range p.cells {
		if c.Value != nil {
			v := slices.Index(p.Run.Data.Columns, c.Variable)
			of := func(x number) float64 { return p.Seen.LatentOf(v, float64(x)) }
			cells = append(cells, picture.Prediction{Value: of(*c.Value), Mean: c.fitted, Q5: of(c.Lower), Q95: of(c.Upper)})
		}
	}
	return cells
}

// table returns a row for each cell.
func (p *predicted) table() table {
	t := table{{"item", "variable", "mean", "sd", "lower", "upper", "held_out", "log_density", "probabilities"}}
	for _, c := range p.cells {
		value, score := "", ""
		if c.Value != nil {
			value, score = words.Exact(float64(*c.Value)), words.Exact(float64(*c.LogScore))
		}
		t.add(append(c.row(), value, score, c.probabilities(words.Exact[float64]))...)
	}
	return t
}

// scoresBy returns the score of each item or variable that has hidden cells.
func (p *predicted) scoresBy(scored []predict.Scored, of func(predict.Scored) int, scale []float64) (which []int, scores []predict.Score) {
	cells := map[int][]predict.Scored{}
	for _, c := range scored {
		k := of(c)
		if scale != nil {
			c.Error *= scale[c.Variable]
		}
		cells[k] = append(cells[k], c)
	}
	for k := range max(len(p.Run.Data.IDs), len(p.Run.Data.Columns)) {
		if of := cells[k]; of != nil {
			which, scores = append(which, k), append(scores, predict.ScoreOf(of))
		}
	}
	return which, scores
}

func (p *predicted) byItem() ([]int, []predict.Score) {
	return p.scoresBy(p.scored, func(c predict.Scored) int { return c.Item }, nil)
}

func (p *predicted) byVariable() ([]int, []predict.Score) {
	return p.scoresBy(slices.Concat(p.scored, p.binary, p.ordinal, p.counts), func(c predict.Scored) int { return c.Variable }, p.scale)
}

// unit is the unit of the RMSE over variables.
func (p *predicted) unit() string {
	switch {
	case p.scaled:
		return "standard deviations of the columns"
	case slices.Contains(p.logs, true):
		return "the units of X, logarithms where taken"
	}
	return "the unit of X"
}

func (p *predicted) write(w io.Writer, top int) {
	fmt.Fprintf(w, "Predicted from %s: each cell given the observed cells of its column, Z and the standard deviations.\n", plural(p.draws, "draw"))
	if len(p.scored) > 0 {
		s := predict.ScoreOf(p.scored)
		fmt.Fprintf(w, "Hidden: %s; log predictive density %s a cell", plural(s.Cells, "cell"), withSD(s.LogDensity.Value, s.LogDensity.SE))
		if !math.IsNaN(s.MCSE) {
			fmt.Fprintf(w, ", Monte Carlo error %s", significant(s.MCSE, 2))
		}
		fmt.Fprintf(w, "\nRMSE %s (%s); 50%% intervals cover %s, 90%% intervals %s\n", withSD(s.RMSE.Value, s.RMSE.SE), p.unit(),
			withSD(s.Cover50.Value, s.Cover50.SE), withSD(s.Cover90.Value, s.Cover90.SE))
	}
	p.writeCategories(w, p.binary, "binary", "Brier score", func(s predict.Score) predict.Scores { return s.Square })
	p.writeCategories(w, p.ordinal, "ordinal", "RMSE (values of categories)", func(s predict.Score) predict.Scores { return s.RMSE })
	p.writeCategories(w, p.counts, "count", "RMSE (medians)", func(s predict.Score) predict.Scores { return s.RMSE })
	if which, scores := p.byVariable(); len(which) > 0 {
		writeScores(w, "variable", p.Run.Data.Columns, which, scores, top)
	}
	if which, scores := p.byItem(); len(which) > 0 {
		writeScores(w, "item", p.Run.Data.IDs, which, scores, top)
	}
	writePredictions(w, p.cells, top)
}

// writeCategories writes the score of hidden cells of binary, ordinal or count columns.
func (p *predicted) writeCategories(w io.Writer, scored []predict.Scored, kind, name string, of func(predict.Score) predict.Scores) {
	if len(scored) == 0 {
		return
	}
	s := predict.ScoreOf(scored)
	fmt.Fprintf(w, "Hidden in %s columns: %s; log score %s a cell", kind, plural(s.Cells, "cell"), withSD(s.LogDensity.Value, s.LogDensity.SE))
	if !math.IsNaN(s.MCSE) {
		fmt.Fprintf(w, ", Monte Carlo error %s", significant(s.MCSE, 2))
	}
	error := of(s)
	fmt.Fprintf(w, "; %s %s\n", name, withSD(error.Value, error.SE))
}

// writeScores writes a table of scores, the worst log density first.
func writeScores(w io.Writer, kind string, names []string, which []int, scores []predict.Score, top int) {
	order := prior.Identity(len(which))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(scores[a].LogDensity.Value, scores[b].LogDensity.Value)
	})
	t := table{{kind, "cells", "log density", "RMSE", "50%", "90%"}}
	shown := order
	if top > 0 {
		shown = order[:min(top, len(order))]
	}
	for _, k := range shown {
		s := scores[k]
		t.add(names[which[k]], strconv.Itoa(s.Cells), withSD(s.LogDensity.Value, s.LogDensity.SE), withSD(s.RMSE.Value, s.RMSE.SE),
			fixed(s.Cover50.Value, 2), fixed(s.Cover90.Value, 2))
	}
	fmt.Fprintln(w)
	t.write(w)
	more(w, len(order)-len(shown), "the worst first")
}

// more says that a table leaves lines out.
func more(w io.Writer, lines int, order string) {
	if lines > 0 {
		fmt.Fprintf(w, "... and %d more, %s (--top 0 prints all)\n", lines, order)
	}
}

// writePredictions writes a table of the cells that were not observed at all.
func writePredictions(w io.Writer, cells []prediction, top int) {
	t, left := table{{"missing", "variable", "mean", "sd", "5%", "95%", "probabilities"}}, 0
	for _, c := range cells {
		switch {
		case c.Value != nil:
		case top > 0 && len(t) > top:
			left++
		default:
			t.add(c.Item, c.Variable, significant(float64(c.Mean), 4), significant(float64(c.SD), 3),
				significant(float64(c.Lower), 4), significant(float64(c.Upper), 4), c.probabilities(func(p float64) string { return fixed(p, 2) }))
		}
	}
	if len(t) > 1 {
		if !slices.ContainsFunc(cells, func(c prediction) bool { return c.Categories != nil }) {
			for i := range t {
				t[i] = t[i][:6]
			}
		}
		fmt.Fprintln(w)
		t.write(w)
		more(w, left, "by item")
	}
}
