package picture

// A distribution of the number of features: a bar for each number of features.

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// Counts draws the probabilities of 0, 1, 2, ... features, those from one number up to
// another, exclusively.
func Counts(title, about string, probability []float64, begin, end int) figure.Figure {
	p := figure.New()
	p.X.Label.Text = "number of features"
	p.Y.Label.Text = "probability"
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(10), figure.Ticks(5)
	// Wide lines serve as bars at their exact positions.
	width := 0.7 * 160 * vg.Millimeter / vg.Length(end-begin+1)
	for k := begin; k < end; k++ {
		figure.AddLine(p, plotter.XYs{{X: float64(k), Y: 0}, {X: float64(k), Y: probability[k]}}, figure.Color(0), width.Points())
	}
	p.Y.Min = 0
	p.X.Min, p.X.Max = float64(begin)-0.5, float64(end)-0.5
	return figure.Figure{Title: title, About: []string{about}, Height: 80 * vg.Millimeter, Paint: func(dc draw.Canvas) {
		p.Draw(draw.Crop(dc, edge, -edge, edge, -edge))
	}}
}
