// Package picture draws what results computes: the pictures of a run that aibd plot names,
// and those of single verbs.
package picture

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
)

// Lengths that pictures have in common.
const (
	edge = 3 * vg.Millimeter  // around a picture
	bar  = 22 * vg.Millimeter // of a color bar with its labels
	gap  = 1 * vg.Millimeter  // between names and cells
	axis = 14 * vg.Millimeter // left of a panel, for the labels of its axis
)

// sheet is a figure under construction.
type sheet struct{ figure.Figure }

// newSheet returns a sheet about a run without a picture. It has the title, a warning if the
// chains disagree, an explanation, and the name of the run.
func newSheet(j *results.Judged, title, about string) sheet {
	s := j.Run.Spec
	return sheet{figure.Figure{Title: title, Warning: j.Short(), About: []string{about, fmt.Sprintf("%s: %s, %d items; %s; chains: %d, draws of each: %d.",
		j.Run.Dir, s.Data.Source(), j.Run.Data.N, s.ModelName(), len(j.Traces), j.Traces[0].Len())}}}
}

// empty makes the sheet say why there is nothing to draw.
func (f sheet) empty(message string) figure.Figure {
	m := figure.Message(message)
	f.About, f.Height, f.Paint = append(f.About, m.About...), m.Height, m.Paint
	return f.Figure
}

// panels divides the sheet into panels, row by row. Rows are pitch apart, of which height
// is for the data. Titles are above the panels and axes outside.
func (f *sheet) panels(count, columns int, height, pitch vg.Length, paint func(i int, area draw.Canvas)) {
	const head = 6 * vg.Millimeter // of the title of a panel
	wide := figure.Width / vg.Length(columns)
	width := wide - axis - edge
	rows := (count + columns - 1) / columns
	f.Height = head + vg.Length(rows)*pitch
	f.Paint = func(dc draw.Canvas) {
		for i := range count {
			corner := vg.Point{
				X: dc.Min.X + vg.Length(i%columns)*wide + axis,
				Y: dc.Max.Y - head - vg.Length(i/columns)*pitch,
			}
			area := dc
			area.Rectangle = vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - height}, Max: vg.Point{X: corner.X + width, Y: corner.Y}}
			paint(i, area)
		}
	}
}

// panelTitle writes the title of a panel.
func panelTitle(area draw.Canvas, title string) {
	area.FillText(figure.Text(figure.LabelSize), vg.Point{X: area.Min.X, Y: area.Max.Y + 1.5*vg.Millimeter}, title)
}

// A swatch is a line or a point in a legend.
type swatch struct {
	name   string
	shade  color.Color
	dashed bool
	point  bool
}

// legend adds the colors of the chains above the picture, or their number if there are more
// chains than colors, and other lines.
func (f *sheet) legend(chains []int, swatches ...swatch) {
	const high = 5 * vg.Millimeter
	var all []swatch
	if len(chains) <= figure.Colors {
		for c, number := range chains {
			all = append(all, swatch{name: "chain " + strconv.Itoa(number), shade: figure.Color(c)})
		}
	} else {
		all = append(all, swatch{name: "one of " + strconv.Itoa(len(chains)) + " chains", shade: figure.Color(0)})
	}
	all = append(all, swatches...)
	paint := f.Paint
	f.Height += high
	f.Paint = func(dc draw.Canvas) {
		style := figure.Text(figure.TickSize)
		style.YAlign = text.YCenter
		x, y := dc.Min.X+axis, dc.Max.Y-2.5*vg.Millimeter
		for _, w := range all {
			line := draw.LineStyle{Color: w.shade, Width: vg.Points(1.5)}
			if w.dashed {
				line.Dashes = figure.Dashes
			}
			if w.point {
				dc.DrawGlyph(draw.GlyphStyle{Color: w.shade, Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}, vg.Point{X: x + 2.5*vg.Millimeter, Y: y})
			} else {
				dc.StrokeLine2(line, x, y, x+5*vg.Millimeter, y)
			}
			dc.FillText(style, vg.Point{X: x + 6*vg.Millimeter, Y: y}, w.name)
			x += 10*vg.Millimeter + style.Width(w.name)
		}
		paint(draw.Crop(dc, 0, 0, 0, -high))
	}
}
