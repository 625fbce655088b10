package cli

// What the figures have in common: size, letters, colours, file formats.

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	figureWidth = 180 * vg.Millimeter // a page of a journal, both columns
	pngDPI      = 300
	labelSize   = 8
	tickSize    = 7
)

// palette is that of Okabe and Ito (2008, Color universal design), which the
// colour-blind can tell apart, without black and yellow and darkest first.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
}

// paletteColor returns a colour for the i-th of some lines.
func paletteColor(i int) color.NRGBA { return palette[i%len(palette)] }

// textStyle returns the letters of figures, from the given point to the right and
// up.
func textStyle(size float64) text.Style {
	return text.Style{Color: color.Black, Font: sans(size), XAlign: text.XLeft, YAlign: text.YBottom, Handler: plot.DefaultTextHandler}
}

func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// newPlot returns an empty plot in the style of all figures.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(labelSize)
		a.Label.Padding = vg.Points(2)
		a.Tick.Label.Font = sans(tickSize)
		a.Tick.Length = vg.Points(3)
		a.Tick.LineStyle.Width = vg.Points(0.5)
		a.LineStyle.Width = vg.Points(0.5)
		a.Padding = vg.Points(2)
	}
	return p
}

// drawAround draws a plot so that its data fill the given area, the axes outside.
func drawAround(p *plot.Plot, area draw.Canvas) {
	outer := area
	for range 3 { // what the labels need depends a little on the area
		inner := p.DataCanvas(outer)
		outer.Min.X += area.Min.X - inner.Min.X
		outer.Min.Y += area.Min.Y - inner.Min.Y
		outer.Max.X += area.Max.X - inner.Max.X
		outer.Max.Y += area.Max.Y - inner.Max.Y
	}
	p.Draw(outer)
}

func addLine(p *plot.Plot, points plotter.XYs, shade color.Color, width float64) {
	if len(points) < 2 {
		return
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return // a point is not finite: there is no line to draw
	}
	line.LineStyle = draw.LineStyle{Color: shade, Width: vg.Points(width)}
	p.Add(line)
}

// niceTicks marks the multiples of 1, 2 or 5 times a power of ten, at most so many
// of them.
type niceTicks int

func (most niceTicks) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, f := range []float64{1, 2, 5, 10} {
		if int(math.Floor(high/(f*step))-math.Ceil(low/(f*step)))+1 <= int(most) {
			step *= f
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k <= math.Floor(high/step); k++ {
		v := k * step
		if v == 0 {
			v = 0 // not -0
		}
		// As short as can be, 0.5 and not 0.50, with the sign for minus.
		label := strconv.FormatFloat(v, 'g', -1, 32)
		ticks = append(ticks, plot.Tick{Value: v, Label: strings.Replace(label, "-", "\u2212", 1)})
	}
	return ticks
}

// figureKind returns svg or png, by the end of the name of the file.
func figureKind(path string) (string, error) {
	switch kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); kind {
	case "svg", "png":
		return kind, nil
	}
	return "", usageError{fmt.Errorf("--plot %s: expected a name that ends in .svg or .png", path)}
}

// saveFigure draws a figure of the given height into a file.
func saveFigure(path string, height vg.Length, paint func(draw.Canvas)) error {
	kind, err := figureKind(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if kind == "png" {
		canvas := vgimg.NewWith(vgimg.UseWH(figureWidth, height), vgimg.UseDPI(pngDPI))
		paintOnWhite(draw.New(canvas), paint)
		if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
			return err
		}
		return replaceFile(path, b.Bytes())
	}
	canvas := vgsvg.New(figureWidth, height)
	paintOnWhite(draw.New(canvas), paint)
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Liberation Sans has the measures of Arial and Helvetica, which stand in for
	// it where it is not installed.
	content := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return replaceFile(path, content)
}

func paintOnWhite(dc draw.Canvas, paint func(draw.Canvas)) {
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	paint(dc)
}
