package cli

// What the log evidence of several priors says.

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/describe"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// evidence holds the estimates of the prior of the spec, the first, and of others.
type evidence struct {
	size      results.EvidenceSize
	problem   *model.Problem
	estimates []*results.Evidence
}

// sentence says what a comparison found, and what may help.
func sentence(p results.Preference) string {
	s := p.Sentence()
	if p.Outcome == results.Unreliable {
		s += moreScans
	}
	return s
}

const moreScans = " More scans may help (--scans)."

func small(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// comparisons compares the first estimate with each other one.
func (e evidence) comparisons() (all []results.Preference) {
	for _, other := range e.estimates[1:] {
		all = append(all, results.Compare(e.estimates[0], other))
	}
	return all
}

// write writes the table and the sentences.
func (e evidence) write(w io.Writer) {
	t := table{{"prior", "log evidence", "error", "spread", "features", "seconds"}}
	for _, x := range e.estimates {
		t.add(x.Prior.LawName(), fixed(x.Log, 2), significant(x.StdErr(), 2), significant(x.Spread, 2), significant(x.Features, 3), significant(x.Seconds, 2))
	}
	t.write(w)
	fmt.Fprintln(w)
	for _, c := range e.comparisons() {
		fmt.Fprint(w, wrap(visible.Text(sentence(c)), "", lineWidth(w)))
	}
	if len(e.estimates) == 1 {
		if x := e.estimates[0]; x.Disagree() {
			fmt.Fprint(w, wrap(fmt.Sprintf("The populations disagree: their log evidence has standard deviation %s. It is not reliable.", significant(x.Spread, 2))+moreScans, "", lineWidth(w)))
		}
	}
	fmt.Fprint(w, wrap(e.terms(), "", lineWidth(w)))
}

// terms says what the priors share and over what each is averaged.
func (e evidence) terms() string {
	var populations, errors []string // by prior: a budget may end them at different numbers
	for _, x := range e.estimates {
		populations, errors = append(populations, strconv.Itoa(len(x.Logs))), append(errors, significant(x.IntervalErrors(), 2))
	}
	s := fmt.Sprintf("Natural logarithms. The error is the standard error over %s populations; a 90%% interval extends %s errors to both sides.",
		words.And(slices.Compact(populations)), words.And(slices.Compact(errors)))
	if len(e.estimates) > 1 {
		s += " The priors of mass, SigmaX and SigmaA are the same for all."
	}
	if e.problem.Spec.Data.HasIntercept() {
		s += " With an intercept it is the density of N - 1 contrasts of the rows of X: do not compare it with evidence without an intercept."
	}
	for _, x := range e.estimates {
		var over []string
		if x.Prior.HasTemperature() && !x.Prior.Temperature.Fixed {
			over = append(over, describe.Temperature(x.Prior, len(e.problem.Spec.Distance.All())))
		}
		if x.Prior.HasPermutation() && x.Prior.Permutation.Kind == "random" {
			over = append(over, "the order of the items")
		}
		if len(over) > 0 {
			s += fmt.Sprintf(" The %s averages over %s.", x.Prior.LawName(), strings.Join(over, " and "))
		}
		if x.Prior.HasTemperature() && x.Prior.Temperature.Fixed {
			s += fmt.Sprintf(" The %s has %s.", x.Prior.LawName(), describe.Temperature(x.Prior, len(e.problem.Spec.Distance.All())))
		}
	}
	return s
}

// done says which populations are done.
func (e evidence) done(all int) string {
	finished, parts := 0, []string{}
	for _, x := range e.estimates {
		if n := len(x.Logs); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s from %d", x.Prior.LawName(), fixed(x.Log, 2), n))
			finished += n
		}
	}
	s := fmt.Sprintf("%d of %d populations done", finished, all)
	if len(parts) > 0 {
		s += ": log evidence of the " + strings.Join(parts, ", ")
	}
	return s
}
