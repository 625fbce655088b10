package picture

// The estimate of Z as a heat map.

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/results"
	"aibd/posterior"
)

// maxAlike is the max number of items whose weights are compared, which takes the cube of it.
const maxAlike = 1000

// Z draws the estimate of Z, items by features. Items with the same large features, or with similar weights, are
// adjacent. The darker an entry, the more draws have it, or the larger is its weight.
func Z(j *results.Judged, e *results.Estimate) figure.Figure {
	const legendText = " Features are numbered as in aibd estimate, with their numbers of items."
	title, about := "Estimate of Z, items by features", "Entries that are 1 in the estimate; the darker, the more draws have them. White: 0."
	if e.Weights != nil {
		title, about = "Estimate of Z, items by features, with weights", "Weights of the items in the features of the estimate. White: an item lacks the feature."
	}
	order, adjacent := leftOrdered(e), " Items that share the largest features are adjacent."
	if e.Weights != nil && len(e.Items) <= maxAlike {
		order, adjacent = byWeights(e), " Items with similar weights are adjacent."
	}
	f := newSheet(j, title, about+legendText+adjacent)
	features := e.Z.K()
	if features == 0 {
		return f.empty("The estimate has no features.")
	}
	names := lists.Pick(e.Items, order)
	const (
		tall   = 200 * vg.Millimeter // if names fit
		column = 9 * vg.Millimeter   // max width, of more than a few features
		least  = 120 * vg.Millimeter // min width of the figure
		room   = 5 * vg.Millimeter   // for the names of features
	)
	rows := labelled(names, maxNamed, tall, 5*vg.Millimeter)
	f.About[0] += rows.note()
	height := rows.pitch * vg.Length(len(names))
	margins := 2*edge + gap + bar + rows.wide
	cell := min((figure.Width-margins)/vg.Length(features), max(column, (least-margins)/vg.Length(features)))
	width := cell * vg.Length(features)
	sizes := lists.Make(features, func(k int) string { return strconv.Itoa(k+1) + " (" + strconv.Itoa(e.Z.Size(k)) + ")" })
	shades := shadesOf(e)
	down, below := within(sizes, cell), room
	if down.names != nil {
		below = down.wide
	}
	f.Width = max(margins+width, least)
	f.Height = max(height, 25*vg.Millimeter) + below + 2*edge + gap + room
	f.Paint = func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+rows.wide+gap, dc.Max.Y-edge
		area := dc
		area.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + width, Y: top}}
		figure.DrawCells(area, len(names), features, func(row, k int) color.Color {
			if !e.Z.Has(order[row], k) {
				return nil
			}
			return shades.color(k, order[row])
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
		figure.ColorBar(shades.scale, scale, figure.Text(figure.TickSize), shades.title, shades.low, shades.high)
	}
	return f.Figure
}

// shades are the colors of the entries of an estimate: by the share of draws that have them, or by their
// weights, about 0 unless all are positive.
type shades struct {
	scale     func(t float64) color.NRGBA
	values    [][]float64 // by feature and item
	low, high float64
	title     []string
}

func shadesOf(e *results.Estimate) shades {
	if e.Weights == nil {
		return shades{figure.Blues, e.Share, 0, 1, []string{"share of", "draws"}}
	}
	s := shades{scale: figure.Blues, values: e.Weights, title: []string{"weight"}}
	for _, weights := range e.Weights {
		s.low, s.high = min(s.low, slices.Min(weights)), max(s.high, slices.Max(weights))
	}
	if s.low < 0 {
		s.scale, s.high = figure.Diverging, max(s.high, -s.low)
		s.low = -s.high
	}
	return s
}

// color returns the color of an entry.
func (s shades) color(k, item int) color.Color {
	return s.scale(figure.Position(s.values[k][item], s.low, s.high))
}

// byWeights returns an order of the items that puts items with similar weights side by side.
func byWeights(e *results.Estimate) []int {
	alike := lists.Square(len(e.Items)) // as posterior.ByLikeness expects it: from 0 to 1 on the diagonal
	for a := range alike {
		for b := range a + 1 {
			square := 0.0
			for _, weights := range e.Weights {
				square += (weights[a] - weights[b]) * (weights[a] - weights[b])
			}
			alike[a][b] = 1 / (1 + math.Sqrt(square))
			alike[b][a] = alike[a][b]
		}
	}
	return posterior.ByLikeness(alike)
}

// leftOrdered returns the items such that those with the first feature come first, among
// equals those with the second, and so on.
func leftOrdered(e *results.Estimate) []int {
	order := permutation.Identity(e.Z.N())
	slices.SortStableFunc(order, func(a, b int) int {
		for k := range e.Z.K() {
			switch member := e.Z.Has(a, k); {
			case member == e.Z.Has(b, k):
			case member:
				return -1
			default:
				return 1
			}
		}
		return cmp.Compare(a, b)
	})
	return order
}
