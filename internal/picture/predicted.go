package picture

// Predicted against true values of hidden cells.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
)

// Predicted draws the hidden cells with 90% intervals: red where the interval does not
// contain the value.
func Predicted(p *results.Predictions) figure.Figure {
	sheet := newSheet(p.Judged, "Predicted against hidden values", "X as fitted, so that variables share an axis. Red: the 90% interval does not contain the value.")
	if len(p.Scored) == 0 {
		return sheet.empty("No cells are hidden.")
	}
	f := figure.New()
	f.X.Label.Text = "hidden value (X as fitted)"
	f.Y.Label.Text = "predicted mean and 90% interval"
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(8)
	low, high := math.Inf(1), math.Inf(-1)
	var inside, outside plotter.XYs
	for _, c := range p.Cells {
		if c.Value == nil {
			continue
		}
		x, lower, upper := p.AsFitted(c, *c.Value), p.AsFitted(c, c.Lower), p.AsFitted(c, c.Upper)
		shade := figure.Color(0)
		mean := plotter.XY{X: x, Y: c.Fitted}
		if x < lower || x > upper {
			shade = figure.Color(1)
			outside = append(outside, mean)
		} else {
			inside = append(inside, mean)
		}
		shade.A = 0x70
		figure.AddLine(f, plotter.XYs{{X: x, Y: lower}, {X: x, Y: upper}}, shade, 0.6)
		low, high = min(low, x, lower), max(high, x, upper)
	}
	figure.AddLine(f, plotter.XYs{{X: low, Y: low}, {X: high, Y: high}}, color.Black, 0.5)
	for i, points := range []plotter.XYs{inside, outside} {
		if scatter, err := plotter.NewScatter(points); err == nil && len(points) > 0 {
			scatter.GlyphStyle = draw.GlyphStyle{Color: figure.Color(i), Radius: vg.Points(1.2), Shape: draw.CircleGlyph{}}
			f.Add(scatter)
		}
	}
	sheet.Height, sheet.Paint = 120*vg.Millimeter, func(dc draw.Canvas) {
		f.Draw(draw.Crop(dc, edge, -edge, edge, -edge))
	}
	return sheet.Figure
}
