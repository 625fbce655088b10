package cli

// The figure of aibd sharing: sharing against distance, and the matrix of all pairs with
// the items by likeness.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// plot draws the sharing below a title.
func (s *posteriorSharing) plot(path, title string) error {
	if len(s.Items) < 2 {
		return saveMessage(path, "No pairs of items.")
	}
	items, m := make([]string, len(s.Items)), make([][]float64, len(s.Items))
	for a, i := range s.Order {
		items[a] = s.Items[i]
		for _, j := range s.Order {
			m[a] = append(m[a], s.Mean[i][j])
		}
	}
	height, paint := matrixFigure(items, m, []string{"shared", "features"})
	const curves = 80 * vg.Millimeter
	above := vg.Length(0)
	if s.ByDistance != nil && len(s.ByDistance.Bins) > 1 {
		above = curves
	}
	return saveFigure(path, title, above+height, func(dc draw.Canvas) {
		if above > 0 {
			s.ByDistance.paint(draw.Crop(dc, 0, 0, height, 0))
		}
		paint(draw.Crop(dc, 0, 0, 0, -above))
	})
}

// paint draws the curves against the median distance of each bin: the posterior mean and
// interval, those of the prior, and the expectation under the IBP. Bins at infinite distance
// are left out.
func (s *distanceSharing) paint(dc draw.Canvas) {
	f := figure.New()
	f.X.Label.Text = s.Measure
	f.Y.Label.Text = "features that a pair shares"
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(6)
	f.Y.Min = 0
	curve := func(of func(b distanceBin) number) (points plotter.XYs) {
		for _, b := range s.Bins {
			if !math.IsInf(float64(b.Median), 0) {
				points = append(points, plotter.XY{X: float64(b.Median), Y: float64(of(b))})
			}
		}
		return points
	}
	names := figure.Text(figure.TickSize)
	const (
		edge = 3 * vg.Millimeter
		wide = 22 * vg.Millimeter // of the names
	)
	var ends []figure.EndLabel
	add := func(name string, shade color.NRGBA, mean, low, high func(b distanceBin) number) {
		band := shade
		band.A = 0x30
		lower, upper := curve(low), curve(high)
		outline := append(plotter.XYs{}, lower...)
		for i := range upper {
			outline = append(outline, upper[len(upper)-1-i])
		}
		if area, err := plotter.NewPolygon(outline); err == nil {
			area.Color, area.LineStyle.Width = band, 0
			f.Add(area)
		}
		points := curve(mean)
		figure.AddLine(f, points, shade, 1.2)
		if n := len(points); n > 0 {
			ends = append(ends, figure.EndLabel{Text: name, Y: vg.Length(points[n-1].Y)})
		}
	}
	add("prior", figure.Color(1), func(b distanceBin) number { return b.Prior }, func(b distanceBin) number { return b.Q5Of }, func(b distanceBin) number { return b.Q95Of })
	add("posterior", figure.Color(0), func(b distanceBin) number { return b.Mean }, func(b distanceBin) number { return b.Q5 }, func(b distanceBin) number { return b.Q95 })
	flat := func(distanceBin) number { return s.IBP }
	add("IBP", color.NRGBA{0x60, 0x60, 0x60, 0xff}, flat, flat, flat)
	panel := draw.Crop(dc, edge, -(wide + edge), edge, -edge)
	f.Draw(panel)
	data := f.DataCanvas(panel)
	_, y := f.Transforms(&data)
	for i := range ends {
		ends[i].Y = y(float64(ends[i].Y))
	}
	figure.DrawEndLabels(dc, names, data, ends)
	style := figure.Text(figure.TickSize)
	style.XAlign, style.YAlign = text.XRight, text.YTop
	dc.FillText(style, vg.Point{X: data.Max.X, Y: data.Max.Y}, "means and 90% intervals over draws")
}
