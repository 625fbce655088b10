package cli

// A heat map, items by items.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// namedItems is the max number of items to label.
const namedItems = 80

// matrixFigure returns the height of the figure of the off-diagonal entries of a symmetric
// matrix, and what draws it. The diagonal, which counts something else, is white.
func matrixFigure(items []string, m [][]float64, title []string) (height vg.Length, paint func(draw.Canvas)) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range m {
		for j := range i {
			low, high = min(low, m[i][j]), max(high, m[i][j])
		}
	}
	size := float64(figure.TickSize)
	if len(items) > 25 {
		size = max(figure.TickSize*25/float64(len(items)), 2.5)
	}
	labels := figure.Text(size)
	wide := vg.Length(0)
	if len(items) <= namedItems {
		for _, name := range items {
			wide = max(wide, labels.Width(name))
		}
	}
	const (
		edge = 3 * vg.Millimeter
		bar  = 22 * vg.Millimeter
	)
	side := figure.Width - 2*edge - wide - bar
	return side + wide + 2*edge + vg.Points(4), func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+wide+vg.Points(2), dc.Max.Y-edge
		cell := side / vg.Length(len(items))
		square := dc
		square.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - side}, Max: vg.Point{X: left + side, Y: top}}
		figure.DrawCells(square, len(items), len(items), func(i, j int) color.Color {
			if i == j {
				return nil
			}
			return figure.Sequential(figure.Position(m[i][j], low, high))
		})
		if len(items) <= namedItems {
			across, down := labels, labels
			across.XAlign, across.YAlign = text.XRight, text.YCenter
			down.Rotation, down.XAlign, down.YAlign = math.Pi/2, text.XRight, text.YCenter
			for i, name := range items {
				middle := cell * (vg.Length(i) + 0.5)
				dc.FillText(across, vg.Point{X: left - vg.Points(2), Y: top - middle}, name)
				dc.FillText(down, vg.Point{X: left + middle, Y: top - side - vg.Points(2)}, name)
			}
		}
		area := dc
		area.Min = vg.Point{X: left + side + 4*vg.Millimeter, Y: top - side}
		area.Max = vg.Point{X: dc.Max.X - edge, Y: top}
		figure.ColorBar(area, figure.Text(figure.TickSize), title, low, high)
	}
}
