package predict

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/lists"
)

// Scored is a hidden cell with what was predicted of it.
type Scored struct {
	Item, Variable int
	Error          float64   // value less predicted mean
	Below          float64   // predicted probability of a smaller value; NaN for a binary cell
	LogDensity     float64   // predicted log density at the value, log probability of a binary one
	ByChain        []float64 // the same under the draws of each chain
}

// Score summarizes predictions of cells. Standard errors are over cells; with one cell they
// are NaN.
type Score struct {
	Cells      int
	LogDensity Scores  // mean log predictive density of a cell
	MCSE       float64 // Monte Carlo standard error of the mean, over chains; NaN for one chain
	RMSE       Scores  // root of the mean squared error
	Square     Scores  // mean squared error, the Brier score of binary cells
	Cover50    Scores  // share of cells within the central 50% of their prediction, NaN for binary ones
	Cover90    Scores
}

// Scores is an estimate with its standard error.
type Scores struct{ Value, SE float64 }

// ScoreOf returns the score of cells.
func ScoreOf(cells []Scored) Score {
	s := Score{Cells: len(cells)}
	mean := func(value func(Scored) float64) Scores {
		values := lists.Map(cells, value)
		m, variance := stat.MeanVariance(values, nil)
		return Scores{m, math.Sqrt(variance / float64(len(values)))}
	}
	within := func(share float64) Scores {
		return mean(func(c Scored) float64 {
			switch off := math.Abs(c.Below - 0.5); {
			case math.IsNaN(off):
				return off
			case off <= share/2:
				return 1
			}
			return 0
		})
	}
	s.LogDensity = mean(func(c Scored) float64 { return c.LogDensity })
	s.Square = mean(func(c Scored) float64 { return c.Error * c.Error })
	s.RMSE.Value = math.Sqrt(s.Square.Value)
	s.RMSE.SE = s.Square.SE / (2 * s.RMSE.Value) // delta method
	s.Cover50, s.Cover90 = within(0.5), within(0.9)
	if len(cells) == 0 {
		s.MCSE = math.NaN()
		return s
	}
	chains := lists.Make(len(cells[0].ByChain), func(c int) float64 {
		return mean(func(cell Scored) float64 { return cell.ByChain[c] }).Value
	})
	_, variance := stat.MeanVariance(chains, nil)
	s.MCSE = math.Sqrt(variance / float64(len(chains)))
	return s
}
