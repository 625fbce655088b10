package cli

// The figure of prior sharing: a curve for each pair of items against the
// temperature, coloured by the distance of the pair.

import (
	"cmp"
	"errors"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/runs"
	"aibd/prior"
	"aibd/similarity"
)

// labelledPairs is the most curves that have a name beside them.
const labelledPairs = 15

// A sharingCurve belongs to one pair of items.
type sharingCurve struct {
	name     string
	distance float64
	points   plotter.XYs
}

func saveSharing(path string, s *sharing, p *runs.PriorProblem) error {
	if len(s.At) < 2 {
		return usageError{errors.New("--plot: expected a law with a temperature, such as aibd, and at least two temperatures, as curves go from one to the next")}
	}
	curves, low, high := sharingCurves(s, p.Law.(prior.Attraction).Affinity().Distance())
	f := newPlot()
	f.X.Label.Text = quantity{name: "temperature", unit: temperatureUnit(p.Prior, p.Unit)}.label()
	f.Y.Label.Text = "expected number of shared features"
	f.X.Tick.Marker, f.Y.Tick.Marker = niceTicks(8), niceTicks(6)
	alpha, width := uint8(0xff), 1.0
	if len(curves) > labelledPairs {
		alpha, width = 0x90, 0.4
	}
	var mean plotter.XYs
	for _, at := range s.At {
		mean = append(mean, plotter.XY{X: *at.Temperature, Y: float64(at.Mean)})
	}
	for _, c := range curves {
		shade := sequential(position(c.distance, low, high))
		shade.A = alpha
		addLine(f, c.points, shade, width)
	}
	addLine(f, mean, color.Black, 1.6)

	labels := textStyle(tickSize)
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
	return saveFigure(path, 110*vg.Millimeter, func(dc draw.Canvas) {
		const (
			edge = 3 * vg.Millimeter
			bar  = 18 * vg.Millimeter
		)
		panel := draw.Crop(dc, edge, -(wide + bar + edge), edge, -edge)
		f.Draw(panel)
		data := f.DataCanvas(panel)
		_, y := f.Transforms(&data)
		ends := []endLabel{{meanLabel, y(mean[len(mean)-1].Y)}}
		if len(curves) <= labelledPairs {
			for _, c := range curves {
				ends = append(ends, endLabel{c.name, y(c.points[len(c.points)-1].Y)})
			}
		}
		drawEndLabels(dc, labels, data, ends)
		area := dc
		area.Min = vg.Point{X: dc.Max.X - bar + 2*vg.Millimeter, Y: data.Min.Y}
		area.Max = vg.Point{X: dc.Max.X - edge, Y: data.Max.Y}
		drawColorBar(area, labels, []string{"distance", p.Unit}, low, high)
	})
}

const meanLabel = "mean over pairs"

// sharingCurves returns the curves, farthest pairs first, and the range of the
// finite distances, each the mean of both directions.
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

// position is where x lies between low and high, from 0 to 1.
func position(x, low, high float64) float64 {
	if !(high > low) {
		return 0
	}
	return min((x-low)/(high-low), 1)
}

// sequential returns the colour at t in 0 to 1 of the scale viridis (Smith and van
// der Walt, 2015), of even lightness steps for all kinds of sight; its last sixth,
// too pale for lines, is left out.
func sequential(t float64) color.NRGBA {
	anchors := []color.NRGBA{
		{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff},
		{0x2c, 0x72, 0x8e, 0xff}, {0x21, 0x91, 0x8c, 0xff}, {0x28, 0xae, 0x80, 0xff},
		{0x5e, 0xc9, 0x62, 0xff}, {0x8b, 0xd6, 0x46, 0xff},
	}
	x := t * float64(len(anchors)-1)
	i := min(int(x), len(anchors)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (x-float64(i))*(float64(b)-float64(a)))) }
	a, b := anchors[i], anchors[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// endLabel is the name of a curve at the height at which it ends.
type endLabel struct {
	text string
	y    vg.Length
}

// drawEndLabels writes names to the right of the panel, pushed apart where they
// would lie on each other.
func drawEndLabels(dc draw.Canvas, style text.Style, data draw.Canvas, labels []endLabel) {
	style.YAlign = text.YCenter
	slices.SortStableFunc(labels, func(a, b endLabel) int { return cmp.Compare(a.y, b.y) })
	step := style.Font.Size * 1.15
	// Up from the lowest, then down from the upper edge where there is no room.
	for i := range labels {
		if i > 0 {
			labels[i].y = max(labels[i].y, labels[i-1].y+step)
		}
	}
	for i := len(labels) - 1; i >= 0; i-- {
		limit := data.Max.Y
		if i < len(labels)-1 {
			limit = labels[i+1].y - step
		}
		labels[i].y = min(labels[i].y, limit)
	}
	for _, l := range labels {
		dc.FillText(style, vg.Point{X: data.Max.X + 1.5*vg.Millimeter, Y: l.y}, l.text)
	}
}

// drawColorBar draws the scale of the colours along the left of an area, below the
// lines of its title.
func drawColorBar(area draw.Canvas, style text.Style, title []string, low, high float64) {
	if !(high > low) {
		return
	}
	style.YAlign = text.YTop
	top := area.Max.Y
	for _, line := range title {
		area.FillText(style, vg.Point{X: area.Min.X, Y: top}, line)
		top -= style.Font.Size * 1.2
	}
	top -= vg.Millimeter
	style.YAlign = text.YCenter
	left, right := area.Min.X, area.Min.X+3*vg.Millimeter
	height := func(t float64) vg.Length { return area.Min.Y + (top-area.Min.Y)*vg.Length(t) }
	const steps = 64
	for i := range steps {
		// Up to the top, as adjacent areas would show seams.
		y := height(float64(i) / steps)
		area.FillPolygon(sequential((float64(i)+0.5)/steps), []vg.Point{{X: left, Y: y}, {X: right, Y: y}, {X: right, Y: top}, {X: left, Y: top}})
	}
	for _, t := range niceTicks(6).Ticks(low, high) {
		y := height(position(t.Value, low, high))
		area.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}, right, y, right+vg.Points(2), y)
		area.FillText(style, vg.Point{X: right + vg.Points(4), Y: y}, t.Label)
	}
}
