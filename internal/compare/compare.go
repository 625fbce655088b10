// Package compare says which of several models of the same data, runs and simple models, predicts hidden cells
// better.
package compare

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
)

// Outcome is what a comparison says.
type Outcome struct {
	Preferred string   `json:"preferred,omitempty"` // the best if all others are clearly worse and all chains agree
	Reliable  bool     `json:"reliable"`
	Sentence  string   `json:"sentence"`
	Doubts    []string `json:"doubts"` // what the sentence rests on and should not
}

// A Gap is the difference of a model from the best one.
type Gap struct {
	Difference results.Number `json:"difference"`    // at most 0
	Error      results.Number `json:"difference_se"` // the larger of the standard errors over entries and over items
	MCSE       results.Number `json:"mcse"`          // Monte Carlo standard error, NaN for one chain; of the best its own
}

// apart reports whether the best model is better by more than the errors.
func (g Gap) apart() bool {
	err := float64(g.Error)
	if mcse := float64(g.MCSE); !math.IsNaN(mcse) {
		err = max(err, mcse)
	}
	return -float64(g.Difference) > max(verdict.MinDifference, verdict.ErrorsApart*err)
}

// A rival is a model that is compared.
type rival struct {
	*results.Judged        // nil for a baseline
	baseline        string // its name
	gap             Gap
}

// title returns the directory of the run, or the name of the baseline.
func (r rival) title() string {
	if r.Judged == nil {
		return r.baseline
	}
	return r.Run.Dir
}

// name returns the directory of the run with its prior, or the name of the baseline.
func (r rival) name() string {
	if r.Judged == nil {
		return r.baseline
	}
	law := r.Run.Spec.LawName()
	if r.Run.Spec.Likelihood.HasWeights() {
		law += ", " + r.Run.Spec.Likelihood.Kind() + " features"
	}
	return fmt.Sprintf("%s (%s)", r.Run.Dir, law)
}

// reliable reports whether the chains agree.
func (r rival) reliable() bool {
	return r.Judged == nil || r.Agreed
}

// outcomeOf says which of the rivals, the best first, is preferred.
func outcomeOf(all []rival) Outcome {
	best := all[0]
	o := Outcome{Preferred: best.title(), Reliable: true, Doubts: doubts(all)}
	var close, far, apart []string
	for i, r := range all {
		if !r.reliable() {
			apart = append(apart, r.title())
		}
		margin := results.Nats(-float64(r.gap.Difference), float64(r.gap.Error))
		switch {
		case i == 0:
		case r.gap.apart():
			far = append(far, fmt.Sprintf("%s by %s", r.name(), margin))
		default:
			close, o.Preferred = append(close, fmt.Sprintf("%s, %s behind", r.name(), margin)), ""
		}
	}
	because, verb := "", " is preferred: it predicts"
	if apart != nil {
		o.Reliable, o.Preferred = false, ""
		because, verb = fmt.Sprintf("No model is preferred yet: the chains of %s do not agree. So far ", words.And(apart)), " predicts"
	}
	switch {
	case len(close) == 0:
		o.Sentence = because + best.name() + verb + " hidden cells better than " + words.And(far) + "."
		return o
	case o.Reliable:
		o.Sentence = "The"
	default:
		o.Sentence = because + "the"
	}
	o.Sentence += " data cannot separate " + best.name() + ", first by score, from " + strings.Join(close, "; and from ") + "."
	if len(far) > 0 {
		o.Sentence += " It is better than " + words.And(far) + "."
	}
	return o
}

// doubts returns what the outcome rests on and should not.
func doubts(all []rival) []string {
	lines := []string{}
	var least []string // noise
	floors := map[float64]bool{}
	for _, r := range all {
		if r.Judged == nil {
			continue
		}
		floor := *r.Run.Spec.Data.MinNoise
		least, floors[floor] = append(least, fmt.Sprintf("%s %g", r.Run.Dir, floor)), true
		if !r.Agreed {
			line := fmt.Sprintf("%s: %s. Its numbers may change with more draws", r.Run.Dir, words.Small(r.Short()))
			if i := slices.IndexFunc(r.Try, func(c verdict.Command) bool { return !c.OtherModel }); i >= 0 {
				line += " (" + r.Try[i].Line + ")"
			}
			lines = append(lines, line+".")
		}
		if r.Note != "" {
			lines = append(lines, fmt.Sprintf("%s: %s.", r.Run.Dir, r.Note))
		}
	}
	if len(floors) > 1 {
		lines = append(lines, "The runs differ in the least noise of a column too, data.min_noise: "+words.And(least)+".")
	}
	return lines
}

// SameX returns an error if runs have different items, columns or values of X.
func SameX(all ...*results.Judged) error {
	for _, j := range all {
		if err := sameX(all[0], j); err != nil {
			return err
		}
	}
	return nil
}

// sameX returns an error if the runs have other items, columns or values of X.
func sameX(a, b *results.Judged) error {
	first, other := a.Run, b.Run
	if !slices.Equal(first.Data.IDs, other.Data.IDs) || !slices.Equal(first.Data.Columns, other.Data.Columns) {
		return fmt.Errorf("%s: found X of %d items x %d columns, expected the items and columns of %s, %d x %d: only runs of the same data can be compared",
			other.Dir, other.Data.N, other.Data.D, first.Dir, first.Data.N, first.Data.D)
	}
	for d, column := range first.Data.Columns {
		if a.Seen.IsCount(d) != b.Seen.IsCount(d) {
			return fmt.Errorf("%s: column %s: found it counted in one of this run and %s, expected --count to name it in both or none: densities do not compare with probabilities", other.Dir, column, first.Dir)
		}
	}
	for i, row := range a.Seen.X {
		for d, x := range row {
			y := b.Seen.X[i][d]
			if math.IsNaN(x) != math.IsNaN(y) {
				return fmt.Errorf("%s: item %s, column %s: found %s, expected %s as in %s: only runs with the same missing and hidden cells can be compared",
					other.Dir, other.Data.IDs[i], other.Data.Columns[d], observedOrNot(y), observedOrNot(x), first.Dir)
			}
			if x != y && !math.IsNaN(x) {
				return fmt.Errorf("%s: item %s, column %s: found %.6g, expected %.6g as in %s: only runs with the same X, also centered, scaled and in logarithms alike, can be compared",
					other.Dir, other.Data.IDs[i], other.Data.Columns[d], y, x, first.Dir)
			}
		}
	}
	if !slices.Equal(a.Seen.SeenBounds(), b.Seen.SeenBounds()) || !reflect.DeepEqual(a.Seen.Ordinal, b.Seen.Ordinal) {
		return fmt.Errorf("%s: found other limits, counts, binary or ordinal columns than in %s: only runs with the same ones can be compared", other.Dir, first.Dir)
	}
	return nil
}

func observedOrNot(x float64) string {
	if math.IsNaN(x) {
		return "an unknown cell"
	}
	return "an observed cell"
}
