package picture

// Autocorrelations of the draws.

import (
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// maxLag is the max lag of autocorrelations.
const maxLag = 100

// Autocorrelation draws the autocorrelation of each scalar that is not fixed in every chain,
// with its effective sample sizes.
func Autocorrelation(j *results.Judged) figure.Figure {
	s := j.Run.Spec.Sampler
	unit := "Lags are in draws"
	if s.Thin > 1 {
		unit += fmt.Sprintf(", one each %d scans", s.Thin)
	}
	shown, note := panelled(j.Quantities())
	f := of(j, "Autocorrelation of the draws", unit+". ESS: bulk and tail effective sample size of all chains together."+note)
	lags := min(maxLag, len(j.Chains[0])/2)
	switch {
	case len(shown) == 0:
		return f.empty("All quantities are fixed.")
	case lags < 2:
		return f.empty("There are too few draws.")
	}
	const height = 26 * vg.Millimeter
	f.panels(len(shown), 2, height, height+12*vg.Millimeter, func(i int, area draw.Canvas) {
		q := shown[i]
		p := figure.New()
		p.X.Tick.Marker, p.Y.Tick.Marker = figure.Ticks(6), figure.Ticks(4)
		p.Y.Min, p.Y.Max = -0.2, 1
		figure.AddLine(p, plotter.XYs{{X: 0, Y: 0}, {X: float64(lags), Y: 0}}, color.Gray{0x80}, 0.5)
		for c, chain := range q.Chains {
			figure.AddLine(p, autocorrelation(chain, lags), figure.Color(c), 0.8)
		}
		p.X.Min, p.X.Max = 0, float64(lags)
		figure.DrawAround(p, area)
		of := posterior.Summarize(q.Chains)
		panelTitle(area, q.Label()+": ESS "+verdict.ESS(of.ESSBulk)+" and "+verdict.ESS(of.ESSTail))
	})
	f.legend(j.Numbers())
	return f.Figure
}

// autocorrelation returns the autocorrelation of a chain at lags 0 to lags, or nil if all its
// draws are equal.
func autocorrelation(chain []float64, lags int) plotter.XYs {
	mean, variance := stat.PopMeanVariance(chain, nil)
	if !(variance > 0) {
		return nil
	}
	points := make(plotter.XYs, lags+1)
	for lag := range points {
		sum := 0.0
		for t := lag; t < len(chain); t++ {
			sum += (chain[t] - mean) * (chain[t-lag] - mean)
		}
		points[lag] = plotter.XY{X: float64(lag), Y: sum / (variance * float64(len(chain)))}
	}
	return points
}
