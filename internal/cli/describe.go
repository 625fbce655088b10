package cli

// A description of a run before it starts, in a few lines.

import (
	"fmt"
	"io"
	"strings"

	"aibd/dataset"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/visible"
)

// describeProblem writes the source of the data and of the distances, the unit of the
// temperature, the priors and the chains.
func describeProblem(w io.Writer, p *model.Problem, dir string) {
	s, t := p.Spec, describeModel(p)
	t.add("Chains", fmt.Sprintf("%s of %d warmup scans and %s, seed %d", plural(s.Sampler.Chains, "chain"), s.Sampler.Warmup, kept(s.Sampler), s.Sampler.Seed))
	t.add("Run", dir)
	t.describe(w)
}

// describe writes names and what they are.
func (t table) describe(w io.Writer) {
	for _, row := range t {
		fmt.Fprintf(w, "%-10s%s\n", row[0], visible.Text(row[1]))
	}
}

// describeModel returns the lines about the data and the priors.
func describeModel(p *model.Problem) (t table) {
	s := p.Spec
	t.add("Data", describeData(s.Data, len(p.IDs), len(p.Columns)))
	if len(p.LeftOut) > 0 {
		t.add("Left out", strings.Join(p.LeftOut, ", ")+": no numbers")
	}
	if s.Prior.HasDistances() {
		t.add("Distance", describeDistance(s, p.Unit))
	}
	t.add("Law", describeLaw(s.Prior, p.Unit))
	t.add("Priors", describePriors(s.Prior))
	return t
}

func kept(s spec.Sampler) string {
	if s.Thin == 1 {
		return plural(s.Draws, "draw")
	}
	return fmt.Sprintf("%s, one each %d scans", plural(s.Draws, "draw"), s.Thin)
}

// sourceName returns the name of the data.
func sourceName(d spec.Data) string {
	if d.File != "" {
		return d.File
	}
	return d.Builtin
}

func describeData(d spec.Data, n, columns int) string {
	line := fmt.Sprintf("%s, %d items x %s", sourceName(d), n, plural(columns, "column"))
	if how := describeTransform(dataset.Transform{Log: d.Log, Center: d.Center, Scale: d.Scale}); how != "none" {
		line += "; " + how
	}
	return line
}

func describeDistance(s spec.Spec, unit string) string {
	d := s.Distance
	line := ""
	switch columns := strings.Join(d.Columns, ", "); d.Kind {
	case "matrix":
		line = "matrix " + d.File
		if s.Prior.Decay == "given" {
			return line + ", taken as similarities"
		}
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
	switch {
	case d.Kind == "matrix" && d.Per != 1:
		line += fmt.Sprintf(", divided by %v", d.Per)
	case d.Kind != "matrix":
		line += ", in units of " + unit
	}
	if d.Shift != 0 {
		line += fmt.Sprintf(", plus %v", d.Shift)
	}
	return line
}

// temperatureUnit is the unit of the temperature: one over that of the distances
// where their product enters the similarity, else none.
func temperatureUnit(p spec.Prior, distance string) string {
	if distance == "" || p.Decay != "exponential" && p.Decay != "window" {
		return ""
	}
	return "per " + distance
}

// lawName is the law in a word or two.
func lawName(p spec.Prior) string {
	switch {
	case p.Law != "ddibp":
		return strings.ToUpper(p.Law)
	case p.ProximityFile() != "":
		return "dd-IBP with the proximities of " + p.Proximity
	}
	return p.Proximity + " dd-IBP"
}

func describeLaw(p spec.Prior, unit string) string {
	var line string
	switch {
	case p.Law == "ibp":
		return "IBP (Indian buffet process)"
	case p.ProximityFile() != "":
		return "dd-IBP (distance dependent Indian buffet process) with the proximities of " + p.Proximity
	case p.Law == "ddibp":
		line = p.Proximity + " dd-IBP (distance dependent Indian buffet process)"
	default:
		line = "AIBD (attraction Indian buffet distribution)"
	}
	line += fmt.Sprintf(", %s decay", p.Decay)
	switch p.Decay {
	case "reciprocal":
		line += fmt.Sprintf(" with shift %v", p.DecayShift)
	case "window":
		line += fmt.Sprintf(" of width %v", p.WindowWidth)
	}
	if u := temperatureUnit(p, unit); u != "" {
		line += ", temperature " + u
	}
	if !p.HasPermutation() {
		return line
	}
	return line + "; " + describePermutation(p.Permutation)
}

func describePermutation(p spec.Permutation) string {
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

func describePriors(p spec.Prior) string {
	parts := []string{describeParameter("mass", p.Mass)}
	if p.HasTemperature() {
		parts = append(parts, describeParameter("temperature", p.Temperature))
	}
	return strings.Join(append(parts, describeScale("SigmaX", p.SigmaX), describeScale("SigmaA", p.SigmaA)), ", ")
}

func describeParameter(name string, p spec.Parameter) string {
	if p.Fixed {
		return fmt.Sprintf("%s = %v", name, *p.Value)
	}
	return fmt.Sprintf("%s ~ gamma(%v, rate %v)", name, p.Shape, p.Rate)
}

func describeScale(name string, p spec.Scale) string {
	switch {
	case p.Fixed:
		return fmt.Sprintf("%s = %v", name, *p.Value)
	case p.Shape != 0:
		return fmt.Sprintf("%s ~ gamma(%v, rate %v)", name, p.Shape, p.Rate)
	}
	return fmt.Sprintf("%s ~ uniform(0, %s)", name, significant(p.Max, 4))
}
