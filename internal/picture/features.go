package picture

// The features of the estimate, one by one.

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/posterior"
)

// Limits of what is drawn of the features.
const (
	maxFeatures = 40 // the largest
	maxLines    = 8  // of names of items
	maxLoadings = 6  // the clearest
)

// maxNameWide is the max width of the name of a variable.
const maxNameWide = 35 * vg.Millimeter

// line is the height of a line of names.
const line = 3.3 * vg.Millimeter

// Features draws each feature of the estimate: the items that have it, the darker the more
// draws give it to them, and its clear loadings.
func Features(j *results.Judged, e *results.Estimate) figure.Figure {
	items := "those of most draws first; black: nearly all draws, gray: fewer."
	if e.Weights != nil {
		items = "with their weights, the largest first."
	}
	about := "The largest features first, with what they add, of all that features explain (median and 90% interval). Left: the items that have the feature in the estimate, " + items + " Right: loadings that are more than two standard deviations from 0, those with the most first: posterior mean and two standard deviations, in the units of X as fitted. Gray: the largest loading of a feature that has none of these."
	features := e.Z.K()
	if features > maxFeatures {
		about += fmt.Sprintf(" The largest %d of %d features.", maxFeatures, features)
		features = maxFeatures
	}
	f := newSheet(j, "Features of the estimate", about)
	if features == 0 {
		return f.empty("The estimate has no features.")
	}
	var panels []featurePanel
	if e.Intercept != nil {
		panels = append(panels, featurePanel{title: "Intercept: what all items have.", loadings: clearest(e.Variables, e.Intercept)})
	}
	for k := range features {
		panels = append(panels, newFeaturePanel(e, k))
	}
	reach, names, beyond := reachOf(panels), vg.Length(0), false
	for _, p := range panels {
		for _, l := range p.loadings {
			names = max(names, figure.Text(figure.TickSize).Width(l.name))
			beyond = beyond || math.Abs(l.mean)+2*l.sd > reach
		}
		f.Height += p.height()
	}
	if beyond {
		f.About[0] += " An arrow leads beyond the axis, with the mean if it is there."
	}
	const scale = 8 * vg.Millimeter // of the axis
	f.Height += scale + gap
	names = min(names, maxNameWide)
	f.Paint = func(dc draw.Canvas) {
		left := dc.Min.X + figure.Width/2 + names + 4*vg.Millimeter
		right := dc.Max.X - edge - 2*vg.Millimeter
		position := func(x float64) vg.Length { return left + (right-left)*vg.Length((x+reach)/(2*reach)) }
		top := dc.Max.Y - gap
		for _, p := range panels {
			p.draw(dc, top, left-2*vg.Millimeter, reach, position)
			top -= p.height()
		}
		if reach > 0 {
			drawAxis(dc, top, -reach, reach, 5, position)
		}
	}
	return f.Figure
}

// reachOf returns how far the axis of loadings reaches from 0. Features of one item count only if there are no
// others, and of loadings that are not clear the mean only: their standard deviations may be many times as large.
func reachOf(panels []featurePanel) float64 {
	var clear, means, all float64
	for _, p := range panels {
		for _, l := range p.loadings {
			mean, end := math.Abs(l.mean), math.Abs(l.mean)+2*l.sd
			switch all = max(all, end); {
			case p.single:
			case p.unclear:
				means = max(means, 1.1*mean) // off the end
			default:
				clear = max(clear, end)
			}
		}
	}
	if reach := max(clear, means); reach > 0 {
		return reach
	}
	return all
}

// drawAxis draws a horizontal axis with about the given number of ticks.
func drawAxis(dc draw.Canvas, top vg.Length, low, high float64, ticks int, position func(x float64) vg.Length) {
	thin := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	dc.StrokeLine2(thin, position(low), top, position(high), top)
	style := figure.Text(figure.TickSize)
	style.XAlign, style.YAlign = text.XCenter, text.YTop
	for _, t := range figure.Ticks(ticks).Ticks(low, high) {
		dc.StrokeLine2(thin, position(t.Value), top, position(t.Value), top-vg.Points(3))
		dc.FillText(style, vg.Point{X: position(t.Value), Y: top - vg.Points(4)}, t.Label)
	}
}

// A loading is what a feature adds to a variable.
type loading struct {
	name     string
	mean, sd float64
}

// A word is a piece of a line of items.
type word struct {
	text  string
	shade color.Gray
	x     vg.Length
}

// featurePanel is what is drawn of a feature.
type featurePanel struct {
	title    string
	lines    [][]word
	loadings []loading
	unclear  bool // the loadings
	single   bool // the feature has one item
}

func newFeaturePanel(e *results.Estimate, k int) featurePanel {
	in, inside, outside := e.Sureness(k)
	p := featurePanel{single: len(in) == 1, title: fmt.Sprintf("Feature %d: %s", k+1, words.Plural(len(in), "item"))}
	p.title += ", " + e.Size(k) + fmt.Sprintf(". %s of the draws have it for these", words.Percent(inside))
	if !math.IsNaN(outside) {
		p.title += fmt.Sprintf(", %s for the others", words.Percent(outside))
	}
	p.loadings = clearest(e.Variables, &e.Loadings[k])
	if len(p.loadings) == 0 {
		p.loadings, p.unclear = largest(e.Variables, &e.Loadings[k]), true
	}
	p.title += "."
	order := e.Surest(k)
	p.flow(len(order), func(n int) (string, float64) {
		if e.Weights != nil {
			return e.Beside(order[n], words.Fixed(e.Weights[k][order[n]], 1)), 1
		}
		return e.Items[order[n]], e.Share[k][order[n]]
	})
	return p
}

// clearest returns the clear loadings of a feature that some draw has, at most maxLoadings.
func clearest(variables []string, l *posterior.FeatureLoadings) (all []loading) {
	if l.Matched == 0 {
		return nil
	}
	for _, v := range l.Clear() {
		all = append(all, loadingOf(variables, l, v))
	}
	return all[:min(len(all), maxLoadings)]
}

// largest returns the largest loading of a feature, if some draw has it.
func largest(variables []string, l *posterior.FeatureLoadings) []loading {
	if l.Matched == 0 || len(variables) == 0 {
		return nil
	}
	top := 0
	for v, mean := range l.Mean {
		if math.Abs(mean) > math.Abs(l.Mean[top]) {
			top = v
		}
	}
	return []loading{loadingOf(variables, l, top)}
}

func loadingOf(variables []string, l *posterior.FeatureLoadings, v int) loading {
	sd := l.SD[v]
	if math.IsNaN(sd) {
		sd = 0
	}
	return loading{variables[v], l.Mean[v], sd}
}

// flow breaks the names of items into lines.
func (p *featurePanel) flow(count int, value func(n int) (name string, share float64)) {
	const width = figure.Width/2 - 2*edge
	style := figure.Text(figure.TickSize)
	var row []word
	x := vg.Length(0)
	for n := range count {
		name, share := value(n)
		last := len(p.lines) == maxLines-1
		label := strconv.Itoa(count-n) + " more"
		if n < count-1 {
			name += ","
		}
		need := style.Width(name)
		if last && n < count-1 {
			need += style.Width(" " + label)
		}
		if x > 0 && x+need > width {
			if last {
				row = append(row, word{label, color.Gray{0x60}, x})
				break
			}
			p.lines, row, x = append(p.lines, row), nil, 0
		}
		row = append(row, word{name, color.Gray{uint8(0xb0 * (1 - min(max(share, 0), 1)))}, x})
		x += style.Width(name + " ")
	}
	p.lines = append(p.lines, row)
}

func (p featurePanel) height() vg.Length {
	return 5*vg.Millimeter + line*vg.Length(max(len(p.lines), len(p.loadings))) + 1.5*vg.Millimeter
}

// draw draws the panel below top, with the names of variables to the left of a line. The
// function position returns the place of a loading, up to the reach of the axis.
func (p featurePanel) draw(dc draw.Canvas, top, names vg.Length, reach float64, position func(x float64) vg.Length) {
	title := figure.Text(figure.LabelSize)
	title.YAlign = text.YTop
	dc.StrokeLine2(draw.LineStyle{Color: color.Gray{0xc0}, Width: vg.Points(0.5)}, dc.Min.X+edge, top, dc.Max.X-edge, top)
	dc.FillText(title, vg.Point{X: dc.Min.X + edge, Y: top - vg.Millimeter}, p.title)
	top -= 5 * vg.Millimeter
	style := figure.Text(figure.TickSize)
	style.YAlign = text.YCenter
	for n, row := range p.lines {
		for _, w := range row {
			style.Color = w.shade
			dc.FillText(style, vg.Point{X: dc.Min.X + edge + w.x, Y: top - line*(vg.Length(n)+0.5)}, w.text)
		}
	}
	style.Color, style.XAlign = color.Black, text.XRight
	if n := len(p.loadings); n > 0 {
		dc.StrokeLine2(draw.LineStyle{Color: color.Gray{0xa0}, Width: vg.Points(0.5)}, position(0), top, position(0), top-line*vg.Length(n))
	}
	for n, l := range p.loadings {
		y := top - line*(vg.Length(n)+0.5)
		shade := figure.Color(1)
		switch {
		case p.unclear:
			shade = color.NRGBA{0x90, 0x90, 0x90, 0xff}
		case l.mean < 0:
			shade = figure.Color(0)
		}
		low, high := max(l.mean-2*l.sd, -reach), min(l.mean+2*l.sd, reach)
		if low < high {
			dc.StrokeLine2(draw.LineStyle{Color: shade, Width: vg.Points(1)}, position(low), y, position(high), y)
		}
		if math.Abs(l.mean) <= reach {
			dc.DrawGlyph(draw.GlyphStyle{Color: shade, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}, vg.Point{X: position(l.mean), Y: y})
		}
		for _, side := range []float64{-1, 1} {
			if side*l.mean+2*l.sd > reach {
				l.drawArrow(dc, shade, side, vg.Point{X: position(side * reach), Y: y}, reach)
			}
		}
		dc.FillText(style, vg.Point{X: names, Y: y}, clipped(style, l.name, maxNameWide))
	}
}

// drawArrow draws an arrow to the right or, with side -1, to the left at the end of the axis, before it the mean if
// that is beyond.
func (l loading) drawArrow(dc draw.Canvas, shade color.Color, side float64, tip vg.Point, reach float64) {
	back, up := vg.Points(4*side), vg.Points(1.8)
	dc.FillPolygon(shade, []vg.Point{tip, {X: tip.X - back, Y: tip.Y + up}, {X: tip.X - back, Y: tip.Y - up}})
	if side*l.mean <= reach {
		return
	}
	style := figure.Text(figure.TickSize)
	style.Color, style.XAlign, style.YAlign = shade, text.XRight, text.YCenter
	if side < 0 {
		style.XAlign = text.XLeft
	}
	number := figure.Number(math.Round(10*l.mean) / 10)
	tip.X -= 1.5 * back
	wide, half := style.Width(number), style.Font.Size*0.55
	// White below the number ends the line.
	begin, end := tip.X-wide-vg.Points(1), tip.X+vg.Points(1)
	if side < 0 {
		begin, end = tip.X-vg.Points(1), tip.X+wide+vg.Points(1)
	}
	figure.Fill(dc, color.White, []vg.Rectangle{{Min: vg.Point{X: begin, Y: tip.Y - half}, Max: vg.Point{X: end, Y: tip.Y + half}}})
	dc.FillText(style, tip, number)
}
