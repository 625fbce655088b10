package predict

import (
	"cmp"
	"math"
	"slices"

	"aibd/internal/lists"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Standing is how a model scores hidden cells, beside other models of the same cells.
type Standing struct {
	Model int // from zero
	Score Score
	// The rest is of the sum over cells, relative to the best model.
	Difference float64 // at most 0
	SE         float64 // of paired differences: the larger of those over cells and over items
	MCSE       float64 // Monte Carlo standard error, NaN for one chain; of its own sum for the best
}

// Stand ranks models by the log densities of hidden cells, the best first. models[m] has the scores
// of model m. It panics if there are none, or if models have other cells.
func Stand(models [][]Scored) []Standing {
	all := lists.Make(len(models), func(m int) Standing { return Standing{Model: m, Score: ScoreOf(models[m])} })
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(b.Score.LogDensity.Value, a.Score.LogDensity.Value) })
	best := models[all[0].Model]
	for m := range all {
		s := &all[m]
		s.MCSE = s.Score.MCSE * float64(len(best))
		if m == 0 {
			continue
		}
		differences, byItem := differences(models[s.Model], best)
		s.Difference, s.SE = SumSE(differences, func(x float64) float64 { return x })
		if _, over := SumSE(byItem, func(x float64) float64 { return x }); len(byItem) > 1 {
			s.SE = max(s.SE, over)
		}
		s.MCSE = math.Hypot(s.MCSE, all[0].MCSE)
	}
	return all
}

// differences returns the log densities of cells less those of the best model, and their sums by item
// that has cells.
func differences(cells, best []Scored) (all, byItem []float64) {
	if len(cells) != len(best) {
		panic("predict: Stand needs the same cells of all models")
	}
	places := map[int]int{} // item to place
	for c, cell := range cells {
		if cell.Item != best[c].Item || cell.Variable != best[c].Variable {
			panic("predict: Stand needs the same cells of all models")
		}
		d := cell.LogDensity - best[c].LogDensity
		all = append(all, d)
		if _, ok := places[cell.Item]; !ok {
			places[cell.Item], byItem = len(byItem), append(byItem, 0)
		}
		byItem[places[cell.Item]] += d
	}
	return all, byItem
}

// SumSE returns the sum of a value over elements, and its standard error sqrt(n Var) with
// the variance over the elements.
func SumSE[E any](elements []E, value func(E) float64) (sum, se float64) {
	values := lists.Map(elements, value)
	_, variance := stat.MeanVariance(values, nil)
	return floats.Sum(values), math.Sqrt(float64(len(elements)) * variance)
}
