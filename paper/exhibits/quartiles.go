package exhibits

// The number of features of 50 states over the quartiles of what pairs share.

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"aibd/internal/figure"
	"aibd/posterior"
)

func makeQuartiles(j *job) error {
	p := somePlaces()
	j.result.About = fmt.Sprintf("50 states, mass 1, exponential similarity. Above: mean of the number of features and the central 90%% of its distribution. Below: quartiles, over the 1225 pairs, of the expected number of shared features. Averages are over %d random orders of arrival; the symmetric dd-IBP uses %d draws.", sharingDraws(j, aibd), sharingDraws(j, symmetric))
	g := &grid{columns: 3, margin: 12 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 38 * vg.Millimeter,
		legend: []entry{{"mean", line(color.Black, 1.4)}, {"median over pairs", line(figure.Color(0), 1.4)}, {"quartiles, or middle 90%", line(faint(figure.Color(0), 0x60), 5)}}}
	header := []string{"law", "temperature", "features", "standard error", "sharing 25%", "sharing 50%", "sharing 75%", "sharing mean"}
	var rows, whole [][]Cell
	var lower []panel
	for _, k := range kinds {
		curves, err := j.averagedSharing(k, p, lawTemperatures(j), sharingDraws(j, k))
		if err != nil {
			return err
		}
		var x, features, from, to, q1, q2, q3, mean []float64
		for _, s := range curves {
			values := s.pairValues()
			x, features, mean = append(x, s.temperature), append(features, s.features), append(mean, s.mean)
			q1, q2, q3 = append(q1, posterior.Quantile(values, 0.25)), append(q2, posterior.Quantile(values, 0.5)), append(q3, posterior.Quantile(values, 0.75))
			low, high := middle(s.features)
			from, to = append(from, low), append(to, high)
			i := len(x) - 1
			rows = append(rows, []Cell{word(k.String()), fixed(s.temperature, 2), fixed(s.features, 3), fixed(s.featuresErr, 3), fixed(q1[i], 4), fixed(q2[i], 4), fixed(q3[i], 4), fixed(s.mean, 4)})
			if s.temperature == math.Trunc(s.temperature) {
				whole = append(whole, rows[len(rows)-1])
			}
		}
		names := [2]string{}
		if k == aibd {
			names = [2]string{"number of features", "expected shared features"}
		}
		above := axes("", names[0], 0, 5, 0, 62)
		addBand(above, x, from, to, faint(figure.Color(0), 0x60))
		addCurve(above, x, features, line(color.Black, 1.4))
		below := axes("temperature", names[1], 0, 5, 0, 0.8)
		addBand(below, x, q1, q3, faint(figure.Color(0), 0x60))
		addCurve(below, x, q2, line(figure.Color(0), 1.4))
		addCurve(below, x, mean, line(color.Black, 1.4))
		g.panels = append(g.panels, panel{title: k.String(), plot: above})
		lower = append(lower, panel{plot: below})
		last := len(x) - 1
		j.find("%v: from temperature 0 to 5 the expected number of features goes from %.2f to %.2f, and the interquartile range of sharing from %.3f–%.3f to %.3f–%.3f.", k, features[0], features[last], q1[0], q3[0], q1[last], q3[last])
	}
	g.panels = append(g.panels, lower...)
	j.table("quartiles", "Number of features and quartiles of sharing", header, whole)
	j.numbers("quartiles-all", "The same at all temperatures", header, rows)
	g.add(j, "quartiles", "Number of features (above) and expected sharing (below) of 50 states against temperature, mass 1. Under the AIBD the number of features stays the same while sharing spreads. Under the dd-IBP more features belong to a single state as temperature rises.")
	return nil
}

// middle returns the ends of the middle 90% of a Poisson distribution. (Averaged over
// orders, the number of features is a mixture of Poissons with means so close that the
// difference is invisible.)
func middle(mean float64) (low, high float64) {
	poisson := distuv.Poisson{Lambda: mean}
	for poisson.CDF(low) < 0.05 {
		low++
	}
	for high = low; poisson.CDF(high) < 0.95; {
		high++
	}
	return low, high
}
