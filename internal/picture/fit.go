package picture

// Observed against fitted values, and residuals.

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/posterior"
)

// maxCells is the max number of cells of X in a panel, evenly spaced.
const maxCells = 4000

// maxBars is the max number of variables with a bar of their explained share.
const maxBars = 40

// Fit draws the observed values of X against the fitted ones, the residuals, and the share of
// the sum of squares of each variable that the features explain. Fitted holds the fitted
// values by item and variable.
func Fit(j *results.Judged, e *results.Estimate, fitted [][]float64) figure.Figure {
	about := "Cells of X as fitted against the posterior means of their fitted values."
	total := len(fitted) * len(fitted[0])
	step := (total + maxCells - 1) / maxCells
	if step > 1 {
		about += fmt.Sprintf(" One cell in %d is drawn.", step)
	}
	noise := noises(j)
	squares := "sum of squares of the variable"
	if e.Intercept != nil {
		squares += " about its mean"
	}
	bars := byShare(e)
	about += fmt.Sprintf(" Residuals are in units of the median noise of the variable. Dashed: no residual, and two such units from it. Bars: share of the %s that the features explain, in sample, with two standard deviations over draws.", squares)
	if count := len(bars) - maxBars; count > 0 {
		bars = bars[:maxBars]
		about += fmt.Sprintf(" Drawn are the %d largest shares; %d more variables have at most %s.", maxBars, count, words.Percent(e.Fit.Variables[bars[maxBars-1]].Mean))
	}
	f := newSheet(j, "Fit: observed values, residuals and explained shares", about)
	variables := len(e.Variables)
	colors := 1
	if variables <= figure.Colors {
		colors = variables
	}
	observed, residuals := make([]plotter.XYs, colors), make([]plotter.XYs, colors) // by color
	for cell := 0; cell < total; cell += step {
		i, v := cell/variables, cell%variables
		x, y := fitted[i][v], j.Seen.Latent[i][v]
		if !math.IsNaN(y) {
			observed[v%colors] = append(observed[v%colors], plotter.XY{X: x, Y: y})
			residuals[v%colors] = append(residuals[v%colors], plotter.XY{X: x, Y: (y - x) / noise[v]})
		}
	}
	const (
		side  = 62 * vg.Millimeter
		pitch = side + 16*vg.Millimeter
	)
	f.panels(2, 2, side, pitch, func(panel int, area draw.Canvas) {
		p := figure.New()
		p.X.Label.Text = "fitted"
		p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(6), figure.Ticks(6)
		groups := [][]plotter.XYs{observed, residuals}[panel]
		for c, group := range groups {
			shade := figure.Color(c)
			shade.A = 0x90
			figure.AddPoints(p, group, shade, 0.7)
		}
		slope := []float64{1, 0}[panel]
		for _, off := range [][]float64{{0}, {-2, 0, 2}}[panel] {
			low, high := p.X.Min, p.X.Max
			figure.AddDashes(p, plotter.XYs{{X: low, Y: slope*low + off}, {X: high, Y: slope*high + off}}, color.Black, 0.5)
		}
		figure.DrawAround(p, area)
		panelTitle(area, []string{"observed", "observed minus fitted, over the noise"}[panel])
	})
	f.explained(e, bars)
	return f.Figure
}

// noises returns the median standard deviation of the noise of each variable.
func noises(j *results.Judged) []float64 {
	noise := make([]float64, len(j.Run.Data.Columns))
	for v := range noise {
		sds := j.Derived(func(d *draws.Draw) float64 { return d.SigmaX * lglfm.NoiseScale(d, v) })
		noise[v] = posterior.Quantile(slices.Concat(sds...), 0.5)
	}
	return noise
}

// observed reports whether X has a number, rather than categories only.
func observed(latent [][]float64) bool {
	return slices.ContainsFunc(latent, func(row []float64) bool {
		return slices.ContainsFunc(row, func(x float64) bool { return !math.IsNaN(x) })
	})
}

// byShare returns the variables that have explained shares, those of the largest first.
func byShare(e *results.Estimate) (order []int) {
	for v, share := range e.Fit.Variables {
		if !math.IsNaN(share.Mean) { // as of categories, counts or limits
			order = append(order, v)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Fit.Variables[b].Mean, e.Fit.Variables[a].Mean) })
	return order
}

// explained adds bars of the shares that the features explain of some variables below the picture, the colors
// being those of the points.
func (f *sheet) explained(e *results.Estimate, bars []int) {
	if len(bars) == 0 {
		return
	}
	const pitch, limit = 3.6 * vg.Millimeter, 60 * vg.Millimeter
	label := figure.Text(figure.TickSize)
	names := lists.Map(lists.Pick(e.Variables, bars), func(name string) string { return clipped(label, name, limit) })
	wide := widest(label, names)
	above, paint := f.Height, f.Paint
	f.Height += vg.Length(len(bars))*pitch + 12*vg.Millimeter
	f.Paint = func(dc draw.Canvas) {
		paint(dc)
		left, right, top := dc.Min.X+edge+wide+gap, dc.Max.X-2*edge, dc.Max.Y-above
		position := func(share float64) vg.Length { return left + (right-left)*vg.Length(min(max(share, 0), 1)) }
		thin := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
		style := label
		style.XAlign, style.YAlign = text.XRight, text.YCenter
		for n, v := range bars {
			share := e.Fit.Variables[v]
			y := top - pitch*(vg.Length(n)+0.5)
			shade := figure.Color(0)
			if len(e.Variables) <= figure.Colors {
				shade = figure.Color(v)
			}
			figure.Fill(dc, shade, []vg.Rectangle{{Min: vg.Point{X: left, Y: y - 0.35*pitch}, Max: vg.Point{X: position(share.Mean), Y: y + 0.35*pitch}}})
			if !math.IsNaN(share.SD) {
				dc.StrokeLine2(thin, position(share.Mean-2*share.SD), y, position(share.Mean+2*share.SD), y)
			}
			dc.FillText(style, vg.Point{X: left - gap, Y: y}, names[n])
		}
		bottom := top - pitch*vg.Length(len(bars)) - gap
		drawAxis(dc, bottom, 0, 1, 6, position)
		style.XAlign, style.YAlign = text.XCenter, text.YTop
		dc.FillText(style, vg.Point{X: (left + right) / 2, Y: bottom - vg.Points(12)}, "share explained")
	}
}
