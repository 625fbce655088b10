package prior_test

import (
	"math"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/prior"
	"aibd/similarity"
)

// TestAt: the law of a draw has its mass, all its temperatures and its permutation; what the draw lacks stays.
func TestAt(t *testing.T) {
	d := similarity.Several{similarity.Same([]int{1, 2, 1}), similarity.AbsDifference([]float64{1, 2, 4})}
	law := must(prior.NewAIBD(prior.NewAffinity(d, similarity.Exponential{}), 1, 1, prior.Identity(3)))
	check := func(law prior.Law, mass, temperature, second float64, permutation ...int) {
		t.Helper()
		if a := law.(prior.Attraction); a.Mass() != mass || a.Temperature() != temperature || !slices.Equal(a.FurtherTemperatures(), []float64{second}) || !slices.Equal(a.Permutation(), permutation) {
			t.Errorf("found %v with permutation %v", a, a.Permutation())
		}
	}
	check(prior.WithDraw(law, &draws.Draw{Mass: 2, Temperature: 0.5, FurtherTemperatures: []float64{3}, Permutation: []int{2, 1, 0}}), 2, 0.5, 3, 2, 1, 0)
	check(prior.WithDraw(law, &draws.Draw{Mass: 2, Temperature: math.NaN()}), 2, 1, 1, 0, 1, 2)
	check(prior.WithDraw(law, &draws.Draw{Mass: 2, Temperature: 0}), 2, 0, 1, 0, 1, 2)
	if got := prior.WithDraw(must(prior.NewIBP(3, 1)), &draws.Draw{Mass: 2, Temperature: math.NaN()}); got.Mass() != 2 {
		t.Errorf("found %v", got)
	}
}
