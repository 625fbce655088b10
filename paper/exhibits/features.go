package exhibits

// Number of features of five states under each law.

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/prior"
)

// tableTemperatures are the temperatures of the paper's table of sharing.
var tableTemperatures = []float64{0.2, 1, 5}

// countMost is the largest number of features shown.
const countMost = 8

func makeFeatures(j *job) error {
	p := fiveStates()
	j.result.About = "Exact distribution of the number of features of the five states, mass 1, averaged over all 120 orders of arrival. Under the AIBD it equals that of the IBP for all distances, temperatures and orders."
	ibp, err := prior.NewIBP(len(p.names), 1)
	must(err)
	like := probabilities(ibp)
	type column struct {
		name string
		p    []float64
		mean float64
	}
	mean := func(p []float64) (sum float64) {
		for k, x := range p {
			sum += float64(k) * x
		}
		return sum
	}
	columns := []column{{"IBP and AIBD", like, mean(like)}}
	apart := 0.0 // what the intensities of the AIBD add to and the mean of the IBP, at most
	for _, t := range tableTemperatures {
		permutations(len(p.names), func(perm []int) {
			apart = max(apart, math.Abs(floats.Sum(intensities(aibd.law(p, t).With(t, perm)))-harmonic(len(p.names))))
		})
	}
	g := &grid{columns: 2, margin: 13 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 55 * vg.Millimeter,
		legend: []entry{{"IBP and AIBD", line(color.Black, 1.4)}}}
	for i, t := range tableTemperatures {
		g.legend = append(g.legend, entry{fmt.Sprintf("dd-IBP, temperature %v", t), line(figure.Color(i), 1.4)})
	}
	x := steps(countMost, 1)
	for _, k := range []kind{sequential, symmetric} {
		pl := axes("number of features", "probability", 0, countMost, 0, 0.4)
		pl.X.Tick.Marker = figure.Ticks(9)
		addCurve(pl, x, like[:len(x)], line(color.Black, 1.4))
		addPoints(pl, x, like[:len(x)], 3.4, color.Black)
		for i, t := range tableTemperatures {
			sum := meanOver(len(p.names), func(perm []int) []float64 { return probabilities(k.law(p, t).With(t, perm)) })
			columns = append(columns, column{fmt.Sprintf("%v, temperature %v", k, t), sum, mean(sum)})
			addCurve(pl, x, sum[:len(x)], line(figure.Color(i), 1.4))
			addPoints(pl, x, sum[:len(x)], 3.4, figure.Color(i))
		}
		g.panels = append(g.panels, panel{title: k.String(), plot: pl})
	}
	header := append([]string{"number of features"}, lists.Map(columns, func(c column) string { return c.name })...)
	var rows [][]Cell
	for n := range x {
		rows = append(rows, append([]Cell{count(n)}, lists.Map(columns, func(c column) Cell { return fixed(c.p[n], 4) })...))
	}
	row := append([]Cell{word("mean")}, lists.Map(columns, func(c column) Cell { return fixed(c.mean, 4) })...)
	j.table("features", "Probabilities of the number of features, and its mean", header, append(rows, row))
	j.find("The number of features is Poisson under every law. Its mean is the sum of the intensities of all 31 sets of states. Under the AIBD, over all 120 orders and three temperatures, this sum is always within %.0e of 1 + 1/2 + … + 1/5, the mean of the IBP. The two distributions are equal.", apart)
	j.find("Under the sequential dd-IBP the mean grows from %.2f at temperature %v to %.2f at %v; the IBP has %.4f. Under the symmetric dd-IBP, which is not the IBP at temperature 0, it goes from %.2f to %.2f.",
		columns[1].mean, tableTemperatures[0], columns[3].mean, tableTemperatures[2], columns[0].mean, columns[4].mean, columns[6].mean)
	g.add(j, "features", "Distribution of the number of features of five states, mass 1. Black: the IBP, and the AIBD at every temperature. Colors: the dd-IBP; the sequential one is averaged over the order of arrival.")
	return nil
}

// probabilities returns the probabilities of 0, 1, 2, ... features, until at most 1e-15
// remains.
func probabilities(law prior.Law) []float64 {
	p := prior.NumFeatures(law, 40)
	for k, l := range p {
		p[k] = math.Exp(l)
	}
	return p
}
