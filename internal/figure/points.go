package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// points draws many small squares as one path, which keeps files small.
type points struct {
	plotter.XYs
	shade  color.Color
	radius vg.Length
}

// AddPoints adds a square at each point, with the given half side in points of type.
func AddPoints(p *plot.Plot, xys plotter.XYs, shade color.Color, radius float64) {
	if len(xys) > 0 {
		p.Add(points{xys, shade, vg.Points(radius)})
	}
}

// Plot draws the points that are in the area.
func (s points) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var squares []vg.Rectangle
	for _, q := range s.XYs {
		if center := (vg.Point{X: x(q.X), Y: y(q.Y)}); c.Contains(center) {
			r := vg.Point{X: s.radius, Y: s.radius}
			squares = append(squares, vg.Rectangle{Min: center.Sub(r), Max: center.Add(r)})
		}
	}
	Fill(c, s.shade, squares)
}

// DataRange returns the range of the points.
func (s points) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(s.XYs) }

// Fill fills rectangles, all by one path, without those with a coordinate that is not finite: rasterizers
// do not end on them.
func Fill(c draw.Canvas, shade color.Color, areas []vg.Rectangle) {
	var path vg.Path
	for _, area := range areas {
		if sum := area.Min.X + area.Min.Y + area.Max.X + area.Max.Y; sum-sum == 0 {
			path = append(path, area.Path()...)
		}
	}
	if len(path) > 0 {
		c.SetColor(shade)
		c.Fill(path)
	}
}
