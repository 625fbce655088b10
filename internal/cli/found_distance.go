package cli

// Which distance matters.

import (
	"fmt"
	"math"
	"strings"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// distanceJSON is what the draws say of a distance.
type distanceJSON struct {
	Name         string        `json:"name"`
	Conclusion   opinion       `json:"conclusion"`
	HalfDistance *intervalJSON `json:"half_distance,omitempty"` // at which similarity halves
	Strangers    *intervalJSON `json:"similarity_of_strangers,omitempty"`
	BayesFactor  *number       `json:"bayes_factor,omitempty"` // for influence of the distance
	LogFactor    *number       `json:"log_bayes_factor,omitempty"`
	LogError     *number       `json:"log_bayes_factor_error,omitempty"` // Monte Carlo standard error
	AtLeast      bool          `json:"at_least,omitempty"`               // both Bayes factors are lower bounds
	sentence     string
}

// intervalJSON is the median and the 90% interval.
type intervalJSON struct {
	Median number `json:"median"`
	Q5     number `json:"q5"`
	Q95    number `json:"q95"`
	Unit   string `json:"unit,omitempty"`
}

func interval(chains [][]float64, unit string) *intervalJSON {
	of := posterior.Summarize(chains)
	return &intervalJSON{number(of.Q50), number(of.Q5), number(of.Q95), unit}
}

// distances says of each distance whether it matters: the temperature against its prior. There are none if
// the law has no temperature or a fixed one.
func (j *judged) distances() (all []distanceJSON) {
	p, of := j.Run.Spec.Prior, j.Run.Data.Distances()
	if !p.HasTemperature() || p.Temperature.Fixed {
		return nil
	}
	influences, _ := j.Influences() // nil without the files of the run
	for m, d := range j.Run.Spec.Distance.All()[:len(of)] {
		found, name := distanceJSON{Name: d.Label()}, "distance"
		if len(of) > 1 {
			name = found.Name
		}
		q := quantityOf(j.Quantities(), draws.TemperatureKey(m))
		prior := j.Prior(q.Key).Quantile
		var parts []string
		switch {
		case p.Decay != "exponential":
		case d.Kind == "same":
			similar := results.Each(q.Chains, describe.Strangers)
			found.Strangers = interval(similar, "")
			parts = append(parts, fmt.Sprintf("items that differ in %s are %s times as similar as others", d.Columns[0], told(similar)))
		case of[m].Unit != "":
			per, unit := describe.UnitOf(d, of[m].Unit)
			half := results.Each(q.Chains, func(x float64) float64 { return per * math.Ln2 / x })
			found.HalfDistance = interval(half, unit)
			parts = append(parts, fmt.Sprintf("similarity halves at a distance of %s %s", told(half), unit))
		}
		temperature := fmt.Sprintf("the temperature is %s", told(q.Chains))
		if q.Unit != "" {
			temperature += " " + q.Unit
		}
		temperature += fmt.Sprintf(", under the prior %s (%s to %s)", significant(prior(0.5), 2), significant(prior(0.05), 2), significant(prior(0.95), 2))
		if i := influences[m]; i != nil {
			parts = append(parts, found.factor(*i), temperature)
		} else {
			parts = append(parts, temperature, fmt.Sprintf("%s%% of the draws are below %s, against 10%% under the prior", significant(100*tenths(q.Chains, prior)[0], 2), significant(prior(0.1), 2)))
		}
		var rest string
		found.Conclusion, rest = conclude(q.Chains, prior)
		found.sentence = found.Conclusion.of(name) + ": " + strings.Join(parts, "; ") + rest + "."
		all = append(all, found)
	}
	return all
}

// factor sets the Bayes factor, and returns it in words.
func (d *distanceJSON) factor(i results.Influence) string {
	factor := math.Exp(i.Log)
	d.BayesFactor, d.LogFactor, d.LogError, d.AtLeast = new(number(factor)), new(number(i.Log)), new(number(i.StdErr)), i.AtLeast
	if size := math.Pow(10, math.Floor(math.Log10(factor))-1); size > 1 && !math.IsInf(factor, 1) {
		factor = size * math.Round(factor/size)
	}
	if i.AtLeast {
		return fmt.Sprintf("the Bayes factor for its influence is at least %s", significant(factor, 2))
	}
	return fmt.Sprintf("the Bayes factor for its influence is %s (error %s)", significant(factor, 2), percent(max(i.StdErr, 0.01)))
}

// foundDistance says of each distance whether it matters, and which distances the data do not tell apart.
func (s *summary) foundDistance() (lines []string) {
	for _, d := range s.distances {
		lines = append(lines, d.sentence)
	}
	for _, e := range s.entangled {
		lines = append(lines, fmt.Sprintf("The data do not tell %s and %s apart: their distances have correlation %s, and their temperatures, which make up for each other, %s (aibd plot %s temperatures).",
			e.First, e.Second, fixed(e.Distances, 2), fixed(e.Temperatures, 2), verdict.Quoted(s.Run.Dir)))
	}
	return lines
}

// An opinion is a conclusion from draws of the temperature of a distance.
type opinion string

const (
	matters       opinion = "matters"
	mayMatter     opinion = "may matter"
	mattersLittle opinion = "matters little"
	notTold       opinion = "not told"        // the posterior repeats the prior
	chainsDiffer  opinion = "chains disagree" // on whether it matters
)

// of returns the opinion of a distance with a name, or of "distance", as a sentence without its end.
func (o opinion) of(name string) string {
	switch o {
	case notTold:
		return fmt.Sprintf("The data do not tell whether %s matters, as the posterior of the temperature repeats its prior", name)
	case chainsDiffer:
		return fmt.Sprintf("The chains disagree on whether %s matters", name)
	}
	if name == "distance" {
		name = "Distance"
	}
	return name + " " + string(o)
}

// conclude returns what the chains say of a distance, and what follows the numbers in a sentence. Chains
// that disagree on the temperature may still say the same, or contradict each other.
func conclude(chains [][]float64, prior func(p float64) float64) (said opinion, rest string) {
	said = opinionOf(chains, prior)
	if len(chains) == 1 || !(posterior.Summarize(chains).RHat > verdict.MaxRHat) {
		return said, ""
	}
	by := map[opinion]bool{}
	for _, chain := range chains {
		by[opinionOf([][]float64{chain}, prior)] = true
	}
	switch {
	case by[matters] && (by[mattersLittle] || by[notTold]):
		return chainsDiffer, ""
	case len(by) == 1 && by[said]:
		return said, "; each chain says so, though they disagree on the temperature"
	case said == matters:
		said = mayMatter
	}
	return said, "; the chains disagree on the temperature"
}

// opinionOf returns the conclusion from draws of the temperature, given the quantiles of its prior.
func opinionOf(chains [][]float64, prior func(p float64) float64) opinion {
	lowest := tenths(chains, prior)[0]
	switch {
	case overlap(chains, prior) >= verdict.Repeated:
		return notTold
	case lowest <= verdict.Matters:
		return matters
	case lowest >= verdict.MattersLittle:
		return mattersLittle
	}
	return mayMatter
}
