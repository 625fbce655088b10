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

// HideCells compares runs by the cells that all of them hide, and maybe with baselines. The runs
// are of the same data, which must be there.
func HideCells(all []*results.Judged, baselines bool) (*Held, error) {
	found := &Held{Data: all[0].Run.Spec.Data.Source()}
	var contenders []*HeldContender
	for _, j := range all {
		if err := sameX(all[0], j); err != nil {
			return nil, err
		}
	}
	for _, j := range all {
		switch {
		case !j.Run.Spec.Data.Hides():
			return nil, fmt.Errorf("%s: found no hidden cells, expected a run that hides some (aibd fit --holdout 0.1)", j.Run.Dir)
		case len(j.Seen.Held) == 0:
			return nil, fmt.Errorf("%s: found no hidden cells, expected a table in which a share of %v is at least one cell", j.Run.Dir, j.Run.Spec.Data.Holdout)
		}
		p, err := j.Predict(results.DefaultPredicted)
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, &HeldContender{
			Judged: j, Scored: p.Scored, Dir: j.Run.Dir, Law: j.Run.Spec.Prior.Law, Features: j.Run.Spec.Likelihood.Kind(), Verdict: j.Verdict,
		})
	}
	if baselines {
		for _, b := range Baselines(all[0], contenders[0].Scored) {
			contenders = append(contenders, &HeldContender{Scored: b.Scored, Baseline: b.Name})
		}
	}
	models := lists.Of(contenders, func(r *HeldContender) []predict.Scored { return r.Scored })
	var rivals []rival
	for _, s := range predict.Stand(models) {
		r := contenders[s.Model]
		found.Cells, found.Runs = s.Score.Cells, append(found.Runs, r)
		r.LogDensity, r.SE = results.Number(s.Score.LogDensity.Value), results.Number(s.Score.LogDensity.SE)
		r.Gap = Gap{results.Number(s.Difference), results.Number(s.SE), results.Number(s.MCSE)}
		rivals = append(rivals, rival{Judged: r.Judged, baseline: r.Baseline, gap: r.Gap})
	}
	found.Outcome = outcomeOf(rivals)
	if found.Cells < fewCells {
		found.Outcome.Doubts = append(found.Outcome.Doubts, fmt.Sprintf("The comparison rests on %s: another --seed hides others, and may prefer another model.", words.Plural(found.Cells, "hidden cell")))
	}
	return found, nil
}
