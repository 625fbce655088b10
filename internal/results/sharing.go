package results

import (
	"aibd/internal/verdict"
	"aibd/posterior"
)

// Sharing is the sharing of all pairs of items of a run, or of those among some items drawn at
// random (verdict.Paired).
type Sharing struct {
	Verdict *verdict.Verdict `json:"verdict"`
	Items   []string         `json:"items"`
	Of      int              `json:"of"`    // items that Items were drawn from
	Draws   int              `json:"draws"` // of all chains
	Note    string           `json:"note,omitempty"`
	Mean    [][]float64      `json:"mean"` // diagonal: features of the item
	MCSE    [][]Number       `json:"mcse"`
	Order   []int            `json:"order"` // of the items by likeness, from zero

	Intercept bool `json:"intercept"` // items that both lack a feature may count as sharing it

	ByDistance *DistanceSharing `json:"by_distance,omitempty"`
	Unknown    string           `json:"no_distances,omitempty"` // the reason if ByDistance is nil
}

// Sharing returns the sharing of pairs.
func (j *Judged) Sharing() *Sharing {
	all := j.Run.Data.IDs
	paired := verdict.Paired(len(all))
	mean, mcse := posterior.Sharing(j.Allocations(), paired)
	s := &Sharing{Verdict: j.Verdict, Of: len(all), Draws: j.Size(), Note: j.Note, Mean: mean, Order: posterior.ByLikeness(mean), Intercept: j.Run.Spec.Data.HasIntercept()}
	for _, i := range paired {
		s.Items = append(s.Items, all[i])
	}
	var err error
	if s.ByDistance, err = j.ByDistance(); err != nil {
		s.Unknown = err.Error()
	}
	for _, row := range mcse {
		numbers := make([]Number, len(row))
		for j, x := range row {
			numbers[j] = Number(x)
		}
		s.MCSE = append(s.MCSE, numbers)
	}
	return s
}
