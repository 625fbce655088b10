package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"aibd/dataset"
	"aibd/feature"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/posterior"
)

// explained returns an estimate of two features, of which no draw has the second.
func explained(variables int) estimate {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}})
	if err != nil {
		panic(err)
	}
	nan := slices.Repeat([]float64{math.NaN()}, variables)
	e := &results.Estimate{
		Estimate: &posterior.Estimate{Z: z, Share: [][]float64{{1, 1}, {0, 0}}}, Items: []string{"a", "b"}, Draws: 1,
		Loadings: []posterior.FeatureLoadings{{Matched: 1, Overlap: 1}, {Overlap: math.NaN(), Mean: nan, SD: nan, Lower: nan, Upper: nan}},
		Parts:    []results.Part{{Part: posterior.Part{Features: []int{0}}, Percent: [][]float64{{70, 80, 90}}, Found: 1, Chains: 1}, {Part: posterior.Part{Features: []int{1}}, Percent: [][]float64{{20, 20, 20}}}},
		Fit:      &posterior.Fit{Total: posterior.Share{Mean: 0.5, SD: math.NaN()}, BySigmaX: posterior.Share{Mean: 0.25, SD: 0.015}},
	}
	for v := range variables {
		e.Variables = append(e.Variables, fmt.Sprintf("v%d", v+1))
		f := &e.Loadings[0]
		x := math.Mod(1.5*float64(v+1), 4) - 2 // -0.5, 1, -1.5, 0, ...
		f.Mean, f.SD = append(f.Mean, x), append(f.SD, 0.127)
		f.Lower, f.Upper = append(f.Lower, x-0.2), append(f.Upper, x+0.2)
	}
	e.Judged = &results.Judged{Run: &runs.Run{}, Seen: &model.Observed{Categories: make([]*model.Categories, variables)}}
	e.Run.Data.N, e.Run.Data.D = 2, variables
	e.Judged.Seen.X = [][]float64{slices.Repeat([]float64{1}, variables), slices.Repeat([]float64{-1}, variables)}
	e.Judged.Seen.Units = slices.Repeat(dataset.Units{dataset.Identity}, variables)
	e.Run.Spec.Data.Intercept, e.Run.Spec.Data.Scale = new(bool), new(bool)
	return estimate{e}
}

// Cards of features name few items: those of the largest weights, or of most draws.
func TestFewItems(t *testing.T) {
	const items = 11
	rows, weights, share, names := make([][]int, items), make([]float64, items), make([]float64, items), make([]string, items)
	for i := range items {
		rows[i], weights[i], share[i], names[i] = []int{1}, float64(i)-6.5, 0.5+float64(i)/100, fmt.Sprint("i", i)
	}
	z, err := feature.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	run := &runs.Run{}
	run.Data.IDs = names
	e := estimate{&results.Estimate{Judged: &results.Judged{Run: run}, Items: names, Estimate: &posterior.Estimate{Z: z, Share: [][]float64{share}}}}
	inside, _ := e.holders(0)
	if got, want := e.withShares(0, inside), "i10 (60%); i9 (59%); i8 (58%); i7 (57%); i6 (56%); i5 (55%); i4 (54%); i3 (53%); and 3 more"; got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
	e.Weights = [][]float64{weights}
	if got, want := e.withWeights(0), "i0 -6.50, i1 -5.50, i2 -4.50, i3 -3.50, i10 3.50, i4 -2.50, i9 2.50, i5 -1.50, and 3 more"; got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
}

// Clear loadings are shown. Unknown ones are named.
func TestLargestLoadings(t *testing.T) {
	e := explained(4)
	var b strings.Builder
	e.write(&b, estimateOptions{top: 3, shown: 1})
	for _, expected := range []string{
		"The features explain 0.500 of the sum of squares of X (in the unit of the file) in sample, 0.250 (0.015) by SigmaX.\n",
		"1            2     80.0       1   1.00    1.00        -     1.00\n",
		"2            1     20.0       0   0.00    0.00     0.00        -\n",
		"\n1: a, ... (2 items); low v3 -1.50 (0.13), high v2 +1.00 (0.13), low v1 -0.50 (0.13)\n2: b (1 item); in no draw\n",
	} {
		if !strings.Contains(b.String(), expected) {
			t.Errorf("found\n%s\nexpected in it\n%s", &b, expected)
		}
	}
	if got := e.sure(0); got != "On average 100% of the draws give it to an item that has it here. Of the draws, 100% have it, and of the chains 1." {
		t.Errorf("a feature of all items: found %q", got)
	}
	listed := e.Listed(0).Features
	var order []string
	for _, l := range listed[0].Loadings {
		order = append(order, l.Variable)
	}
	if !slices.Equal(order, []string{"v3", "v2", "v1", "v4"}) {
		t.Errorf("found the order %v, expected all four", order)
	}
	if got := listed[1]; got.Matched != 0 || len(got.Loadings) != 0 {
		t.Errorf("found %+v of a feature that no draw has", got)
	}
	csv := string(e.allLoadings().csv())
	if !strings.HasPrefix(csv, "feature,variable,mean,sd,lower,upper\n1,v1,-0.5,0.127,-0.7,-0.3\n") || !strings.HasSuffix(csv, "\n2,v4,,,,\n") {
		t.Errorf("found the table\n%s", csv)
	}
}

// An intercept is listed before the features.
func TestInterceptIsListed(t *testing.T) {
	e := explained(2)
	e.Intercept = &posterior.FeatureLoadings{Matched: 1, Overlap: 1, Mean: []float64{0.5, -2}, SD: []float64{0.1, 0.1}, Lower: []float64{0.3, -2.2}, Upper: []float64{0.7, -1.8}}
	var b strings.Builder
	e.write(&b, estimateOptions{top: 1})
	if !strings.Contains(b.String(), "\n(intercept): low v2 -2.00 (0.10)\n1: ") || !strings.Contains(b.String(), "The features explain 0.500 ") {
		t.Errorf("found\n%s", &b)
	}
	if csv := string(e.allLoadings().csv()); !strings.Contains(csv, "upper\n(intercept),v1,0.5,0.1,0.3,0.7\n(intercept),v2,-2,0.1,-2.2,-1.8\n1,v1,") {
		t.Errorf("found the table\n%s", csv)
	}
}

// Loadings in small and large units have the digits of their standard deviations.
func TestLoadingsInAnyUnit(t *testing.T) {
	e := explained(1)
	for unit, want := range map[float64]string{1e-13: "low v1 -1.5e-13 (3e-14)", 1: "low v1 -1.50 (0.30)", 1e4: "low v1 -15000 (3000)", 1e200: "low v1 -1.5e+200 (3e+199)"} {
		f := &posterior.FeatureLoadings{Matched: 1, Mean: []float64{-1.5 * unit}, SD: []float64{0.3 * unit}}
		if got := e.Clear(f, 0); got != want {
			t.Errorf("%g: found %s, expected %s", unit, got, want)
		}
	}
}
