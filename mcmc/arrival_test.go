package mcmc

import (
	"fmt"
	"math"
	"testing"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
)

// TestDrawLast compares the frequencies of rows of the last of four items with their exact
// conditional probabilities, by enumeration of all rows with at most 6 columns of their own:
// with cells observed, in part, beyond a limit, and without any (the prior of an item that arrives
// last).
func TestDrawLast(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0, 1}, {1, 1, 0}, {0, 1, 1}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	law := must(prior.NewAIBD(nearness([]float64{0, 0.4, 2, 1.7}), 1.2, 1.5, []int{2, 0, 1, 3}))
	scales := lglfm.Scales{SigmaX: 0.7, SigmaA: 1}
	x := [][]float64{{1.1, -0.3, 0.2}, {0.9, 0.4, nan}, {-0.8, 1.3, 1}, nil}
	const draws, own = 2000, 6
	for name, last := range map[string][]float64{
		"observed": {-0.5, 1.1, 0.7}, "in part": {nan, 1.1, nan}, "beyond a limit": {nan, 1.1, nan}, "nothing": {nan, nan, nan},
	} {
		x[3] = last
		data, err := lglfm.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		c, free := enumerated{x: x, law: law, scales: scales}, data
		if name == "beyond a limit" {
			c.bounds = []lglfm.Bound{{Item: 3, Variable: 0, Lower: 1.4, Upper: math.Inf(1)}}
			data = must(lglfm.NewBounded(x, c.bounds))
		}
		// Log probabilities of all rows: bits of the shared columns, then columns of its own.
		logs, top := map[string]float64{}, math.Inf(-1)
		for bits := range 8 {
			for j := range own + 1 {
				with := z.Clone()
				for k := range 3 {
					if bits>>k&1 != 0 {
						with.Flip(3, k)
					}
				}
				for range j {
					with.Flip(3, with.Append())
				}
				// The row of the last item does not change how the others came about.
				p := prior.LogProb(law, with) + with.LogMultiplicities()
				logFactorial, _ := math.Lgamma(float64(j + 1))
				key := fmt.Sprint(bits, j)
				logs[key] = p - logFactorial + lglfm.LogLik(free, with, scales) + c.logBounds(t, with)
				top = max(top, logs[key])
			}
		}
		sum := 0.0
		for _, l := range logs {
			sum += math.Exp(l - top)
		}
		counts := map[string]int{}
		post, rng := &Posterior{Data: data, Law: law}, NewStream(1, "last item "+name).Rand
		for range draws {
			got, _, err := post.DrawLast(rng, Start{Z: z, Scales: scales}, 12)
			if err != nil {
				t.Fatal(err)
			}
			bits := 0
			for k := range 3 {
				if got.Has(3, k) {
					bits |= 1 << k
				}
			}
			counts[fmt.Sprint(bits, got.K()-3)]++
		}
		for key, l := range logs {
			p := math.Exp(l-top) / sum
			if p*draws < 10 {
				continue
			}
			if z := math.Abs(float64(counts[key])-p*draws) / math.Sqrt(p*(1-p)*draws); z > 5 {
				t.Errorf("%s, row %s: %d draws, want %.1f, |z| = %.1f", name, key, counts[key], p*draws, z)
			}
		}
	}
}
