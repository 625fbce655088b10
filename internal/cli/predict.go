package cli

// aibd predict

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/words"
)

type predictOptions struct {
	side, out, plot string
	features        string
	top             int
	results.NewcomerOptions
	printing
	quiet bool
}

func newPredict() *cobra.Command {
	var o predictOptions
	c := &cobra.Command{
		Use:   "predict RUN [NEW]",
		Short: "Predict unknown cells of X, score hidden cells, predict new items",
		Long: `Predicts every unknown cell of X: those that are missing in the file and those that
aibd fit hid (--holdout, or data.holdout_file). The prediction of a cell is the mixture over draws
of its exact distribution given Z, the standard deviations and the observed cells of its column. The loadings
and any intercept are integrated out. Values are in the units of the file.

Hidden cells are scored: the mean log predictive density of a cell (larger is better; in
the units of the file, so that runs with other transformations of X compare), the root mean
squared error of the predicted means (RMSE), and the share of cells within the central 50%
and 90% of their predictions (50% and 90% are right). Numbers in parentheses are standard
errors over cells; the Monte Carlo error is over chains. The RMSE over all variables and of
an item is in the unit of X as fitted, that of a variable in the unit of the file, or of the
logarithm. Binary and ordinal cells are predicted by the probabilities of their categories, and
scored by the log of the probability of their category (log score) and the squared error of the
mean (of binary cells the Brier score). Counts are predicted by their distribution, and scored by
the log of the probability and by the RMSE of its median.

With NEW, a CSV file with the columns of X, predicts items that the fit has not seen: their
features, and their missing cells. Each new item arrives alone after all items of the run. Its
features are drawn from their distribution given the draw (Z, mass, temperature, permutation, SigmaX,
SigmaA), X of the run and the observed cells of the new item. New items do not change Z of
the run. Columns of the distances are in NEW or in --side.`,
		Example: `  # Hide a tenth of the cells and score them
  aibd fit --builtin usarrests --holdout 0.1 --warmup 200 --draws 300 --out hidden
  aibd predict hidden
  aibd predict hidden --out cells.csv --plot cells.svg

  # Predict a state that the run has not seen, with one unknown column
  printf 'state,Murder,Assault,UrbanPop,Rape\nNowhere,9,120,NA,15\n' > new.csv
  printf 'state,lon,lat\nNowhere,-100,40\n' > new_side.csv
  aibd predict hidden new.csv --side new_side.csv`,
		Args: wants(1, 2, "the directory of a RUN and maybe a file of NEW items"),
		RunE: o.ofRun(func(args []string) error { return o.validate(len(args) > 1) }, func(c *cobra.Command, j *results.Judged, args []string) (printed, error) {
			if len(args) > 1 {
				return o.predictNew(c, j, args[1])
			}
			p, err := j.Predict(o.MaxDraws)
			return printed{
				result: p, text: func(w io.Writer) { writePredicted(w, p, o.top) },
				files: []output{tableOutput(o.out, func() table { return predictionTable(p) }), figureOutput(o.plot, func() figure.Figure { return picture.Predicted(p) })},
			}, err
		}),
	}
	f := c.Flags()
	f.StringVar(&o.side, "side", "", "CSV `file` with covariates of the new items.")
	outputFlag(c, &o.out, "out", "Write all predictions to a CSV `file`, with 90% intervals.")
	outputFlag(c, &o.features, "features", "Write the probability of each feature of aibd estimate, or its expected weight if features have weights, a line for each new item, to a CSV `file`.")
	outputFlag(c, &o.plot, "plot", "Draw predicted against true values of hidden cells to an .svg or .png `file`.")
	f.IntVar(&o.top, "top", 10, "Number of lines to print in each table; 0 for all.")
	f.IntVar(&o.MaxDraws, "most", results.DefaultPredicted, "Max number of draws to use, evenly spaced.")
	f.IntVar(&o.Sweeps, "sweeps", 20, "Updates of the features of a new item for each draw.")
	f.Uint64Var(&o.Seed, "seed", 1, "Seed of the features of new items.")
	addCores(c, "The predictions do")
	addStrict(c, &o.strict)
	f.BoolVar(&o.json, "json", false, "Print JSON.")
	f.BoolVar(&o.quiet, "quiet", false, "Print no notes on the file of new items.")
	return c
}

func (o *predictOptions) validate(isNew bool) error {
	if err := cmp.Or(atLeast(1, "most", o.MaxDraws), atLeast(1, "sweeps", o.Sweeps), atLeast(0, "top", o.top)); err != nil {
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
	return checkPlot(o.plot)
}

// addCells adds the flag --cells, which adds the unknown cells to the output.
func addCells(c *cobra.Command, cells *bool) {
	c.Flags().BoolVar(cells, "cells", false, "Print the posterior of each missing cell: median and 90% interval in the units of the file.")
}

// cellRow returns a prediction as cells of a CSV file, except its categories.
func cellRow(c results.Prediction) []string {
	return []string{c.Item, c.Variable, cell(c.Median), cell(c.Mean), cell(c.SD), cell(c.Lower), cell(c.Upper)}
}

// probabilities returns those of the categories of a cell, "" if its column has none.
func probabilities(c results.Prediction, format func(results.Number) string) string {
	parts := lists.Map(c.Categories, func(k results.Category) string { return k.Label + ": " + format(k.Probability) })
	return strings.Join(parts, "; ")
}

// predictionTable returns a row for each cell.
func predictionTable(p *results.Predictions) table {
	t := table{{"item", "variable", "median", "mean", "sd", "lower", "upper", "held_out", "log_density", "probabilities"}}
	for _, c := range p.Cells {
		value, score := "", ""
		if c.Value != nil {
			value, score = words.Exact(*c.Value), words.Exact(*c.LogScore)
		}
		t.add(append(cellRow(c), value, score, probabilities(c, words.Exact))...)
	}
	return t
}

func writePredicted(w io.Writer, p *results.Predictions, top int) {
	fmt.Fprintf(w, "Predicted from %s: each cell given the observed cells of its column, Z and the standard deviations.\n", plural(p.Draws, "draw"))
	if s := p.Held; s != nil {
		fmt.Fprintf(w, "Hidden: %s; log predictive density %s a cell%s\n", plural(s.Cells, "cell"), words.WithSD(s.LogDensity, s.LogDensitySE), withMCSE(s.MCSE))
		fmt.Fprintf(w, "RMSE %s (%s); 50%% intervals cover %s, 90%% intervals %s\n", words.WithSD(s.RMSE, s.RMSESE), p.Unit,
			words.WithSD(s.Cover50, s.Cover50SE), words.WithSD(s.Cover90, s.Cover90SE))
	}
	for _, group := range []struct {
		kind, error string
		score       *results.CategoryScore
	}{{"binary", "Brier score", p.Binary}, {"ordinal", "RMSE (values of categories)", p.Ordinal}, {"count", "RMSE (medians)", p.Counts}} {
		s := group.score
		if s == nil {
			continue
		}
		error := words.WithSD(s.RMSE.Value, s.RMSE.SE)
		if group.kind == "binary" {
			error = words.WithSD(s.Brier, s.BrierSE)
		}
		fmt.Fprintf(w, "Hidden in %s columns: %s; log score %s a cell%s; %s %s\n", group.kind, plural(s.Cells, "cell"), words.WithSD(s.LogScore, s.LogScoreSE), withMCSE(s.MCSE), group.error, error)
	}
	writeScores(w, "variable", p.Variables, top)
	writeScores(w, "item", p.Items, top)
	writeCells(w, p.Cells, top)
}

// withMCSE adds a Monte Carlo error, unless it is NaN.
func withMCSE(mcse results.Number) string {
	if math.IsNaN(float64(mcse)) {
		return ""
	}
	return ", Monte Carlo error " + words.Significant(mcse, 2)
}

// writeScores writes a table of scores, the worst log density first.
func writeScores(w io.Writer, kind string, scores []results.Score, top int) {
	if len(scores) == 0 {
		return
	}
	scores = slices.SortedStableFunc(slices.Values(scores), func(a, b results.Score) int { return cmp.Compare(a.LogDensity, b.LogDensity) })
	t := table{{kind, "cells", "log density", "RMSE", "50%", "90%"}}
	for _, s := range first(top, scores) {
		t.add(s.Name, strconv.Itoa(s.Cells), words.WithSD(s.LogDensity, s.LogDensitySE), words.WithSD(s.RMSE, s.RMSESE), words.Fixed(s.Cover50, 2), words.Fixed(s.Cover90, 2))
	}
	fmt.Fprintln(w)
	t.write(w)
	remainder(w, len(scores)-len(t)+1, "the worst first")
}

// first returns the first elements, at most top, or all if top is 0.
func first[E any](top int, list []E) []E {
	if top == 0 {
		return list
	}
	return list[:min(top, len(list))]
}

// remainder says that a table leaves lines out.
func remainder(w io.Writer, lines int, order string) {
	if lines > 0 {
		fmt.Fprintf(w, "... and %d more, %s (--top 0 prints all)\n", lines, order)
	}
}

// writeCells writes a table of the cells that were not observed at all.
func writeCells(w io.Writer, cells []results.Prediction, top int) {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c results.Prediction) bool { return c.Value != nil })
	if len(cells) == 0 {
		return
	}
	t := table{{"missing", "variable", "median", "5%", "95%"}}
	categories := slices.ContainsFunc(cells, func(c results.Prediction) bool { return c.Categories != nil })
	if categories {
		t[0] = append(t[0], "probabilities")
	}
	for _, c := range first(top, cells) {
		row := []string{c.Item, c.Variable, words.Significant(c.Median, 4), words.Significant(c.Lower, 4), words.Significant(c.Upper, 4)}
		if categories {
			row = append(row, probabilities(c, func(p results.Number) string { return words.Fixed(p, 2) }))
		}
		t.add(row...)
	}
	fmt.Fprintln(w)
	t.write(w)
	remainder(w, len(cells)-len(t)+1, "by item")
}
