package picture

// Differences between runs: for each run but the best, a heat map of the differences in
// elpd, items by columns.

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/compare"
	"aibd/internal/figure"
)

// Differences draws the differences in elpd of the best run from each other one, with a warning if the chains of
// a run disagree. Red entries are those that the best run predicts better.
func Differences(c *compare.LeftOut) figure.Figure {
	const (
		head   = 6 * vg.Millimeter  // of the name of a run
		least  = 25 * vg.Millimeter // min height of a map and its scale
		tall   = 230 * vg.Millimeter
		column = 12 * vg.Millimeter // max width of a cell
		apart  = 4 * vg.Millimeter  // between maps
	)
	best, others, warning := c.Runs[0], c.Runs[1:], ""
	if i := slices.IndexFunc(c.Runs, func(r *compare.Contender) bool { return !r.Agreed }); i >= 0 {
		warning = c.Runs[i].Run.Dir + ": " + c.Runs[i].Short()
	}
	items, columns, largest := best.Run.Data.IDs, best.Run.Data.Columns, 0.0
	elpd := make([][]float64, len(others)) // by entry of X, row by row; NaN where X is unknown
	label := figure.Text(figure.TickSize)
	heading := vg.Length(0)
	for n, o := range others {
		heading = max(heading, label.Width("minus "+o.Name()))
		elpd[n] = slices.Repeat([]float64{math.NaN()}, len(items)*len(columns))
		for p, at := range best.LOO.At {
			d := best.LOO.Points[p].ELPD - o.LOO.Points[p].ELPD
			elpd[n][at[0]*len(columns)+at[1]], largest = d, max(largest, math.Abs(d))
		}
	}
	wide := widest(label, items)
	width := figure.Width - 2*edge - bar - gap - wide
	cell := min(width/vg.Length(len(columns)), column)
	across := max(cell*vg.Length(len(columns)), min(heading, width))
	// As many maps in a row as fit. The figure is not wider than its maps.
	inRow := min(max(1, int((width+apart)/(across+apart))), len(others))
	rows := (len(others) + inRow - 1) / inRow
	high := min(max(cell, 1.5*vg.Millimeter), 4*vg.Millimeter, tall/vg.Length(len(items)))
	height := high * vg.Length(len(items))
	left, down := within(items, high), within(columns, cell)
	panel := head + max(height, least) + gap + down.wide + edge
	return figure.Figure{
		Title: "Difference in expected log predictive density", Warning: warning,
		About:  []string{"Elpd of " + best.Name() + " minus that of another run, by entry of X, each left out in turn. Red: " + best.Name() + " predicts the entry better."},
		Width:  max(2*edge+wide+gap+vg.Length(inRow)*(across+apart)+bar, 100*vg.Millimeter),
		Height: panel * vg.Length(rows),
		Paint: func(dc draw.Canvas) {
			for n, o := range others {
				x := dc.Min.X + edge + wide + gap + vg.Length(n%inRow)*(across+apart)
				top := dc.Max.Y - panel*vg.Length(n/inRow) - head
				dc.FillText(label, vg.Point{X: x, Y: top + gap}, "minus "+o.Name())
				area := dc
				area.Rectangle = vg.Rectangle{Min: vg.Point{X: x, Y: top - height}, Max: vg.Point{X: x + cell*vg.Length(len(columns)), Y: top}}
				figure.DrawCells(area, len(items), len(columns), func(i, d int) color.Color {
					x := elpd[n][i*len(columns)+d]
					if math.IsNaN(x) {
						return nil
					}
					return figure.Diverging(figure.Position(x, -largest, largest))
				})
				if n%inRow == 0 {
					left.drawLeft(dc, x-gap, top)
				}
				down.drawBelow(dc, x, top-height-gap)
				if n%inRow == inRow-1 || n == len(others)-1 {
					scale := dc
					scale.Min = vg.Point{X: x + across + apart, Y: top - max(height, least)}
					scale.Max = vg.Point{X: scale.Min.X + bar, Y: top}
					figure.ColorBar(figure.Diverging, scale, label, []string{"nats"}, -largest, largest)
				}
			}
		},
	}
}
