package results

// Predictions of cells of columns of counts.

import (
	"math"

	"aibd/internal/model"
	"aibd/predict"
)

// summed is the largest count up to which probabilities of counts are summed. Above it, the mean of the number
// less a half stands for the mean of its whole part.
const summed = 1000

// setCount sets the prediction of a cell of counts.
func (c *Prediction) setCount(cells *predict.Cells, cell, v int, seen *model.Observed) {
	u := seen.Units
	whole := func(p float64) Number { return Number(seen.Count(v, cells.Quantile(cell, p))) }
	c.Lower, c.Upper = whole(0.05), whole(0.95)
	if top := float64(whole(1 - 1e-6)); top <= summed {
		mean, square := 0.0, 0.0 // sums of P(y >= k) and (2 k - 1) P(y >= k)
		for k := 1.0; k <= top; k++ {
			lower, _ := seen.CountEnds(v, k)
			least := 1 - cells.Below(cell, lower)
			mean += least
			square += (2*k - 1) * least
		}
		c.Mean, c.SD = Number(mean), Number(math.Sqrt(max(0, square-mean*mean)))
		return
	}
	mean, sd := cells.ExpMoments(cell, u.Linear(v, 0), u.Scale(v))
	c.Mean, c.SD = Number(max(0, mean-0.5)), Number(sd)
}

// scoreCount scores a hidden cell of a column of counts, and notes its count and the log probability. The error
// is about the median: the tail of the law may decide its mean.
func (c *Prediction) scoreCount(cells *predict.Cells, cell int, value float64, seen *model.Observed) predict.Scored {
	v := cells.At[cell][1]
	s := predict.Scored{Item: cells.At[cell][0], Variable: v, Error: value - seen.Count(v, cells.Quantile(cell, 0.5)), Below: math.NaN()}
	lower, upper := seen.CountEnds(v, value)
	s.LogDensity, s.ByChain = cells.LogInterval(cell, lower, upper)
	c.Value, c.LogScore = new(Number(value)), new(Number(s.LogDensity))
	return s
}
