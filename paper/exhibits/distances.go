package exhibits

// The application under the AIBD by age, by person and by both: what does age stand for?

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/posterior"
)

// nearness is what the fit of a model says about the temperature of a distance.
type nearness struct {
	posterior.Summary
	chains    [][]float64
	influence *results.Influence
}

// Models of the exhibit, in the order of nearnessModels.
const (
	nearAge = iota
	nearPerson
	nearBoth
)

func makeDistances(j *job) error {
	a, people, err := j.people()
	if err != nil {
		return err
	}
	sd := stat.StdDev(a.age, nil)
	var rows, chains [][]Cell
	var tables []map[string]nearness // by model and distance
	var s spec.Sampler
	for _, m := range modelsOf(j.result.Name) {
		run, err := j.fit(m)
		if err != nil {
			return err
		}
		judged, err := results.Judge(run)
		if err != nil {
			return err
		}
		influences, err := judged.Influences()
		if err != nil {
			return err
		}
		s = run.Spec.Sampler
		byDistance := map[string]nearness{}
		for i, d := range run.Spec.Distances() {
			values := lists.Map(judged.Traces, func(t runs.Trace) []float64 { return t.Values[draws.TemperatureKey(i)] })
			n := nearness{posterior.Summarize(values), values, influences[i].Sharing}
			byDistance[d.Label()] = n
			rows = append(rows, append([]Cell{word(m.shown), word(d.Label())}, n.cells(d.Kind, sd)...))
		}
		tables = append(tables, byDistance)
		features := posterior.Summarize(judged.Derived(func(d *draws.Draw) float64 { return float64(d.Z.K()) }))
		chains = append(chains, []Cell{word(m.shown), fixed(features.Mean, 1), fixed(features.MCSE, 1), fixed(judged.MaxRHat, 3), fixed(judged.MinESS, 0)})
	}
	j.result.About = fmt.Sprintf("The AIBD by age, by inferred person (0 for scans of one person, 1 for others: kind same), and by both: similarity is exp(−temperature of age × distance of age − temperature of person × distance of person). Features are binary and priors the paper’s, with gamma(1, 1) for each temperature; ages are in standard deviations of %.2f years. The 62 rows look like repeated scans of about %d people, which we infer, from near ages among other things. %d chains of %d scans for each law, half of them kept. A Bayes factor is of the law against the same law with this temperature at 0, by Savage and Dickey, from the draws of the fit with all distances. ≥ is a lower bound: no draw is near 0.",
		sd, people, s.Chains, s.Config().Scans())
	j.table("distances", "Temperatures: medians with 90% intervals, and natural logarithms of Bayes factors", []string{"law by", "temperature of", "median", "from", "to",
		"similarity halves in years", "from", "to", "similarity of other people", "from", "to", "log Bayes factor", "error", "R-hat", "ESS"}, rows)
	j.table("distances-chains", "Features and chains: the largest R-hat and the least ESS of all that is judged", []string{"law by", "features", "MCSE", "R-hat", "ESS"}, chains)
	alone, beside := tables[nearAge]["age"], tables[nearBoth]["age"]
	j.find("By age alone, similarity halves in %s. With the person in the law, it halves in %s.", halfYears(alone, sd), halfYears(beside, sd))
	j.find("By person alone, scans of different people are %.2f times as similar as scans of one person. With the age in the law, they are %.2f times as similar at the same age.",
		math.Exp(-tables[nearPerson]["person"].Q50), math.Exp(-tables[nearBoth]["person"].Q50))
	j.find("In the law with both, the temperatures have a correlation of %.2f over draws.", stat.Correlation(slices.Concat(beside.chains...), slices.Concat(tables[nearBoth]["person"].chains...), nil))
	j.find("Chains of this length agree on the temperatures better than on the features, as R-hat says.")
	return nil
}

// halfYears says in how many years similarity halves.
func halfYears(n nearness, sd float64) string {
	halving := func(t float64) float64 { return sd * math.Ln2 / t }
	return fmt.Sprintf("%.1f years (90%% interval %.1f to %.1f)", halving(n.Q50), halving(n.Q95), halving(n.Q5))
}

// cells returns the temperature of a kind of distance and its meaning, the Bayes factor and R-hat. sd is the standard
// deviation of age.
func (n nearness) cells(kind string, sd float64) []Cell {
	half, strangers := dashes(3), dashes(3)
	if kind == "same" {
		strangers = []Cell{fixed(math.Exp(-n.Q50), 2), fixed(math.Exp(-n.Q95), 2), fixed(math.Exp(-n.Q5), 2)}
	} else {
		half = []Cell{fixed(sd*math.Ln2/n.Q50, 1), fixed(sd*math.Ln2/n.Q95, 1), fixed(sd*math.Ln2/n.Q5, 1)}
	}
	factor := dashes(2)
	switch i := n.influence; {
	case i == nil:
	case i.AtLeast:
		least := fixed(i.Log, 1)
		least.Text = "≥ " + least.Text
		factor = []Cell{least, word("–")}
	default:
		factor = []Cell{fixed(i.Log, 1), fixed(i.StdErr, 1)}
	}
	return slices.Concat([]Cell{fixed(n.Q50, 2), fixed(n.Q5, 2), fixed(n.Q95, 2)}, half, strangers, factor, []Cell{fixed(n.RHat, 3), fixed(n.ESSBulk, 0)})
}
