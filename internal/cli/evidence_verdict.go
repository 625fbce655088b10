package cli

// What the log evidence of several priors says.

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/posterior"
)

// evidence holds the estimates of the prior of the spec, the first, and of others.
type evidence struct {
	config    mcmc.PopulationConfig
	problem   *model.Problem
	estimates []*priorEvidence
}

// priorEvidence is the log evidence of a prior.
type priorEvidence struct {
	prior       spec.Prior
	logs        []float64 // by population
	log, spread float64   // combined; standard deviation over populations
	features    float64   // posterior mean
	seconds     float64
}

// err returns the standard error of the combined log evidence.
func (e *priorEvidence) err() float64 { return e.spread / math.Sqrt(float64(len(e.logs))) }

// name returns the prior with an article.
func (e *priorEvidence) name() string { return "the " + e.prior.LawName() }

// outcome says what a comparison found.
type outcome string

const (
	preferred  outcome = "preferred"  // one prior is
	equal      outcome = "equal"      // the data do not tell them apart
	unreliable outcome = "unreliable" // the populations disagree too much
)

// comparison is of the first estimate with another one. The difference is positive if the
// data prefer the first.
type comparison struct {
	first, other      *priorEvidence
	difference, error float64
	spread            float64 // standard deviation of the difference of single populations
	outcome           outcome
}

// compare compares two estimates of as many populations. A difference counts if it is more
// than spreads times the spread and more than mention.
//
// The spread is that of single populations, not of their mean: populations that all miss a
// mode agree on a wrong value, and the more they spread, the further they are off.
func compare(first, other *priorEvidence) comparison {
	c := comparison{
		first: first, other: other, difference: first.log - other.log,
		error: math.Hypot(first.err(), other.err()), spread: math.Hypot(first.spread, other.spread),
	}
	switch d := math.Abs(c.difference); {
	case d > max(mention, spreads(len(first.logs))*c.spread):
		c.outcome = preferred
	case max(first.spread, other.spread) > posterior.MaxEvidenceSpread:
		c.outcome = unreliable
	default:
		c.outcome = equal
	}
	return c
}

const mention = 1 // nats: less is "not worth more than a bare mention" (Kass and Raftery, 1995)

// spreads returns how many spreads a difference must exceed: 3 for four or more populations
// of each prior, 5.0 for three, 23 for two. A t test of the difference of the means then has
// the same level for two, three and four.
func spreads(populations int) float64 {
	if populations >= 4 {
		return 3
	}
	t := func(n int) distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: float64(2 * (n - 1))} }
	return t(populations).Quantile(t(4).CDF(3*math.Sqrt(4))) / math.Sqrt(float64(populations))
}

// strength is the word of Kass and Raftery (1995, section 3.2) for a log Bayes factor in
// nats, rounded to whole nats.
func strength(nats float64) string {
	switch {
	case nats > 5:
		return "very strong"
	case nats > 3:
		return "strong"
	}
	return "positive"
}

// sentence says what the comparison found.
func (c comparison) sentence() string {
	better, worse := c.first, c.other
	if c.difference < 0 {
		better, worse = worse, better
	}
	nats := significantAt(math.Abs(c.difference), c.error) + " nats"
	if nats == "1 nats" {
		nats = "1 nat"
	}
	nats += fmt.Sprintf(" (%s)", significant(c.error, 2))
	if c.outcome == unreliable {
		wider := c.first
		if c.other.spread > wider.spread {
			wider = c.other
		}
		return fmt.Sprintf("The populations of %s disagree: their log evidence has standard deviation %s. The difference from %s, %s, is not reliable. More members may help (--members).",
			wider.name(), significant(wider.spread, 2), c.otherThan(wider).name(), nats)
	}
	if c.outcome == equal {
		return fmt.Sprintf("The data do not tell %s and %s apart: the difference is %s.", c.first.name(), c.other.name(), nats)
	}
	s := capital(fmt.Sprintf("%s is preferred to %s by %s, %s evidence", better.name(), worse.name(), nats, strength(math.Abs(c.difference)-spreads(len(c.first.logs))*c.spread)))
	switch {
	case worse.prior.Law == "ibp":
		s += ": distance matters."
	case better.prior.Law == "ibp":
		s += ": distance as this prior uses it does not help."
	default:
		s += "."
	}
	if c.spread > posterior.MaxEvidenceSpread {
		s += fmt.Sprintf(" The sign is clear, the size is uncertain: populations differ by about %s nats.", significant(c.spread, 2))
	}
	return s
}

func (c comparison) otherThan(e *priorEvidence) *priorEvidence {
	if e == c.first {
		return c.other
	}
	return c.first
}

// significantAt formats x to the digits that its error leaves.
func significantAt(x, err float64) string {
	if err >= 1 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func small(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// comparisons compares the first estimate with each other one.
func (e evidence) comparisons() (all []comparison) {
	for _, other := range e.estimates[1:] {
		all = append(all, compare(e.estimates[0], other))
	}
	return all
}

// write writes the table and the sentences.
func (e evidence) write(w io.Writer) {
	t := table{{"prior", "log evidence", "error", "spread", "features", "seconds"}}
	for _, x := range e.estimates {
		t.add(x.prior.LawName(), fmt.Sprintf("%.2f", x.log), significant(x.err(), 2), significant(x.spread, 2), significant(x.features, 3), significant(x.seconds, 2))
	}
	t.write(w)
	fmt.Fprintln(w)
	for _, c := range e.comparisons() {
		fmt.Fprint(w, wrap(c.sentence(), "", helpWidth))
	}
	if len(e.estimates) == 1 {
		if x := e.estimates[0]; x.spread > posterior.MaxEvidenceSpread {
			fmt.Fprint(w, wrap(fmt.Sprintf("The populations disagree: their log evidence has standard deviation %s. It is not reliable. More members may help (--members).", significant(x.spread, 2)), "", helpWidth))
		}
	}
	fmt.Fprint(w, wrap(e.terms(), "", helpWidth))
}

// terms says what the priors share and over what each is averaged.
func (e evidence) terms() string {
	s := fmt.Sprintf("Natural logarithms. The error is the standard error over %d populations.", len(e.estimates[0].logs))
	if len(e.estimates) > 1 {
		s += " The priors of mass, SigmaX and SigmaA are the same for all."
	}
	if e.problem.Spec.Data.HasIntercept() {
		s += " With an intercept it is the density of N - 1 contrasts of the rows of X: do not compare it with evidence without an intercept."
	}
	for _, x := range e.estimates {
		var over []string
		if x.prior.HasTemperature() && !x.prior.Temperature.Fixed {
			over = append(over, describeTemperature(x.prior))
		}
		if x.prior.HasPermutation() && x.prior.Permutation.Kind == "random" {
			over = append(over, "the order of the items")
		}
		if len(over) > 0 {
			s += fmt.Sprintf(" %s averages over %s.", capital(x.name()), strings.Join(over, " and "))
		}
		if x.prior.HasTemperature() && x.prior.Temperature.Fixed {
			s += fmt.Sprintf(" %s has %s.", capital(x.name()), describeTemperature(x.prior))
		}
	}
	return s
}

// done says which populations are done, with those of the estimate under way.
func (e evidence) done(last *priorEvidence, all int) string {
	finished, parts := 0, []string{}
	for _, x := range append(e.estimates, last) {
		if n := len(x.logs); n > 0 {
			log, _ := posterior.Evidence(x.logs)
			parts = append(parts, fmt.Sprintf("%s %.2f from %d", x.prior.LawName(), log, n))
			finished += n
		}
	}
	s := fmt.Sprintf("%d of %d populations done", finished, all)
	if len(parts) > 0 {
		s += ": log evidence of the " + strings.Join(parts, ", ")
	}
	return s
}
