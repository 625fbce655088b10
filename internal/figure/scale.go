package figure

// Color scales.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Position returns the position of x between low and high, from 0 to 1.
func Position(x, low, high float64) float64 {
	if !(high > low) {
		return 0
	}
	return min((x-low)/(high-low), 1)
}

// Sequential returns the color at t in [0, 1] of the scale viridis (Smith and van der Walt,
// 2015), which is perceptually uniform and color-blind safe, without its last sixth, which
// is too pale for lines.
func Sequential(t float64) color.NRGBA {
	anchors := []color.NRGBA{
		{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff},
		{0x2c, 0x72, 0x8e, 0xff}, {0x21, 0x91, 0x8c, 0xff}, {0x28, 0xae, 0x80, 0xff},
		{0x5e, 0xc9, 0x62, 0xff}, {0x8b, 0xd6, 0x46, 0xff},
	}
	return between(anchors, t)
}

// Diverging returns the color at t in [0, 1] of the color-blind safe scale RdBu of
// ColorBrewer (Harrower and Brewer, 2003): blue below the middle, nearly white at it, red
// above.
func Diverging(t float64) color.NRGBA {
	return between([]color.NRGBA{
		{0x05, 0x30, 0x61, 0xff}, {0x21, 0x66, 0xac, 0xff}, {0x43, 0x93, 0xc3, 0xff}, {0x92, 0xc5, 0xde, 0xff}, {0xd1, 0xe5, 0xf0, 0xff},
		{0xf7, 0xf7, 0xf7, 0xff},
		{0xfd, 0xdb, 0xc7, 0xff}, {0xf4, 0xa5, 0x82, 0xff}, {0xd6, 0x60, 0x4d, 0xff}, {0xb2, 0x18, 0x2b, 0xff}, {0x67, 0x00, 0x1f, 0xff},
	}, t)
}

// Blues returns the color at t in [0, 1] of a scale from pale to dark blue, after Blues of
// ColorBrewer.
func Blues(t float64) color.NRGBA {
	return between([]color.NRGBA{{0xde, 0xeb, 0xf7, 0xff}, {0x9e, 0xca, 0xe1, 0xff}, {0x42, 0x92, 0xc6, 0xff}, {0x08, 0x51, 0x9c, 0xff}, {0x08, 0x30, 0x6b, 0xff}}, t)
}

// between returns the color at t in 0 to 1 along evenly spaced anchors.
func between(anchors []color.NRGBA, t float64) color.NRGBA {
	x := t * float64(len(anchors)-1)
	i := min(int(x), len(anchors)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (x-float64(i))*(float64(b)-float64(a)))) }
	a, b := anchors[i], anchors[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// ColorBar draws a scale at the left of an area, below its title.
func ColorBar(scale func(t float64) color.NRGBA, area draw.Canvas, style text.Style, title []string, low, high float64) {
	if !(high > low) {
		return
	}
	style.YAlign = text.YTop
	top := area.Max.Y
	for _, line := range title {
		area.FillText(style, vg.Point{X: area.Min.X, Y: top}, line)
		top -= style.Font.Size * 1.2
	}
	top -= vg.Millimeter
	style.YAlign = text.YCenter
	left, right := area.Min.X, area.Min.X+3*vg.Millimeter
	height := func(t float64) vg.Length { return area.Min.Y + (top-area.Min.Y)*vg.Length(t) }
	const steps = 64
	for i := range steps {
		// Fill up to the top, as adjacent areas would show seams.
		y := height(float64(i) / steps)
		area.FillPolygon(scale((float64(i)+0.5)/steps), []vg.Point{{X: left, Y: y}, {X: right, Y: y}, {X: right, Y: top}, {X: left, Y: top}})
	}
	for _, t := range Ticks(6).Ticks(low, high) {
		y := height(Position(t.Value, low, high))
		area.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}, right, y, right+vg.Points(2), y)
		area.FillText(style, vg.Point{X: right + vg.Points(4), Y: y}, t.Label)
	}
}
