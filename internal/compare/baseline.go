package compare

// What simple models predict of hidden cells.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"aibd/internal/factors"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/predict"
	"aibd/similarity"
)

// Baseline has the scores of hidden cells under a simple model.
type Baseline struct {
	Name   string
	Scored []predict.Scored
}

// InOrder returns the scores in the order of those of a run, with as many chains.
func (b Baseline) InOrder(cells []predict.Scored) []predict.Scored {
	scores := map[[2]int]predict.Scored{}
	for _, c := range b.Scored {
		scores[[2]int{c.Item, c.Variable}] = c
	}
	return lists.Map(cells, func(c predict.Scored) predict.Scored {
		s := scores[[2]int{c.Item, c.Variable}]
		s.ByChain = slices.Repeat(s.ByChain[:1], len(c.ByChain)) // no Monte Carlo error
		return s
	})
}

// Baselines predicts the hidden cells of a run, see BaselinesOf, however long it takes.
func Baselines(j *results.Judged) []Baseline {
	var distances similarity.Several
	if j.Run.Spec.HasDistances() {
		distances = j.Problem.Several()
	}
	all, _ := BaselinesOf(context.Background(), j.Seen, distances)
	return all
}

// BaselinesOf predicts the hidden cells of X, in their order, and uses distances unless they are nil. The scores are those
// of two equal chains. When ctx is done, it leaves out the models under way and the rest, and returns their names.
func BaselinesOf(ctx context.Context, seen *model.Observed, distances similarity.Several) (all []Baseline, late []string) {
	x := completed(seen)
	cells := lists.Map(seen.Held, func(h model.Held) [2]int { return [2]int{h.Item, h.Variable} })
	var predictions [][]factors.Distribution
	add := func(name string, distributions []factors.Distribution) {
		all, predictions = append(all, Baseline{Name: name}), append(predictions, distributions)
	}
	alone := factors.Alone(x, cells)
	add("each column alone", alone)
	if distances != nil {
		distance := between(distances)
		add("mean of the "+words.Plural(nearItems, "nearest item"), factors.Nearest(x, distance, cells, nearItems))
		if distributions := factors.Kriging(ctx, x, distance, cells); ctx.Err() == nil {
			add("kriging by column", distributions)
		} else {
			late = append(late, "kriging")
		}
	}
	for _, baseline := range []struct {
		model, unit string
		predict     func(context.Context, [][]float64, [][2]int) factors.Prediction
	}{{"PCA imputation", "component", factors.Components}, {"factor analysis", "factor", factors.Factors}} {
		p := baseline.predict(ctx, x, cells)
		if ctx.Err() != nil {
			late = append(late, baseline.model)
			continue
		}
		add(fmt.Sprintf("%s (%s)", baseline.model, words.Plural(p.Rank, baseline.unit)), p.Distributions)
	}
	values := map[[2]int]float64{}
	for _, h := range seen.Held {
		values[[2]int{h.Item, h.Variable}] = h.Value
	}
	score := func(m, c int, log float64) {
		all[m].Scored = append(all[m].Scored, predict.Scored{Item: cells[c][0], Variable: cells[c][1], Below: math.NaN(),
			LogDensity: log, ByChain: []float64{log, log}})
	}
	for m, distributions := range predictions {
		for c, d := range distributions {
			score(m, c, logScore(seen, d, cells[c][1], values[cells[c]]))
		}
	}
	if seen.Counts == nil {
		return all, late
	}
	all = append(all, Baseline{Name: "each column alone (counts: negative binomial)"})
	counts := map[int]factors.NegativeBinomial{} // by column
	for c, cell := range cells {
		v, value := cell[1], values[cell]
		if !seen.IsCount(v) {
			score(len(all)-1, c, logScore(seen, alone[c], v, value))
			continue
		}
		if _, ok := counts[v]; !ok {
			counts[v] = factors.FitCounts(seen.CountsOf(v))
		}
		score(len(all)-1, c, counts[v].LogProbability(value))
	}
	return all, late
}

// nearItems is the number of items whose mean is a baseline.
const nearItems = 5

// between returns the distance between two items: of several distances the sum, each over its median.
func between(all similarity.Several) func(a, b int) float64 {
	scales := lists.Map(all, func(d *similarity.Matrix) float64 { return cmp.Or(d.Median(), 1) })
	return func(a, b int) float64 {
		sum := 0.0
		for m, d := range all {
			sum += (d.At(a, b) + d.At(b, a)) / 2 / scales[m]
		}
		return sum
	}
}

// completed returns X with the categories of cells as numbers from zero, counts by the logarithms or roots of one more, and
// limits in place of the values beyond them. Unknown cells are NaN.
func completed(seen *model.Observed) (x [][]float64) {
	for i, row := range seen.Latent {
		x = append(x, slices.Clone(row))
		for v := range row {
			if seen.IsCount(v) {
				x[i][v] = seen.Units.Do(v, seen.Count(v, row[v])+1) // NaN if unknown
			}
		}
	}
	for _, b := range seen.Bounds {
		cell := &x[b.Item][b.Variable]
		switch {
		case !math.IsNaN(*cell): // a count
		case math.IsInf(b.Lower, 0):
			*cell = b.Upper
		default:
			*cell = b.Lower
		}
	}
	for _, column := range seen.Ordinal {
		for i, level := range column.Level {
			if level >= 0 {
				x[i][column.Variable] = float64(level)
			}
		}
	}
	return x
}

// logScore returns the log density of a value in the units of the file, or the log probability of a category or a count.
// A category is a number of the distribution, rounded; a count is one less than its exponential or square, rounded.
func logScore(seen *model.Observed, d factors.Distribution, v int, value float64) float64 {
	if u := seen.Units; seen.IsCount(v) {
		lower := math.Inf(-1)
		if value > 0 {
			lower = u.Do(v, value+0.5)
		}
		return d.LogProbability(lower, u.Do(v, value+1.5))
	}
	categories := seen.Categories[v]
	if categories == nil {
		return d.LogDensity(seen.Units.Do(v, value)) + seen.Units.LogSlope(v, value)
	}
	lower, upper := value-0.5, value+0.5
	if value == 0 {
		lower = math.Inf(-1)
	}
	if int(value) == len(categories.Labels)-1 {
		upper = math.Inf(1)
	}
	return d.LogProbability(lower, upper)
}
