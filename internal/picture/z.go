package picture

// The estimate of Z as a heat map.

import (
	"cmp"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/permutation"
	"aibd/internal/results"
)

// Z draws the estimate of Z, items by features. Items with the same large features are
// adjacent. The darker an entry, the more draws have it.
func Z(j *results.Judged, e *results.Estimate) figure.Figure {
	f := of(j, "Estimate of Z: which items have which features", "Entries that are 1 in the estimate; the darker, the more draws have them. White: 0. Features are numbered as in aibd estimate, with their numbers of items. Items that share the largest features are adjacent.")
	features := e.Z.K()
	if features == 0 {
		return f.empty("The estimate has no features.")
	}
	order := leftOrdered(e)
	names := make([]string, len(order))
	for row, i := range order {
		names[row] = e.Items[i]
	}
	const (
		tall   = 200 * vg.Millimeter // if names fit
		column = 9 * vg.Millimeter   // max width, of more than a few features
		least  = 120 * vg.Millimeter // min width of the figure
		room   = 5 * vg.Millimeter   // for the names of features
	)
	rows := labelled(names, tall, 5*vg.Millimeter)
	height := rows.pitch * vg.Length(len(names))
	others := 2*edge + gap + bar + rows.wide
	cell := min((figure.Width-others)/vg.Length(features), max(column, (least-others)/vg.Length(features)))
	width := cell * vg.Length(features)
	var sizes []string
	for k := range features {
		sizes = append(sizes, strconv.Itoa(k+1)+" ("+strconv.Itoa(e.Z.Size(k))+")")
	}
	down, below := within(sizes, cell), room
	if down.names != nil {
		below = down.wide
	}
	f.Width = max(others+width, least)
	f.Height = max(height, 25*vg.Millimeter) + below + 2*edge + gap + room
	f.Paint = func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+rows.wide+gap, dc.Max.Y-edge
		area := dc
		area.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + width, Y: top}}
		figure.DrawCells(area, len(names), features, func(row, k int) color.Color {
			if !e.Z.Has(order[row], k) {
				return nil
			}
			return figure.Blues(e.Share[k][order[row]])
		})
		rows.drawLeft(dc, left-gap, top)
		down.drawBelow(dc, left, top-height-gap)
		style := figure.Text(figure.TickSize)
		style.XAlign, style.YAlign = text.XCenter, text.YTop
		title := "feature (items)"
		if down.names == nil {
			title = strconv.Itoa(features) + " features"
		}
		dc.FillText(style, vg.Point{X: left + max(width, style.Width(title))/2, Y: top - height - gap - below}, title)
		scale := dc
		scale.Min = vg.Point{X: left + width + 4*vg.Millimeter, Y: top - min(max(height, 25*vg.Millimeter), 80*vg.Millimeter)}
		scale.Max = vg.Point{X: scale.Min.X + bar, Y: top}
		figure.ColorBar(figure.Blues, scale, figure.Text(figure.TickSize), []string{"share of", "draws"}, 0, 1)
	}
	return f.Figure
}

// leftOrdered returns the items such that those with the first feature come first, among
// equals those with the second, and so on.
func leftOrdered(e *results.Estimate) []int {
	order := permutation.Identity(e.Z.N())
	slices.SortStableFunc(order, func(a, b int) int {
		for k := range e.Z.K() {
			switch has := e.Z.Has(a, k); {
			case has == e.Z.Has(b, k):
			case has:
				return -1
			default:
				return 1
			}
		}
		return cmp.Compare(a, b)
	})
	return order
}
