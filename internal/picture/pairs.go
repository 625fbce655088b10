package picture

// Scatter plots of pairs of scalars.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
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
	const apart = 2 * vg.Millimeter
	style := figure.Text(figure.TickSize)
	pitch := style.Font.Size * 1.2 // of the lines of a label
	names, lines := make([][]string, n), 1
	for i, q := range shown {
		names[i] = []string{q.Name}
		if q.Unit != "" {
			names[i] = append(names[i], "("+q.Unit+")")
		}
		lines = max(lines, len(names[i]))
	}
	const tick = 11 * vg.Millimeter // for the labels of ticks
	left, below := tick+vg.Length(lines)*pitch+gap, 5*vg.Millimeter+vg.Length(lines)*pitch
	side := min((figure.Width-left-edge)/vg.Length(n)-apart, 50*vg.Millimeter)
	f.Height = vg.Length(n)*(side+apart) + below + 2*edge
	f.Paint = func(dc draw.Canvas) {
		for row := range n {
			for column := range row + 1 {
				x, y := shown[column], shown[row]
				p := figure.New()
				p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), plot.ConstantTicks(nil)
				area := dc
				area.Min.X += left + vg.Length(column)*(side+apart)
				area.Max.Y -= edge + vg.Length(row)*(side+apart)
				area.Max.X, area.Min.Y = area.Min.X+side, area.Max.Y-side
				if row == n-1 {
					p.X.Tick.Marker = figure.Apart{Most: 4, Length: side, Beyond: apart / 2}
					drawLines(dc, style, names[column], vg.Point{X: area.Min.X + side/2, Y: area.Min.Y - 5*vg.Millimeter}, side, 0)
				}
				if column == 0 && row > 0 { // densities have another scale
					p.Y.Tick.Marker = figure.Apart{Most: 4, Length: side, Beyond: apart / 2, Upright: true}
				}
				if column == 0 {
					drawLines(dc, style, names[row], vg.Point{X: dc.Min.X + gap, Y: area.Min.Y + side/2}, side, math.Pi/2)
				}
				if row == column {
					low, high := rangeOf(x.Chains)
					addDensities(p, x.Chains, low, high, math.Inf(-1), math.Inf(1))
					p.X.Min, p.X.Max, p.Y.Min = low, high, 0
				} else {
					addPoints(p, x.Chains, y.Chains, step)
				}
				figure.DrawAround(p, area)
			}
		}
	}
	f.legend(j.Numbers())
	return f.Figure
}

// drawLines writes lines, each clipped to a width, one below the other: centred below a point, or with the rotation of
// a vertical axis to the right of it.
func drawLines(dc draw.Canvas, style text.Style, lines []string, at vg.Point, wide vg.Length, rotation float64) {
	style.XAlign, style.YAlign, style.Rotation = text.XCenter, text.YTop, rotation
	for _, line := range lines {
		dc.FillText(style, at, clipped(style, line, wide))
		if rotation == 0 {
			at.Y -= style.Font.Size * 1.2
		} else {
			at.X += style.Font.Size * 1.2
		}
	}
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
