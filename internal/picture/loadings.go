package picture

// A heat map of the loadings, features by variables.

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/posterior"
)

// Loadings draws the mean loadings of an estimate, below those of an intercept. A dot marks a mean more than two standard
// deviations from 0, if cells have room for dots. Features that no draw has are white.
func Loadings(j *results.Judged, e *results.Estimate) figure.Figure {
	f := newSheet(j, "Loadings of the features", "Posterior mean of what each feature of the estimate adds to each variable of X as fitted. White: no draw has the feature.")
	if e.Z.K() == 0 {
		return f.empty("The estimate has no features.")
	}
	const (
		least  = 25 * vg.Millimeter // min height
		limit  = 230 * vg.Millimeter
		dotted = 2 * vg.Millimeter // min size of a cell with a dot
	)
	var rows []string
	var loadings []posterior.FeatureLoadings
	if e.Intercept != nil {
		rows, loadings = append(rows, "(intercept)"), append(loadings, *e.Intercept)
	}
	for k, l := range e.Loadings {
		rows, loadings = append(rows, fmt.Sprintf("%d (%s)", k+1, words.Plural(e.Z.Size(k), "item"))), append(loadings, l)
	}
	variables := len(e.Variables)
	// A feature of one item may have any loading. It would make those of others pale.
	largest, all := 0.0, 0.0
	for row, l := range loadings {
		several := row < len(loadings)-len(e.Loadings) || e.Z.Size(row-len(loadings)+len(e.Loadings)) > 1
		for _, x := range l.Mean {
			if !math.IsNaN(x) {
				all = max(all, math.Abs(x))
				if several {
					largest = max(largest, math.Abs(x))
				}
			}
		}
	}
	if largest == 0 {
		largest = all
	}
	if all > largest {
		f.About[0] += " The scale covers the features of several items. A cell beyond it shows its number, or a cross."
	}
	// Cells are about square, but not too flat or tall.
	wide := widest(figure.Text(figure.TickSize), rows)
	width := figure.Width - 2*edge - bar - gap - wide
	high := min(max(width/vg.Length(variables), 3*vg.Millimeter), 6*vg.Millimeter, limit/vg.Length(len(rows)))
	height := high * vg.Length(len(rows))
	down, across := within(e.Variables, width/vg.Length(variables)), within(rows, high)
	total := max(height, least) + max(down.wide, 7*vg.Millimeter) + 2*edge + gap
	f.Height, f.Paint = total, func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+wide+gap, dc.Max.Y-edge
		cells := dc
		cells.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + width, Y: top}}
		cell := width / vg.Length(variables)
		figure.DrawCells(cells, len(rows), variables, func(k, v int) color.Color {
			x := loadings[k].Mean[v]
			if math.IsNaN(x) {
				return nil
			}
			return figure.Diverging(figure.Position(max(x, -largest), -largest, largest))
		})
		dots := false
		for k, l := range loadings {
			y := top - high*(vg.Length(k)+0.5)
			for v, mean := range l.Mean {
				center := vg.Point{X: left + cell*(vg.Length(v)+0.5), Y: y}
				if math.Abs(mean) > largest {
					drawBeyond(dc, mean, center, cell, high)
					continue
				}
				if min(cell, high) < dotted || !(math.Abs(mean) > 2*l.SD[v]) {
					continue
				}
				dots = true
				shade := color.Gray{}
				if math.Abs(mean) > 0.6*largest { // on a dark cell
					shade.Y = 0xff
				}
				dc.DrawGlyph(draw.GlyphStyle{Color: shade, Radius: vg.Points(1), Shape: draw.CircleGlyph{}}, center)
			}
		}
		across.drawLeft(dc, left-gap, top)
		down.drawBelow(dc, left, top-height-gap)
		if down.names == nil {
			style := figure.Text(figure.TickSize)
			style.XAlign, style.YAlign = text.XCenter, text.YTop
			dc.FillText(style, vg.Point{X: left + width/2, Y: top - height - gap}, strconv.Itoa(variables)+" variables")
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
		figure.ColorBar(figure.Diverging, area, style, []string{"mean", "loading"}, -largest, largest)
	}
	return f.Figure
}

// drawBeyond marks a cell whose loading is beyond the scale.
func drawBeyond(dc draw.Canvas, mean float64, center vg.Point, wide, high vg.Length) {
	style := figure.Text(min(figure.TickSize, high.Points()*0.9))
	style.Color, style.XAlign, style.YAlign = color.White, text.XCenter, text.YCenter
	if number := figure.Number(math.Round(10*mean) / 10); style.Width(number) < 0.95*wide {
		dc.FillText(style, center, number)
		return
	}
	dc.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: min(wide, high, 2*vg.Millimeter) / 3, Shape: draw.CrossGlyph{}}, center)
}
