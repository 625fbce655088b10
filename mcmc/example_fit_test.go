package mcmc_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"aibd/dataset"
	"aibd/draws"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
	"aibd/similarity"
)

// traces is a Recorder that keeps two scalars. What it keeps of a draw it copies.
type traces struct{ sigmaX, features []float64 }

func (t *traces) Record(d *draws.Draw) error {
	t.sigmaX = append(t.sigmaX, d.SigmaX)
	t.features = append(t.features, float64(d.Z.K()))
	return nil
}

// From data to R-hat: four chains in parallel on 50 images that are made of four
// features and noise of standard deviation 0.5, and whether the chains agree.
func Example_fit() {
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 50, 0.5)
	data, err := lglfm.NewData(x)
	if err != nil {
		log.Fatal(err)
	}
	when := make([]float64, data.N())
	for i := range when {
		when[i] = float64(i)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(when), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.1, prior.Identity(data.N()))
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

	// The posterior is shared; state, scan and stream are a chain's own.
	run := func(c int, into draws.Recorder) error {
		state, err := mcmc.NewState(post, mcmc.Start{Scales: lglfm.Scales{SigmaX: 0.6, SigmaA: 1}})
		if err != nil {
			return err
		}
		scan, err := mcmc.NewScan(post, mcmc.DefaultOptions())
		if err != nil {
			return err
		}
		config := mcmc.Config{Warmup: 500, Draws: 500, Thin: 1}
		chain, err := mcmc.NewChain(config, scan, state, mcmc.NewStream(1, fmt.Sprint("chain-", c)))
		if err != nil {
			return err
		}
		return chain.Run(context.Background(), into)
	}
	var kept [4]traces
	var failed [4]error
	var wait sync.WaitGroup
	for c := range kept {
		wait.Go(func() { failed[c] = run(c+1, &kept[c]) })
	}
	wait.Wait()

	var sigmaX, features [][]float64
	for c, t := range kept {
		if failed[c] != nil {
			log.Fatal(failed[c])
		}
		sigmaX, features = append(sigmaX, t.sigmaX), append(features, t.features)
	}
	noise := posterior.Summarize(sigmaX)
	fmt.Printf("SigmaX: mean %.1f, 90%% of draws within 0.1 of it: %t\n", noise.Mean, noise.Q95-noise.Q5 < 0.2)
	fmt.Println("chains agree on SigmaX:", noise.RHat < 1.05)
	fmt.Println("chains agree on the number of features:", posterior.RHat(features) < 1.05)
	// Output:
	// SigmaX: mean 0.5, 90% of draws within 0.1 of it: true
	// chains agree on SigmaX: true
	// chains agree on the number of features: true
}
