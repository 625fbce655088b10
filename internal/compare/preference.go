package compare

// Which of two priors the data prefer.

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/results"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/posterior"
)

// Finding says what a comparison of two priors found.
type Finding string

const (
	Preferred  Finding = "preferred"  // one prior is
	Equal      Finding = "equal"      // the data do not tell them apart
	Unreliable Finding = "unreliable" // the populations disagree too much
)

// Preference compares the log evidence of two priors. The difference is positive if the data
// prefer the first.
type Preference struct {
	First, Other       *Evidence
	Difference, StdErr float64
	Spread             float64 // standard deviation of the difference of single populations
	Finding            Finding
	Sentence           string // what the comparison found
}

// MarshalJSON returns what scripts see.
func (p Preference) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Against    string         `json:"against"`
		Difference results.Number `json:"difference"` // positive: the first prior is better
		Error      results.Number `json:"error"`
		Finding    Finding        `json:"outcome"`
		Sentence   string         `json:"sentence"`
	}{p.Other.Spec().LawName(), results.Number(p.Difference), results.Number(p.StdErr), p.Finding, p.Sentence})
}

// Compare compares two estimates. A difference counts if it is more than spreads times the
// spread and more than verdict.Mention, and if neither spread is above verdict.MaxSpread.
//
// The spread describes single populations, not their mean: populations that all miss a
// mode agree on a wrong value, and the more they spread, the further they are off.
func Compare(first, other *Evidence) Preference {
	p := Preference{
		First: first, Other: other, Difference: first.Log - other.Log,
		StdErr: math.Hypot(first.StdErr(), other.StdErr()), Spread: math.Hypot(first.Spread, other.Spread),
	}
	switch d := math.Abs(p.Difference); {
	case max(first.Spread, other.Spread) > verdict.MaxSpread:
		p.Finding = Unreliable
	case d > max(verdict.Mention, p.spreads()*p.Spread):
		p.Finding = Preferred
	case first.Disagree() || other.Disagree():
		p.Finding = Unreliable
	default:
		p.Finding = Equal
	}
	p.Sentence = p.sentence()
	return p
}

// spreads returns how many spreads the difference must exceed.
func (p Preference) spreads() float64 { return spreads(min(len(p.First.Logs), len(p.Other.Logs))) }

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

// strength is the word of Kass and Raftery (1995, section 3.2) for a log Bayes factor in nats.
func strength(nats float64) string {
	switch {
	case nats > verdict.VeryStrong:
		return "very strong"
	case nats > verdict.Strong:
		return "strong"
	}
	return "positive"
}

// sentence says what the comparison found.
func (p Preference) sentence() string {
	better, worse := p.First, p.Other
	if p.Difference < 0 {
		better, worse = worse, better
	}
	nats := results.Nats(math.Abs(p.Difference), p.StdErr)
	switch p.Finding {
	case Unreliable:
		wider, narrower := p.First, p.Other
		if narrower.Spread > wider.Spread {
			wider, narrower = narrower, wider
		}
		return fmt.Sprintf("The populations of %s disagree: their log evidence has standard deviation %s. The difference from %s, %s, is not reliable.",
			wider.Name, words.Significant(wider.Spread, 2), narrower.Name, nats)
	case Equal:
		return fmt.Sprintf("The data do not tell %s and %s apart: the difference is %s.", p.First.Name, p.Other.Name, nats)
	}
	s := fmt.Sprintf("%s is preferred to %s by %s, %s evidence", better.Name, worse.Name, nats, strength(math.Abs(p.Difference)-p.spreads()*p.Spread))
	if rest, ok := strings.CutPrefix(s, "the "); ok {
		s = "The " + rest
	}
	switch ibp := worse.Prior.Law == "ibp"; {
	case !alike(better, worse) || ibp == (better.Prior.Law == "ibp"):
		s += "."
	case ibp:
		s += ": distance matters."
	default:
		s += ": distance as this prior uses it does not help."
	}
	if p.Spread > posterior.MaxEvidenceSpread {
		s += fmt.Sprintf(" The sign is clear, the size is uncertain: populations differ by about %s nats.", words.Significant(p.Spread, 2))
	}
	return s
}

// alike reports whether two models have the same noise and the same priors of mass, SigmaX and
// SigmaA, so that only their use of distances may differ.
func alike(a, b *Evidence) bool {
	rest := func(p spec.Prior) []any { return []any{p.Mass, p.SigmaX, p.SigmaA} }
	return a.Noise == b.Noise && reflect.DeepEqual(rest(a.Prior), rest(b.Prior))
}
