package cli

// The loadings and the fit of an estimate.

import (
	"math"
	"strconv"

	"aibd/internal/results"
	"aibd/posterior"
)

// interceptName names the intercept among features.
const interceptName = "(intercept)"

// loadingsLegend explains the loadings beside the features.
func (e estimate) loadingsLegend() string {
	unit := ""
	if e.Judged != nil {
		d := e.Run.Spec.Data
		unit = ", in the unit of the file"
		if *d.Scale {
			unit = ", in standard deviations of the variable"
		}
		if len(d.Log)+len(d.Log1p) > 0 {
			unit += ", after logarithms"
		}
		if len(d.Count) > 0 {
			unit += "; of a count in the unit of its latent value, a logarithm"
		}
		if len(d.Binary)+len(d.Ordinal) > 0 {
			unit += "; of a binary or ordinal variable in the unit of its latent value"
		}
	}
	return "after each feature: what it adds to a variable, mean (standard deviation)" + unit + ", most standard deviations from 0 first, none within two\n"
}

// loadingsJSON holds the loadings of a feature as JSON.
type loadingsJSON struct {
	Matched  float64        `json:"matched"`
	Overlap  results.Number `json:"overlap"`
	Loadings []loadingJSON  `json:"loadings"` // the largest first
}

type loadingJSON struct {
	Variable string         `json:"variable"`
	Mean     results.Number `json:"mean"`
	SD       results.Number `json:"sd"`
}

type fitJSON struct {
	Explained results.Number `json:"explained"`
	SD        results.Number `json:"sd"`
	BySigmaX  results.Number `json:"by_sigma_x"` // 1 - SigmaX^2 N D / |X|^2
}

func (e estimate) loadingsJSON(f *posterior.FeatureLoadings, top int) *loadingsJSON {
	j := &loadingsJSON{Matched: f.Matched, Overlap: results.Number(f.Overlap), Loadings: []loadingJSON{}}
	for _, v := range results.Largest(f, top) {
		j.Loadings = append(j.Loadings, loadingJSON{e.Variables[v], results.Number(f.Mean[v]), results.Number(f.SD[v])})
	}
	return j
}

// allLoadings returns a row for each feature and variable.
func (e estimate) allLoadings() table {
	t := table{{"feature", "variable", "mean", "sd", "lower", "upper"}}
	add := func(of string, f *posterior.FeatureLoadings) {
		for v, name := range e.Variables {
			t.add(of, name, cell(f.Mean[v]), cell(f.SD[v]), cell(f.Lower[v]), cell(f.Upper[v]))
		}
	}
	if e.Intercept != nil {
		add(interceptName, e.Intercept)
	}
	for k := range e.Loadings {
		add(strconv.Itoa(k+1), &e.Loadings[k])
	}
	return t
}

// allShares returns a row for each item and variable.
func (e estimate) allShares() table {
	t := table{{"kind", "name", "explained", "sd"}}
	add := func(kind string, names []string, shares []posterior.Share) {
		for i, s := range shares {
			t.add(kind, names[i], cell(s.Mean), cell(s.SD))
		}
	}
	add("item", e.Items, e.Fit.Items)
	add("variable", e.Variables, e.Fit.Variables)
	return t
}

// values returns a row for each item and variable: the observed value, which only columns of numbers
// have, and the fitted one.
func (e estimate) values(fitted [][]float64) table {
	t := table{{"item", "variable", "observed", "fitted"}}
	for i, item := range e.Items {
		for v, variable := range e.Variables {
			observed := math.NaN()
			value := e.Seen.Units.Undo(v, fitted[i][v])
			switch {
			case e.Seen.IsCount(v):
				observed, value = e.Seen.Count(v, e.Seen.Latent[i][v]), math.Floor(value)
			case e.Seen.Categories[v] == nil:
				observed = e.Seen.Units.Undo(v, e.Seen.X[i][v])
			}
			t.add(item, variable, cell(observed), cell(value))
		}
	}
	return t
}
