package compare

// What the log evidence of several priors says.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/model"
	"aibd/internal/words"
)

// Priors compares the prior of a spec, the first, with others by their log evidence.
type Priors struct {
	Data        string       `json:"data"`
	Items       int          `json:"items"`
	Columns     int          `json:"columns"`
	Seed        uint64       `json:"seed"`
	Members     int          `json:"members"`
	Scans       int          `json:"scans"`
	Priors      []*Evidence  `json:"priors"`
	Comparisons []Preference `json:"comparisons"` // of the first with each other one
}

// MoreScans is what helps if populations disagree.
const MoreScans = " More scans may help (--scans)."

// NewPriors compares estimates of the given size, the first of them for the problem p.
func NewPriors(p *model.Problem, size Size, estimates []*Evidence) *Priors {
	e := &Priors{
		Data: p.Spec.Data.Source(), Items: len(p.IDs), Columns: len(p.Columns), Seed: p.Spec.Sampler.Seed,
		Members: size.Members, Scans: size.Scans, Priors: estimates, Comparisons: []Preference{},
	}
	for _, other := range estimates[1:] {
		c := Compare(estimates[0], other)
		if c.Finding == Unreliable {
			c.Sentence += MoreScans
		}
		e.Comparisons = append(e.Comparisons, c)
	}
	return e
}

// Terms says what the priors share and over what each is averaged.
func (e *Priors) Terms() string {
	var populations, errors []string // by prior: a budget may end them at different numbers
	for _, x := range e.Priors {
		populations, errors = append(populations, strconv.Itoa(len(x.Logs))), append(errors, words.Significant(x.IntervalErrors(), 2))
	}
	s := fmt.Sprintf("Natural logarithms. The error is the standard error over %s populations; a 90%% interval extends %s errors to both sides.",
		words.And(slices.Compact(populations)), words.And(slices.Compact(errors)))
	if len(e.Priors) > 1 {
		s += " The priors of mass, SigmaX and SigmaA are the same for all."
	}
	if e.Priors[0].Intercept {
		s += " With an intercept it is the density of N - 1 contrasts of the rows of X: do not compare it with evidence without an intercept."
	}
	for _, x := range e.Priors {
		var over []string
		random := len(x.Spec().RandomTemperatures()) > 0
		if random {
			over = append(over, x.Temperature)
		}
		if x.Prior.HasPermutation() && x.Prior.Permutation.Kind == "random" {
			over = append(over, "the order of the items")
		}
		if len(over) > 0 {
			s += fmt.Sprintf(" The %s averages over %s.", x.Spec().LawName(), strings.Join(over, " and "))
		}
		if x.Spec().HasTemperature() && !random {
			s += fmt.Sprintf(" The %s has %s.", x.Spec().LawName(), x.Temperature)
		}
	}
	return s
}
