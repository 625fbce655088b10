package compare

// Which run predicts cells that all runs hide, and whether a baseline predicts them better.

import (
	"cmp"
	"fmt"

	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/predict"
)

// Held compares runs and baselines by the cells that all runs hide.
type Held struct {
	Data  string           `json:"data"`
	Cells int              `json:"cells"`
	Runs  []*HeldContender `json:"runs"` // the best first
	Outcome
}

// A HeldContender is a run or a baseline with its scores of hidden cells.
type HeldContender struct {
	*results.Judged `json:"-"`       // nil for a baseline
	Scored          []predict.Scored `json:"-"`

	Dir        string           `json:"run,omitempty"`
	Baseline   string           `json:"baseline,omitempty"`
	Law        string           `json:"law,omitempty"`
	Features   string           `json:"features,omitempty"`
	LogDensity results.Number   `json:"log_density"` // mean of a cell
	SE         results.Number   `json:"se"`
	Gap                         // of the sum
	Verdict    *verdict.Verdict `json:"verdict,omitempty"` // nil for a baseline
}

// Title returns the directory of the run, or the name of the baseline.
func (r *HeldContender) Title() string { return cmp.Or(r.Dir, r.Baseline) }

// fewCells is the number of hidden cells below which the standard error of a difference is not reliable.
const fewCells = 30

// Predicted is a run with its scores of the hidden cells.
type Predicted struct {
	*results.Judged
	Scored []predict.Scored
}

// Predict predicts the hidden cells of a run.
func Predict(j *results.Judged) (Predicted, error) {
	switch {
	case !j.Run.Spec.Data.Hides():
		return Predicted{}, fmt.Errorf("%s: found no hidden cells, expected a run that hides some (aibd fit --holdout 0.1)", j.Run.Dir)
	case len(j.Seen.Held) == 0:
		return Predicted{}, fmt.Errorf("%s: found no hidden cells, expected a table in which a share of %v is at least one cell", j.Run.Dir, j.Run.Spec.Data.Holdout)
	}
	p, err := j.Predict(results.DefaultPredicted)
	if err != nil {
		return Predicted{}, err
	}
	return Predicted{j, p.Scored}, nil
}

// HideCells compares runs by the cells that all of them hide, and maybe with baselines. The runs
// are of the same data, which must be there.
func HideCells(all []*results.Judged, baselines bool) (*Held, error) {
	var predicted []Predicted
	if err := SameX(all...); err != nil {
		return nil, err
	}
	for _, j := range all {
		p, err := Predict(j)
		if err != nil {
			return nil, err
		}
		predicted = append(predicted, p)
	}
	var beside []Baseline
	if baselines {
		beside = Baselines(all[0])
	}
	return Compare(all[0].Run.Spec.Data.Source(), predicted, beside)
}

// Compare compares runs and baselines, at least one of either, by their scores of the same hidden cells. The
// data are named so.
func Compare(data string, all []Predicted, baselines []Baseline) (*Held, error) {
	held := &Held{Data: data}
	var contenders []*HeldContender
	for _, p := range all {
		if err := sameX(all[0].Judged, p.Judged); err != nil {
			return nil, err
		}
		contenders = append(contenders, &HeldContender{
			Judged: p.Judged, Scored: p.Scored, Dir: p.Run.Dir, Law: p.Run.Spec.Prior.Law, Features: p.Run.Spec.Likelihood.Kind(), Verdict: p.Verdict,
		})
	}
	for _, b := range baselines {
		scored := b.Scored
		if len(all) > 0 {
			scored = b.InOrder(all[0].Scored)
		}
		contenders = append(contenders, &HeldContender{Scored: scored, Baseline: b.Name})
	}
	models := lists.Map(contenders, func(r *HeldContender) []predict.Scored { return r.Scored })
	var rivals []rival
	for _, s := range predict.Stand(models) {
		r := contenders[s.Model]
		held.Cells, held.Runs = s.Score.Cells, append(held.Runs, r)
		r.LogDensity, r.SE = results.Number(s.Score.LogDensity.Value), results.Number(s.Score.LogDensity.SE)
		r.Gap = Gap{results.Number(s.Difference), results.Number(s.SE), results.Number(s.MCSE)}
		rivals = append(rivals, rival{Judged: r.Judged, baseline: r.Baseline, gap: r.Gap})
	}
	held.Outcome = outcomeOf(rivals)
	if held.Cells < fewCells {
		held.Outcome.Doubts = append(held.Outcome.Doubts, fmt.Sprintf("The comparison rests on %s: another --seed hides others, and may prefer another model.", words.Plural(held.Cells, "hidden cell")))
	}
	return held, nil
}
