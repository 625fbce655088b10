package cli

// aibd compare --baseline: what simple models predict of hidden cells.

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"aibd/internal/factors"
	"aibd/predict"
)

// baselineScores are scores of hidden cells under a simple model.
type baselineScores struct {
	name   string
	scored []predict.Scored
}

// baselines predicts the hidden cells that are scored, as many chains beside each score as there.
func (j *judged) baselines(scored []predict.Scored, cores int) []baselineScores {
	x, cores := j.completed(), cmp.Or(cores, runtime.GOMAXPROCS(0))
	var cells [][2]int
	for _, c := range scored {
		cells = append(cells, [2]int{c.Item, c.Variable})
	}
	analysis, components := factors.Factors(x, cells, cores), factors.Components(x, cells, cores)
	all := []baselineScores{
		{name: fmt.Sprintf("factor analysis (%s)", plural(analysis.Rank, "factor"))},
		{name: fmt.Sprintf("PCA imputation (%s)", plural(components.Rank, "component"))},
		{name: "each column alone"},
	}
	values := map[[2]int]float64{}
	for _, h := range j.Seen.Held {
		values[[2]int{h.Item, h.Variable}] = h.Value
	}
	alone := factors.Alone(x, cells)
	add := func(m, c int, log float64) {
		all[m].scored = append(all[m].scored, predict.Scored{Item: cells[c][0], Variable: cells[c][1], Below: math.NaN(),
			LogDensity: log, ByChain: slices.Repeat([]float64{log}, len(scored[c].ByChain))}) // no Monte Carlo error
	}
	for m, laws := range [][]factors.Law{analysis.Laws, components.Laws, alone} {
		for c, law := range laws {
			add(m, c, j.logScore(law, cells[c][1], values[cells[c]]))
		}
	}
	if j.Seen.Counts == nil {
		return all
	}
	all = append(all, baselineScores{name: "each column alone (counts: negative binomial)"})
	counts := map[int]factors.NegativeBinomial{} // by column
	for c, cell := range cells {
		v, value := cell[1], values[cell]
		if !j.Seen.IsCount(v) {
			add(len(all)-1, c, j.logScore(alone[c], v, value))
			continue
		}
		if _, known := counts[v]; !known {
			counts[v] = factors.FitCounts(j.Seen.CountsOf(v))
		}
		add(len(all)-1, c, counts[v].LogProbability(value))
	}
	return all
}

// completed returns X with the categories of cells as numbers from zero, counts by the logarithms of one more, and
// limits in place of the values beyond them. Unknown cells are NaN.
func (j *judged) completed() (x [][]float64) {
	for i, row := range j.Seen.Latent {
		x = append(x, slices.Clone(row))
		for v := range row {
			if j.Seen.IsCount(v) {
				x[i][v] = j.Seen.Units.Do(v, j.Seen.Count(v, row[v])+1) // NaN if unknown
			}
		}
	}
	for _, b := range j.Seen.Bounds {
		at := &x[b.Item][b.Variable]
		switch {
		case !math.IsNaN(*at): // a count
		case math.IsInf(b.Lower, 0):
			*at = b.Upper
		default:
			*at = b.Lower
		}
	}
	for _, column := range j.Seen.Ordinal {
		for i, level := range column.Level {
			if level >= 0 {
				x[i][column.Variable] = float64(level)
			}
		}
	}
	return x
}

// logScore returns the log density of a value in the units of the file, or the log probability of a
// category or a count, to which the number of the law, or one less than its exponential, is rounded.
func (j *judged) logScore(law factors.Law, v int, value float64) float64 {
	if u := j.Seen.Units; j.Seen.IsCount(v) {
		lower := math.Inf(-1)
		if value > 0 {
			lower = u.Do(v, value+0.5)
		}
		return law.LogProbability(lower, u.Do(v, value+1.5))
	}
	of := j.Seen.Categories[v]
	if of == nil {
		return law.LogDensity(j.Seen.Units.Do(v, value)) + j.Seen.Units.LogSlope(v, value)
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
