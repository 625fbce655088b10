package prior_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/oracle/fixture"
	"aibd/prior"
	"aibd/similarity"
)

// TestEmptyColumn: a feature that no item has cannot occur, under any law.
func TestEmptyColumn(t *testing.T) {
	affinity := prior.NewAffinity(similarity.AbsDifference([]float64{1, 2, 4}), similarity.Exponential{})
	z := must(feature.FromRows([][]int{{1}, {1}, {0}}))
	z.Append()
	aibd := must(prior.NewAIBD(affinity, 1, 0.5, prior.Identity(3)))
	for _, law := range []prior.Law{must(prior.NewIBP(3, 1)), aibd, must(prior.NewDDIBP(affinity, 1, 0.5)), must(prior.NewSequentialDDIBP(affinity, 1, 0.5, prior.Identity(3)))} {
		if got := prior.LogProb(law, z); !math.IsInf(got, -1) {
			t.Errorf("%v: found %v, expected -Inf", law, got)
		}
	}
	if got, err := prior.LogProbAveraged(aibd, z); err != nil || !math.IsInf(got, -1) {
		t.Errorf("averaged: found %v, %v, expected -Inf", got, err)
	}
	if got, _ := prior.LogProbMonteCarlo(aibd, z, rand.New(rand.NewPCG(1, 1)), 2); !math.IsInf(got, -1) {
		t.Errorf("by Monte Carlo: found %v, expected -Inf", got)
	}
}

// TestAffinityRefuses: distances and decays that no law can use are refused at once.
func TestAffinityRefuses(t *testing.T) {
	d := similarity.AbsDifference([]float64{1, 2, 4})
	for want, decay := range map[string]similarity.Decay{
		"prior: a decay is nil": nil,
		"prior: found width -1 of a window, expected a finite number of at least 0":             similarity.Window{Width: -1},
		"prior: found shift -0.5 of a reciprocal decay, expected a finite number of at least 0": similarity.Reciprocal{Shift: -0.5},
	} {
		fixture.WantPanic(t, want, func() { prior.NewAffinity(d, decay) })
	}
	fixture.WantPanic(t, "prior: distances are nil", func() { prior.NewAffinity(nil, similarity.Exponential{}) })
	fixture.WantPanic(t, "prior: found no distances, expected at least one", func() { prior.NewAffinity(similarity.Several{}, similarity.Exponential{}) })
	fixture.WantPanic(t, "similarity: Gower of no covariates", func() { similarity.Gower(nil) })
	fixture.WantPanic(t, "similarity: a range of -1, expected a finite number of at least 0",
		func() { similarity.Gower([]similarity.Covariate{{Values: []float64{1, 2}, Range: -1}}) })
}
