// Package describe says in words what a spec and its data are: a line each for the data, the distances,
// the law, the priors and the chains.
package describe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/words"
)

// A Line is a sentence with its name.
type Line struct{ Label, Text string }

// Lines describe one thing.
type Lines []Line

// Add adds a line.
func (l *Lines) Add(label, text string) { *l = append(*l, Line{label, text}) }

// Problem returns the source of the data and of the distances, what is done to X, the priors and the chains.
func Problem(p *model.Problem) Lines {
	t := Model(p)
	t.Add("Chains", Chains(p.Spec.Sampler))
	return t
}

// Model returns the lines about the data and the priors.
func Model(p *model.Problem) (t Lines) {
	s := p.Spec
	names := "numbered"
	if p.IDColumn != "" {
		names = "named by " + p.IDColumn
	}
	t.Add("Data", fmt.Sprintf("%s, %d items, %s, x %s", s.Data.Source(), len(p.IDs), names, words.Plural(len(p.Columns), "column")))
	t.Add("X", describeX(p))
	t = append(t, Unknown(s, p.IDs, p.Columns, &p.Observed)...)
	alike := map[string][]string{}
	for _, c := range p.LeftOut {
		alike[c.Reason] = append(alike[c.Reason], c.Column)
	}
	for _, c := range p.LeftOut {
		if columns := alike[c.Reason]; columns[0] == c.Column {
			t.Add("Left out", hint.Listed(columns, shownColumns)+": "+c.Reason)
		}
	}
	if s.HasDistances() {
		for _, line := range Distances(s, p.Distances()) {
			t.Add("Distance", line)
		}
	}
	t.Add("Law", Law(s, p.Distances()))
	switch d := s.Data; {
	case d.HasIntercept():
		t.Add("Intercept", "one for each column, with a flat prior (--set data.intercept=false)")
	case d.Center:
		t.Add("Intercept", "none: on centered columns a feature may stand for a baseline (--set data.intercept=true)")
	}
	if s.Data.HasNoiseScales() {
		line := fmt.Sprintf("a scale for %d of %d columns, whose square is truncated inverse gamma(1, 1), times SigmaX and SigmaA (--set data.noise=common)", len(p.Noisy()), len(p.Columns))
		if share := *s.Data.MinNoise; share > 0 {
			line += fmt.Sprintf("; at least %g times the residual sd of a column given the others (--set data.min_noise=0)", share)
		}
		t.Add("Noise", line)
	}
	if s.Likelihood.HasWeights() {
		t.Add("Features", weights(p))
	}
	t.Add("Priors", priors(p))
	for m, d := range s.Distances()[:len(p.Distances())] {
		if line := nearness(p, m, d); line != "" {
			t.Add("Nearness", line)
		}
	}
	for _, note := range p.Notes {
		t.Add("Note", note)
	}
	return t
}

// weights describes the prior of the weights.
func weights(p *model.Problem) string {
	line := "weighted: a weight for each feature of each item, w ~ normal(0, 1)"
	prior := p.Posterior.Weights
	if prior == nil {
		return line
	}
	line += "; shares of the variance that are common to all items"
	for _, near := range p.Weights {
		line += ", that follow " + p.Spec.Distances()[near.Distance].Label()
	}
	return line + " and each item's own are unknown, with a uniform prior"
}

// Chains describes the chains and where they start.
func Chains(s spec.Sampler) string {
	line := fmt.Sprintf("%s of %d warmup scans and %s, seed %d", words.Plural(s.Chains, "chain"), s.Warmup, kept(s), s.Seed)
	switch file := s.InitFile(); {
	case s.Init == spec.InitSubsample:
		line += "; each starts at a fit of a subsample of the items, which is made first"
	case file != "" && s.Annealed() == 0:
		line += fmt.Sprintf("; they start at %s, without annealing", file)
	case file != "":
		line += fmt.Sprintf("; they start at %s, which annealing may undo (--set sampler.anneal=0)", file)
	}
	return line
}

func kept(s spec.Sampler) string {
	line := words.Plural(s.Draws, "draw")
	if s.Thin > 1 {
		line += fmt.Sprintf(", one every %d scans", s.Thin)
	}
	if s.Skip > 0 {
		line += fmt.Sprintf(" after %d more", s.Skip)
	}
	return line
}

// shownColumns is the max number of columns that a line names.
const shownColumns = 6

// describeX says which columns are X, what is done to them, and why they are scaled or not.
func describeX(p *model.Problem) string {
	d := p.Spec.Data
	line := hint.Listed(p.Columns, shownColumns)
	if !slices.Contains(p.Categories, nil) {
		return line
	}
	var logs, logs1p []string
	for j, column := range p.Columns {
		switch {
		case p.IsCount(j) || !p.Units.Log(j):
		case p.Units.Plus(j) > 0:
			logs1p = append(logs1p, column)
		default:
			logs = append(logs, column)
		}
	}
	few := func(names []string) []string {
		if names == nil {
			return nil
		}
		return []string{hint.Listed(names, shownColumns)}
	}
	if how := Transform(dataset.Transform{Log: few(logs), Log1p: few(logs1p), Center: d.Center, Scale: *d.Scale}); how == "none" {
		line += "; as in the file"
	} else {
		line += "; " + how
		if slices.ContainsFunc(p.Categories, func(c *model.Categories) bool { return c != nil }) {
			line += ", but not binary and ordinal ones"
		}
	}
	if len(d.Hellinger) > 0 {
		line += "; before, square roots of shares of the sums of rows of " + strings.Join(d.Hellinger, ", ")
	}
	ratio := words.Significant(p.SDRatio, 2)
	switch {
	case !*d.Scale && len(p.Columns) == 1:
		line += ", not scaled (--scale scales)"
	case !*d.Scale && math.IsInf(p.SDRatio, 1):
		line += ", not scaled: a column is constant"
	case p.AutoScale && *d.Scale && p.SDRatio <= model.MaxSDRatio:
		line += ": squares of such numbers are out of range (--log takes logarithms)"
	case p.AutoScale && *d.Scale:
		line += fmt.Sprintf(": sds differ by a factor of %s (--scale=false keeps the units)", ratio)
	case !*d.Scale:
		line += fmt.Sprintf(", not scaled: sds differ by a factor of %s (--scale scales)", ratio)
	}
	return line
}

// Distances describes each distance, by its name if there are several.
func Distances(s spec.Spec, units []model.Measured) (lines []string) {
	for m, d := range s.Distances()[:len(units)] {
		line := distance(d, s.Prior.Decay == "given", units[m].Unit)
		if len(units) > 1 {
			line = d.Label() + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func distance(d spec.Distance, given bool, unit string) string {
	line := ""
	switch columns := hint.Listed(d.Columns, shownColumns); d.Kind {
	case "matrix":
		line = "matrix " + d.File
		if given {
			return line + ", taken as similarities"
		}
	case "tree":
		line = "branches of " + d.File
	case "same":
		line = "0 within and 1 between values of " + columns
	case "cyclic":
		line = fmt.Sprintf("difference of %s around a cycle of %v", columns, d.Period)
	case "gower":
		line = "Gower's distance of " + columns
	case "absolute":
		line = "absolute difference of " + columns
	case "euclidean":
		line = "Euclidean distance of " + columns
	case "great-circle":
		line = "great circle between " + columns
	}
	if d.Standardize {
		line += ", standardized"
	}
	if d.Kind != "same" && d.Kind != "matrix" && d.Kind != "tree" {
		line += ", in units of " + unit
	}
	if d.Shift != 0 {
		line += fmt.Sprintf(", plus %v", d.Shift)
	}
	return line
}

// Law describes a law with the units of its distances.
func Law(s spec.Spec, units []model.Measured) string {
	var line string
	switch p := s.Prior; {
	case p.Law == "ibp":
		return "IBP (Indian buffet process)"
	case p.ProximityFile() != "":
		return "dd-IBP (distance dependent Indian buffet process) with the proximities of " + p.Proximity
	case p.Law == "ddibp":
		line = p.Proximity + " dd-IBP (distance dependent Indian buffet process)"
	default:
		line = "AIBD (attraction Indian buffet distribution)"
	}
	line += ", " + s.Prior.Decay + " decay"
	if s.Prior.Decay == "reciprocal" {
		line += fmt.Sprintf(" with shift %v", s.Prior.DecayShift)
	}
	if len(units) > 1 {
		line += fmt.Sprintf(", a temperature for each of %d distances", len(units))
	} else if u := TemperatureUnit(s.Prior, units[0].Unit); u != "" {
		line += ", temperature " + u
	}
	if !s.Prior.HasPermutation() {
		return line
	}
	return line + "; " + permutation(s.Prior.Permutation)
}

func permutation(p spec.Permutation) string {
	switch {
	case p.Kind == "random":
		return "items arrive in a random order"
	case p.Kind == "ordered":
		return "items arrive in the order of " + p.Column
	case len(p.Order) > 0:
		return "items arrive in the given order"
	}
	return "items arrive in the order of the rows"
}

func priors(p *model.Problem) string {
	law := p.Spec.Prior
	parts := []string{Parameter("mass", law.Mass)}
	if p.Spec.HasTemperature() {
		parts = append(parts, Temperatures(p.Spec))
	}
	which := "largest"
	ofX := "the sd of X about column means"
	if p.Spec.Data.HasNoiseScales() && p.Spec.Data.Preset == "" {
		which, ofX = "median", "the median sd of a column"
	}
	ofA := fmt.Sprintf("the %s sd of a column", which)
	if !slices.Contains(p.Categories, nil) {
		ofX, ofA = "of latent values", "of latent values"
	} else if !p.Spec.Data.Center && !p.Spec.Data.HasIntercept() {
		ofA = fmt.Sprintf("the %s root of variance plus squared mean of a column", which)
	}
	return strings.Join(append(parts,
		Scale("SigmaX", law.SigmaX, p.Scales.SigmaX, ofX),
		Scale("SigmaA", law.SigmaA, p.Scales.SigmaA, ofA)), ", ")
}

// Temperatures describes the prior of the temperature, or of each of several.
func Temperatures(s spec.Spec) string {
	all := s.Distances()
	var parts []string
	for _, d := range all {
		name := "temperature"
		if len(all) > 1 {
			name = "each temperature"
		}
		if line := temperature(name, d, s.Prior); !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	for m, d := range all {
		parts = append(parts[:m], temperature("temperature of "+d.Label(), d, s.Prior))
	}
	return strings.Join(parts, ", ")
}

// temperature describes the prior of a temperature of the given name.
func temperature(name string, d spec.Distance, law spec.Prior) string {
	parameter := spec.Parameter(d.Temperature)
	if !parameter.Fixed && law.TemperatureUnit == "median" && law.Decay == "exponential" {
		name += " x median distance"
	}
	return Parameter(name, parameter)
}

// nearness says what the prior of the temperature of distance m, or its value if it is fixed,
// means for distances.
func nearness(p *model.Problem, m int, d spec.Distance) string {
	median, distance, law := "", p.Distances()[m], p.Spec.Prior
	switch {
	case !p.Spec.HasTemperature():
		return ""
	case law.Decay == "reciprocal" && law.DecayShift == 0:
		return "the temperature is a power, which has no unit; an item takes features only from earlier items at distance 0, if there are any (prior.decay_shift)"
	case law.Decay == "reciprocal":
		return fmt.Sprintf("the temperature is a power; the shift %v is in the unit of the distances, and the answer depends on it", law.DecayShift)
	}
	what, temperature := "temperature", 0.0
	if t := d.Temperature; !t.Fixed {
		what, temperature = "the prior's median temperature,", distuv.Gamma{Alpha: t.Shape, Beta: t.Rate * distance.TemperatureUnit}.Quantile(0.5)
		if distance.TemperatureUnit != 1 {
			median = "the median distance is " + inUnit(distance.TemperatureUnit, d, distance.Unit) + "; "
		}
	} else if temperature = *t.Value; temperature == 0 {
		return "at temperature 0 distances have no influence"
	}
	if d.Kind == "same" {
		return fmt.Sprintf("at %s %s, items that differ in %s are %s times as similar as others", what, words.Significant(temperature, 3), d.Columns[0], words.Significant(Strangers(temperature), 3))
	}
	return fmt.Sprintf("%sat %s %s %s, similarity halves every %s", median, what, words.Significant(temperature, 3), TemperatureUnit(law, distance.Unit), inUnit(math.Ln2/temperature, d, distance.Unit))
}

// inUnit returns a distance with its unit, without the number that divides distances.
func inUnit(distance float64, d spec.Distance, unit string) string {
	per, unit := UnitOf(d, unit)
	return words.Significant(per*distance, 3) + " " + unit
}

// Parameter describes the prior of a parameter, or its value.
func Parameter(name string, p spec.Parameter) string {
	if p.Fixed {
		return fmt.Sprintf("%s = %v", name, *p.Value)
	}
	return fmt.Sprintf("%s ~ gamma(%v, rate %v)", name, p.Shape, p.Rate)
}

// Scale describes the prior of a scale, whose default mean or maximum is in a unit.
func Scale(name string, p spec.Scale, byDefault float64, unit string) string {
	switch {
	case p.Fixed:
		return fmt.Sprintf("%s = %v", name, *p.Value)
	case p.Shape != 0:
		return fmt.Sprintf("%s ~ gamma(%v, rate %v)", name, p.Shape, p.Rate)
	case p.Mean != 0:
		if p.Mean != byDefault {
			unit = "given"
		}
		return fmt.Sprintf("%s ~ exponential(mean %s: %s)", name, words.Significant(p.Mean, 4), unit)
	case p.Max != byDefault:
		unit = "given"
	}
	return fmt.Sprintf("%s ~ uniform(0, %s: %s)", name, words.Significant(p.Max, 4), unit)
}
