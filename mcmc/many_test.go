package mcmc

import (
	"testing"

	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// TestOthers counts what the other updates of a scan propose. With many distances few propose a temperature.
func TestOthers(t *testing.T) {
	for n, temperatures := range map[int]int{447: 10, 448: 2} {
		rng := NewStream(1, "others").Rand
		x := make2(n, MaxNarrow+1)
		for _, row := range x {
			for v := range row {
				row[v] = rng.NormFloat64()
			}
		}
		post := &Posterior{
			Data: must(lglfm.NewData(x)), Law: must(prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(make([]float64, n)), similarity.Exponential{}), 1, 1, prior.Identity(n))),
			Permutation: true, Mass: &Gamma{1, 1}, Temperature: &Gamma{1, 1}, SigmaX: ScalePrior{Max: 5}, SigmaA: ScalePrior{Max: 5},
		}
		counts := map[string]int{}
		for _, k := range scanOf(post, OptionsFor(post, 0)).kernels {
			counts[k.Name()]++
		}
		if counts["shuffle"] != 10 || counts["temperature"] != temperatures || counts["scales"] != 10 || counts["mass"] != 10 {
			t.Errorf("%d items: found %v, expected 10 shuffles, %d temperatures, 10 scales and 10 masses", n, counts, temperatures)
		}
	}
}
