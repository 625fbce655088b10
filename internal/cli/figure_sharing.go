package cli

// The figure of aibd prior sharing: a curve over the temperature for each pair of items,
// coloured by the distance of the pair.

import (
	"cmp"
	"errors"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/model"
	"aibd/internal/verdict"
	"aibd/prior"
	"aibd/similarity"
)

// labelledPairs is the max number of curves to label.
const labelledPairs = 15

// A sharingCurve is the curve of one pair of items.
type sharingCurve struct {
	name     string
	distance float64
	points   plotter.XYs
}

func saveSharing(path string, s *sharing, p *model.PriorProblem) error {
	if len(s.At) < 2 {
		return usageError{errors.New("--plot: expected a law with a temperature, such as aibd, and at least two temperatures")}
	}
	curves, low, high := sharingCurves(s, p.Law.(prior.Attraction).Affinity().Distance())
	f := figure.New()
	f.X.Label.Text = verdict.Quantity{Name: "temperature", Unit: temperatureUnit(p.Prior, p.Unit)}.Label()
	f.Y.Label.Text = "expected number of shared features"
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(8), figure.Ticks(6)
	alpha, width := uint8(0xff), 1.0
	if len(curves) > labelledPairs {
		alpha, width = 0x90, 0.4
	}
	var mean plotter.XYs
	for _, at := range s.At {
		mean = append(mean, plotter.XY{X: *at.Temperature, Y: float64(at.Mean)})
	}
	for _, c := range curves {
		shade := figure.Sequential(figure.Position(c.distance, low, high))
		shade.A = alpha
		figure.AddLine(f, c.points, shade, width)
	}
	figure.AddLine(f, mean, color.Black, 1.6)

	labels := figure.Text(figure.TickSize)
	names := []string{meanLabel}
	if len(curves) <= labelledPairs {
		for _, c := range curves {
			names = append(names, c.name)
		}
	}
	wide := vg.Length(0)
	for _, name := range names {
		wide = max(wide, labels.Width(name))
	}
	return saveFigure(path, "", 110*vg.Millimeter, func(dc draw.Canvas) {
		const (
			edge = 3 * vg.Millimeter
			bar  = 18 * vg.Millimeter
		)
		panel := draw.Crop(dc, edge, -(wide + bar + edge), edge, -edge)
		f.Draw(panel)
		data := f.DataCanvas(panel)
		_, y := f.Transforms(&data)
		ends := []figure.EndLabel{{Text: meanLabel, Y: y(mean[len(mean)-1].Y)}}
		if len(curves) <= labelledPairs {
			for _, c := range curves {
				ends = append(ends, figure.EndLabel{Text: c.name, Y: y(c.points[len(c.points)-1].Y)})
			}
		}
		figure.DrawEndLabels(dc, labels, data, ends)
		area := dc
		area.Min = vg.Point{X: dc.Max.X - bar + 2*vg.Millimeter, Y: data.Min.Y}
		area.Max = vg.Point{X: dc.Max.X - edge, Y: data.Max.Y}
		figure.ColorBar(area, labels, []string{"distance", p.Unit}, low, high)
	})
}

const meanLabel = "mean over pairs"

// sharingCurves returns the curves, the most distant pairs first, and the range of the
// finite distances. A distance is the mean of both directions.
func sharingCurves(s *sharing, d *similarity.Matrix) (curves []sharingCurve, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, a := range s.Items {
		for j := i + 1; j < len(s.Items); j++ {
			c := sharingCurve{name: a + " - " + s.Items[j], distance: (d.At(i, j) + d.At(j, i)) / 2}
			for _, at := range s.At {
				c.points = append(c.points, plotter.XY{X: *at.Temperature, Y: at.Sharing[i][j]})
			}
			if !math.IsInf(c.distance, 0) {
				low, high = min(low, c.distance), max(high, c.distance)
			}
			curves = append(curves, c)
		}
	}
	slices.SortStableFunc(curves, func(a, b sharingCurve) int { return cmp.Compare(b.distance, a.distance) })
	return curves, low, high
}
