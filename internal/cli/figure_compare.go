package cli

// The figure of aibd compare: for each run but the best, a heat map of the differences in
// elpd, items by columns.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// plot draws the differences. Red entries are those that the best run predicts better.
func (c *runComparison) plot(path string) error {
	const (
		edge   = 3 * vg.Millimeter
		bar    = 22 * vg.Millimeter
		gap    = 1 * vg.Millimeter // between names and cells
		title  = 5 * vg.Millimeter
		least  = 25 * vg.Millimeter // min height of a map
		most   = 230 * vg.Millimeter
		column = 8 * vg.Millimeter // max width of a cell
	)
	best, others := c.runs[0], c.runs[1:]
	items, columns := best.run.Data.IDs, best.run.Data.Columns
	largest, place := 0.0, map[[2]int]int{} // of the point of an entry
	for p, at := range best.loo.At {
		place[at] = p
	}
	for _, r := range others {
		for p, point := range r.loo.Points {
			largest = max(largest, math.Abs(best.loo.Points[p].ELPD-point.ELPD))
		}
	}
	wide := widest(figure.Text(figure.TickSize), items)
	width := figure.Width - 2*edge - bar - gap - wide
	cell := min(width/vg.Length(len(columns)), column)
	high := min(max(cell, 1.5*vg.Millimeter), 4*vg.Millimeter, most/vg.Length(len(items)))
	height := high * vg.Length(len(items))
	across, down := namesIn(high), namesIn(cell)
	below := gap
	if down != nil {
		below += widest(*down, columns)
	}
	panel := title + max(height, least) + below + edge
	return saveFigure(path, c.short(), panel*vg.Length(len(others)), func(dc draw.Canvas) {
		for n, r := range others {
			left, top := dc.Min.X+edge+wide+gap, dc.Max.Y-panel*vg.Length(n)-title
			dc.FillText(figure.Text(figure.TickSize), vg.Point{X: left, Y: top + gap}, "elpd of "+best.name()+" minus that of "+r.name())
			area := dc
			area.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + cell*vg.Length(len(columns)), Y: top}}
			figure.DrawCells(area, len(items), len(columns), func(i, d int) color.Color {
				p, ok := place[[2]int{i, d}]
				if !ok {
					return color.White // unknown
				}
				return figure.Diverging(figure.Position(best.loo.Points[p].ELPD-r.loo.Points[p].ELPD, -largest, largest))
			})
			if across != nil {
				style := *across
				style.XAlign, style.YAlign = text.XRight, text.YCenter
				for i, name := range items {
					dc.FillText(style, vg.Point{X: left - gap, Y: top - high*(vg.Length(i)+0.5)}, name)
				}
			}
			if down != nil {
				style := *down
				style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XRight, text.YCenter
				for d, name := range columns {
					dc.FillText(style, vg.Point{X: left + cell*(vg.Length(d)+0.5), Y: top - height - gap}, name)
				}
			}
			scale := dc
			scale.Min = vg.Point{X: area.Max.X + 4*vg.Millimeter, Y: top - max(height, least)}
			scale.Max = vg.Point{X: dc.Max.X - edge, Y: top}
			figure.ColorBarOf(figure.Diverging, scale, figure.Text(figure.TickSize), []string{"nats"}, -largest, largest)
		}
	})
}

// short names the runs whose chains disagree, for the title.
func (c *runComparison) short() string {
	for _, r := range c.runs {
		if !r.Agreed {
			return r.run.Dir + ": " + r.Short()
		}
	}
	return ""
}
