package exhibits

// Posterior summaries of the models of the application.

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"aibd/internal/figure"
	"aibd/posterior"
)

func makePosteriors(j *job) error {
	a, err := j.patients()
	if err != nil {
		return err
	}
	s := j.sampler()
	j.result.About = fmt.Sprintf("Posterior under the AIBD with exponential and with reciprocal similarity, with unknown temperature and order, and under the IBP: %d chains of %d scans, half of them kept. Priors: mass and temperature are gamma(1, 1), with temperature per standard deviation of age; SigmaX and SigmaA are uniform up to the standard deviation of the data; the order is uniform.", s.Chains, s.Warmup+s.Draws)
	header := []string{"model", "quantity", "mean", "sd", "MCSE", "5%", "50%", "95%", "R-hat", "bulk ESS", "tail ESS"}
	var rows [][]Cell
	models := modelsOf(j.result.Name)
	draws := make([]map[string][]float64, len(models))
	for i, m := range models {
		run, err := j.fit(m)
		if err != nil {
			return err
		}
		f, err := summarized(m, run)
		if err != nil {
			return err
		}
		if draws[i] = f.draws; !run.Spec.HasTemperature() {
			delete(f.draws, "temperature")
		}
		for _, q := range quantities {
			summary := f.summaries[q.name]
			if len(f.draws[q.name]) == 0 {
				continue
			}
			rows = append(rows, []Cell{word(m.law), word(q.name), fixed(summary.Mean, 3), fixed(summary.SD, 3), fixed(summary.MCSE, 3), fixed(summary.Q5, 3), fixed(summary.Q50, 3), fixed(summary.Q95, 3), fixed(summary.RHat, 3), fixed(summary.ESSBulk, 0), fixed(summary.ESSTail, 0)})
		}
		j.comparePosterior(f)
		if i > 0 {
			continue
		}
		t, sd := f.summaries["temperature"], stat.StdDev(a.age, nil)
		printed := printedModels[m.name]
		j.find("The temperature of %.2f per standard deviation of age is %.3f per year; the paper’s %.2f would be %.3f. The two are comparable only in units of standardized age.", t.Mean, t.Mean/sd, printed.temperature, printed.temperature/sd)
		j.find("The mean deviance is %.0f and p_D = %.0f, so DIC in the usual sense is %.0f. The paper’s printed DIC, %.0f, is close to the mean deviance.", f.deviance.MeanDeviance, f.deviance.PD, f.deviance.DIC, printed.deviance)
		j.find("%s", findAgreed)
		j.find("The paper’s values have Monte Carlo errors that it does not print, and its sampler truncates the series of new features. Expect some differences where R-hat is high (%.2f for the log likelihood).", f.rhat)
	}
	j.table("posteriors", "Posterior summaries", header, rows)
	g := &grid{columns: 3, margin: 13 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 38 * vg.Millimeter}
	for i, m := range models {
		name := m.law
		if i == 0 {
			name += ", exponential"
		}
		g.legend = append(g.legend, entry{name, line(figure.Color(i), 1.3)})
	}
	for n, q := range quantities[:len(quantities)-1] {
		low, high := posteriorRange(draws, q.name)
		label := ""
		if n%g.columns == 0 {
			label = "density over its peak"
		}
		p := axes(q.name, label, low, high, 0, 1.05)
		for i := range models {
			if x, y := frequencies(draws[i][q.name]); len(x) > 0 {
				addCurve(p, x, y, line(figure.Color(i), 1.3))
			}
		}
		g.panels = append(g.panels, panel{plot: p})
	}
	g.add(j, "posteriors", "Posterior densities (frequency polygons), each divided by its peak, under the AIBD with exponential and reciprocal similarity and under the IBP, which has no temperature. Temperatures are for ages in standard deviations.")
	return nil
}

// posteriorRange returns the range that holds 99.8% of the draws of every model.
func posteriorRange(draws []map[string][]float64, name string) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, d := range draws {
		if x := d[name]; len(x) > 0 {
			low, high = min(low, posterior.Quantile(x, 0.001)), max(high, posterior.Quantile(x, 0.999))
		}
	}
	if !(high > low) {
		high = low + 1
	}
	return low, high
}

// frequencies returns the frequency polygon of draws divided by its peak: the middle of
// each bin, and its count over the largest count. Integers have bins of whole width,
// which contain equally many integers.
func frequencies(draws []float64) (x, y []float64) {
	if len(draws) == 0 {
		return nil, nil
	}
	low, high := posterior.Quantile(draws, 0.001), posterior.Quantile(draws, 0.999)
	const limit = 40
	width, bins := (high-low)/limit, limit
	if !slices.ContainsFunc(draws, func(v float64) bool { return v != math.Floor(v) }) {
		width = math.Ceil(max(width, 1))
		low, bins = low-0.5, int((high-low)/width)+1
	}
	if !(width > 0) {
		return nil, nil
	}
	x, y = make([]float64, bins), make([]float64, bins)
	for i := range x {
		x[i] = low + (float64(i)+0.5)*width
	}
	for _, v := range draws {
		if b := int((v - low) / width); v >= low && b < bins {
			y[b]++
		}
	}
	peak := slices.Max(y)
	for i := range y {
		y[i] /= peak
	}
	return x, y
}
