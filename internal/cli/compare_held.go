package cli

// Which run predicts cells that all runs hide, and whether a baseline predicts them better.

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
	first     *judged            // one of the runs
	cells     [][]predict.Scored // of each contender, the hidden cells with their scores
	standings []predict.Standing
}

// compareHeld scores the hidden cells of runs, and maybe of baselines on so many cores.
func compareHeld(all []*judged, baseline bool, cores int) (*heldComparison, error) {
	found := &heldComparison{runComparison: &runComparison{}, first: all[0]}
	var models [][]predict.Scored
	var contenders []*contender
	for _, j := range all {
		if _, err := j.Observations(); err != nil {
			return nil, err
		}
		if err := sameX(all[0], j); err != nil {
			return nil, err
		}
		if len(j.Seen.Held) == 0 {
			return nil, fmt.Errorf("%s: found no hidden cells, expected a table in which a share of %v is at least one cell", j.Run.Dir, j.Run.Spec.Data.Holdout)
		}
		p, err := j.predictions()
		if err != nil {
			return nil, err
		}
		models, contenders = append(models, slices.Concat(p.scored, p.binary, p.ordinal, p.counts)), append(contenders, &contender{judged: j})
	}
	if baseline {
		for _, b := range all[0].baselines(models[0], cores) {
			models, contenders = append(models, b.scored), append(contenders, &contender{baseline: b.name})
		}
	}
	found.standings = predict.Stand(models)
	for _, s := range found.standings {
		r := contenders[s.Model]
		r.difference, r.error, r.mcse = s.Difference, s.SE, s.MCSE
		found.cells, found.runs = append(found.cells, models[s.Model]), append(found.runs, r)
	}
	return found, nil
}

// write writes the comparison as text.
func (h *heldComparison) write(w io.Writer) {
	run, width := h.first.Run, lineWidth(w)
	fmt.Fprintf(w, "%s, %d items x %d columns; %s hidden from all runs.\n\n%s", visible.Text(run.Spec.Data.Source()), run.Data.N, run.Data.D,
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
		s := h.standings[m]
		row := []string{r.baseline, "-", "-", "-"}
		if r.baseline == "" {
			row = []string{r.Run.Dir, r.Run.Spec.Prior.LawName(), r.Run.Spec.Likelihood.Kind(), "agree"}
			if !r.Agreed {
				row[3] = "disagree"
			}
		}
		row = append(row, fixed(s.Score.LogDensity.Value, 3), fixed(s.Score.LogDensity.SE, 3))
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
	data := h.first.Run.Data
	for m, r := range h.runs {
		for _, c := range h.cells[m] {
			t.add(r.title(), data.IDs[c.Item], data.Columns[c.Variable], cell(c.LogDensity))
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
	Run        string           `json:"run,omitempty"`
	Baseline   string           `json:"baseline,omitempty"`
	Law        string           `json:"law,omitempty"`
	Features   string           `json:"features,omitempty"`
	LogDensity number           `json:"log_density"` // mean of a cell
	SE         number           `json:"se"`
	Difference number           `json:"difference"`    // of the sum, from the best
	Error      number           `json:"difference_se"` // the larger of those over cells and over items
	MCSE       number           `json:"mcse"`
	Verdict    *verdict.Verdict `json:"verdict,omitempty"` // nil for a baseline
}

func (h *heldComparison) json() heldComparisonJSON {
	j := heldComparisonJSON{Data: h.first.Run.Spec.Data.Source(), Cells: h.standings[0].Score.Cells, outcomeJSON: h.outcome()}
	for m, r := range h.runs {
		s := h.standings[m]
		entry := heldStandingJSON{
			Baseline: r.baseline, LogDensity: number(s.Score.LogDensity.Value), SE: number(s.Score.LogDensity.SE),
			Difference: number(s.Difference), Error: number(s.SE), MCSE: number(s.MCSE),
		}
		if r.baseline == "" {
			entry.Run, entry.Law, entry.Features, entry.Verdict = r.Run.Dir, r.Run.Spec.Prior.Law, r.Run.Spec.Likelihood.Kind(), r.Verdict
		}
		j.Runs = append(j.Runs, entry)
	}
	return j
}

// errHeld is the error of flags that a comparison by hidden cells has no use for.
var errHeld = errors.New("--plot and --evidence: expected neither with --baseline or a list of --features, which compare by hidden cells")
