package compare

// What simple models predict of hidden cells.

import (
	"cmp"
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

// Baselines predicts the hidden cells of a run that are scored. The scores have as many chains
// as these.
func Baselines(j *results.Judged, scored []predict.Scored) []Baseline {
	x := completed(j.Seen)
	cells := lists.Of(scored, func(c predict.Scored) [2]int { return [2]int{c.Item, c.Variable} })
	analysis, components := factors.Factors(x, cells), factors.Components(x, cells)
	all := []Baseline{
		{Name: fmt.Sprintf("factor analysis (%s)", words.Plural(analysis.Rank, "factor"))},
		{Name: fmt.Sprintf("PCA imputation (%s)", words.Plural(components.Rank, "component"))},
		{Name: "each column alone"},
	}
	predictions := [][]factors.Law{analysis.Laws, components.Laws, factors.Alone(x, cells)}
	if distance := between(j); distance != nil {
		all = append(all, Baseline{Name: "kriging by column"}, Baseline{Name: "mean of the " + words.Plural(nearItems, "nearest item")})
		predictions = append(predictions, factors.Kriging(x, distance, cells), factors.Nearest(x, distance, cells, nearItems))
	}
	values := map[[2]int]float64{}
	for _, h := range j.Seen.Held {
		values[[2]int{h.Item, h.Variable}] = h.Value
	}
	alone := predictions[2]
	add := func(m, c int, log float64) {
		all[m].Scored = append(all[m].Scored, predict.Scored{Item: cells[c][0], Variable: cells[c][1], Below: math.NaN(),
			LogDensity: log, ByChain: slices.Repeat([]float64{log}, len(scored[c].ByChain))}) // no Monte Carlo error
	}
	for m, laws := range predictions {
		for c, law := range laws {
			add(m, c, logScore(j.Seen, law, cells[c][1], values[cells[c]]))
		}
	}
	if j.Seen.Counts == nil {
		return all
	}
	all = append(all, Baseline{Name: "each column alone (counts: negative binomial)"})
	counts := map[int]factors.NegativeBinomial{} // by column
	for c, cell := range cells {
		v, value := cell[1], values[cell]
		if !j.Seen.IsCount(v) {
			add(len(all)-1, c, logScore(j.Seen, alone[c], v, value))
			continue
		}
		if _, known := counts[v]; !known {
			counts[v] = factors.FitCounts(j.Seen.CountsOf(v))
		}
		add(len(all)-1, c, counts[v].LogProbability(value))
	}
	return all
}

// nearItems is the number of items whose mean is a baseline.
const nearItems = 5

// between returns the distance between two items of a run: of several distances the sum, each over its median. It is nil if
// there are none, they are sparse, or they cannot be read.
func between(j *results.Judged) func(a, b int) float64 {
	if !j.Run.Spec.HasDistances() {
		return nil
	}
	p, err := j.Problem()
	if err != nil {
		return nil
	}
	all := p.Several()
	if all == nil {
		return nil
	}
	scales := lists.Of(all, func(d *similarity.Matrix) float64 { return cmp.Or(d.Median(), 1) })
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
		at := &x[b.Item][b.Variable]
		switch {
		case !math.IsNaN(*at): // a count
		case math.IsInf(b.Lower, 0):
			*at = b.Upper
		default:
			*at = b.Lower
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

// logScore returns the log density of a value in the units of the file, or the log probability of a
// category or a count, to which the number of the law, or one less than its exponential or square, is rounded.
func logScore(seen *model.Observed, law factors.Law, v int, value float64) float64 {
	if u := seen.Units; seen.IsCount(v) {
		lower := math.Inf(-1)
		if value > 0 {
			lower = u.Do(v, value+0.5)
		}
		return law.LogProbability(lower, u.Do(v, value+1.5))
	}
	of := seen.Categories[v]
	if of == nil {
		return law.LogDensity(seen.Units.Do(v, value)) + seen.Units.LogSlope(v, value)
	}
	lower, upper := value-0.5, value+0.5
	if value == 0 {
		lower = math.Inf(-1)
	}
	if int(value) == len(of.Labels)-1 {
		upper = math.Inf(1)
	}
	return law.LogProbability(lower, upper)
}
