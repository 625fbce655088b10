package picture

import (
	"image/color"
	"slices"
	"testing"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/posterior"
)

// TestShades: weights diverge about 0, and are sequential from 0 if all are positive. Entries of binary
// features have the share of draws.
func TestShades(t *testing.T) {
	for name, c := range map[string]struct {
		e         posterior.Estimate
		low, high float64
		want      color.Color // of item 1
	}{
		"binary":   {posterior.Estimate{Share: [][]float64{{0, 0.5}}}, 0, 1, figure.Blues(0.5)},
		"positive": {posterior.Estimate{Share: [][]float64{{0, 1}}, Weights: [][]float64{{0, 1}, {4, 0}}}, 0, 4, figure.Blues(0.25)},
		"signed":   {posterior.Estimate{Share: [][]float64{{1, 1}}, Weights: [][]float64{{1, -2}}}, -2, 2, figure.Diverging(0)},
	} {
		s := shadesOf(&results.Estimate{Estimate: &c.e})
		if s.low != c.low || s.high != c.high || s.color(0, 1) != c.want {
			t.Errorf("%s: found %v to %v and %v, expected %v to %v and %v", name, s.low, s.high, s.color(0, 1), c.low, c.high, c.want)
		}
	}
}

// TestByWeights: items are along a gradient of their weights.
func TestByWeights(t *testing.T) {
	e := &results.Estimate{Items: make([]string, 6), Estimate: &posterior.Estimate{Weights: [][]float64{{0, 2, -1, 1, 0.1, -2}}}}
	if got, want := byWeights(e), []int{1, 3, 4, 0, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("found %v, expected %v", got, want)
	}
}
