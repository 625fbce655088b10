package results

import (
	"aibd/internal/verdict"
	"aibd/posterior"
)

// Sharing is the sharing of all pairs of items of a run.
type Sharing struct {
	Verdict *verdict.Verdict `json:"verdict"`
	Items   []string         `json:"items"`
	Draws   int              `json:"draws"` // of all chains
	Note    string           `json:"note,omitempty"`
	Mean    [][]float64      `json:"mean"` // diagonal: features of the item
	MCSE    [][]Number       `json:"mcse"`
	Order   []int            `json:"order"` // of the items by likeness, from zero

	Intercept bool `json:"intercept"` // items that both lack a feature may count as sharing it

	ByDistance *DistanceSharing `json:"by_distance,omitempty"`
	Unknown    string           `json:"no_distances,omitempty"` // the reason if ByDistance is nil
}

// Sharing returns the sharing of all pairs.
func (j *Judged) Sharing() *Sharing {
	mean, mcse := posterior.Sharing(j.Allocations())
	s := &Sharing{Verdict: j.Verdict, Items: j.Run.Data.IDs, Draws: j.Size(), Note: j.Note, Mean: mean, Order: posterior.ByLikeness(mean), Intercept: j.Run.Spec.Data.HasIntercept()}
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
