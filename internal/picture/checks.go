package picture

// Predictive checks: a panel for each kind of quantity, with the intervals of the
// replicates and the values of X.

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/results"
	"aibd/predict"
)

// maxChecks is the max number of quantities in a panel, those with the most extreme p.
const maxChecks = 100

// checksLegend explains the panels.
const checksLegend = "Lines: 90% intervals of the replicates. Points: X, vermilion if p is below 0.01 or above 0.99, sorted by value. " +
	"Names: of all points, or of the most extreme vermilion ones. Columns are as the model sees them; your quantities are in the units of the file."

// Checks draws the checks of a run.
func Checks(j *results.Judged, k *results.Checks) figure.Figure {
	return newSheet(j, "Posterior predictive checks", checksLegend).checks(k)
}

// PriorChecks draws checks of the prior that lines describe.
func PriorChecks(k *results.Checks, lines ...string) figure.Figure {
	return sheet{figure.Figure{Title: "Prior predictive checks", About: append([]string{checksLegend}, lines...)}}.checks(k)
}

// checks draws a panel for each kind, and for each quantity of the user, whose scales differ.
func (f sheet) checks(k *results.Checks) figure.Figure {
	var kinds []results.CheckedKind
	for _, kind := range k.Kinds {
		if kind.Name != predict.YourQuantities {
			kinds = append(kinds, kind)
			continue
		}
		for _, c := range kind.Checks {
			kinds = append(kinds, results.CheckedKind{Name: c.Subject, Checks: []results.Check{c}})
		}
	}
	const height = 40 * vg.Millimeter
	var names []string
	for _, kind := range kinds {
		names = append(names, lists.Map(kind.Checks, func(c results.Check) string { return c.Subject })...)
	}
	pitch := height + 12*vg.Millimeter + min(nameLength, widest(nameStyle(), names))
	f.panels(len(kinds), 2, height, pitch, func(i int, area draw.Canvas) { drawChecks(kinds[i], area) })
	return f.Figure
}

// drawChecks draws the checks of one kind that have a p.
func drawChecks(k results.CheckedKind, area draw.Canvas) {
	checks := slices.DeleteFunc(slices.Clone(k.Checks), func(c results.Check) bool { return math.IsNaN(float64(c.P)) })
	all := len(checks)
	slices.SortStableFunc(checks, func(a, b results.Check) int { return cmp.Compare(b.Distance(), a.Distance()) })
	checks = checks[:min(maxChecks, len(checks))]
	slices.SortStableFunc(checks, func(a, b results.Check) int { return cmp.Compare(a.Seen.Observed, b.Seen.Observed) })
	p := figure.New()
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(nil), figure.Ticks(5)
	var points plotter.XYs
	for i, c := range checks {
		x := float64(i)
		figure.AddLine(p, plotter.XYs{{X: x, Y: c.Seen.Q5}, {X: x, Y: c.Seen.Q95}}, color.Gray{0xa0}, 1.2)
		points = append(points, plotter.XY{X: x, Y: c.Seen.Observed})
	}
	if scatter, err := plotter.NewScatter(points); err == nil {
		scatter.GlyphStyleFunc = func(i int) draw.GlyphStyle {
			shade := figure.Color(0)
			if checks[i].IsExtreme() {
				shade = figure.Color(1)
			}
			return draw.GlyphStyle{Color: shade, Radius: vg.Points(1.3), Shape: draw.CircleGlyph{}}
		}
		p.Add(scatter)
		p.X.Min, p.X.Max = -1, float64(len(checks))
		figure.DrawAround(p, area)
		nameChecks(checks, area)
	}
	name := k.Name
	if all > maxChecks {
		name += ", the most extreme"
	}
	panelTitle(area, name)
}

// Names of checks are upright below their points, nameWidth apart at least.
const (
	nameLength = 18 * vg.Millimeter
	nameWidth  = 2 * vg.Millimeter
)

func nameStyle() text.Style {
	style := figure.Text(figure.TickSize - 1)
	style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XRight, text.YCenter
	return style
}

// nameChecks writes the names of the checks, in the order of their points, below a panel.
func nameChecks(checks []results.Check, area draw.Canvas) {
	style := nameStyle()
	for _, i := range namedChecks(checks, (area.Max.X-area.Min.X)/vg.Length(len(checks)+1)) {
		x := area.Min.X + (area.Max.X-area.Min.X)*vg.Length(i+1)/vg.Length(len(checks)+1)
		area.FillText(style, vg.Point{X: x, Y: area.Min.Y - 1.5*vg.Millimeter}, clipped(style, checks[i].Subject, nameLength))
	}
}

// namedChecks returns the checks that are named if neighbors are step apart: all if there is room, or misfits, those with
// the most extreme p first.
func namedChecks(checks []results.Check, step vg.Length) (named []int) {
	order := permutation.Identity(len(checks))
	if step < nameWidth {
		order = slices.DeleteFunc(order, func(i int) bool { return !checks[i].IsExtreme() })
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(checks[b].Distance(), checks[a].Distance()) })
	}
	for _, i := range order {
		if !slices.ContainsFunc(named, func(n int) bool { return vg.Length(max(n-i, i-n))*step < nameWidth }) {
			named = append(named, i)
		}
	}
	return named
}
