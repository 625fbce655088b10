package exhibits

// Figures of several panels.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
)

// grid is a figure of panels, row by row.
type grid struct {
	columns int
	panels  []panel
	high    vg.Length // of the data of a panel; 0: as high as wide
	margin  vg.Length // of a panel, for the labels of its axis
	right   vg.Length // of the figure, for the scale of the colors or names of curves
	bottom  vg.Length // of a panel, for the labels of its axis
	legend  []entry
	scale   *scale
	// scaleWidth is how much of right the scale has; 0: all of it.
	scaleWidth vg.Length
}

// panel is a plot, or a painting in its area, or both.
type panel struct {
	title string
	side  string // along the left edge
	plot  *plot.Plot
	paint func(area draw.Canvas)
}

// entry is a line of the legend.
type entry struct {
	name  string
	style draw.LineStyle
}

// scale is a scale of colors at the right of the figure.
type scale struct {
	title     []string
	low, high float64
}

const (
	gridEdge  = 3 * vg.Millimeter
	gridTitle = 6 * vg.Millimeter // above a panel
)

func (g *grid) width() vg.Length {
	return (figure.Width-g.right)/vg.Length(g.columns) - g.margin - gridEdge
}

func (g *grid) panelHeight() vg.Length {
	if g.high == 0 {
		return g.width()
	}
	return g.high
}

// pitch is the height of a row.
func (g *grid) pitch() vg.Length { return gridTitle + g.panelHeight() + g.bottom }

func (g *grid) head() vg.Length {
	if len(g.legend) == 0 {
		return vg.Millimeter
	}
	return 7 * vg.Millimeter
}

// height returns the height of the figure.
func (g *grid) height() vg.Length {
	rows := (len(g.panels) + g.columns - 1) / g.columns
	return g.head() + vg.Length(rows)*g.pitch() + vg.Millimeter
}

func (g *grid) draw(dc draw.Canvas) {
	g.drawLegend(dc)
	titles := figure.Text(figure.LabelSize)
	titles.XAlign = text.XCenter
	pitch := (figure.Width - g.right) / vg.Length(g.columns)
	for i, p := range g.panels {
		left := dc.Min.X + vg.Length(i%g.columns)*pitch + g.margin
		top := dc.Max.Y - g.head() - vg.Length(i/g.columns)*g.pitch() - gridTitle
		area := dc
		area.Rectangle = vg.Rectangle{
			Min: vg.Point{X: left, Y: top - g.panelHeight()},
			Max: vg.Point{X: left + g.width(), Y: top},
		}
		if p.plot != nil {
			figure.DrawAround(p.plot, area)
		}
		if p.paint != nil {
			p.paint(area)
		}
		side := titles
		side.Rotation = math.Pi / 2
		dc.FillText(side, vg.Point{X: area.Min.X - 1.5*vg.Millimeter, Y: (area.Min.Y + area.Max.Y) / 2}, p.side)
		dc.FillText(titles, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: top + 1.5*vg.Millimeter}, p.title)
	}
	if g.scale != nil {
		area := dc
		wide := g.scaleWidth
		if wide == 0 {
			wide = g.right
		}
		area.Min = vg.Point{X: dc.Max.X - wide + 2*vg.Millimeter, Y: dc.Max.Y - g.head() - gridTitle - g.panelHeight()}
		area.Max = vg.Point{X: dc.Max.X - gridEdge, Y: dc.Max.Y - g.head() - gridTitle}
		figure.ColorBar(figure.Sequential, area, figure.Text(figure.TickSize), g.scale.title, g.scale.low, g.scale.high)
	}
}

// drawLegend draws the names of the lines along the upper edge.
func (g *grid) drawLegend(dc draw.Canvas) {
	style := figure.Text(figure.TickSize)
	style.YAlign = text.YCenter
	x, y := dc.Min.X+g.margin, dc.Max.Y-4*vg.Millimeter
	for _, e := range g.legend {
		dc.StrokeLine2(e.style, x, y, x+6*vg.Millimeter, y)
		dc.FillText(style, vg.Point{X: x + 7*vg.Millimeter, Y: y}, e.name)
		x += 11*vg.Millimeter + style.Width(e.name)
	}
}

// add adds the figure to the exhibit.
func (g *grid) add(j *job, name, caption string) {
	j.result.Figures = append(j.result.Figures, Figure{name, caption, g.height(), g.draw})
}

func line(shade color.Color, width float64) draw.LineStyle {
	return draw.LineStyle{Color: shade, Width: vg.Points(width)}
}

func dashed(shade color.Color, width float64) draw.LineStyle {
	s := line(shade, width)
	s.Dashes = figure.Dashes
	return s
}

// axes returns a plot with named axes of the given range.
func axes(x, y string, fromX, toX, fromY, toY float64) *plot.Plot {
	p := figure.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(6), figure.Ticks(6)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = fromX, toX, fromY, toY
	return p
}

// add adds a plotter to p and leaves the range of the axes as it is.
func add(p *plot.Plot, what plot.Plotter) {
	x, y := p.X, p.Y
	p.Add(what)
	p.X, p.Y = x, y
}

// addCurve adds a line in a style through the points (x[i], y[i]).
func addCurve(p *plot.Plot, x, y []float64, style draw.LineStyle) {
	l, err := plotter.NewLine(points(x, y))
	must(err)
	l.LineStyle = style
	add(p, l)
}

func points(x, y []float64) plotter.XYs {
	return lists.Make(len(x), func(i int) plotter.XY { return plotter.XY{X: x[i], Y: y[i]} })
}

// addPoints adds squares of a size in points of type at (x[i], y[i]).
func addPoints(p *plot.Plot, x, y []float64, size float64, shade color.Color) {
	ofX, ofY := p.X, p.Y
	figure.AddPoints(p, points(x, y), shade, size/2)
	p.X, p.Y = ofX, ofY
}

// addBand fills the area between two curves.
func addBand(p *plot.Plot, x, low, high []float64, shade color.Color) {
	outline := points(x, low)
	for i := len(x) - 1; i >= 0; i-- {
		outline = append(outline, plotter.XY{X: x[i], Y: high[i]})
	}
	band, err := plotter.NewPolygon(outline)
	must(err)
	band.Color, band.LineStyle.Width = shade, 0
	add(p, band)
}

// faint makes a color transparent.
func faint(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}
