package predict_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/predict"
	"aibd/prior"
)

// Prior predictive checks: can the prior produce data like x, one value of which is large?
func ExampleChecker() {
	x := [][]float64{{0.3, -1}, {-0.2, 40}, {1.1, 0.4}, {0, 0.2}}
	law, err := prior.NewIBP(len(x), 1)
	if err != nil {
		panic(err)
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		panic(err)
	}
	post := &mcmc.Posterior{
		Data: data, Law: law, Mass: &mcmc.Gamma{Shape: 1, Rate: 1},
		SigmaX: mcmc.ScalePrior{Max: 1}, SigmaA: mcmc.ScalePrior{Max: 1},
	}
	rng, start := rand.New(rand.NewPCG(1, 2)), mcmc.Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}

	r, err := predict.NewReplicator(post.Data)
	if err != nil {
		panic(err)
	}
	r.Prior = true // not given x
	c := predict.NewChecker(r, predict.Quantity{Name: "largest", Value: func(x [][]float64) float64 {
		return slices.Max(slices.Concat(x...))
	}})
	err = post.DrawPrior(rng, start, 400, draws.RecorderFunc(func(d *draws.Draw) error {
		y, err := r.Draw(d, rng)
		if err == nil {
			c.Add(d, y)
		}
		return err
	}))
	if err != nil {
		panic(err)
	}
	for _, kind := range c.Checks() {
		if kind.Name == predict.YourQuantities {
			fmt.Println("share of replicates with a larger value:", kind.Checks[0].P)
		}
	}
	// Output:
	// share of replicates with a larger value: 0
}
