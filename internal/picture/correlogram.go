package picture

// The correlation of weights against distance.

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/words"
)

func (g *Gallery) drawCorrelogram() (figure.Figure, error) {
	if len(g.Run.Data.Weights) == 0 {
		return figure.Figure{}, fmt.Errorf("%w: weights do not follow a distance", ErrNone)
	}
	all, err := g.Correlograms()
	if err != nil {
		return figure.Figure{}, err
	}
	return Correlogram(g.Judged, all), nil
}

// Correlogram draws the correlation of weights against each distance that they follow, a panel each: what the draws
// and the prior say, and the correlation of the fitted values.
func Correlogram(j *results.Judged, all []results.Correlogram) figure.Figure {
	pairs := lists.Map(all[0].Classes, func(c results.CorrelogramClass) int { return c.Pairs })
	f := newSheet(j, "How alike near items are", fmt.Sprintf("Correlation of the weights of two items about the mean of all, by their distance: medians and 90%% intervals. At distance 0 it is the share of the variance between items that follows distance. Points: the same of fitted values, on average over columns, in %d classes of the %s pairs by distance.",
		len(pairs), words.Count(lists.Sum(pairs))))
	columns := min(len(all), 2)
	lowest := 0.0
	for _, c := range all {
		lowest = min(lowest, slices.Min(c.Prior[0]), slices.Min(c.Posterior[0]))
		for _, class := range c.Classes {
			lowest = min(lowest, class.Correlation)
		}
	}
	const height = 58 * vg.Millimeter
	f.panels(len(all), columns, height, height+18*vg.Millimeter, func(i int, area draw.Canvas) {
		drawCorrelogram(area, all[i], lowest-0.05)
		if len(all) > 1 {
			panelTitle(area, all[i].Name)
		}
	})
	f.legend(nil, swatch{name: "posterior", shade: figure.Color(0)}, swatch{name: "prior", shade: color.Gray{0xa0}}, swatch{name: "fitted values", shade: figure.Color(1), point: true})
	return f.Figure
}

// correlogramShift is how far the intervals of a group and its point are apart.
const correlogramShift = 0.1

// drawCorrelogram draws a panel, down to the given correlation. A curve is a line in a band; of groups it is two intervals.
func drawCorrelogram(area draw.Canvas, c results.Correlogram, lowest float64) {
	p := figure.New()
	p.X.Label.Text, p.Y.Label.Text = "distance", "correlation"
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(6)
	p.X.Min, p.X.Max = c.Distances[0], c.Distances[len(c.Distances)-1]
	position, shift := func(x float64) float64 { return x }, 0.0
	switch {
	case c.Group != "":
		p.X.Label.Text, p.X.Min, p.X.Max = "", -0.5, 1.5
		p.X.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "same " + c.Group}, {Value: 1, Label: "different " + c.Group}}
		position, shift = func(x float64) float64 { return 1 - x }, correlogramShift
	case c.Given:
		p.X.Label.Text = "similarity"
	case c.Unit != "":
		p.X.Label.Text += " (" + c.Unit + ")"
	}
	band := func(quantiles [3][]float64, fill, line color.Color, shift float64) {
		curves := lists.Map(quantiles[:], func(y []float64) (points plotter.XYs) {
			for g, x := range c.Distances {
				points = append(points, plotter.XY{X: position(x) + shift, Y: y[g]})
			}
			return points
		})
		if c.Group != "" {
			for _, g := range []int{0, len(c.Distances) - 1} {
				figure.AddLine(p, plotter.XYs{curves[0][g], curves[2][g]}, fill, 7)
				middle := curves[1][g]
				figure.AddLine(p, plotter.XYs{{X: middle.X - correlogramShift/3, Y: middle.Y}, {X: middle.X + correlogramShift/3, Y: middle.Y}}, line, 1.4)
			}
			return
		}
		outline := slices.Clone(curves[2])
		slices.Reverse(outline)
		if b, err := plotter.NewPolygon(append(slices.Clone(curves[0]), outline...)); err == nil {
			b.Color, b.LineStyle.Width = fill, 0
			p.Add(b)
		}
		figure.AddLine(p, curves[1], line, 1.4)
	}
	blue := figure.Color(0)
	pale := blue
	pale.A = 0x48
	band(c.Prior, color.Gray{0xe6}, color.Gray{0xa0}, shift)
	band(c.Posterior, pale, blue, 0)
	figure.AddDashes(p, plotter.XYs{{X: p.X.Min, Y: 0}, {X: p.X.Max, Y: 0}}, color.Gray{0x60}, 0.5)
	points := lists.Map(c.Classes, func(class results.CorrelogramClass) plotter.XY {
		return plotter.XY{X: position(class.Distance) - shift, Y: class.Correlation}
	})
	if scatter, err := plotter.NewScatter(plotter.XYs(points)); err == nil {
		scatter.GlyphStyle = draw.GlyphStyle{Color: figure.Color(1), Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}
		p.Add(scatter)
	}
	p.Y.Min, p.Y.Max = lowest, 1
	figure.DrawAround(p, area)
}
