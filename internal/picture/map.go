package picture

// The features of the estimate by place.

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/words"
)

// Limits of what is drawn on a map.
const (
	maxMaps  = 12  // features, the largest
	maxDots  = 800 // items that are drawn one by one
	dotTones = 20  // steps of the colors of dots; those of one step are one path
	mapCell  = 0.55 * vg.Millimeter
	wideCell = 1.5 * vg.Millimeter // of an interpolation
)

// Map draws each of the largest features of the estimate by place: the darker an item, the more
// draws give it the feature, or the larger is its weight. Many items are averaged over the cells of a grid.
func Map(j *results.Judged, e *results.Estimate, p *model.Places) figure.Figure {
	page := newSheet(j, "Features of the estimate on the map", "")
	shades := shadesOf(e)
	about := "The darker an item, the more draws give it a feature that matches this one."
	switch dense := len(p.X) > maxDots; {
	case dense && e.Weights != nil:
		about = "Mean weight of the items in a cell. White: no items."
	case dense:
		about = "The darker a cell, the more draws give its items a feature that matches this one, on average over the items. White: no items."
	case e.Weights != nil:
		about = "Weight of each item in the feature, 0 if it lacks the feature."
	}
	var surface *results.Surface
	if len(p.X) <= maxDots && e.Weights != nil {
		if surface = j.Surface(p); surface != nil {
			about += " Between the items: interpolated, as weights follow the distance."
		}
	}
	var shown []int // features of several items
	for k := range e.Z.K() {
		if e.Z.Size(k) > 1 && len(shown) < maxMaps {
			shown = append(shown, k)
		}
	}
	maps := len(shown)
	about += " Beside the items: what the feature adds, of all that features explain. Above each map: the clearest loadings, in the units of X as fitted."
	if maps < e.Z.K() {
		about += fmt.Sprintf(" Of %d features the %d largest of several items.", e.Z.K(), maps)
	}
	page.About[0] = about
	if maps == 0 {
		return page.empty("The estimate has no features of several items.")
	}
	const columns = 3
	m := newPlaceMap(p, figure.Width/columns-axis-edge)
	page.panels(maps, columns, m.height, m.height+20*vg.Millimeter, func(panel int, area draw.Canvas) {
		k := shown[panel]
		heading := area
		heading.Max.Y += moves(area, clearest(e.Variables, &e.Loadings[k]))
		title := fmt.Sprintf("Feature %d: %s", k+1, words.Plural(e.Z.Size(k), "item"))
		part := e.PartOf(k)
		title += ", "
		if len(part.Features) > 1 {
			title += part.Name() + ": "
		}
		title += words.Percent(part.Median() / 100)
		panelTitle(heading, title)
		if len(p.X) > maxDots {
			m.drawCells(area, shades, k)
		} else {
			if surface != nil {
				m.drawSurface(area, shades, surface, k)
			}
			m.drawDots(area, shades, k)
		}
		figure.DrawAround(m.axes(), area)
	})
	page.shadeLegend(shades)
	return page.Figure
}

// moves writes as many of the loadings of a feature as fit above a panel. It returns the height
// of the line.
func moves(area draw.Canvas, loadings []loading) vg.Length {
	style := figure.Text(figure.TickSize)
	style.Color = color.Gray{0x40}
	line := ""
	for _, l := range loadings {
		next := l.name + " " + figure.Number(math.Round(100*l.mean)/100)
		if line != "" {
			next = line + ", " + next
		}
		if line != "" && style.Width(next) > area.Size().X {
			break
		}
		line = next
	}
	area.FillText(style, vg.Point{X: area.Min.X, Y: area.Max.Y + vg.Millimeter}, line)
	return 3 * vg.Millimeter
}

// A placeMap maps places to panels with one scale for both axes.
type placeMap struct {
	*model.Places
	height                 vg.Length
	xmin, xmax, ymin, ymax float64 // of a panel
}

// newPlaceMap returns the map for panels of the given width. On the globe a degree of longitude
// is as long as at the middle latitude.
func newPlaceMap(p *model.Places, width vg.Length) *placeMap {
	const (
		low, high = 20 * vg.Millimeter, 75 * vg.Millimeter
		margin    = 0.04 // of the wider range, on each side
	)
	m := &placeMap{Places: p, xmin: math.Inf(1), xmax: math.Inf(-1), ymin: math.Inf(1), ymax: math.Inf(-1)}
	for i := range p.X {
		m.xmin, m.xmax = min(m.xmin, p.X[i]), max(m.xmax, p.X[i])
		m.ymin, m.ymax = min(m.ymin, p.Y[i]), max(m.ymax, p.Y[i])
	}
	shrink := 1.0 // of a unit of x
	if p.Globe {
		shrink = max(math.Cos((m.ymin+m.ymax)/2*math.Pi/180), 0.01)
	}
	wide, tall := (m.xmax-m.xmin)*shrink, m.ymax-m.ymin
	around := margin * max(wide, tall)
	if around == 0 {
		around = 1
	}
	wide, tall = wide+2*around, tall+2*around
	m.height = min(max(width*vg.Length(tall/wide), low), high)
	// Widen one range such that both fill the panel.
	scale := max(wide/float64(width), tall/float64(m.height)) // units of y in a point
	x, y := (m.xmin+m.xmax)/2, (m.ymin+m.ymax)/2
	wide, tall = scale*float64(width)/shrink, scale*float64(m.height)
	m.xmin, m.xmax, m.ymin, m.ymax = x-wide/2, x+wide/2, y-tall/2, y+tall/2
	return m
}

// axes returns the axes of a panel.
func (m *placeMap) axes() *plot.Plot {
	f := figure.New()
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = m.xmin, m.xmax, m.ymin, m.ymax
	f.X.Label.Text, f.Y.Label.Text = m.Names[0], m.Names[1]
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Ticks(4), figure.Ticks(4)
	if m.Globe {
		f.X.Tick.Marker = longitudes{}
	}
	return f
}

// longitudes marks degrees of longitude from -180 to 180.
type longitudes struct{}

func (longitudes) Ticks(low, high float64) []plot.Tick {
	ticks := figure.Ticks(4).Ticks(low, high)
	for i, t := range ticks {
		if turned := math.Remainder(t.Value, 360); turned != t.Value {
			ticks[i].Label = figure.Number(turned)
		}
	}
	return ticks
}

// point returns where item i is on a panel.
func (m *placeMap) point(i int, area draw.Canvas) vg.Point {
	return vg.Point{
		X: area.X((m.X[i] - m.xmin) / (m.xmax - m.xmin)),
		Y: area.Y((m.Y[i] - m.ymin) / (m.ymax - m.ymin)),
	}
}

// drawDots draws a dot at each item for feature k. Larger values are above smaller ones.
func (m *placeMap) drawDots(area draw.Canvas, weights shades, k int) {
	radius := vg.Points(min(max(18/math.Sqrt(float64(len(m.X))), 0.7), 2.6))
	dots := make([]vg.Path, dotTones+1)
	for i, x := range weights.values[k] {
		tone := int(math.Round(figure.Position(x, weights.low, weights.high) * dotTones))
		center := m.point(i, area)
		dots[tone].Move(vg.Point{X: center.X + radius, Y: center.Y})
		dots[tone].Arc(center, radius, 0, 2*math.Pi)
		dots[tone].Close()
	}
	for tone, path := range dots {
		if len(path) == 0 {
			continue
		}
		area.SetColor(weights.scale(float64(tone) / dotTones))
		area.Fill(path)
		area.SetColor(color.Gray{0x90})
		area.SetLineWidth(vg.Points(0.25))
		area.Stroke(path)
	}
}

// drawSurface draws the values of feature k between the items.
func (m *placeMap) drawSurface(area draw.Canvas, weights shades, surface *results.Surface, k int) {
	columns, rows := int(math.Ceil(float64(area.Size().X/wideCell))), int(math.Ceil(float64(area.Size().Y/wideCell)))
	var x, y []float64
	for row := range rows {
		for column := range columns {
			x = append(x, m.xmin+(m.xmax-m.xmin)*(float64(column)+0.5)/float64(columns))
			y = append(y, m.ymax-(m.ymax-m.ymin)*(float64(row)+0.5)/float64(rows))
		}
	}
	values := surface.Interpolate(weights.values[k], x, y)
	if values == nil {
		return
	}
	figure.DrawCells(area, rows, columns, func(row, column int) color.Color {
		return weights.scale(figure.Position(values[row*columns+column], weights.low, weights.high))
	})
}

// drawCells draws the mean value of the items in each cell of a grid for feature k.
func (m *placeMap) drawCells(area draw.Canvas, weights shades, k int) {
	columns, rows := int(math.Ceil(float64(area.Size().X/mapCell))), int(math.Ceil(float64(area.Size().Y/mapCell)))
	sum, count := make([]float64, rows*columns), make([]float64, rows*columns)
	for i, x := range weights.values[k] {
		column := int((m.X[i] - m.xmin) / (m.xmax - m.xmin) * float64(columns))
		row := int((m.ymax - m.Y[i]) / (m.ymax - m.ymin) * float64(rows))
		sum[row*columns+column] += x
		count[row*columns+column]++
	}
	figure.DrawCells(area, rows, columns, func(row, column int) color.Color {
		if cell := row*columns + column; count[cell] > 0 {
			return weights.scale(figure.Position(sum[cell]/count[cell], weights.low, weights.high))
		}
		return nil
	})
}

// legendNumber formats an end of a scale.
func legendNumber(x float64) string { return figure.Number(math.Round(100*x) / 100) }

// shadeLegend adds the scale above the picture.
func (f *sheet) shadeLegend(weights shades) {
	const high, wide = 8 * vg.Millimeter, 30 * vg.Millimeter
	paint := f.Paint
	f.Height += high
	f.Paint = func(dc draw.Canvas) {
		style := figure.Text(figure.TickSize)
		style.YAlign = text.YCenter
		x, y := dc.Min.X+axis, dc.Max.Y-2.5*vg.Millimeter
		low := legendNumber(weights.low)
		dc.FillText(style, vg.Point{X: x, Y: y}, low)
		x += style.Width(low) + 1.5*vg.Millimeter
		const steps = 30
		for i := range steps {
			// Fill up to the end, as adjacent areas would show seams.
			edge := x + wide*vg.Length(i)/steps
			dc.FillPolygon(weights.scale((float64(i)+0.5)/steps), []vg.Point{{X: edge, Y: y - vg.Millimeter}, {X: x + wide, Y: y - vg.Millimeter}, {X: x + wide, Y: y + vg.Millimeter}, {X: edge, Y: y + vg.Millimeter}})
		}
		dc.FillText(style, vg.Point{X: x + wide + 1.5*vg.Millimeter, Y: y}, legendNumber(weights.high)+"   "+strings.Join(weights.title, " "))
		paint(draw.Crop(dc, 0, 0, 0, -high))
	}
}
