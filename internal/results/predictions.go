package results

// Predictions of the unknown cells of X, and scores of hidden cells.

import (
	"fmt"
	"math"
	"slices"

	"aibd/dataset"
	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/verdict"
	"aibd/predict"
)

// Prediction is the prediction of one cell, in the units of the file. Value and LogScore are nil
// unless the cell is hidden. Mean and SD are NaN in a column whose logarithms are fitted: the tail of the
// distribution decides them.
type Prediction struct {
	Item       string     `json:"item"`
	Variable   string     `json:"variable"`
	Median     Number     `json:"median"`
	Mean       Number     `json:"mean"`
	SD         Number     `json:"sd"`
	Lower      Number     `json:"lower"` // 5%
	Upper      Number     `json:"upper"` // 95%
	Value      *Number    `json:"held_out,omitempty"`
	LogScore   *Number    `json:"log_density,omitempty"`
	Categories []Category `json:"categories,omitempty"`
	Fitted     float64    `json:"-"` // the mean of X as fitted
}

// Category is a category of a binary or ordinal column with its probability.
type Category struct {
	Label       string `json:"category"`
	Probability Number `json:"probability"`
}

// Predictions holds the predictions of a run, by item.
type Predictions struct {
	*Judged   `json:"-"`
	Verdict   *verdict.Verdict `json:"verdict"`
	Draws     int              `json:"draws"`
	Note      string           `json:"note,omitempty"`
	Held      *Score           `json:"held_out,omitempty"` // of columns of numbers
	Binary    *CategoryScore   `json:"held_out_binary,omitempty"`
	Ordinal   *CategoryScore   `json:"held_out_ordinal,omitempty"`
	Counts    *CategoryScore   `json:"held_out_count,omitempty"`
	Unit      string           `json:"rmse_unit,omitempty"` // over all variables, and of an item
	Variables []Score          `json:"variables,omitempty"` // those with hidden cells
	Items     []Score          `json:"items,omitempty"`
	Cells     []Prediction     `json:"cells"`

	Scored []predict.Scored `json:"-"` // the hidden cells: those of numbers, binary, ordinal, counts
}

// Score scores the hidden cells of columns of numbers, or those of one variable or item.
type Score struct {
	Name         string `json:"name,omitempty"`
	Cells        int    `json:"cells"`
	LogDensity   Number `json:"log_density"` // mean of a cell
	LogDensitySE Number `json:"log_density_se"`
	MCSE         Number `json:"log_density_mcse"`
	RMSE         Number `json:"rmse"`
	RMSESE       Number `json:"rmse_se"`
	Cover50      Number `json:"cover_50"`
	Cover50SE    Number `json:"cover_50_se"`
	Cover90      Number `json:"cover_90"`
	Cover90SE    Number `json:"cover_90_se"`
}

func scoreOf(name string, scored []predict.Scored) Score {
	s := predict.ScoreOf(scored)
	return Score{
		name, s.Cells, Number(s.LogDensity.Value), Number(s.LogDensity.SE), Number(s.MCSE), Number(s.RMSE.Value), Number(s.RMSE.SE),
		Number(s.Cover50.Value), Number(s.Cover50.SE), Number(s.Cover90.Value), Number(s.Cover90.SE),
	}
}

// CategoryScore scores the hidden cells of binary, ordinal or count columns.
type CategoryScore struct {
	Cells      int            `json:"cells"`
	LogScore   Number         `json:"log_score"` // mean of a cell
	LogScoreSE Number         `json:"log_score_se"`
	MCSE       Number         `json:"log_score_mcse"`
	Brier      Number         `json:"brier"` // mean squared error
	BrierSE    Number         `json:"brier_se"`
	RMSE       predict.Scores `json:"-"`
}

// categoryScore returns the score of binary and ordinal cells, or nil if scored is empty.
func categoryScore(scored []predict.Scored) *CategoryScore {
	if len(scored) == 0 {
		return nil
	}
	s := predict.ScoreOf(scored)
	return &CategoryScore{s.Cells, Number(s.LogDensity.Value), Number(s.LogDensity.SE), Number(s.MCSE), Number(s.Square.Value), Number(s.Square.SE), s.RMSE}
}

// DefaultPredicted is the max number of draws that predictions come from by default.
const DefaultPredicted = 1000

// UnknownCells returns the predictions of the unknown cells from at most DefaultPredicted draws.
func (j *Judged) UnknownCells() ([]Prediction, error) {
	p, err := j.Predict(DefaultPredicted)
	if err != nil {
		return nil, err
	}
	return p.Cells, nil
}

// Predict predicts the unknown cells from at most the given number of draws.
func (j *Judged) Predict(limit int) (*Predictions, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	chains := spaced(j.Chains, limit)
	cells, err := predict.NewCells(data, chains)
	if err != nil {
		return nil, err
	}
	if len(cells.Places) == 0 {
		return nil, fmt.Errorf("%s: found no unknown cells, expected missing cells in X, or cells hidden by aibd fit --holdout 0.1", j.Run.Dir)
	}
	p := &Predictions{Judged: j, Verdict: j.Verdict, Note: j.Note}
	for _, chain := range chains {
		p.Draws += len(chain)
	}
	held := map[[2]int]float64{}
	for _, h := range j.Seen.Held {
		held[[2]int{h.Item, h.Variable}] = h.Value
	}
	var numbers, binary, ordinal, counts []predict.Scored
	for cell, place := range cells.Places {
		c := predictionOf(cells, cell, j.Run.Data.IDs[place[0]], j.Run.Data.Columns[place[1]], j.Seen)
		value, isHeld := held[place]
		switch categories := j.Seen.Categories[place[1]]; {
		case !isHeld:
		case j.Seen.IsCount(place[1]):
			counts = append(counts, c.scoreCount(cells, cell, value, j.Seen))
		case categories == nil:
			numbers = append(numbers, c.score(cells, cell, value, j.Seen.Units))
		case categories.Binary:
			binary = append(binary, c.scoreCategory(cells, cell, int(value), categories))
		default:
			ordinal = append(ordinal, c.scoreCategory(cells, cell, int(value), categories))
		}
		p.Cells = append(p.Cells, c)
	}
	p.Scored = slices.Concat(numbers, binary, ordinal, counts)
	p.Binary, p.Ordinal, p.Counts = categoryScore(binary), categoryScore(ordinal), categoryScore(counts)
	if len(numbers) > 0 {
		p.Held, p.Unit = new(scoreOf("", numbers)), j.rmseUnit()
	}
	p.Variables = scoresBy(p.Scored, j.Run.Data.Columns, func(c *predict.Scored) int {
		if !j.Seen.IsCount(c.Variable) {
			c.Error *= j.Seen.Units.Scale(c.Variable)
		}
		return c.Variable
	})
	p.Items = scoresBy(numbers, j.Run.Data.IDs, func(c *predict.Scored) int { return c.Item })
	return p, nil
}

// AsFitted returns a number in the units of the column of a cell in the unit of X as fitted.
func (p *Predictions) AsFitted(c Prediction, x Number) float64 {
	return p.Seen.LatentOf(slices.Index(p.Run.Data.Columns, c.Variable), float64(x))
}

// spaced returns at most the given number of draws of all chains, the same number of each,
// evenly spaced.
func spaced(chains [][]*draws.Draw, limit int) [][]*draws.Draw {
	return lists.Map(chains, func(chain []*draws.Draw) []*draws.Draw {
		return Thinned([][]*draws.Draw{chain}, max(1, limit/len(chains)))
	})
}

// scoresBy returns the score of each of the names that has hidden cells. The function group returns the name of a cell
// by its number, and may change the cell.
func scoresBy(scored []predict.Scored, names []string, group func(*predict.Scored) int) (scores []Score) {
	cells := make([][]predict.Scored, len(names))
	for _, c := range scored {
		k := group(&c)
		cells[k] = append(cells[k], c)
	}
	for k, name := range names {
		if cells[k] != nil {
			scores = append(scores, scoreOf(name, cells[k]))
		}
	}
	return scores
}

// rmseUnit is the unit of the RMSE over variables.
func (j *Judged) rmseUnit() string {
	if *j.Run.Spec.Data.Scale {
		return "standard deviations of the columns"
	}
	for v := range j.Run.Data.Columns {
		if j.Seen.Units.Log(v) {
			return "the units of X, logarithms where taken"
		}
	}
	return "the unit of X"
}

// predictionOf returns the prediction of a cell in the units of the file, of a binary or ordinal
// cell in values of its categories.
func predictionOf(cells *predict.Cells, cell int, item, variable string, seen *model.Observed) Prediction {
	u, v := seen.Units, cells.Places[cell][1]
	c := Prediction{Item: item, Variable: variable}
	if categories := seen.Categories[v]; categories != nil {
		c.setCategories(categories, cells.Categories(cell))
		c.Fitted = u.Do(v, float64(c.Mean))
		return c
	}
	mean, sd := cells.Moments(cell)
	c.Fitted = mean
	if seen.IsCount(v) {
		c.setCount(cells, cell, v, seen)
		return c
	}
	c.Mean, c.SD = Number(u.Linear(v, mean)), Number(u.Scale(v)*sd)
	if u.Log(v) {
		c.Mean, c.SD = Number(math.NaN()), Number(math.NaN())
	}
	quantile := func(p float64) Number { return Number(u.Undo(v, cells.Quantile(cell, p))) }
	c.Median, c.Lower, c.Upper = quantile(0.5), quantile(0.05), quantile(0.95)
	return c
}

// setCategories sets the prediction of a cell with the given probabilities of its categories.
func (c *Prediction) setCategories(categories *model.Categories, probabilities []float64) {
	mean, square, below := 0.0, 0.0, 0.0
	for level, p := range probabilities {
		value := categories.Value(level)
		c.Categories = append(c.Categories, Category{categories.Labels[level], Number(p)})
		mean += p * value
		square += p * value * value
		if below < 0.05 {
			c.Lower = Number(value)
		}
		if below < 0.5 {
			c.Median = Number(value)
		}
		if below <= 0.95 {
			c.Upper = Number(value)
		}
		below += p
	}
	c.Mean, c.SD = Number(mean), Number(math.Sqrt(max(0, square-mean*mean)))
}

// scoreCategory scores a hidden cell of a binary or ordinal column, and notes the value of its
// category and the log probability.
func (c *Prediction) scoreCategory(cells *predict.Cells, cell, level int, categories *model.Categories) predict.Scored {
	value := categories.Value(level)
	s := predict.Scored{Item: cells.Places[cell][0], Variable: cells.Places[cell][1], Error: value - float64(c.Mean), Below: math.NaN()}
	s.LogDensity, s.ByChain = cells.LogCategory(cell, level)
	c.Value, c.LogScore = new(Number(value)), new(Number(s.LogDensity))
	return s
}

// score scores a hidden cell, and notes its value and log density.
func (c *Prediction) score(cells *predict.Cells, cell int, value float64, u dataset.Units) predict.Scored {
	v := cells.Places[cell][1]
	x := u.Do(v, value)
	mean, _ := cells.Moments(cell)
	s := predict.Scored{Item: cells.Places[cell][0], Variable: v, Error: x - mean, Below: cells.Below(cell, x)}
	s.LogDensity, s.ByChain = cells.LogDensity(cell, x)
	// The density of the value in the file.
	slope := u.LogSlope(v, value)
	s.LogDensity += slope
	for chain := range s.ByChain {
		s.ByChain[chain] += slope
	}
	c.Value, c.LogScore = new(Number(value)), new(Number(s.LogDensity))
	return s
}

// setCount sets the prediction of a cell of counts.
func (c *Prediction) setCount(cells *predict.Cells, cell, v int, seen *model.Observed) {
	whole := func(p float64) Number { return Number(seen.Count(v, cells.Quantile(cell, p))) }
	c.Median, c.Lower, c.Upper = whole(0.5), whole(0.05), whole(0.95)
	mean, sd := cells.CountMoments(cell, float64(c.Median), func(count float64) float64 {
		lower, _ := seen.CountEnds(v, count)
		return lower
	})
	c.Mean, c.SD = Number(mean), Number(sd)
}

// scoreCount scores a hidden cell of a column of counts, and notes its count and the log probability. The error
// is about the median: the tail of the distribution may decide its mean.
func (c *Prediction) scoreCount(cells *predict.Cells, cell int, value float64, seen *model.Observed) predict.Scored {
	v := cells.Places[cell][1]
	s := predict.Scored{Item: cells.Places[cell][0], Variable: v, Error: value - seen.Count(v, cells.Quantile(cell, 0.5)), Below: math.NaN()}
	lower, upper := seen.CountEnds(v, value)
	s.LogDensity, s.ByChain = cells.LogInterval(cell, lower, upper)
	c.Value, c.LogScore = new(Number(value)), new(Number(s.LogDensity))
	return s
}
