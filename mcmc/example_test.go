package mcmc_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/draws"
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
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 30, 0.3)
	order := make([]float64, len(x))
	for i := range order {
		order[i] = float64(i)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(order), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.1, prior.Identity(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	post, err := mcmc.NewPosterior(x, law)
	if err != nil {
		log.Fatal(err)
	}
	// A run on several machines, or with checkpoints, consists of such chains. mcmc.Sample runs
	// several chains at once.
	start, err := post.DrawStart(mcmc.NewStream(1, "start").Rand, mcmc.Start{}, mcmc.InitEmpty)
	if err != nil {
		log.Fatal(err)
	}
	config := mcmc.Config{Warmup: 200, Draws: 100, Thin: 1}
	chain, err := mcmc.NewChain(post, start, mcmc.OptionsFor(post, config.Warmup), config, mcmc.NewStream(1, "chain-1"))
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
