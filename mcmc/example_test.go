package mcmc_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/draws"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// noise is a Recorder that keeps SigmaX.
type noise []float64

func (n *noise) Record(d *draws.Draw) error {
	*n = append(*n, d.SigmaX)
	return nil
}

// A chain on the images of the Cambridge bars, which are made of four features and
// noise of standard deviation 0.3. Images that follow one another are near.
func Example() {
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 100, 0.3)
	data, err := lglfm.NewData(x)
	if err != nil {
		log.Fatal(err)
	}
	order := make([]float64, len(x))
	for i := range order {
		order[i] = float64(i)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(order), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.1, prior.Identity(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	post := &mcmc.Posterior{
		Data: data, Law: law, Permutation: true,
		Mass:        &mcmc.Gamma{Shape: 1, Rate: 1},
		Temperature: &mcmc.Gamma{Shape: 1, Rate: 1},
		SigmaX:      mcmc.ScalePrior{Max: 1},
		SigmaA:      mcmc.ScalePrior{Max: 2},
	}
	state, err := mcmc.NewState(post, mcmc.Start{Scales: lglfm.Scales{SigmaX: 0.6, SigmaA: 1}})
	if err != nil {
		log.Fatal(err)
	}
	scan, err := mcmc.NewScan(post, mcmc.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	chain, err := mcmc.NewChain(mcmc.Config{Warmup: 300, Draws: 200, Thin: 1}, scan, state, mcmc.NewStream(1, "chain-1"))
	if err != nil {
		log.Fatal(err)
	}
	var sigmaX noise
	if err := chain.Run(context.Background(), &sigmaX); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("posterior mean of SigmaX: %.1f\n", stat.Mean(sigmaX, nil))
	// Output: posterior mean of SigmaX: 0.3
}
