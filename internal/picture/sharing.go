package picture

// The sharing of all pairs as a heat map.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
)

// Sharing draws the mean number of features that each pair of items shares, the items in the
// order of likeness. The diagonal, which counts something else, is white. Weighted features do not determine this
// number: if there are covariances, it draws the correlations of the signals of pairs.
func Sharing(j *results.Judged, s *results.Sharing) figure.Figure {
	values, order := s.Correlations()
	correlated := values != nil
	title, about := "Features that items share", "Posterior mean number of features that both items have. Items are ordered by likeness."
	shade, legend := figure.Sequential, []string{"shared", "features"}
	if correlated {
		title, about = "Correlation of items by their features", "Correlation of what the features say of both items, by its posterior mean covariance over the variables: 1 if the same, \u22121 if the opposite. Items are ordered by likeness. Weighted features leave open how many of them two items share."
		shade, legend = figure.Diverging, []string{"correlation"}
	} else {
		values, order = s.Mean, s.Order
	}
	if s.Sampled != "" {
		about += " Shown are " + s.Sampled + "."
	}
	f := newSheet(j, title, about)
	if len(s.Items) < 2 {
		return f.empty("No pairs of items.")
	}
	low, high := math.Inf(1), math.Inf(-1)
	names := make([]string, len(s.Items))
	for a, i := range order {
		names[a] = s.Items[i]
		for _, k := range order[:a] {
			low, high = min(low, values[i][k]), max(high, values[i][k])
		}
	}
	if correlated {
		low, high = -1, 1
	}
	n := vg.Length(len(names))
	l := square(names, figure.Width-2*edge-bar)
	f.About[0] += l.note()
	side := l.pitch * n
	f.Width, f.Height = max(110*vg.Millimeter, 2*edge+l.wide+gap+side+bar), side+l.wide+2*edge+gap
	f.Paint = func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+l.wide+gap, dc.Max.Y-edge
		square := dc
		square.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - side}, Max: vg.Point{X: left + side, Y: top}}
		figure.DrawCells(square, len(names), len(names), func(a, b int) color.Color {
			if a == b {
				return nil
			}
			return shade(figure.Position(values[order[a]][order[b]], low, high))
		})
		l.drawLeft(dc, left-gap, top)
		l.drawBelow(dc, left, top-side-gap)
		area := dc
		area.Min = vg.Point{X: left + side + 4*vg.Millimeter, Y: top - min(side, 100*vg.Millimeter)}
		area.Max = vg.Point{X: area.Min.X + bar, Y: top}
		figure.ColorBar(shade, area, figure.Text(figure.TickSize), legend, low, high)
	}
	return f.Figure
}
