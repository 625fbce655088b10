package results

// Features of an estimate in words.

import (
	"strings"

	"aibd/internal/words"
	"aibd/posterior"
)

// Describe names a feature by at most shown of its items (0 for all), and by at most top of its clear loadings.
func (e *Estimate) Describe(k, shown, top int) string {
	return e.Who(k, shown) + "; " + e.Clear(&e.Loadings[k], top)
}

// Who names a feature by its items, those of most draws or largest weights first.
func (e *Estimate) Who(k, shown int) string {
	order := e.Z.Members(nil, k)
	count := words.Plural(len(order), "item")
	folded := shown > 0 && shown < len(order)
	if folded || e.Weights != nil {
		order = e.Surest(k)
	}
	if folded {
		order = order[:shown]
	}
	var names []string
	for _, i := range order {
		name := e.Items[i]
		if e.Weights != nil {
			name = e.Beside(i, words.Fixed(e.Weights[k][i], 2))
		}
		names = append(names, name)
	}
	if folded {
		names = append(names, "...")
	}
	return strings.Join(names, ", ") + " (" + count + ")"
}

// Clear returns the clear loadings of a feature as text, at most top (0 for all).
func (e *Estimate) Clear(f *posterior.FeatureLoadings, top int) string {
	if f.Matched == 0 {
		return "in no draw"
	}
	shown := f.Clear()
	if len(shown) == 0 {
		return "no clear loading"
	}
	if top > 0 {
		shown = shown[:min(top, len(shown))]
	}
	var parts []string
	for _, v := range shown {
		direction, sign := "high ", " +"
		if f.Mean[v] < 0 {
			direction, sign = "low ", " "
		}
		parts = append(parts, direction+e.Variables[v]+sign+words.WithSD(f.Mean[v], f.SD[v]))
	}
	return strings.Join(parts, ", ")
}
