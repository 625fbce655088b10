package cli

// The figure of aibd estimate: a heat map of the loadings, features by variables.

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// saveLoadings draws the mean loadings. A dot marks a mean more than two standard
// deviations from 0, if cells have room for dots. Features that no draw has are white.
func saveLoadings(path string, e *estimate, title string) error {
	if len(e.loadings) == 0 {
		return saveMessage(path, "The estimate has no features.")
	}
	const (
		edge   = 3 * vg.Millimeter
		bar    = 22 * vg.Millimeter
		gap    = 1 * vg.Millimeter  // between names and cells
		least  = 25 * vg.Millimeter // min height
		most   = 230 * vg.Millimeter
		dotted = 2 * vg.Millimeter // min size of a cell with a dot
	)
	features, variables := len(e.loadings), len(e.variables)
	largest := 0.0
	var rows []string
	for k, f := range e.loadings {
		for _, x := range f.Mean {
			if !math.IsNaN(x) {
				largest = max(largest, math.Abs(x))
			}
		}
		rows = append(rows, strconv.Itoa(k+1)+" ("+plural(e.Z.Size(k), "item")+")")
	}
	// Cells are about square, but not too flat or tall.
	wide := widest(figure.Text(figure.TickSize), rows)
	width := figure.Width - 2*edge - bar - gap - wide
	high := min(max(width/vg.Length(variables), 3*vg.Millimeter), 6*vg.Millimeter, most/vg.Length(features))
	height := high * vg.Length(features)
	down, across := namesIn(width/vg.Length(variables)), namesIn(high)
	below := vg.Length(0)
	if down != nil {
		below = widest(*down, e.variables)
	}
	total := max(height, least) + max(below, 7*vg.Millimeter) + 2*edge + gap
	return saveFigure(path, title, total, func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+wide+gap, dc.Max.Y-edge
		cells := dc
		cells.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + width, Y: top}}
		cell := width / vg.Length(variables)
		figure.DrawCells(cells, features, variables, func(k, v int) color.Color {
			x := e.loadings[k].Mean[v]
			if math.IsNaN(x) {
				return nil
			}
			return figure.Diverging(figure.Position(x, -largest, largest))
		})
		dots := false
		for k, f := range e.loadings {
			y := top - high*(vg.Length(k)+0.5)
			if across != nil {
				style := *across
				style.XAlign, style.YAlign = text.XRight, text.YCenter
				dc.FillText(style, vg.Point{X: left - gap, Y: y}, rows[k])
			}
			for v, mean := range f.Mean {
				if min(cell, high) < dotted || !(math.Abs(mean) > 2*f.SD[v]) {
					continue
				}
				dots = true
				shade := color.Gray{}
				if math.Abs(mean) > 0.6*largest { // on a dark cell
					shade.Y = 0xff
				}
				dc.DrawGlyph(draw.GlyphStyle{Color: shade, Radius: vg.Points(1), Shape: draw.CircleGlyph{}},
					vg.Point{X: left + cell*(vg.Length(v)+0.5), Y: y})
			}
		}
		if down == nil {
			style := figure.Text(figure.TickSize)
			style.XAlign, style.YAlign = text.XCenter, text.YTop
			dc.FillText(style, vg.Point{X: left + width/2, Y: top - height - gap}, plural(variables, "variable"))
		} else {
			style := *down
			style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XRight, text.YCenter
			for v, name := range e.variables {
				dc.FillText(style, vg.Point{X: left + cell*(vg.Length(v)+0.5), Y: top - height - gap}, name)
			}
		}
		area := dc
		area.Min = vg.Point{X: left + width + 4*vg.Millimeter, Y: max(dc.Min.Y+edge, top-max(height, least))}
		area.Max = vg.Point{X: dc.Max.X - edge, Y: top}
		style := figure.Text(figure.TickSize)
		if dots {
			style.YAlign = text.YTop
			for i, line := range []string{"dots: beyond", "2 sd from 0"} {
				dc.FillText(style, vg.Point{X: area.Min.X, Y: area.Min.Y - gap - vg.Length(i)*style.Font.Size*1.2}, line)
			}
		}
		figure.ColorBarOf(figure.Diverging, area, style, []string{"mean", "loading"}, -largest, largest)
	})
}

// namesIn returns a text style that fits rows of the given height, or nil.
func namesIn(room vg.Length) *text.Style {
	const minSize = 2.5 // points
	size := min(figure.TickSize, room.Points()*0.95)
	if size < minSize {
		return nil
	}
	style := figure.Text(size)
	return &style
}

// widest returns the max width of the names.
func widest(style text.Style, names []string) vg.Length {
	wide := vg.Length(0)
	for _, name := range names {
		wide = max(wide, style.Width(name))
	}
	return wide
}
