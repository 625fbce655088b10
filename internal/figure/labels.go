package figure

// Names at the ends of curves.

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// EndLabel is the name of a curve at the height at which it ends.
type EndLabel struct {
	Text string
	Y    vg.Length
}

// DrawEndLabels writes names to the right of the panel. It moves overlapping names apart.
func DrawEndLabels(dc draw.Canvas, style text.Style, data draw.Canvas, labels []EndLabel) {
	style.YAlign = text.YCenter
	slices.SortStableFunc(labels, func(a, b EndLabel) int { return cmp.Compare(a.Y, b.Y) })
	step := style.Font.Size * 1.15
	// Move names up from the lowest, then down from the upper edge.
	for i := range labels {
		if i > 0 {
			labels[i].Y = max(labels[i].Y, labels[i-1].Y+step)
		}
	}
	for i := len(labels) - 1; i >= 0; i-- {
		limit := data.Max.Y
		if i < len(labels)-1 {
			limit = labels[i+1].Y - step
		}
		labels[i].Y = min(labels[i].Y, limit)
	}
	for _, l := range labels {
		dc.FillText(style, vg.Point{X: data.Max.X + 1.5*vg.Millimeter, Y: l.Y}, l.Text)
	}
}
