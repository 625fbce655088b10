package cli

// aibd compare --features: which kind of features predicts cells that all runs hide.

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/predict"
)

// heldShare is the share of the cells that kinds of features are compared by, unless cells are hidden
// already. Leave-one-out weights are not reliable given weights of features.
const heldShare = 0.1

// heldComparison compares runs by the cells that all of them hide.
type heldComparison struct {
	*runComparison
	cells     []heldCells // of each run
	standings []predict.Standing
}

// heldCells are the held-out cells of a run, with their scores.
type heldCells struct {
	of     *predicted
	scored []predict.Scored
}

// compareHeld scores the held-out cells of runs.
func compareHeld(all []*judged) (*heldComparison, error) {
	found := &heldComparison{runComparison: &runComparison{}}
	var models [][]predict.Scored
	var cells []heldCells
	for _, j := range all {
		if _, err := j.Observations(); err != nil {
			return nil, err
		}
		if err := sameX(all[0], j); err != nil {
			return nil, err
		}
		if len(j.Seen.Held) == 0 {
			return nil, fmt.Errorf("%s: found no held-out cells, expected a table in which a share of %v is at least one cell", j.Run.Dir, j.Run.Spec.Data.Holdout)
		}
		p, err := j.predictions()
		if err != nil {
			return nil, err
		}
		scored := slices.Concat(p.scored, p.binary, p.ordinal)
		models, cells = append(models, scored), append(cells, heldCells{p, scored})
	}
	found.standings = predict.Stand(models)
	for _, s := range found.standings {
		found.cells = append(found.cells, cells[s.Model])
		found.runs = append(found.runs, &contender{judged: all[s.Model], difference: s.Difference, error: s.SE, mcse: s.MCSE})
	}
	return found, nil
}

// write writes the comparison as text.
func (h *heldComparison) write(w io.Writer) {
	best, width := h.runs[0].Run, lineWidth(w)
	fmt.Fprintf(w, "%s, %d items x %d columns; %s hidden from all runs.\n\n%s", visible.Text(best.Spec.Data.Source()), best.Data.N, best.Data.D,
		plural(h.standings[0].Score.Cells, "cell"), wrap(visible.Text(h.sentence()), "", width))
	for _, line := range h.doubts() {
		fmt.Fprint(w, wrap(visible.Text(line), "", width))
	}
	fmt.Fprintln(w)
	h.table().write(w)
	fmt.Fprintln(w, `log density: mean of a hidden cell in nats, larger is better; SE: its standard error
difference: sum over the cells minus that of the first run, with its standard error
MCSE: Monte Carlo error of the difference, or of the sum in the first row`)
}

// table returns a row for each run.
func (h *heldComparison) table() table {
	t := table{{"run", "prior", "features", "chains", "log density", "SE", "difference", "SE", "MCSE"}}
	for m, r := range h.runs {
		s, agree := h.standings[m], "agree"
		if !r.Agreed {
			agree = "disagree"
		}
		row := []string{r.Run.Dir, r.Run.Spec.Prior.LawName(), r.Run.Spec.Likelihood.Kind(), agree, fixed(s.Score.LogDensity.Value, 3), fixed(s.Score.LogDensity.SE, 3)}
		if m == 0 {
			row = append(row, "0", "")
		} else {
			row = append(row, fixed(s.Difference, 1), fixed(s.SE, 1))
		}
		t.add(append(row, fixed(s.MCSE, 1))...)
	}
	return t
}

// entries returns a row for each run and hidden cell.
func (h *heldComparison) entries() table {
	t := table{{"run", "item", "column", "log_density"}}
	for m, r := range h.runs {
		for _, c := range h.cells[m].scored {
			t.add(r.Run.Dir, r.Run.Data.IDs[c.Item], r.Run.Data.Columns[c.Variable], cell(c.LogDensity))
		}
	}
	return t
}

type heldComparisonJSON struct {
	Data  string             `json:"data"`
	Cells int                `json:"cells"`
	Runs  []heldStandingJSON `json:"runs"` // the best first
	outcomeJSON
}

type heldStandingJSON struct {
	Run        string           `json:"run"`
	Law        string           `json:"law"`
	Features   string           `json:"features"`
	LogDensity number           `json:"log_density"` // mean of a cell
	SE         number           `json:"se"`
	Difference number           `json:"difference"`    // of the sum, from the best
	Error      number           `json:"difference_se"` // the larger of those over cells and over items
	MCSE       number           `json:"mcse"`
	Verdict    *verdict.Verdict `json:"verdict"`
}

func (h *heldComparison) json() heldComparisonJSON {
	j := heldComparisonJSON{Data: h.runs[0].Run.Spec.Data.Source(), Cells: h.standings[0].Score.Cells, outcomeJSON: h.outcome()}
	for m, r := range h.runs {
		s := h.standings[m]
		j.Runs = append(j.Runs, heldStandingJSON{
			r.Run.Dir, r.Run.Spec.Prior.Law, r.Run.Spec.Likelihood.Kind(), number(s.Score.LogDensity.Value), number(s.Score.LogDensity.SE),
			number(s.Difference), number(s.SE), number(s.MCSE), r.Verdict,
		})
	}
	return j
}

// errHeld is the error of flags that a comparison by hidden cells has no use for.
var errHeld = errors.New("--plot and --evidence: expected at most one kind of --features, as kinds are compared by hidden cells")
