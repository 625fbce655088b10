// Package figure defines the style of plots (size, fonts, colors, axes) and encodes them as
// SVG and PNG.
package figure

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/visible"
	"aibd/internal/words"
)

// Width is the width of all figures: both columns of a journal page.
const Width = 180 * vg.Millimeter

// Font sizes in points.
const (
	LabelSize = 8
	TickSize  = 7
)

// Colors is the number of distinct colors of Color.
const Colors = 6

// palette is the color-blind safe palette of Okabe and Ito (2008, Color universal design)
// without black and yellow, darkest first.
var palette = [Colors]color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
}

// Color returns the color of line i.
func Color(i int) color.NRGBA { return palette[i%Colors] }

// Text returns the style of text in figures, which extends right and up from its point.
func Text(size float64) text.Style {
	return text.Style{Color: color.Black, Font: sans(size), XAlign: text.XLeft, YAlign: text.YBottom, Handler: escaping{plot.DefaultTextHandler}}
}

// escaping draws text with its control characters escaped.
type escaping struct{ text.Handler }

func (e escaping) Lines(s string) []string { return e.Handler.Lines(visible.Text(s)) }

func (e escaping) Box(s string, f font.Font) (width, height, depth vg.Length) {
	return e.Handler.Box(visible.Text(s), f)
}

func (e escaping) Draw(c vg.Canvas, s string, style text.Style, corner vg.Point) {
	e.Handler.Draw(c, visible.Text(s), style, corner)
}

func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// New returns an empty plot in the style of all figures.
func New() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(LabelSize)
		a.Label.TextStyle.Handler = Text(LabelSize).Handler
		a.Label.Padding = vg.Points(2)
		a.Tick.Label.Font = sans(TickSize)
		a.Tick.Length = vg.Points(3)
		a.Tick.LineStyle.Width = vg.Points(0.5)
		a.LineStyle.Width = vg.Points(0.5)
		a.Padding = vg.Points(2)
	}
	return p
}

// DrawAround draws a plot whose data fill the area. Its axes are outside.
func DrawAround(p *plot.Plot, area draw.Canvas) {
	outer := area
	for range 3 { // the size of the labels depends slightly on the area
		inner := p.DataCanvas(outer)
		outer.Min.X += area.Min.X - inner.Min.X
		outer.Min.Y += area.Min.Y - inner.Min.Y
		outer.Max.X += area.Max.X - inner.Max.X
		outer.Max.Y += area.Max.Y - inner.Max.Y
	}
	p.Draw(outer)
}

// AddLine adds a line of the given width, in points, through the points. It adds nothing if
// there are fewer than two points or one is not finite.
func AddLine(p *plot.Plot, points plotter.XYs, shade color.Color, width float64) {
	addLine(p, points, draw.LineStyle{Color: shade, Width: vg.Points(width)})
}

// Dashes are the dashes of dashed lines.
var Dashes = []vg.Length{vg.Points(3), vg.Points(2)}

// AddDashes is AddLine of a dashed line.
func AddDashes(p *plot.Plot, points plotter.XYs, shade color.Color, width float64) {
	addLine(p, points, draw.LineStyle{Color: shade, Width: vg.Points(width), Dashes: Dashes})
}

func addLine(p *plot.Plot, points plotter.XYs, style draw.LineStyle) {
	if len(points) < 2 {
		return
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return // a point is not finite
	}
	line.LineStyle = style
	p.Add(line)
}

// Ticks marks multiples of 1, 2 or 5 times a power of ten, at most the given number.
type Ticks int

func (count Ticks) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(count))))
	for _, f := range []float64{1, 2, 5, 10} {
		if int(math.Floor(high/(f*step))-math.Ceil(low/(f*step)))+1 <= int(count) {
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
		ticks = append(ticks, plot.Tick{Value: v, Label: Number(v)})
	}
	return ticks
}

// LogTicks marks 1, 2 and 5 times the powers of ten on an axis of logarithms to base 10; with more than
// three decades the powers only.
type LogTicks struct{}

func (LogTicks) Ticks(low, high float64) []plot.Tick {
	factors := []float64{1, 2, 5}
	if high-low > 3 {
		factors = factors[:1]
	}
	var ticks []plot.Tick
	for k := math.Floor(low); k <= high; k++ {
		for _, f := range factors {
			if v := k + math.Log10(f); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: Number(f * math.Pow(10, k))})
			}
		}
	}
	return ticks
}

// Number returns the label of a number: the shortest form, 0.5 not 0.50, with a typographic
// minus.
func Number(x float64) string { return Minus(words.Rounded(x, 7)) }

// Minus returns a formatted number with a typographic minus as its sign.
func Minus(number string) string { return strings.Replace(number, "-", "\u2212", 1) }
