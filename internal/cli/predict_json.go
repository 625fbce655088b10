package cli

// Predictions as JSON.

import (
	"aibd/internal/verdict"
	"aibd/predict"
)

type predictedJSON struct {
	Verdict   *verdict.Verdict `json:"verdict"`
	Draws     int              `json:"draws"`
	Note      string           `json:"note,omitempty"`
	Held      *scoreJSON       `json:"held_out,omitempty"`
	Binary    *categoricalJSON `json:"held_out_binary,omitempty"`
	Ordinal   *categoricalJSON `json:"held_out_ordinal,omitempty"`
	Counts    *categoricalJSON `json:"held_out_count,omitempty"`
	Unit      string           `json:"rmse_unit,omitempty"` // over all variables, and of an item
	Variables []scoreJSON      `json:"variables,omitempty"`
	Items     []scoreJSON      `json:"items,omitempty"`
	Cells     []prediction     `json:"cells"`
}

type scoreJSON struct {
	Name         string `json:"name,omitempty"`
	Cells        int    `json:"cells"`
	LogDensity   number `json:"log_density"` // mean of a cell
	LogDensitySE number `json:"log_density_se"`
	MCSE         number `json:"log_density_mcse"`
	RMSE         number `json:"rmse"`
	RMSESE       number `json:"rmse_se"`
	Cover50      number `json:"cover_50"`
	Cover50SE    number `json:"cover_50_se"`
	Cover90      number `json:"cover_90"`
	Cover90SE    number `json:"cover_90_se"`
}

type categoricalJSON struct {
	Cells      int    `json:"cells"`
	LogScore   number `json:"log_score"` // mean of a cell
	LogScoreSE number `json:"log_score_se"`
	MCSE       number `json:"log_score_mcse"`
	Brier      number `json:"brier"` // mean squared error
	BrierSE    number `json:"brier_se"`
}

func categoricalAsJSON(scored []predict.Scored) *categoricalJSON {
	if len(scored) == 0 {
		return nil
	}
	s := predict.ScoreOf(scored)
	return &categoricalJSON{s.Cells, number(s.LogDensity.Value), number(s.LogDensity.SE), number(s.MCSE), number(s.Square.Value), number(s.Square.SE)}
}

func scoreAsJSON(name string, s predict.Score) scoreJSON {
	return scoreJSON{
		name, s.Cells, number(s.LogDensity.Value), number(s.LogDensity.SE), number(s.MCSE), number(s.RMSE.Value), number(s.RMSE.SE),
		number(s.Cover50.Value), number(s.Cover50.SE), number(s.Cover90.Value), number(s.Cover90.SE),
	}
}

func (p *predicted) json() predictedJSON {
	j := predictedJSON{Verdict: p.Verdict, Draws: p.draws, Note: p.Note, Cells: p.cells}
	j.Binary, j.Ordinal, j.Counts = categoricalAsJSON(p.binary), categoricalAsJSON(p.ordinal), categoricalAsJSON(p.counts)
	if len(p.scored) > 0 {
		all := scoreAsJSON("", predict.ScoreOf(p.scored))
		j.Held, j.Unit = &all, p.unit()
	}
	if len(p.scored)+len(p.binary)+len(p.ordinal)+len(p.counts) > 0 {
		for _, by := range []struct {
			out    *[]scoreJSON
			names  []string
			scores func() ([]int, []predict.Score)
		}{{&j.Variables, p.Run.Data.Columns, p.byVariable}, {&j.Items, p.Run.Data.IDs, p.byItem}} {
			which, scores := by.scores()
			for k, s := range scores {
				*by.out = append(*by.out, scoreAsJSON(by.names[which[k]], s))
			}
		}
	}
	return j
}
