package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/internal/lists"
)

// sigmaXCells are cells of equal width in log SigmaX with the logarithms of their integrals of the
// prior density of SigmaX times the likelihood, given everything but the noise scales of columns, by
// the midpoint rule.
type sigmaXCells struct {
	width      float64
	mids, logs []float64 // those that matter, in no order
}

const (
	cellsOfSD  = 2  // cells in a standard deviation of log SigmaX given the rest
	negligible = 25 // how far the logarithm of a cell is below the largest if the next are left out
)

// set finds the cells at a state with SigmaX.
func (c *sigmaXCells) set(s *target, prior ScalePrior) {
	scales, n, d := s.Scales(), float64(s.N()), float64(s.post.Data.D())
	c.width = 1 / (cellsOfSD * math.Sqrt(2*n*d))
	c.mids, c.logs = c.mids[:0], c.logs[:0]
	from := math.Log(scales.SigmaX)
	anchor := from
	if prior.Max != 0 {
		anchor = math.Log(prior.Max) // where the density jumps, a cell ends
	}
	now, best := s.LogPriorAt(scales), math.Inf(-1)
	add := func(cell float64) bool {
		next, mid := scales, anchor+(cell+0.5)*c.width
		next.SigmaX = math.Exp(mid)
		log := prior.LogDensity(next.SigmaX)
		if !math.IsInf(log, -1) {
			log += s.LogFreeNoiseAt(next) - now + mid + math.Log(c.width)
		}
		if !(log > best-negligible) {
			return false
		}
		best = max(best, log)
		c.mids, c.logs = append(c.mids, mid), append(c.logs, log)
		return true
	}
	first := math.Floor((from - anchor) / c.width)
	for cell := first; add(cell); cell++ {
	}
	for cell := first - 1; add(cell); cell-- {
	}
}

// draw draws SigmaX, uniformly in log SigmaX within a cell.
func (c *sigmaXCells) draw(rng *rand.Rand) float64 {
	top := slices.Max(c.logs)
	weights := lists.Of(c.logs, func(log float64) float64 { return math.Exp(log - top) })
	i := systematic(weights, 1, rng.Float64())[0]
	return math.Exp(c.mids[i] + (rng.Float64()-0.5)*c.width)
}

// logSum returns the logarithm of the integral.
func (c *sigmaXCells) logSum() float64 {
	if len(c.logs) == 0 {
		return math.Inf(-1)
	}
	return floats.LogSumExp(c.logs)
}
