package exhibits

// Expected sharing of five states against the temperature.

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
)

func makeTemperature(j *job) error {
	p := fiveStates()
	j.result.About = "Exact expected number of features that each pair of the five states shares under the AIBD, mass 1, exponential similarity, averaged over all 120 orders of arrival."
	temperatures := steps(8, j.size(20, 4))
	curves, err := j.averagedSharing(aibd, p, temperatures, 0)
	if err != nil {
		return err
	}
	j.numbers("temperature", "Expected sharing by temperature and pair", pairHeader(p), pairRows(curves))
	c := newCurves(p, curves)
	pl := axes("temperature", "expected number of shared features", 0, 8, 0.3, 0.8)
	c.add(pl, 0xff, 1.2)
	g := &grid{columns: 1, margin: 14 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 100 * vg.Millimeter,
		right: 56 * vg.Millimeter, scale: &scale{[]string{"distance"}, c.low, c.high}}
	g.panels = []panel{{plot: pl, paint: func(area draw.Canvas) {
		_, y := pl.Transforms(&area)
		ends := []figure.EndLabel{{Text: "mean over pairs", Y: y(curves[len(curves)-1].mean)}}
		for _, curve := range c.curves {
			ends = append(ends, figure.EndLabel{Text: p.pairName(curve.pair), Y: y(curve.values[len(curves)-1])})
		}
		figure.DrawEndLabels(area, figure.Text(figure.TickSize), area, ends)
	}}}
	// The names of the curves stand between the panel and the scale.
	g.scaleWidth = 16 * vg.Millimeter
	last := curves[len(curves)-1]
	j.find("At temperature 0 every pair shares mass/2 = 0.5 features on average, as under the IBP. As temperature rises, close pairs share more and distant pairs less. Later some curves turn back, because in the limit only the nearest earlier state counts. At 8 pairs share between %.3f and %.3f.", slices.Min(last.pairValues()), slices.Max(last.pairValues()))
	j.find("The mean over pairs is not constant: it falls from 0.5 to a minimum of %.4f.", slices.Min(c.mean))
	g.add(j, "temperature", "Exact expected number of features shared by each pair of five states under the AIBD, averaged over all orders of arrival. Color: distance of the pair. Black: mean over the ten pairs.")
	return nil
}

// curves are the expected sharing of each pair over temperatures.
type curves struct {
	temperatures, mean []float64
	curves             []curve // farthest first
	low, high          float64 // distances
}

type curve struct {
	pair     [2]int
	distance float64
	values   []float64
}

func newCurves(p places, points []shared) curves {
	var c curves
	for _, s := range points {
		c.temperatures, c.mean = append(c.temperatures, s.temperature), append(c.mean, s.mean)
	}
	for _, pair := range p.pairs() {
		c.curves = append(c.curves, curve{pair, p.distanceOf(pair), lists.Map(points, func(s shared) float64 { return s.sharingOf(pair) })})
	}
	slices.SortStableFunc(c.curves, func(a, b curve) int { return cmp.Compare(b.distance, a.distance) })
	c.low, c.high = c.curves[len(c.curves)-1].distance, c.curves[0].distance
	return c
}

// add draws the curves of all pairs, and their mean in black.
func (c curves) add(p *plot.Plot, alpha uint8, width float64) {
	for _, one := range c.curves {
		shade := figure.Sequential(figure.Position(one.distance, c.low, c.high))
		addCurve(p, c.temperatures, one.values, line(faint(shade, alpha), width))
	}
	addCurve(p, c.temperatures, c.mean, line(color.Black, 1.6))
}

// pairHeader and pairRows make a table of the sharing of all pairs, a row a
// temperature.
func pairHeader(p places) []string {
	return append([]string{"temperature", "mean over pairs", "standard error of the mean"}, lists.Map(p.pairs(), p.pairName)...)
}

func pairRows(points []shared) [][]Cell {
	return lists.Map(points, func(s shared) []Cell {
		return append([]Cell{fixed(s.temperature, 2), fixed(s.mean, 4), fixed(s.meanErr, 5)}, allFixed(s.pairValues(), 4)...)
	})
}
