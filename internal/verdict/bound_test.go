package verdict

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A posterior that piles up at the maximum of its prior is named with the maximum and a command,
// whether the chains agree or not. One that is its prior, or has no maximum, is not.
func TestBounds(t *testing.T) {
	draw := func(power float64) [][]float64 { // density rising like a power up to 2
		rng, chains := rand.New(rand.NewPCG(1, 2)), make([][]float64, 4)
		for c := range chains {
			for range 500 {
				x := rng.Float64()
				for range int(power) {
					x = max(x, rng.Float64())
				}
				chains[c] = append(chains[c], 2*x)
			}
		}
		return chains
	}
	judge := func(max float64, chains [][]float64) *Verdict {
		return Judge(Input{Quantities: []Quantity{{Key: "sigma_a", Name: "SigmaA", Max: max, Chains: chains}}, Run: testRun})
	}
	v := judge(2, draw(5))
	want := "aibd fit run/run.json --set prior.sigma_a.mean=2 --out run-2"
	if !v.Agreed || len(v.Bounds) != 1 || !strings.Contains(v.Bounds[0], "SigmaA piles up at the maximum of its prior, 2: ") || !strings.HasSuffix(v.Bounds[0], want) || !slices.Contains(v.Lines(), v.Bounds[0]) {
		t.Errorf("agreed %v, found %q, expected a line that ends with %s", v.Agreed, v.Lines(), want)
	}
	latent := testRun
	latent.Latent = true
	apart := draw(5)
	for i := range apart[0] {
		apart[0][i] /= 2
	}
	for key, want := range map[string]string{
		"sigma_a": "The number of features depends on this maximum: do not report that number alone. Compare a smaller maximum and a larger one.\n" +
			"A smaller maximum: aibd fit run/run.json --set prior.sigma_a.max=0.7 --out run-2-smaller\nA larger maximum: aibd fit run/run.json --set prior.sigma_a.max=6 --out run-2",
		"sigma_x": "Fix SigmaX: aibd fit run/run.json --set prior.sigma_x.value=1 --set prior.sigma_x.fixed=true --out run-2",
	} {
		for _, chains := range [][][]float64{apart, draw(5)} {
			v = Judge(Input{Quantities: []Quantity{{Key: key, Name: "a scale", Max: 2, Chains: chains}}, Run: latent})
			if !strings.HasSuffix(strings.Join(v.Bounds, "\n"), want) {
				t.Errorf("categories: found %q, expected a line that ends with %s", v.Bounds, want)
			}
		}
	}
	if v := judge(2, apart); v.Agreed || len(v.Bounds) != 1 || !slices.Contains(v.Lines(), v.Bounds[0]) {
		t.Errorf("agreed %v, found %q", v.Agreed, v.Lines())
	}
	for name, v := range map[string]*Verdict{"uniform": judge(2, draw(0)), "no maximum": judge(0, draw(5)), "far from it": judge(4, draw(5))} {
		if len(v.Bounds) > 0 {
			t.Errorf("%s: found %q", name, v.Bounds)
		}
	}
}
