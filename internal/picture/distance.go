package picture

// Sharing against distance.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/results"
)

// SharingDistances draws the sharing of pairs against each distance, one above the other. There must be
// one.
func SharingDistances(j *results.Judged, sharing *results.Sharing) figure.Figure {
	all := sharing.Distances()
	f := SharingDistance(j, all[0])
	for _, s := range all[1:] {
		f = figure.Stack(f, SharingDistance(j, s))
	}
	return f
}

// SharingDistance draws the sharing of pairs against the median distance of each bin: the
// posterior mean and interval, those of the law, and the expectation under the IBP. Bins at
// infinite distance are left out.
func SharingDistance(j *results.Judged, s *results.DistanceSharing) figure.Figure {
	sheet := newSheet(j, "Sharing of features against distance", "Mean number of features that a pair of items shares, by "+
		"distance: means and 90% intervals over draws. Law: draws of Z without X, from the law with the mass, the temperature and the permutation of the posterior draws; their priors do not enter. IBP: half their mass.")
	if len(s.Bins) < 2 {
		return sheet.empty("All pairs are at the same distance.")
	}
	f := figure.New()
	f.X.Label.Text = s.Measure
	f.Y.Label.Text = "features that a pair shares"
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(6)
	f.Y.Min = 0
	curve := func(value func(b results.DistanceBin) results.Number) (points plotter.XYs) {
		for _, b := range s.Bins {
			if !math.IsInf(float64(b.Median), 0) {
				points = append(points, plotter.XY{X: float64(b.Median), Y: float64(value(b))})
			}
		}
		return points
	}
	names := figure.Text(figure.TickSize)
	const wide = 16 * vg.Millimeter // of the names
	var ends []figure.EndLabel
	add := func(name string, shade color.NRGBA, mean, low, high func(b results.DistanceBin) results.Number) {
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
	add("law", figure.Color(1), func(b results.DistanceBin) results.Number { return b.Prior }, func(b results.DistanceBin) results.Number { return b.Q5Of }, func(b results.DistanceBin) results.Number { return b.Q95Of })
	add("posterior", figure.Color(0), func(b results.DistanceBin) results.Number { return b.Mean }, func(b results.DistanceBin) results.Number { return b.Q5 }, func(b results.DistanceBin) results.Number { return b.Q95 })
	flat := func(results.DistanceBin) results.Number { return s.IBP }
	add("IBP", color.NRGBA{0x60, 0x60, 0x60, 0xff}, flat, flat, flat)
	sheet.Height, sheet.Paint = 75*vg.Millimeter, func(dc draw.Canvas) {
		panel := draw.Crop(dc, edge, -(wide + edge), edge, -edge)
		f.Draw(panel)
		data := f.DataCanvas(panel)
		_, y := f.Transforms(&data)
		labels := lists.Map(ends, func(e figure.EndLabel) figure.EndLabel { return figure.EndLabel{Text: e.Text, Y: y(float64(e.Y))} })
		figure.DrawEndLabels(dc, names, data, labels)
	}
	return sheet.Figure
}
