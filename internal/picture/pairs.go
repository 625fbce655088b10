package picture

// Scatter plots of pairs of scalars.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/verdict"
)

// pairPoints is the max number of draws in a panel.
const pairPoints = 600

// pointsOf returns the step between the draws in a panel, and their number of each chain.
func pointsOf(j *results.Judged) (step, each int) {
	length := len(j.Chains[0])
	step = (length*len(j.Chains) + pairPoints - 1) / pairPoints
	return step, (length + step - 1) / step
}

// Pairs draws each pair of the scalars in files of draws, and further temperatures, that are not fixed:
// equally spaced draws of all chains, and the density of each on the diagonal.
func Pairs(j *results.Judged) figure.Figure {
	stored := draws.Stored()
	shown := slices.DeleteFunc(sampled(j.Quantities()), func(q verdict.Quantity) bool {
		return !strings.HasPrefix(q.Key, draws.KeyTemperature) && !slices.ContainsFunc(stored, func(s draws.Scalar) bool { return s.Key == q.Key })
	})
	step, each := pointsOf(j)
	f := of(j, "Pairs of scalars", fmt.Sprintf("Points are draws, %d of each chain. On the diagonal: densities of the draws by chain, and black of all.", each))
	n := len(shown)
	if n < 2 {
		return f.empty("Fewer than two quantities are not fixed.")
	}
	const (
		low   = 9 * vg.Millimeter // for the labels of an axis
		apart = 2 * vg.Millimeter
	)
	side := min((figure.Width-axis-edge)/vg.Length(n)-apart, 50*vg.Millimeter)
	f.Height = vg.Length(n)*(side+apart) + low + 2*edge
	f.Paint = func(dc draw.Canvas) {
		for row := range n {
			for column := range row + 1 {
				x, y := shown[column], shown[row]
				p := figure.New()
				p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = vg.Points(figure.TickSize), vg.Points(figure.TickSize)
				p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), plot.ConstantTicks(nil)
				if row == n-1 {
					p.X.Tick.Marker, p.X.Label.Text = figure.Ticks(4), x.Label()
				}
				if column == 0 {
					p.Y.Label.Text = y.Label()
				}
				if column == 0 && row > 0 { // densities have another scale
					p.Y.Tick.Marker = figure.Ticks(4)
				}
				if row == column {
					low, high := rangeOf(x.Chains)
					addDensities(p, x.Chains, low, high, math.Inf(-1), math.Inf(1))
					p.X.Min, p.X.Max, p.Y.Min = low, high, 0
				} else {
					addPoints(p, x.Chains, y.Chains, step)
				}
				area := dc
				area.Min.X += axis + vg.Length(column)*(side+apart)
				area.Max.Y -= edge + vg.Length(row)*(side+apart)
				area.Max.X, area.Min.Y = area.Min.X+side, area.Max.Y-side
				figure.DrawAround(p, area)
			}
		}
	}
	f.legend(j.Numbers())
	return f.Figure
}

// addPoints adds every nth draw of two scalars, by chain.
func addPoints(p *plot.Plot, x, y [][]float64, every int) {
	for c := range x {
		shade := figure.Color(c)
		shade.A = 0xa0
		var points plotter.XYs
		for t := 0; t < len(x[c]); t += every {
			points = append(points, plotter.XY{X: x[c][t], Y: y[c][t]})
		}
		figure.AddPoints(p, points, shade, 0.5)
	}
	p.X.Min, p.X.Max = rangeOf(x)
	p.Y.Min, p.Y.Max = rangeOf(y)
}
