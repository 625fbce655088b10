package picture

// Predictive checks: a panel for each kind of quantity, with the intervals of the
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
	"aibd/internal/results"
)

// maxChecks is the max number of quantities in a panel, those with the most extreme p.
const maxChecks = 100

// CheckPanel holds the checks of one kind.
type CheckPanel struct {
	Name   string
	Checks []Check
}

// A Check is a quantity of X with its replicates.
type Check struct {
	Observed, Q5, Q95 float64
	Distance          float64 // of p from 0.5
	Extreme           bool    // a misfit
}

// checksLegend explains the panels.
const checksLegend = "Lines: 90% intervals of the replicates. Points: X, red if p is below 0.01 or above 0.99; in the order of X. " +
	"Columns are as the model sees them; your quantities are in the units of the file."

// Checks draws the checks of a run.
func Checks(j *results.Judged, kinds []CheckPanel) figure.Figure {
	return of(j, "Posterior predictive checks", checksLegend).checks(kinds)
}

// PriorChecks draws checks of the prior that lines describe.
func PriorChecks(kinds []CheckPanel, lines ...string) figure.Figure {
	return sheet{figure.Figure{Title: "Prior predictive checks", About: append([]string{checksLegend}, lines...)}}.checks(kinds)
}

// checks draws a panel for each kind.
func (f sheet) checks(kinds []CheckPanel) figure.Figure {
	const (
		height = 40 * vg.Millimeter
		pitch  = height + 14*vg.Millimeter
	)
	f.panels(len(kinds), 2, height, pitch, func(i int, area draw.Canvas) { kinds[i].draw(area) })
	return f.Figure
}

// draw draws one kind in the given area.
func (k CheckPanel) draw(area draw.Canvas) {
	checks := slices.Clone(k.Checks)
	slices.SortStableFunc(checks, func(a, b Check) int { return cmp.Compare(b.Distance, a.Distance) })
	checks = checks[:min(maxChecks, len(checks))]
	slices.SortStableFunc(checks, func(a, b Check) int { return cmp.Compare(a.Observed, b.Observed) })
	p := figure.New()
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), figure.Ticks(5)
	var points plotter.XYs
	for i, c := range checks {
		x := float64(i)
		figure.AddLine(p, plotter.XYs{{X: x, Y: c.Q5}, {X: x, Y: c.Q95}}, color.Gray{0xa0}, 1.2)
		points = append(points, plotter.XY{X: x, Y: c.Observed})
	}
	if scatter, err := plotter.NewScatter(points); err == nil {
		scatter.GlyphStyleFunc = func(i int) draw.GlyphStyle {
			shade := figure.Color(0)
			if checks[i].Extreme {
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
	panelTitle(area, name)
}
