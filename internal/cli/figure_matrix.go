package cli

// The figure of a matrix of items by items, as shades.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// namedItems is the most items that have their names beside the matrix.
const namedItems = 80

// saveMatrix draws the off-diagonal entries of a symmetric matrix; the diagonal,
// which is of another kind, is left white.
func saveMatrix(path string, items []string, m [][]float64, title []string) error {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range m {
		for j := range i {
			low, high = min(low, m[i][j]), max(high, m[i][j])
		}
	}
	size := float64(tickSize)
	if len(items) > 25 {
		size = max(tickSize*25/float64(len(items)), 2.5)
	}
	labels := textStyle(size)
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
	side := figureWidth - 2*edge - wide - bar
	height := side + wide + 2*edge + vg.Points(4)
	return saveFigure(path, height, func(dc draw.Canvas) {
		left, top := dc.Min.X+edge+wide+vg.Points(2), dc.Max.Y-edge
		cell := side / vg.Length(len(items))
		for i, row := range m {
			y := top - cell*vg.Length(i+1)
			for j, x := range row {
				if i == j {
					continue
				}
				dc.SetColor(sequential(position(x, low, high)))
				dc.Fill(vg.Rectangle{
					Min: vg.Point{X: left + cell*vg.Length(j), Y: y},
					Max: vg.Point{X: left + cell*vg.Length(j+1), Y: y + cell},
				}.Path())
			}
		}
		frame := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
		dc.StrokeLine2(frame, left, top, left+side, top)
		dc.StrokeLine2(frame, left, top-side, left+side, top-side)
		dc.StrokeLine2(frame, left, top, left, top-side)
		dc.StrokeLine2(frame, left+side, top, left+side, top-side)
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
		drawColorBar(area, textStyle(tickSize), title, low, high)
	})
}
