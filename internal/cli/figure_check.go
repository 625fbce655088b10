package cli

// The figure of aibd check: a panel for each kind of quantity, with the intervals of the
// replicates and the values of X.

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// maxChecks is the max number of quantities in a panel, those with the most extreme p.
const maxChecks = 100

// plot draws the checks.
func (k *checked) plot(path, title string) error {
	const (
		columns = 2
		left    = 14 * vg.Millimeter // of a panel, for the labels of its axis
		width   = figure.Width/columns - left - 3*vg.Millimeter
		height  = 40 * vg.Millimeter
		pitch   = height + 14*vg.Millimeter
		head    = 13 * vg.Millimeter
	)
	rows := vg.Length((len(k.Kinds) + columns - 1) / columns)
	return saveFigure(path, title, head+rows*pitch, func(dc draw.Canvas) {
		dc.FillText(figure.Text(figure.TickSize), vg.Point{X: dc.Min.X + left, Y: dc.Max.Y - 6*vg.Millimeter},
			"lines: 90% intervals of the replicates; points: X, red if p is below 0.01 or above 0.99; in the order of X")
		for i, kind := range k.Kinds {
			corner := vg.Point{
				X: dc.Min.X + vg.Length(i%columns)*figure.Width/columns + left,
				Y: dc.Max.Y - head - vg.Length(i/columns)*pitch,
			}
			panel := dc
			panel.Rectangle = vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - height}, Max: vg.Point{X: corner.X + width, Y: corner.Y}}
			kind.draw(panel)
		}
	})
}

// draw draws one kind in the given area.
func (k checkedKind) draw(area draw.Canvas) {
	checks := slices.Clone(k.Checks)
	slices.SortStableFunc(checks, func(a, b namedCheck) int { return cmp.Compare(b.distance(), a.distance()) })
	checks = checks[:min(maxChecks, len(checks))]
	slices.SortStableFunc(checks, func(a, b namedCheck) int { return cmp.Compare(a.Observed, b.Observed) })
	p := figure.New()
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), figure.Ticks(5)
	var points plotter.XYs
	for i, c := range checks {
		x := float64(i)
		figure.AddLine(p, plotter.XYs{{X: x, Y: float64(c.Q5)}, {X: x, Y: float64(c.Q95)}}, color.Gray{0xa0}, 1.2)
		points = append(points, plotter.XY{X: x, Y: float64(c.Observed)})
	}
	if scatter, err := plotter.NewScatter(points); err == nil {
		scatter.GlyphStyleFunc = func(i int) draw.GlyphStyle {
			shade := figure.Color(0)
			if checks[i].extreme() {
				shade = figure.Color(1)
			}
			return draw.GlyphStyle{Color: shade, Radius: vg.Points(1.3), Shape: draw.CircleGlyph{}}
		}
		p.Add(scatter)
		p.X.Min, p.X.Max = -1, float64(len(checks))
		figure.DrawAround(p, area)
	}
	name := k.Name
	if len(k.Checks) > maxChecks {
		name += ", the most extreme"
	}
	area.FillText(figure.Text(figure.LabelSize), vg.Point{X: area.Min.X, Y: area.Max.Y + 1.5*vg.Millimeter}, name)
}
