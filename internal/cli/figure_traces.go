package cli

// The figure of aibd summary: for each quantity the trace of every chain and, on the same
// axis, the density of its draws.

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// tracePoints is the max number of draws of a chain in a trace, equally spaced.
const tracePoints = 1000

// The strip of the densities in units of the width of the traces.
const (
	stripFrom = 1.04
	stripTo   = 1.30
)

// saveTraces draws the quantities that are not fixed, two panels in each row. The chains
// have the given numbers. The title, which may be empty, is above them.
func saveTraces(path string, quantities []verdict.Quantity, chains []int, title string) error {
	var shown []verdict.Quantity
	for _, q := range quantities {
		if q.Kind != verdict.Fixed {
			shown = append(shown, q)
		}
	}
	const (
		columns = 2
		left    = 14 * vg.Millimeter // of a panel, for the labels of its axis
		width   = figure.Width/columns - left - 3*vg.Millimeter
		height  = 26 * vg.Millimeter
		pitch   = height + 12*vg.Millimeter // from one row to the next
		head    = 13 * vg.Millimeter
	)
	if len(shown) == 0 {
		return saveMessage(path, "All quantities are fixed.")
	}
	rows := vg.Length((len(shown) + columns - 1) / columns)
	return saveFigure(path, title, head+rows*pitch+2*vg.Millimeter, func(dc draw.Canvas) {
		chainLegend(dc, left, chains)
		for i, q := range shown {
			corner := vg.Point{
				X: dc.Min.X + vg.Length(i%columns)*figure.Width/columns + left,
				Y: dc.Max.Y - head - vg.Length(i/columns)*pitch,
			}
			panel := dc
			panel.Rectangle = vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - height}, Max: vg.Point{X: corner.X + width, Y: corner.Y}}
			drawTracePanel(panel, q, i+columns >= len(shown))
		}
	})
}

// chainLegend draws the colours of the chains along the upper edge, or their number if
// there are more chains than colours.
func chainLegend(dc draw.Canvas, left vg.Length, chains []int) {
	style := figure.Text(figure.TickSize)
	style.YAlign = text.YCenter
	x, y := dc.Min.X+left, dc.Max.Y-4*vg.Millimeter
	if len(chains) > figure.Colors {
		dc.FillText(style, vg.Point{X: x, Y: y}, plural(len(chains), "chain"))
		return
	}
	for c, number := range chains {
		line := draw.LineStyle{Color: figure.Color(c), Width: vg.Points(1.5)}
		dc.StrokeLine2(line, x, y, x+5*vg.Millimeter, y)
		label := "chain " + strconv.Itoa(number)
		dc.FillText(style, vg.Point{X: x + 6*vg.Millimeter, Y: y}, label)
		x += 10*vg.Millimeter + style.Width(label)
	}
}

// drawTracePanel draws one quantity in the given area: the traces over draws 1 to T, and
// the densities to the right of T. The last panel of a column labels the lower axis.
func drawTracePanel(area draw.Canvas, q verdict.Quantity, last bool) {
	p := figure.New()
	p.Y.Tick.Marker = figure.Ticks(4)
	length := 0
	low, high := math.Inf(1), math.Inf(-1)
	for _, chain := range q.Chains {
		length = max(length, len(chain))
		for _, x := range chain {
			low, high = min(low, x), max(high, x)
		}
	}
	if low == high {
		low, high = low-1, high+1
	}
	margin := 0.04 * (high - low)
	low, high = low-margin, high+margin
	end := float64(max(length, 2))
	p.X.Tick.Marker = traceTicks(end)

	for c, chain := range q.Chains {
		shade := figure.Color(c)
		shade.A = 0xb0
		step := (len(chain) + tracePoints - 1) / tracePoints
		var trace plotter.XYs
		for t := 0; t < len(chain); t += step {
			trace = append(trace, plotter.XY{X: float64(t + 1), Y: chain[t]})
		}
		figure.AddLine(p, trace, shade, 0.35)
	}
	var curves []plotter.XYs
	peak := 0.0
	for _, chain := range q.Chains {
		curve := density(chain, low, high)
		for _, point := range curve {
			peak = max(peak, point.X)
		}
		curves = append(curves, curve)
	}
	for c, curve := range curves {
		for i := range curve {
			curve[i].X = end * (stripFrom + (stripTo-stripFrom)*curve[i].X/peak)
		}
		figure.AddLine(p, curve, figure.Color(c), 0.9)
	}
	p.X.Min, p.X.Max = 1, end*(stripTo+0.01)
	p.Y.Min, p.Y.Max = low, high
	figure.DrawAround(p, area)

	style := figure.Text(figure.LabelSize)
	area.FillText(style, vg.Point{X: area.Min.X, Y: area.Max.Y + 1.5*vg.Millimeter}, q.Label())
	if last {
		style.XAlign = text.XCenter
		x, _ := p.Transforms(&area)
		y := area.Min.Y - 9*vg.Millimeter
		area.FillText(style, vg.Point{X: x(end / 2), Y: y}, "draw")
		area.FillText(style, vg.Point{X: x(end * (stripFrom + stripTo) / 2), Y: y}, "density")
	}
}

// traceTicks marks the first, the middle and the last draw.
type traceTicks float64

func (last traceTicks) Ticks(float64, float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 1, Label: "1"}}
	for _, f := range []float64{0.5, 1} {
		v := math.Round(f * float64(last))
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
	}
	return ticks
}

// density returns the kernel density of the draws along the range: the density times
// sqrt(2 pi) in X, the value in Y. It uses a normal kernel with the bandwidth of Silverman
// (1986, Density estimation, equation 3.31). It returns nil if all draws are equal.
func density(draws []float64, low, high float64) plotter.XYs {
	sd := stat.StdDev(draws, nil)
	spread := (posterior.Quantile(draws, 0.75) - posterior.Quantile(draws, 0.25)) / 1.34
	if spread > 0 {
		sd = min(sd, spread)
	}
	h := 0.9 * sd * math.Pow(float64(len(draws)), -0.2)
	if !(h > 0) {
		return nil
	}
	sorted := slices.Sorted(slices.Values(draws))
	const points = 200
	curve := make(plotter.XYs, points)
	for i := range curve {
		y := low + (high-low)*float64(i)/(points-1)
		from, _ := slices.BinarySearch(sorted, y-5*h)
		to, _ := slices.BinarySearch(sorted, y+5*h)
		sum := 0.0
		for _, x := range sorted[from:to] {
			sum += math.Exp(-(x - y) * (x - y) / (2 * h * h))
		}
		curve[i] = plotter.XY{X: sum / (h * float64(len(draws))), Y: y}
	}
	return curve
}
