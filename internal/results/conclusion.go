package results

// Which distance matters.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/posterior"
)

// DistanceFinding is what the draws say of a distance.
type DistanceFinding struct {
	Name         string    `json:"name"`
	Conclusion   Opinion   `json:"conclusion"`
	HalfDistance *Interval `json:"half_distance,omitempty"` // at which similarity halves
	Strangers    *Interval `json:"similarity_of_strangers,omitempty"`
	BayesFactor  *Number   `json:"bayes_factor,omitempty"` // for influence of the distance
	LogFactor    *Number   `json:"log_bayes_factor,omitempty"`
	LogError     *Number   `json:"log_bayes_factor_error,omitempty"` // Monte Carlo standard error
	AtLeast      bool      `json:"at_least,omitempty"`               // both Bayes factors are lower bounds
	said, why    string    // the conclusion, and the numbers behind it
	number       int       // of the distance, from zero
}

// Interval is the median and the 90% interval.
type Interval struct {
	Median Number `json:"median"`
	Q5     Number `json:"q5"`
	Q95    Number `json:"q95"`
	Unit   string `json:"unit,omitempty"`
}

func interval(chains [][]float64, unit string) *Interval {
	of := posterior.Summarize(chains)
	return &Interval{Number(of.Q50), Number(of.Q5), Number(of.Q95), unit}
}

// distances says of each distance with an unknown temperature whether it matters: the temperature against its prior.
func (j *Judged) distances() (all []DistanceFinding) {
	spec, of := j.Run.Spec, j.Run.Data.Distances()
	random := spec.RandomTemperatures()
	if len(random) == 0 {
		return nil
	}
	influences, _ := j.Influences() // nil without the files of the run
	for _, m := range random {
		d := spec.Distances()[m]
		found := DistanceFinding{Name: d.Label(), number: m}
		q := j.quantity(draws.TemperatureKey(m))
		prior := j.Prior(q.Key).Quantile
		var parts []string
		switch {
		case spec.Prior.Decay != "exponential":
		case d.Kind == "same":
			similar := lists.Each(q.Chains, describe.Strangers)
			found.Strangers = interval(similar, "")
			parts = append(parts, fmt.Sprintf("items that differ in %s are %s times as similar as others", d.Columns[0], WithInterval(similar)))
		case of[m].Unit != "":
			per, unit := describe.UnitOf(d, of[m].Unit)
			half := lists.Each(q.Chains, func(x float64) float64 { return per * math.Ln2 / x })
			found.HalfDistance = interval(half, unit)
			parts = append(parts, fmt.Sprintf("similarity halves at a distance of %s %s", WithInterval(half), unit))
		}
		temperature := fmt.Sprintf("the temperature is %s", WithInterval(q.Chains))
		if q.Unit != "" {
			temperature += " " + q.Unit
		}
		temperature += fmt.Sprintf(", under the prior %s (%s to %s)", words.Significant(prior(0.5), 2), words.Significant(prior(0.05), 2), words.Significant(prior(0.95), 2))
		i := influences[m]
		if i != nil {
			parts = append(parts, found.factor(*i, posterior.Summarize(q.Chains).RHat > verdict.MaxRHat), temperature)
		} else {
			parts = append(parts, temperature, fmt.Sprintf("%s%% of the draws are below %s, against 10%% under the prior", words.Significant(100*tenths(q.Chains, prior)[0], 2), words.Significant(prior(0.1), 2)))
		}
		var rest string
		if found.Conclusion, rest = conclude(q.Chains, prior); found.Conclusion == mayMatter && i != nil && !i.AtLeast {
			found.Conclusion = byFactor(*i)
		}
		found.said, found.why = found.Conclusion.of(j.distanceName(m)), strings.Join(parts, "; ")+rest+"."
		all = append(all, found)
	}
	return all
}

// factor sets the Bayes factor, and returns it in words, with a star if the chains disagree on the temperature.
func (d *DistanceFinding) factor(i Influence, disagree bool) string {
	factor := math.Exp(i.Log)
	d.BayesFactor, d.LogFactor, d.LogError, d.AtLeast = new(Number(factor)), new(Number(i.Log)), new(Number(i.StdErr)), i.AtLeast
	if size := math.Pow(10, math.Floor(math.Log10(factor))-1); size > 1 && !math.IsInf(factor, 1) {
		factor = size * math.Round(factor/size)
	}
	said := words.Significant(factor, 2)
	if disagree {
		said += "*"
	}
	if i.AtLeast {
		return "the Bayes factor for its influence is at least " + said
	}
	return fmt.Sprintf("the Bayes factor for its influence is %s (error %s)", said, words.Percent(max(i.StdErr, 0.01)))
}

// distance says of each distance whether it matters, and which distances the data do not tell apart. near has the
// Nearness of the features of a quick estimate.
func (s *Summary) distance(near [][]Nearness) (lines []string) {
	instead := map[string][]string{} // the distances that may matter in place of another
	for _, e := range s.Entangled {
		instead[e.First], instead[e.Second] = append(instead[e.First], e.Second), append(instead[e.Second], e.First)
	}
	one := slices.ContainsFunc(s.Distances, func(d DistanceFinding) bool { return d.Conclusion == matters })
	for _, d := range s.Distances {
		line := d.said
		if others := instead[d.Name]; others != nil && (d.Conclusion == matters || d.Conclusion == mayMatter) {
			line += ", or " + words.And(others) + " in its place"
		}
		line += ": " + d.why
		if !one { // items that are near by another distance may be so by the one that matters
			line += followed(near, d.number)
		}
		lines = append(lines, line)
	}
	for _, e := range s.Entangled {
		lines = append(lines, fmt.Sprintf("The data do not tell %s and %s apart: their distances have correlation %s, and their temperatures, which make up for each other, %s (aibd plot %s temperatures).",
			e.First, e.Second, words.Fixed(e.Distances, 2), words.Fixed(e.Temperatures, 2), verdict.Quoted(s.Run.Dir)))
	}
	return lines
}

// followed says which features have weights that follow a distance although its temperature, a matter of who has a
// feature, is not clearly above 0; "" if none has.
func followed(near [][]Nearness, distance int) string {
	var zs []float64
	for _, of := range near {
		if of != nil && !math.IsNaN(float64(of[distance].Z)) {
			zs = append(zs, float64(of[distance].Z))
		}
	}
	var above []string
	several := len(zs)
	least := distuv.UnitNormal.Quantile(1 - followLevel/float64(max(several, 1)))
	for _, z := range zs {
		if z > least {
			above = append(above, words.Fixed(z, 1))
		}
	}
	if above == nil {
		return ""
	}
	which := fmt.Sprintf("%d of %s", len(above), words.Plural(several, "feature"))
	if several == 1 {
		which = "the feature"
	}
	return fmt.Sprintf(" Yet near items have similar weights in %s of several items: Moran's I is %s standard deviations above chance there (aibd estimate names the features). The temperature tells only whether near items have the same features, not how much of them.",
		which, words.And(above))
}

// followLevel is the probability that followed names a feature if no weights follow the distance.
const followLevel = 0.0025

// An Opinion is a conclusion from draws of the temperature of a distance.
type Opinion string

const (
	matters       Opinion = "matters"
	mayMatter     Opinion = "may matter"
	hardlyTold    Opinion = "hardly told"
	leansAgainst  Opinion = "leans against"
	mattersLittle Opinion = "matters little"
	saysLittle    Opinion = "not told"        // the posterior repeats the prior
	chainsDiffer  Opinion = "chains disagree" // on whether it matters
)

// of returns the opinion of a distance with a name, or of "distance", as a sentence without its end.
func (o Opinion) of(name string) string {
	switch o {
	case saysLittle:
		return fmt.Sprintf("The data do not tell whether %s matters, as the posterior of the temperature repeats its prior", name)
	case hardlyTold:
		return fmt.Sprintf("The data hardly tell whether %s matters", name)
	case leansAgainst:
		return fmt.Sprintf("The data lean against an influence of %s", name)
	case chainsDiffer:
		return fmt.Sprintf("The chains disagree on whether %s matters", name)
	}
	if name == "distance" {
		name = "Distance"
	}
	return name + " " + string(o)
}

// byFactor returns the conclusion from a Bayes factor, where the temperature alone does not decide. One from a third to 3 is
// not worth more than a bare mention (Kass and Raftery, 1995).
func byFactor(i Influence) Opinion {
	switch bare := math.Log(3); {
	case i.Log+2*i.StdErr < -bare:
		return leansAgainst
	case i.Log < bare:
		return hardlyTold
	}
	return mayMatter
}

// conclude returns what the chains say of a distance, and what follows the numbers in a sentence. Chains
// that disagree on the temperature may still say the same, or contradict each other.
func conclude(chains [][]float64, prior func(p float64) float64) (said Opinion, rest string) {
	said = opinionOf(chains, prior)
	if len(chains) == 1 || !(posterior.Summarize(chains).RHat > verdict.MaxRHat) {
		return said, ""
	}
	by := map[Opinion]bool{}
	for _, chain := range chains {
		by[opinionOf([][]float64{chain}, prior)] = true
	}
	switch {
	case by[matters] && (by[mattersLittle] || by[saysLittle]):
		return chainsDiffer, ""
	case len(by) == 1 && by[said]:
		return said, "; each chain says so, though they disagree on the temperature"
	case said == matters:
		said = mayMatter
	}
	return said, "; the chains disagree on the temperature"
}

// opinionOf returns the conclusion from draws of the temperature, given the quantiles of its prior.
func opinionOf(chains [][]float64, prior func(p float64) float64) Opinion {
	lowest := tenths(chains, prior)[0]
	switch {
	case Overlap(chains, prior) >= verdict.Repeated:
		return saysLittle
	case lowest <= verdict.Matters:
		return matters
	case lowest >= verdict.MattersLittle:
		return mattersLittle
	}
	return mayMatter
}
