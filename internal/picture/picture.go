// Package picture draws what results computes: the pictures of a run that aibd plot names,
// and those of single verbs.
package picture

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
)

// Lengths that pictures have in common.
const (
	edge = 3 * vg.Millimeter  // around a picture
	bar  = 22 * vg.Millimeter // of a colour bar with its labels
	gap  = 1 * vg.Millimeter  // between names and cells
	axis = 14 * vg.Millimeter // left of a panel, for the labels of its axis
)

// sheet is a figure under construction.
type sheet struct{ figure.Figure }

// of returns a sheet about a run without a picture. It has the title, a warning if the
// chains disagree, an explanation, and the name of the run.
func of(j *results.Judged, title, about string) sheet {
	s := j.Run.Spec
	return sheet{figure.Figure{Title: title, Warning: j.Short(), About: []string{about, fmt.Sprintf("%s: %s, %d items; %s; chains: %d, draws of each: %d.",
		j.Run.Dir, s.Data.Source(), j.Run.Data.N, s.Prior.LawName(), len(j.Chains), len(j.Chains[0]))}}}
}

// empty makes the sheet say why there is nothing to draw.
func (s sheet) empty(message string) figure.Figure {
	m := figure.Message(message)
	s.Height, s.Paint = m.Height, m.Paint
	return s.Figure
}

// panels divides the sheet into panels, row by row. Rows are pitch apart, of which height
// is for the data. Titles are above the panels and axes outside.
func (s *sheet) panels(count, columns int, height, pitch vg.Length, paint func(i int, area draw.Canvas)) {
	s.grid(count, columns, figure.Width, height, pitch, paint)
}

// grid is panels in a sheet of any width.
func (s *sheet) grid(count, columns int, wide, height, pitch vg.Length, paint func(i int, area draw.Canvas)) {
	const head = 6 * vg.Millimeter // of the title of a panel
	width := wide/vg.Length(columns) - axis - edge
	rows := (count + columns - 1) / columns
	s.Width, s.Height = wide, head+vg.Length(rows)*pitch
	s.Paint = func(dc draw.Canvas) {
		for i := range count {
			corner := vg.Point{
				X: dc.Min.X + vg.Length(i%columns)*wide/vg.Length(columns) + axis,
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
