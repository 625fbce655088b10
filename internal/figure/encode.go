package figure

// Figures with their titles, encoded.

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"aibd/internal/visible"
)

// Figure is a picture with a title. Lines above the picture that are too wide are wrapped.
type Figure struct {
	Title   string    // may be empty, as the next two
	Warning string    // why not to rely on the picture
	About   []string  // paragraphs: what the picture shows, and of what
	Width   vg.Length // 0 for the constant Width
	Height  vg.Length // of what Paint draws
	DPI     int       // dots per inch of a PNG; 0 for 300
	Paint   func(draw.Canvas)
}

// Message returns a figure that says why there is nothing to draw.
func Message(message string) Figure {
	return Figure{About: []string{message}, Height: edge, Paint: func(draw.Canvas) {}}
}

// edge is the space around the lines above a picture.
const edge = 3 * vg.Millimeter

// warningColor is dark enough for text on white.
var warningColor = color.NRGBA{0xa8, 0x3c, 0x00, 0xff}

// Encode returns the figure as svg or png.
func (f Figure) Encode(kind string) ([]byte, error) {
	f.Width = cmp.Or(f.Width, Width)
	above := f.above()
	height := f.total(above)
	var b bytes.Buffer
	switch kind {
	case "png":
		canvas := vgimg.NewWith(vgimg.UseWH(f.Width, height), vgimg.UseDPI(cmp.Or(f.DPI, 300)))
		f.draw(draw.New(canvas), above)
		_, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b)
		return b.Bytes(), err
	case "svg":
		canvas := vgsvg.New(f.Width, height)
		f.draw(draw.New(canvas), above)
		if _, err := canvas.WriteTo(&b); err != nil {
			return nil, err
		}
		return f.portable(b.Bytes()), nil
	}
	return nil, fmt.Errorf("found the kind of figure %q, expected svg or png", kind)
}

// portable returns an SVG that looks alike in other programs, and that screen readers
// announce by its title.
func (f Figure) portable(svg []byte) []byte {
	// Arial and Helvetica have the metrics of Liberation Sans and replace it where it
	// is not installed.
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	// Vgsvg embeds PNG and calls it JPEG, which some programs then refuse to show.
	svg = bytes.ReplaceAll(svg, []byte("data:image/jpg;base64,iVBOR"), []byte("data:image/png;base64,iVBOR"))
	// Cells fill the area that they are given, and keep their edges.
	svg = bytes.ReplaceAll(svg, []byte("<image "), []byte(`<image preserveAspectRatio="none" style="image-rendering:pixelated" `))
	svg = bytes.ReplaceAll(svg, []byte("font-variant:normal;"), nil)
	svg = bytes.ReplaceAll(svg, []byte("font-style:normal;"), nil)
	svg = shortPaths(fitTexts(svg))
	if f.Title == "" {
		return svg
	}
	var title bytes.Buffer
	if err := xml.EscapeText(&title, []byte(visible.Text(f.Title))); err != nil {
		return svg
	}
	root := bytes.Index(svg, []byte("<svg "))
	end := root + bytes.IndexByte(svg[root:], '>') + 1
	return bytes.Join([][]byte{svg[:root], []byte(`<svg role="img" `), svg[root+len("<svg ") : end], []byte("\n<title>"), title.Bytes(), []byte("</title>"), svg[end:]}, nil)
}

// A heading is a line above a picture.
type heading struct {
	style text.Style
	text  string
}

func (h heading) pitch() vg.Length { return h.style.Font.Size * 1.35 }

// above returns the lines above the picture.
func (f Figure) above() (lines []heading) {
	add := func(style text.Style, paragraph string) {
		// Leave room for wider fonts, in which other programs may show the text.
		for _, line := range wrapped(style, paragraph, 0.86*(f.Width-2*edge)) {
			lines = append(lines, heading{style, line})
		}
	}
	title, warning, about := Text(LabelSize+1), Text(LabelSize), Text(TickSize)
	title.Font.Weight, warning.Font.Weight = font.WeightBold, font.WeightBold
	warning.Color, about.Color = warningColor, color.Gray{0x40}
	add(title, f.Title)
	add(warning, f.Warning)
	for _, paragraph := range f.About {
		add(about, paragraph)
	}
	return lines
}

// total returns the height of the figure with the lines.
func (f Figure) total(above []heading) vg.Length {
	height := f.Height
	if len(above) > 0 {
		height += 2 * vg.Millimeter
	}
	for _, line := range above {
		height += line.pitch()
	}
	return height
}

// wrapped breaks a paragraph into lines of at most the given width, between words where it
// can.
func wrapped(style text.Style, paragraph string, width vg.Length) (lines []string) {
	line := ""
	for _, word := range strings.Fields(paragraph) {
		if line != "" && style.Width(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		for style.Width(word) > width { // such as a long path
			runes := []rune(word)
			n := len(runes) - 1
			for n > 1 && style.Width(string(runes[:n])) > width {
				n--
			}
			lines, word = append(lines, string(runes[:n])), string(runes[n:])
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// draw draws the lines and the picture on white.
func (f Figure) draw(dc draw.Canvas, above []heading) {
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	y := dc.Max.Y
	if len(above) > 0 {
		y -= 2 * vg.Millimeter
	}
	for _, line := range above {
		y -= line.pitch()
		dc.FillText(line.style, vg.Point{X: dc.Min.X + edge, Y: y}, line.text)
	}
	dc.Max.Y = y
	f.Paint(dc)
}

// Stack returns a figure with the second below the first, each with its own title.
func Stack(first, second Figure) Figure {
	first.Width, second.Width = cmp.Or(first.Width, Width), cmp.Or(second.Width, Width)
	width := max(first.Width, second.Width)
	upper := first.total(first.above())
	return Figure{Width: width, Height: upper + second.total(second.above()), Paint: func(dc draw.Canvas) {
		top := draw.Crop(dc, 0, first.Width-width, dc.Max.Y-dc.Min.Y-upper, 0)
		first.draw(top, first.above())
		second.draw(draw.Crop(dc, 0, second.Width-width, 0, -upper), second.above())
	}}
}
