package picture

// Names along heat maps.

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// widest returns the max width of the names.
func widest(style text.Style, names []string) vg.Length {
	wide := vg.Length(0)
	for _, name := range names {
		wide = max(wide, style.Width(name))
	}
	return wide
}

// clipped returns a name, or as much of its beginning as has the given width.
func clipped(style text.Style, name string, wide vg.Length) string {
	const dots = "\u2026"
	if style.Width(name) <= wide {
		return name
	}
	runes := []rune(name)
	for len(runes) > 0 && style.Width(string(runes)+dots) > wide {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + dots
}

// minName is the min size of the names of items, in points. Heat maps of many items grow
// beyond the page so that each name is readable.
const minName = 5

// If there are more names, every nth is shown.
const (
	maxNamed  = 250 // of rows
	maxSquare = 100 // of rows and columns of a square
)

// labels are names of rows or columns at equal distances.
type labels struct {
	names []string
	every int // nth name
	style text.Style
	pitch vg.Length // from one to the next
	wide  vg.Length // of the widest
}

// labelled returns labels along the given side, at most a distance apart. It shows every nth name if there are more
// than the limit. Labels exceed the side if names would not be readable.
func labelled(names []string, limit int, side, apart vg.Length) labels {
	const spacing = 1.15 // of names, in units of their size
	l := labels{names: names, every: max(1, (len(names)+limit-1)/limit)}
	l.pitch = min(max(side/vg.Length(len(names)), vg.Points(minName)*spacing/vg.Length(l.every)), apart)
	l.style = figure.Text(min(figure.TickSize, (l.pitch*vg.Length(l.every)).Points()/spacing))
	l.wide = widest(l.style, names)
	return l
}

// within returns labels at the given distances, none if they would not be readable.
func within(names []string, pitch vg.Length) labels {
	const minSize = 2.5 // points
	size := min(figure.TickSize, pitch.Points()*0.95)
	if size < minSize {
		return labels{}
	}
	style := figure.Text(size)
	return labels{names, 1, style, pitch, widest(style, names)}
}

// square returns the labels of a square heat map that has, with its names, the given side.
func square(names []string, side vg.Length) labels {
	var l labels
	for range 3 { // the widths of names depend on their size
		l = labelled(names, maxSquare, side-l.wide, 12*vg.Millimeter)
	}
	return l
}

// note says how many names are left out, or nothing.
func (l labels) note() string {
	if l.every < 2 {
		return ""
	}
	return " One name in " + strconv.Itoa(l.every) + " is shown."
}

// drawLeft draws the names to the left of x, the first one at the top y.
func (l labels) drawLeft(dc draw.Canvas, x, y vg.Length) {
	style := l.style
	style.XAlign, style.YAlign = text.XRight, text.YCenter
	for i := 0; i < len(l.names); i += l.every {
		dc.FillText(style, vg.Point{X: x, Y: y - l.pitch*(vg.Length(i)+0.5)}, l.names[i])
	}
}

// drawBelow draws the names upright below y, the first one at the left x.
func (l labels) drawBelow(dc draw.Canvas, x, y vg.Length) {
	style := l.style
	style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XRight, text.YCenter
	for i := 0; i < len(l.names); i += l.every {
		dc.FillText(style, vg.Point{X: x + l.pitch*(vg.Length(i)+0.5), Y: y}, l.names[i])
	}
}
