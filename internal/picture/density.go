package picture

// Densities of the draws and of their priors.

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// priorColor is the color of priors.
var priorColor = color.Gray{0x70}

// Density draws the densities of the scalars that are not fixed: by chain, of all chains, and
// of the prior.
func Density(j *results.Judged) figure.Figure {
	shown, note := panelled(j.Quantities())
	f := newSheet(j, "Posterior and prior densities", "Kernel densities of the draws; of few distinct draws, their probabilities. A chain is drawn up to twice the height of all chains. Dashed: densities of the priors that have a formula, as far as the draws reach."+note)
	if len(shown) == 0 {
		return f.empty("All quantities are fixed.")
	}
	const height = 26 * vg.Millimeter
	f.panels(len(shown), 2, height, height+13*vg.Millimeter, func(i int, area draw.Canvas) {
		drawDensity(area, shown[i], j.Prior(shown[i].Key))
	})
	f.legend(j.Numbers(), swatch{name: "all chains", shade: color.Black}, swatch{name: "prior", shade: priorColor, dashed: true})
	return f.Figure
}

// drawDensity draws the densities of one quantity. The prior may be nil.
func drawDensity(area draw.Canvas, q verdict.Quantity, prior *results.Prior) {
	p := figure.New()
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(6), figure.Ticks(3)
	low, high := rangeOf(q.Chains)
	least, greatest := math.Inf(-1), math.Inf(1)
	if prior != nil {
		least, greatest = 0, prior.To
		low, high = max(low, least), min(high, greatest)
	}
	addDensities(p, q.Chains, low, high, least, greatest)
	if prior != nil {
		top := p.Y.Max
		figure.AddDashes(p, curveOf(low, high, 1, func(x float64) float64 { return min(prior.Density(x), 2*top) }), priorColor, 1)
	}
	p.X.Min, p.X.Max, p.Y.Min = low, high, 0
	figure.DrawAround(p, area)
	panelTitle(area, q.Label())
}

// addDensities adds the densities of chains and of all of them from low to high. The draws are between least
// and greatest.
func addDensities(p *plot.Plot, chains [][]float64, low, high, least, greatest float64) {
	values := distinct(chains)
	curve := func(draws []float64) plotter.XYs {
		if values != nil {
			return probabilities(draws, values)
		}
		k := newKernel(draws)
		return curveOf(low, high, len(chains), func(x float64) float64 { return k.within(x, least, greatest) })
	}
	all := curve(slices.Concat(chains...))
	top := 2 * slices.MaxFunc(all, func(a, b plotter.XY) int { return cmp.Compare(a.Y, b.Y) }).Y
	for c, chain := range chains {
		line := curve(chain)
		for i := range line {
			line[i].Y = min(line[i].Y, top)
		}
		figure.AddLine(p, line, figure.Color(c), 0.6)
	}
	figure.AddLine(p, all, color.Black, 1.2)
	if p.Y.Min > p.Y.Max { // all draws are equal
		p.Y.Min, p.Y.Max = 0, 1
	}
}

// curveOf returns a function along a range, one of a number of curves: of many, each has
// fewer points.
func curveOf(low, high float64, curves int, f func(x float64) float64) plotter.XYs {
	points := min(max(2000/curves, 40), 120)
	curve := make(plotter.XYs, points)
	for i := range curve {
		x := low + (high-low)*float64(i)/float64(points-1)
		curve[i] = plotter.XY{X: x, Y: f(x)}
	}
	return curve
}

// maxDistinct is the max number of distinct draws whose probabilities are drawn instead of
// a density.
const maxDistinct = 50

// distinct returns the distinct draws in order, or nil if there are more than a few.
func distinct(chains [][]float64) []float64 {
	all := slices.Concat(chains...)
	slices.Sort(all)
	n := len(all)
	all = slices.Compact(all)
	if len(all) > min(maxDistinct, n/5) {
		return nil
	}
	return all
}

// probabilities returns the shares of the draws that have each of the given values.
func probabilities(draws, values []float64) plotter.XYs {
	points := make(plotter.XYs, len(values))
	for i, x := range values {
		points[i].X = x
	}
	for _, x := range draws {
		i, _ := slices.BinarySearch(values, x)
		points[i].Y += 1 / float64(len(draws))
	}
	return points
}

// kernel is a normal kernel density with the bandwidth of Silverman (1986, Density
// estimation, equation 3.31).
type kernel struct {
	sorted []float64
	h      float64 // 0 if all draws are equal
}

func newKernel(draws []float64) kernel {
	sd := stat.StdDev(draws, nil)
	spread := (posterior.Quantile(draws, 0.75) - posterior.Quantile(draws, 0.25)) / 1.34
	if spread > 0 {
		sd = min(sd, spread)
	}
	h := 0.9 * sd * math.Pow(float64(len(draws)), -0.2)
	if !(h > 0) {
		return kernel{}
	}
	return kernel{slices.Sorted(slices.Values(draws)), h}
}

// density returns the density.
func (k kernel) density(x float64) float64 {
	begin, _ := slices.BinarySearch(k.sorted, x-5*k.h)
	end, _ := slices.BinarySearch(k.sorted, x+5*k.h)
	sum := 0.0
	for _, y := range k.sorted[begin:end] {
		sum += math.Exp(-(x - y) * (x - y) / (2 * k.h * k.h))
	}
	return sum / (k.h * float64(len(k.sorted)) * math.Sqrt(2*math.Pi))
}

// within returns the density of draws that are between two values, which may be infinite: the
// kernel is reflected there.
func (k kernel) within(x, lower, upper float64) float64 {
	if k.h == 0 {
		return math.NaN()
	}
	sum := k.density(x)
	for _, end := range []float64{lower, upper} {
		if !math.IsInf(end, 0) {
			sum += k.density(2*end - x)
		}
	}
	return sum
}
