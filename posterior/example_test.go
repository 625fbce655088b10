package posterior_test

import (
	"fmt"
	"math/rand/v2"

	"aibd/posterior"
)

// chains returns 4 chains of 500 draws: autoregressions of correlation 0.5, the
// last one moved by shift.
func chains(shift float64) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([][]float64, 4)
	for c := range all {
		all[c] = make([]float64, 500)
		x := rng.NormFloat64()
		for t := range all[c] {
			x = 0.5*x + rng.NormFloat64()
			all[c][t] = x
			if c == 3 {
				all[c][t] += shift
			}
		}
	}
	return all
}

func ExampleRHat() {
	fmt.Printf("chains that agree:     %.2f\n", posterior.RHat(chains(0)))
	fmt.Printf("one of them elsewhere: %.2f\n", posterior.RHat(chains(3)))
	// Output:
	// chains that agree:     1.00
	// one of them elsewhere: 1.45
}

func ExampleSummarize() {
	s := posterior.Summarize(chains(0))
	fmt.Printf("mean %.2f +- %.2f, 90%% of draws in %.1f to %.1f\n", s.Mean, s.MCSE, s.Q5, s.Q95)
	fmt.Printf("2000 correlated draws determine the mean as well as about %.0f independent ones\n", s.ESSBulk)
	// Output:
	// mean 0.07 +- 0.04, 90% of draws in -1.7 to 2.0
	// 2000 correlated draws determine the mean as well as about 747 independent ones
}

func ExampleDIC() {
	d := posterior.DIC([]float64{-100, -98, -102})
	fmt.Printf("mean deviance %.0f + %.0f parameters = DIC %.0f\n", d.MeanDeviance, d.PD, d.DIC)
	// Output:
	// mean deviance 200 + 4 parameters = DIC 204
}

func ExamplePermutationMeans() {
	// Items 2, 0, 3, 1 arrive in this order, so item 0 at position 2, item 1 at 4.
	firstHalf, odd := posterior.PermutationMeans([]int{2, 0, 3, 1})
	fmt.Println(firstHalf, odd)
	// Output:
	// 3 1.5
}
