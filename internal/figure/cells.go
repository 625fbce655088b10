package figure

// Heat maps.

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxPaths is the max number of cells to draw as paths. More cells make an image, as so
// many paths would make a huge file.
const maxPaths = 2500

// maxPixels is the max number of pixels of an image whose cells have several.
const maxPixels = 4_000_000

// pixelsOf returns the number of pixels along a cell of an image, about as many as a PNG has dots there, so that its
// edges are sharp.
func pixelsOf(cell vg.Length) int { return max(1, int(math.Round(cell.Dots(300)))) }

// overlap is how far a cell extends below the next ones, which are drawn later: adjacent
// areas would show seams.
const overlap = vg.Length(0.4)

// DrawCells fills an area with the cells of a matrix, row 0 at the top, and frames it.
// Cells with color nil are white.
func DrawCells(area draw.Canvas, rows, columns int, shade func(i, j int) color.Color) {
	size := area.Size()
	wide, high := size.X/vg.Length(columns), size.Y/vg.Length(rows)
	if rows*columns > maxPaths {
		down, across := pixelsOf(high), pixelsOf(wide)
		for rows*down*columns*across > maxPixels && down*across > 1 {
			down, across = max(1, down/2), max(1, across/2)
		}
		area.DrawImage(area.Rectangle, pixels(rows, columns, down, across, shade))
	} else {
		for i := range rows {
			for j := range columns {
				c := shade(i, j)
				if c == nil {
					c = color.White
				}
				area.SetColor(c)
				area.Fill(vg.Rectangle{
					Min: vg.Point{X: area.Min.X + wide*vg.Length(j), Y: max(area.Min.Y, area.Max.Y-high*vg.Length(i+1)-overlap)},
					Max: vg.Point{X: min(area.Max.X, area.Min.X+wide*vg.Length(j+1)+overlap), Y: area.Max.Y - high*vg.Length(i)},
				}.Path())
			}
		}
	}
	frame := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	corner := []vg.Point{area.Min, {X: area.Max.X, Y: area.Min.Y}, area.Max, {X: area.Min.X, Y: area.Max.Y}, area.Min}
	area.StrokeLines(frame, corner)
}

func pixels(rows, columns, high, wide int, shade func(i, j int) color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, columns*wide, rows*high))
	for i := range rows {
		for j := range columns {
			c := shade(i, j)
			if c == nil {
				c = color.White
			}
			for y := range high {
				for x := range wide {
					img.Set(j*wide+x, i*high+y, c)
				}
			}
		}
	}
	return img
}
