package picture

// The temperatures of several distances, each against each.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
)

// panelPoints is the max number of draws in a panel.
const panelPoints = 600

// priorShares are the shares of the prior that its contours hold.
var priorShares = []float64{0.5, 0.9}

func (g *Gallery) drawTemperatures() (figure.Figure, error) {
	switch s := g.Run.Spec; {
	case !s.HasTemperature() || len(g.Run.Data.Distances()) < 2:
		return figure.Figure{}, fmt.Errorf("%w: expected several distances with a temperature each", ErrNone)
	case len(s.RandomTemperatures()) < 2:
		return figure.Figure{}, fmt.Errorf("%w: fewer than two temperatures are unknown", ErrNone)
	}
	return Temperatures(g.Judged), nil
}

// Temperatures draws each pair of the temperatures of several distances: equally spaced draws of all
// chains, and contours of the prior.
func Temperatures(j *results.Judged) figure.Figure {
	influences, _ := j.Influences() // nil without the files of the run
	var shown []verdict.Quantity
	var factors []string
	all := j.Run.Spec.Distances()
	for _, m := range j.Run.Spec.RandomTemperatures() {
		i := slices.IndexFunc(j.Quantities(), func(q verdict.Quantity) bool { return q.Key == draws.TemperatureKey(m) })
		shown = append(shown, j.Quantities()[i])
		if sharing := influences[m].Sharing; sharing != nil {
			factors = append(factors, all[m].Label()+" "+logFactor(*sharing))
		}
	}
	length := len(j.Chains[0])
	step := (length*len(j.Chains) + panelPoints - 1) / panelPoints
	f := newSheet(j, "Temperatures of the distances", fmt.Sprintf("Points are draws, %d of each chain; those beyond an axis are at its end. Dashed: %.0f%% and %.0f%% of the prior. Distances that the data cannot separate have points along a falling curve.",
		(length+step-1)/step, 100*priorShares[0], 100*priorShares[1]))
	if len(factors) > 0 {
		f.About = slices.Insert(f.About, 1, "Log Bayes factors for the influence of each distance (natural logarithms): "+strings.Join(factors, ", ")+".")
	}
	var pairs [][2]verdict.Quantity
	for m := range shown {
		for first := range m {
			pairs = append(pairs, [2]verdict.Quantity{shown[first], shown[m]})
		}
	}
	height := 50 * vg.Millimeter
	if len(pairs) == 1 {
		height = 90 * vg.Millimeter
	}
	f.panels(len(pairs), min(len(pairs), 2), height, height+16*vg.Millimeter, func(i int, area draw.Canvas) {
		x, y := pairs[i][0], pairs[i][1]
		drawTemperatures(area, x, y, j.Prior(x.Key), j.Prior(y.Key), step)
	})
	f.legend(j.Numbers(), swatch{name: "prior", shade: priorColor, dashed: true})
	return f.Figure
}

// logFactor returns the log Bayes factor for the influence of a distance, with its standard error.
func logFactor(influence results.Influence) string {
	if influence.AtLeast {
		return "at least " + words.Fixed(influence.Log, 1)
	}
	return figure.Minus(words.Fixed(influence.Log, 1)) + " (error " + words.Rounded(influence.StdErr, 1) + ")"
}

// drawTemperatures draws every nth draw of two temperatures, by chain, on logarithmic axes.
func drawTemperatures(area draw.Canvas, x, y verdict.Quantity, priorX, priorY *results.Prior, every int) {
	p := figure.New()
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.LogTicks{}, figure.LogTicks{}
	p.X.Label.Text, p.Y.Label.Text = x.Label(), y.Label()
	within := func(quantity verdict.Quantity, prior *results.Prior) (low, high float64, logs [][]float64) {
		all := slices.Concat(quantity.Chains...)
		low = max(min(slices.Min(all), prior.Quantile(0.03)), prior.Quantile(0.001))
		high = max(slices.Max(all), prior.Quantile(0.99))
		logs = lists.MapRows(quantity.Chains, func(t float64) float64 { return math.Log10(max(t, low)) })
		return math.Log10(low), math.Log10(high), logs
	}
	lowX, highX, logX := within(x, priorX)
	lowY, highY, logY := within(y, priorY)
	for _, share := range priorShares {
		figure.AddDashes(p, priorContour(priorX, priorY, share), priorColor, 1)
	}
	for c := range logX {
		shade := figure.Color(c)
		shade.A = 0xa0
		var points plotter.XYs
		for t := 0; t < len(logX[c]); t += every {
			points = append(points, plotter.XY{X: logX[c][t], Y: logY[c][t]})
		}
		figure.AddPoints(p, points, shade, 0.5)
	}
	const margin = 0.03
	p.X.Min, p.X.Max = lowX-margin*(highX-lowX), highX+margin*(highX-lowX)
	p.Y.Min, p.Y.Max = lowY-margin*(highY-lowY), highY+margin*(highY-lowY)
	area.Min.X += 3 * vg.Millimeter // for ticks such as 1e-05
	figure.DrawAround(p, area)
	panelTitle(area, fmt.Sprintf("correlation of the logarithms %s", figure.Minus(words.Fixed(stat.Correlation(slices.Concat(logX...), slices.Concat(logY...), nil), 2))))
}

// priorContour returns, in logarithms to base 10, the contour of the density of two independent logarithms
// that holds a share of them. The densities are concave in the logarithms, so that each ray from
// the mode crosses the contour once.
func priorContour(x, y *results.Prior, share float64) plotter.XYs {
	const cells, rays = 200, 120
	density := func(u, v float64) float64 { // log
		density := func(p *results.Prior, u float64) float64 { return math.Log(p.Density(math.Pow(10, u))) + u*math.Ln10 }
		return density(x, u) + density(y, v)
	}
	type cell struct{ u, v, log float64 }
	var all []cell // of equal probability
	for i := range cells {
		for k := range cells {
			u, v := math.Log10(x.Quantile((float64(i)+0.5)/cells)), math.Log10(y.Quantile((float64(k)+0.5)/cells))
			all = append(all, cell{u, v, density(u, v)})
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return cmp.Compare(b.log, a.log) })
	mode, least := all[0], all[int(share*float64(len(all)))].log
	var contour plotter.XYs
	for ray := range rays + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(ray) / rays)
		inside, outside := 0.0, 20.0 // decades
		for range 50 {
			if r := (inside + outside) / 2; density(mode.u+r*cos, mode.v+r*sin) >= least {
				inside = r
			} else {
				outside = r
			}
		}
		contour = append(contour, plotter.XY{X: mode.u + inside*cos, Y: mode.v + inside*sin})
	}
	return contour
}
