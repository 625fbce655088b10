package cli

// The figure of aibd prior features: a bar for each number of features.

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

func saveFeatures(path string, f *features) error {
	p := figure.New()
	p.X.Label.Text = "number of features"
	p.Y.Label.Text = "probability"
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(10), figure.Ticks(5)
	from, to := f.visible()
	// Wide lines serve as bars at their exact positions.
	width := 0.7 * 160 * vg.Millimeter / vg.Length(to-from+1)
	for k := from; k < to; k++ {
		bar, err := plotter.NewLine(plotter.XYs{{X: float64(k), Y: 0}, {X: float64(k), Y: f.Probability[k]}})
		if err != nil {
			return err
		}
		bar.LineStyle = draw.LineStyle{Color: figure.Color(0), Width: width}
		p.Add(bar)
	}
	p.X.Min, p.X.Max = float64(from)-0.5, float64(to)-0.5
	return saveFigure(path, "", 80*vg.Millimeter, func(dc draw.Canvas) {
		pad := 3 * vg.Millimeter
		p.Draw(draw.Crop(dc, pad, -pad, pad, -pad))
	})
}
