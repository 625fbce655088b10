package predict

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/internal/lists"
	"aibd/internal/mixture"
	"aibd/internal/parallel"
	"aibd/lglfm"
)

// Cells holds the distributions of the unknown cells of X given the observed ones. The distribution of a cell
// is the mixture over draws of its normal distribution given the draw (see lglfm.Cells), so that no
// loading is plugged in.
type Cells struct {
	Places [][2]int // item and variable, by item
	chains []int    // where the draws of each chain end
	mean   [][]float64
	sd     [][]float64 // both by cell and draw

	cutpoints lglfm.Cutpoints
	draws     []*draws.Draw
}

// NewCells returns the predictive distributions of the unknown cells of data. chains holds the
// draws of each chain.
//
// NewCells returns an error if chains is empty, a chain has no draws, or [lglfm.Data.Check] fails
// for a draw. It panics if a draw and data differ in the number of items.
func NewCells(data *lglfm.Data, chains [][]*draws.Draw) (*Cells, error) {
	c := &Cells{Places: data.MissingCells(), cutpoints: lglfm.NewCutpoints(data)}
	var all []*draws.Draw
	for k, chain := range chains {
		if len(chain) == 0 {
			return nil, fmt.Errorf("chain %d: found no draws, expected at least one", k+1)
		}
		all = append(all, chain...)
		c.chains = append(c.chains, len(all))
	}
	c.draws = all
	if len(all) == 0 {
		return nil, errors.New("found no chains, expected at least one")
	}
	number := make(map[[2]int]int, len(c.Places))
	for cell, place := range c.Places {
		number[place] = cell
		c.mean, c.sd = append(c.mean, make([]float64, len(all))), append(c.sd, make([]float64, len(all)))
	}
	return c, parallel.EachWith(context.Background(), len(all), func() func(t int) error {
		conditional := lglfm.NewCells(data)
		return func(t int) error {
			if err := conditional.ResetDraw(all[t]); err != nil {
				return fmt.Errorf("draw %d: %w", t+1, err)
			}
			conditional.Each(func(i, j int, mean, sd float64) {
				cell := number[[2]int{i, j}]
				c.mean[cell][t], c.sd[cell][t] = mean, sd
			})
			return nil
		}
	})
}

func (c *Cells) mixture(cell int) *mixture.Normals {
	return &mixture.Normals{Mean: c.mean[cell], SD: c.sd[cell]}
}

// Moments returns mean and standard deviation of a cell.
func (c *Cells) Moments(cell int) (mean, sd float64) { return c.mixture(cell).Moments() }

// CountMoments returns mean and standard deviation of a cell of counts by sums over the distances from a middle
// count. The latent value of a count of at least k is at least lower(k).
func (c *Cells) CountMoments(cell int, middle float64, lower func(count float64) float64) (mean, sd float64) {
	const (
		width = 200  // the distance from which steps grow with it
		rare  = 1e-6 // the probability of greater distances that is left out: a few draws may have wide tails
		limit = 1e13
	)
	square := 0.0
	for _, sign := range []float64{-1, 1} {
		last := limit
		if sign < 0 {
			last = middle
		}
		for d := 1.0; d <= last; {
			step := min(1+math.Floor(d/width), last-d+1)
			p := c.Below(cell, lower(middle+sign*(d+(step-1)/2)+(1-sign)/2))
			if sign > 0 {
				p = 1 - p
			}
			if p < rare {
				break
			}
			mean += sign * step * p
			square += step * (2*d + step - 2) * p
			d += step
		}
	}
	return middle + mean, math.Sqrt(max(0, square-mean*mean))
}

// Quantile returns the quantile of a cell at p in (0, 1), to within 1e-5 standard deviations.
func (c *Cells) Quantile(cell int, p float64) float64 {
	m := c.mixture(cell)
	mean, sd := m.Moments()
	return m.Quantile(p, mean, sd)
}

// Below returns the probability that a cell is below x.
func (c *Cells) Below(cell int, x float64) float64 {
	below, _ := c.mixture(cell).Evaluate(x)
	return below
}

// LogCategory returns the log of the probability that a cell of an ordinal column has a category,
// from zero, under the draws of all chains, and under those of each chain.
func (c *Cells) LogCategory(cell, level int) (all float64, byChain []float64) {
	variable := c.Places[cell][1]
	if level < 0 || level >= c.cutpoints.Levels(variable) {
		panic("predict: LogCategory of a cell without this category")
	}
	return c.overDraws(func(t int) float64 {
		lower, upper := c.cutpoints.Ends(c.draws[t], variable, level)
		mean, sd := c.mean[cell][t], c.sd[cell][t]
		return collapsed.LogInterval((lower-mean)/sd, (upper-mean)/sd)
	})
}

// LogInterval returns the log of the probability that a cell is between two bounds, under the draws of all
// chains, and under those of each chain.
func (c *Cells) LogInterval(cell int, lower, upper float64) (all float64, byChain []float64) {
	return c.overDraws(func(t int) float64 {
		mean, sd := c.mean[cell][t], c.sd[cell][t]
		return collapsed.LogInterval((lower-mean)/sd, (upper-mean)/sd)
	})
}

// Categories returns the probabilities of the categories of a cell, nil if its column is not
// ordinal.
func (c *Cells) Categories(cell int) (probabilities []float64) {
	for level := range c.cutpoints.Levels(c.Places[cell][1]) {
		log, _ := c.LogCategory(cell, level)
		probabilities = append(probabilities, math.Exp(log))
	}
	return probabilities
}

// LogDensity returns the log density of a cell at x under the draws of all chains, and under
// those of each chain.
func (c *Cells) LogDensity(cell int, x float64) (all float64, byChain []float64) {
	return c.overDraws(func(t int) float64 {
		u := (x - c.mean[cell][t]) / c.sd[cell][t]
		return -u*u/2 - math.Log(c.sd[cell][t]*math.Sqrt(2*math.Pi))
	})
}

// overDraws returns the log of the mean of exp(log) over all draws, and over those of each chain.
func (c *Cells) overDraws(log func(t int) float64) (all float64, byChain []float64) {
	logs := lists.Make(len(c.draws), log)
	begin := 0
	for _, end := range c.chains {
		byChain = append(byChain, logMean(logs[begin:end]))
		begin = end
	}
	return logMean(logs), byChain
}

// logMean returns the log of the mean of numbers given by their logs.
func logMean(logs []float64) float64 { return floats.LogSumExp(logs) - math.Log(float64(len(logs))) }
