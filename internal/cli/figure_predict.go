package cli

// The figure of aibd predict: predicted against true values of held-out cells.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// savePredicted draws the held-out cells, with 90% intervals, in the units of X as fitted so
// that variables share an axis: orange where the interval leaves the value out.
func savePredicted(path string, p *predicted) error {
	if len(p.scored) == 0 {
		return saveMessage(path, "No cells are held out.")
	}
	f := figure.New()
	f.X.Label.Text = "held-out value (X as fitted)"
	f.Y.Label.Text = "predicted mean and 90% interval"
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(8)
	low, high := math.Inf(1), math.Inf(-1)
	units := p.seen.Units
	var inside, outside plotter.XYs
	for _, c := range p.cells {
		if !c.held {
			continue
		}
		x, from, to := units.Do(c.variable, c.value), units.Do(c.variable, c.lower), units.Do(c.variable, c.upper)
		shade := figure.Color(0)
		mean := plotter.XY{X: x, Y: units.Do(c.variable, c.mean)}
		if x < from || x > to {
			shade = figure.Color(1)
			outside = append(outside, mean)
		} else {
			inside = append(inside, mean)
		}
		shade.A = 0x70
		figure.AddLine(f, plotter.XYs{{X: x, Y: from}, {X: x, Y: to}}, shade, 0.6)
		low, high = min(low, x, from), max(high, x, to)
	}
	figure.AddLine(f, plotter.XYs{{X: low, Y: low}, {X: high, Y: high}}, color.Black, 0.5)
	for i, points := range []plotter.XYs{inside, outside} {
		if scatter, err := plotter.NewScatter(points); err == nil && len(points) > 0 {
			scatter.GlyphStyle = draw.GlyphStyle{Color: figure.Color(i), Radius: vg.Points(1.2), Shape: draw.CircleGlyph{}}
			f.Add(scatter)
		}
	}
	return saveFigure(path, p.Short(), 120*vg.Millimeter, func(dc draw.Canvas) {
		f.Draw(draw.Crop(dc, 3*vg.Millimeter, -3*vg.Millimeter, 3*vg.Millimeter, -3*vg.Millimeter))
	})
}
