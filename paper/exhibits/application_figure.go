package exhibits

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"aibd/internal/figure"
	"aibd/posterior"
)

// applicationFigure draws AUC, mean deviance and features of the fixed temperatures
// against temperature, next to the IBP.
func (j *job) applicationFigure(all []fitted, axis string) {
	ibp := all[len(all)-1]
	g := &grid{columns: 3, margin: 15 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 48 * vg.Millimeter,
		legend: []entry{{"AIBD", line(figure.Color(0), 1.3)}, {"sequential dd-IBP", line(figure.Color(1), 1.3)}, {"IBP", dashed(color.Black, 1)}}}
	for _, q := range []struct {
		name  string
		point func(f fitted) (x, stdErr float64)
	}{
		{"expected posterior AUC", func(f fitted) (float64, float64) {
			s := posterior.Summarize(f.auc)
			return s.Mean, s.MCSE
		}},
		{"mean deviance", func(f fitted) (float64, float64) {
			return f.deviance.MeanDeviance, 2 * f.summaries["log likelihood"].MCSE
		}},
		{"number of features", func(f fitted) (float64, float64) {
			return f.summaries["features"].Mean, f.summaries["features"].MCSE
		}},
	} {
		reference, _ := q.point(ibp)
		low, high := reference, reference
		type series struct{ x, y, lower, upper []float64 }
		curves := map[string]*series{lawAIBD: {}, lawSequential: {}}
		for _, f := range all {
			if f.fixed == 0 {
				continue
			}
			mean, stdErr := q.point(f)
			if math.IsNaN(stdErr) {
				stdErr = 0
			}
			e, s := effectOf(mean, stdErr), curves[f.law]
			s.x, s.y, s.lower, s.upper = append(s.x, f.fixed), append(s.y, mean), append(s.lower, e.low), append(s.upper, e.high)
			low, high = min(low, e.low), max(high, e.high)
		}
		margin := 0.06*(high-low) + 1e-9
		p := axes(axis, q.name, 0.3, 2.1, low-margin, high+margin)
		addCurve(p, []float64{0.3, 2.1}, []float64{reference, reference}, dashed(color.Black, 1))
		for i, name := range []string{lawAIBD, lawSequential} {
			s := curves[name]
			addBand(p, s.x, s.lower, s.upper, faint(figure.Color(i), 0x40))
			addCurve(p, s.x, s.y, line(figure.Color(i), 1.3))
			addPoints(p, s.x, s.y, 3.4, figure.Color(i))
		}
		g.panels = append(g.panels, panel{plot: p})
	}
	g.add(j, j.result.Name, "Expected posterior AUC, mean deviance and mean number of features at fixed temperatures, items in the order of age. Bands: 95% Monte Carlo intervals.")
}
