package picture

// Sharing that a law expects: a curve over the temperature for each pair of items,
// colored by the distance of the pair.

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/verdict"
)

// labelledPairs is the max number of curves to label.
const labelledPairs = 15

// A SharingCurve is the expected sharing of a pair of items, or the mean over all, at each
// temperature.
type SharingCurve struct {
	Name     string
	Distance float64
	Points   plotter.XYs
}

// PriorSharing draws a curve for each pair and their mean against the temperature. The units
// belong to the temperature and to the distance.
func PriorSharing(about, temperature, distance string, curves []SharingCurve, mean plotter.XYs) figure.Figure {
	curves = slices.Clone(curves)
	slices.SortStableFunc(curves, func(a, b SharingCurve) int { return cmp.Compare(b.Distance, a.Distance) }) // near pairs on top
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		if !math.IsInf(c.Distance, 0) {
			low, high = min(low, c.Distance), max(high, c.Distance)
		}
	}
	f := figure.New()
	f.X.Label.Text = verdict.Quantity{Name: "temperature", Unit: temperature}.Label()
	f.Y.Label.Text = "expected number of shared features"
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(6)
	alpha, width := uint8(0xff), 1.0
	if len(curves) > labelledPairs {
		alpha, width = 0x90, 0.4
	}
	for _, c := range curves {
		shade := figure.Sequential(figure.Position(c.Distance, low, high))
		shade.A = alpha
		figure.AddLine(f, c.Points, shade, width)
	}
	figure.AddLine(f, mean, color.Black, 1.6)

	labels := figure.Text(figure.TickSize)
	names := []string{meanLabel}
	if len(curves) <= labelledPairs {
		for _, c := range curves {
			names = append(names, c.Name)
		}
	}
	wide := widest(labels, names)
	bar := max(bar, widest(labels, []string{distance})+2*edge)
	return figure.Figure{Title: "Expected sharing of features under the prior", About: []string{about}, Height: 110 * vg.Millimeter, Paint: func(dc draw.Canvas) {
		panel := draw.Crop(dc, edge, -(wide + bar + edge), edge, -edge)
		f.Draw(panel)
		data := f.DataCanvas(panel)
		_, y := f.Transforms(&data)
		ends := []figure.EndLabel{{Text: meanLabel, Y: y(mean[len(mean)-1].Y)}}
		if len(curves) <= labelledPairs {
			for _, c := range curves {
				ends = append(ends, figure.EndLabel{Text: c.Name, Y: y(c.Points[len(c.Points)-1].Y)})
			}
		}
		figure.DrawEndLabels(dc, labels, data, ends)
		area := dc
		area.Min = vg.Point{X: dc.Max.X - bar + 2*vg.Millimeter, Y: data.Min.Y}
		area.Max = vg.Point{X: dc.Max.X - edge, Y: data.Max.Y}
		figure.ColorBar(figure.Sequential, area, labels, []string{"distance", distance}, low, high)
	}}
}

const meanLabel = "mean over pairs"
