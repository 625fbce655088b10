package picture

// Traces: for each scalar the trace of every chain and, on the same axis, the density of its
// draws.

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/verdict"
)

// tracePoints is the max number of draws of all traces in a panel, about, and of scans before
// them.
const tracePoints = 4000

// The strip of the densities in units of the width of the traces.
const (
	stripFrom = 1.04
	stripTo   = 1.30
)

// Trace draws the scalars that are not fixed: the traces of all chains, with the scans before
// the first draw shaded, and the densities of the draws.
func Trace(j *results.Judged) figure.Figure {
	s := j.Run.Spec.Sampler
	about := "Each chain by scan, and the density of its draws. Dark gray: warmup."
	if s.Skip > 0 {
		about += " Light gray: skipped scans."
	}
	shown, note := panelled(j.Quantities())
	f := newSheet(j, "Traces", about+" Values in gray areas that are beyond the panel are drawn at its edge."+note)
	if len(shown) == 0 {
		return f.empty("All quantities are fixed.")
	}
	const (
		columns = 2
		height  = 26 * vg.Millimeter
		pitch   = height + 12*vg.Millimeter // from one row to the next
	)
	t := tracing{warmup: s.Warmup, first: s.Warmup + s.Skip, thin: s.Thin, draws: j.Traces[0].Len()}
	scans, before, missing := j.Warmup()
	if missing != "" && t.first > 0 {
		f.About = append(f.About, "Scans before the first draw are not shown: "+missing+".")
	}
	t.scans = scans
	f.panels(len(shown), columns, height, pitch, func(i int, area draw.Canvas) {
		index := slices.IndexFunc(before, func(q verdict.Quantity) bool { return q.Key == shown[i].Key })
		t.paint(area, shown[i], before[index].Chains, i+columns >= len(shown))
	})
	f.legend(j.Numbers())
	return f.Figure
}

// sampled returns the scalars that are not fixed.
func sampled(all []verdict.Quantity) []verdict.Quantity {
	return slices.DeleteFunc(all, func(q verdict.Quantity) bool { return q.Kind == verdict.Fixed })
}

// maxCutpoints is the max number of cutpoints with a panel each. Ordinal columns may have very many.
const maxCutpoints = 6

// panelled returns the scalars that are not fixed, of many cutpoints those with the largest R-hat, and a note on
// those left out.
func panelled(all []verdict.Quantity) (shown []verdict.Quantity, note string) {
	shown = sampled(all)
	keys := results.Cutpoints(shown)
	if len(keys) <= maxCutpoints {
		return shown, ""
	}
	shown = slices.DeleteFunc(shown, func(q verdict.Quantity) bool { return slices.Contains(keys[maxCutpoints:], q.Key) })
	return shown, fmt.Sprintf(" Of %d cutpoints, the %d with the largest R-hat are shown.", len(keys), maxCutpoints)
}

// tracing says to which scans the draws belong.
type tracing struct {
	warmup int     // scans
	first  int     // scans before those of the draws
	thin   int     // scans per draw
	draws  int     // of each chain
	scans  [][]int // before the first draw that have values, by chain
}

// scan returns the scan of a draw, counted from zero.
func (t tracing) scan(draw int) float64 { return float64(t.first + (draw+1)*t.thin) }

// paint draws one quantity in the given area: the traces, and to their right the densities.
// The last panel of a column labels the lower axis.
func (t tracing) paint(area draw.Canvas, q verdict.Quantity, before [][]float64, last bool) {
	p := figure.New()
	p.Y.Tick.Marker = figure.Ticks(4)
	low, high := t.rangeOf(q.Chains, before)
	end := t.scan(t.draws - 1)
	p.X.Tick.Marker = t.ticks()

	shade(p, 0, t.warmup, low, high, color.Gray{0xdc})
	shade(p, t.warmup, t.first, low, high, color.Gray{0xee})
	step := max(1, t.draws*len(q.Chains)/tracePoints)
	for c, chain := range q.Chains {
		shade := figure.Color(c)
		shade.A = 0xb0
		var trace plotter.XYs
		every := max(1, len(before[c])*len(q.Chains)/tracePoints)
		for i := 0; i < len(before[c]); i += every {
			trace = append(trace, plotter.XY{X: float64(t.scans[c][i]), Y: min(max(before[c][i], low), high)})
		}
		for i := 0; i < len(chain); i += step {
			trace = append(trace, plotter.XY{X: t.scan(i), Y: chain[i]})
		}
		figure.AddLine(p, trace, shade, 0.35)
	}
	// Densities to the right of the traces, which share their vertical axis.
	var curves []plotter.XYs
	peak := 0.0
	for _, chain := range q.Chains {
		k := newKernel(chain)
		curve := curveOf(low, high, len(q.Chains), func(x float64) float64 { return k.within(x, math.Inf(-1), math.Inf(1)) })
		for i, point := range curve {
			curve[i] = plotter.XY{X: point.Y, Y: point.X}
			peak = max(peak, point.Y)
		}
		curves = append(curves, curve)
	}
	for c, curve := range curves {
		for i := range curve {
			curve[i].X = end * (stripFrom + (stripTo-stripFrom)*curve[i].X/peak)
		}
		figure.AddLine(p, curve, figure.Color(c), 0.9)
	}
	p.X.Min, p.X.Max = 0, end*(stripTo+0.01)
	p.Y.Min, p.Y.Max = low, high
	figure.DrawAround(p, area)
	panelTitle(area, q.Label())
	if last {
		style := figure.Text(figure.LabelSize)
		style.XAlign = text.XCenter
		x, _ := p.Transforms(&area)
		y := area.Min.Y - 9*vg.Millimeter
		area.FillText(style, vg.Point{X: x(end / 2), Y: y}, "scan")
		area.FillText(style, vg.Point{X: x(end * (stripFrom + stripTo) / 2), Y: y}, "density")
	}
}

// shade shades the scans from one up to another.
func shade(p *plot.Plot, begin, end int, low, high float64, gray color.Gray) {
	if begin == end {
		return
	}
	x, y := float64(begin), float64(end)
	area, err := plotter.NewPolygon(plotter.XYs{{X: x, Y: low}, {X: y, Y: low}, {X: y, Y: high}, {X: x, Y: high}})
	if err == nil {
		area.Color, area.LineStyle.Width = gray, 0
		p.Add(area)
	}
}

// rangeOf returns the range of the draws with a margin. It extends the range to the values
// before the draws, but by at most half of it: chains start far away.
func (t tracing) rangeOf(chains, before [][]float64) (low, high float64) {
	low, high = rangeOf(chains)
	least, highest := low-(high-low)/2, high+(high-low)/2
	for _, chain := range before {
		for _, x := range chain {
			low, high = max(least, min(low, x)), min(highest, max(high, x))
		}
	}
	return low, high
}

// rangeOf returns the range of the draws with a margin.
func rangeOf(chains [][]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, chain := range chains {
		low, high = min(low, slices.Min(chain)), max(high, slices.Max(chain))
	}
	if low == high {
		low, high = low-1, high+1
	}
	margin := 0.04 * (high - low)
	return low - margin, high + margin
}

// ticks marks the first scan, those before the first draw, and the last.
func (t tracing) ticks() plot.ConstantTicks {
	end := t.scan(t.draws - 1)
	var ticks plot.ConstantTicks
	for _, v := range []float64{0, float64(t.first), end} {
		if n := len(ticks); n == 0 || v-ticks[n-1].Value > 0.15*end {
			ticks = append(ticks, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
		} else if v == end {
			ticks[n-1] = plot.Tick{Value: v, Label: strconv.Itoa(int(v))}
		}
	}
	return ticks
}
