package results

// An estimate by feature.

import (
	"cmp"
	"math"
	"slices"

	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// Listed is an estimate by feature, with the largest loadings of each.
type Listed struct {
	Verdict   *verdict.Verdict `json:"verdict"`
	Draws     int              `json:"draws"`
	Note      string           `json:"note,omitempty"`
	Loss      float64          `json:"expected_loss"`
	Ones      int              `json:"n_ones"`
	Fit       Explained        `json:"fit"`
	Intercept *ListedLoadings  `json:"intercept,omitempty"`
	Units     []ColumnUnit     `json:"units,omitempty"` // of the variables of X as fitted
	Features  []ListedFeature  `json:"features"`
	Parts     []ListedPart     `json:"parts"` // the largest first
	Cells     []Prediction     `json:"cells,omitempty"`
}

// ColumnUnit says what a value y of a variable of X as fitted is in the units of the file: Center + Scale y, or what Curve
// takes to that. Of counts and categories y is latent.
type ColumnUnit struct {
	Variable   string   `json:"variable"`
	Curve      string   `json:"curve,omitempty"` // log, log1p or sqrt
	Center     Number   `json:"center"`
	Scale      Number   `json:"scale"`
	Count      bool     `json:"count,omitempty"`
	Categories []string `json:"categories,omitempty"` // in ascending order
}

// ListedPart is a feature, or several that are identified only as a group, up to rotation.
type ListedPart struct {
	Features []int   `json:"features"` // their numbers, from one
	Percent  Number  `json:"percent"`  // of what all features add to the fitted values: median and 90% interval
	Q5       Number  `json:"q5"`
	Q95      Number  `json:"q95"`
	RHat     Number  `json:"r_hat"`
	Found    float64 `json:"found"`  // the share of draws in which it is found
	Chains   int     `json:"chains"` // in which it is found
}

// ListedFeature is one feature, in the order of the parts.
type ListedFeature struct {
	Items   []string  `json:"items"`
	Inside  float64   `json:"inside"`            // mean share over its items
	Outside float64   `json:"outside"`           // mean share over all others, 0 if there are none
	Share   []float64 `json:"share"`             // by item
	Weights []float64 `json:"weights,omitempty"` // by item, 0 if it lacks the feature
	ListedLoadings
}

// Listed returns the estimate by feature, with at most top loadings of each (0 for all).
func (e *Estimate) Listed(top int) *Listed {
	j := &Listed{Verdict: e.Verdict, Draws: e.Draws, Note: e.Note, Loss: e.Loss, Ones: e.Z.Ones(), Features: []ListedFeature{}, Cells: e.Cells,
		Fit: Explained{Number(e.Fit.Total.Mean), Number(e.Fit.Total.SD), Number(e.Fit.BySigmaX.Mean)}}
	if e.Intercept != nil {
		j.Intercept = e.listed(e.Intercept, top)
	}
	j.Units = lists.Make(len(e.Variables), func(v int) ColumnUnit {
		units := e.Seen.Units
		unit := ColumnUnit{Variable: e.Variables[v], Curve: units.Curve(v), Center: Number(units.Linear(v, 0)), Scale: Number(units.Scale(v)), Count: e.Seen.IsCount(v)}
		if c := e.Seen.Categories[v]; c != nil {
			unit.Categories = c.Labels
		}
		return unit
	})
	for k := range e.Z.K() {
		items, inside, outside := e.Sureness(k)
		f := ListedFeature{Items: items, Inside: inside, Outside: outside, Share: e.Share[k]}
		if math.IsNaN(outside) {
			f.Outside = 0
		}
		if e.Weights != nil {
			f.Weights = e.Weights[k]
		}
		f.ListedLoadings = *e.listed(&e.Loadings[k], top)
		j.Features = append(j.Features, f)
	}
	j.Parts = lists.Map(e.Parts, func(p Part) ListedPart {
		percent := posterior.Summarize(p.Percent)
		return ListedPart{Features: lists.Map(p.Features, func(k int) int { return k + 1 }), Found: p.Found, Chains: p.Chains,
			Percent: Number(percent.Q50), Q5: Number(percent.Q5), Q95: Number(percent.Q95), RHat: Number(percent.RHat)}
	})
	return j
}

// ListedLoadings holds the largest loadings of a feature.
type ListedLoadings struct {
	Matched  float64   `json:"matched"`
	Overlap  Number    `json:"overlap"`
	Loadings []Loading `json:"loadings"` // the largest first
}

// Loading is the loading of a variable.
type Loading struct {
	Variable string `json:"variable"`
	Mean     Number `json:"mean"`
	SD       Number `json:"sd"`
}

// Explained is the share of the sum of squares of X that the features explain.
type Explained struct {
	Explained Number `json:"explained"`
	SD        Number `json:"sd"`
	BySigmaX  Number `json:"by_sigma_x"` // 1 - SigmaX^2 N D / |X|^2
}

func (e *Estimate) listed(f *posterior.FeatureLoadings, top int) *ListedLoadings {
	j := &ListedLoadings{Matched: f.Matched, Overlap: Number(f.Overlap), Loadings: []Loading{}}
	for _, v := range largest(f, top) {
		j.Loadings = append(j.Loadings, Loading{e.Variables[v], Number(f.Mean[v]), Number(f.SD[v])})
	}
	return j
}

// largest returns the variables with the largest loadings of a feature, at most top
// (0 for all), or none if no draw has the feature.
func largest(f *posterior.FeatureLoadings, top int) []int {
	if f.Matched == 0 {
		return nil
	}
	order := permutation.Identity(len(f.Mean))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(f.Mean[b]), math.Abs(f.Mean[a])) })
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	return order
}
