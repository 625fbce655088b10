package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"aibd/feature"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// explained returns an estimate of two features, of which no draw has the second.
func explained(variables int) *results.Estimate {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}})
	if err != nil {
		panic(err)
	}
	nan := slices.Repeat([]float64{math.NaN()}, variables)
	e := &results.Estimate{
		Estimate: &posterior.Estimate{Z: z, Share: [][]float64{{1, 1}, {0, 0}}}, Items: []string{"a", "b"}, Draws: 1,
		Loadings: []posterior.FeatureLoadings{{Matched: 1, Overlap: 1}, {Overlap: math.NaN(), Mean: nan, SD: nan}},
	}
	for v := range variables {
		e.Variables = append(e.Variables, fmt.Sprintf("v%d", v+1))
		f := &e.Loadings[0]
		f.Mean, f.SD = append(f.Mean, math.Mod(1.5*float64(v+1), 4)-2), append(f.SD, 0.127) // -0.5, 1, -1.5, 0, ...
	}
	return e
}

// Names and dots are drawn where there is room for them.
func TestLoadingsFigure(t *testing.T) {
	j := &results.Judged{Verdict: &verdict.Verdict{Agreed: true}, Run: &runs.Run{Dir: "run"}, Traces: make([]runs.Trace, 1)}
	for _, c := range []struct {
		variables    int
		present, not string
	}{
		{4, ">v3<", " variables<"},
		{300, ">300 variables<", ">v3<"},
	} {
		content, err := Loadings(j, explained(c.variables)).Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		if text := string(content); !strings.Contains(text, c.present) || strings.Contains(text, c.not) || strings.Contains(text, "dots: beyond") != (c.variables == 4) {
			t.Errorf("%d variables: expected %s and no %s", c.variables, c.present, c.not)
		}
	}
}

// The feature of a single item does not set the scale. Its loadings beyond have a number, or a cross.
func TestLoadingsBeyond(t *testing.T) {
	j := &results.Judged{Verdict: &verdict.Verdict{Agreed: true}, Run: &runs.Run{Dir: "run"}, Traces: make([]runs.Trace, 1)}
	for _, variables := range []int{4, 60} {
		e := explained(variables)
		second := &e.Loadings[1]
		second.Mean, second.SD = slices.Repeat([]float64{0}, variables), slices.Repeat([]float64{1}, variables)
		second.Mean[2] = -123.4
		d := checkCanvas(t, "loadings", Loadings(j, e))
		if number := d.count("\u2212123.4"); (number == 1) != (variables == 4) || d.count("\u22121") != 1 || d.count("\u2212100") != 0 {
			t.Errorf("%d variables: found %v, expected the scale of the first feature", variables, d.texts)
		}
		if crosses := d.lines(color.White, 2); (crosses > 0) != (variables == 60) {
			t.Errorf("%d variables: found %d lines of crosses", variables, crosses)
		}
	}
}
