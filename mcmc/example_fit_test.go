package mcmc_test

import (
	"context"
	"fmt"
	"log"

	"aibd/dataset"
	"aibd/draws"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
	"aibd/similarity"
)

// traces is a Recorder that keeps two scalars. What it keeps of a draw it copies.
type traces struct{ sigmaX, logLik []float64 }

func (t *traces) Record(d *draws.Draw) error {
	t.sigmaX = append(t.sigmaX, d.SigmaX)
	t.logLik = append(t.logLik, d.LogLik)
	return nil
}

// From data to R-hat: four chains on 30 images that are made of four features and noise of
// standard deviation 0.5, and whether the chains agree.
func Example_fit() {
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 30, 0.5)
	when := make([]float64, len(x))
	for i := range when {
		when[i] = float64(i)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(when), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.1, prior.Identity(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	post, err := mcmc.NewPosterior(x, law) // with default priors
	if err != nil {
		log.Fatal(err)
	}
	length := mcmc.Config{Warmup: 200, Draws: 600, Thin: 1}
	options := mcmc.OptionsFor(post, length.Warmup)
	var kept [4]traces
	if err := mcmc.Sample(context.Background(), post, options, length, 1, &kept[0], &kept[1], &kept[2], &kept[3]); err != nil {
		log.Fatal(err)
	}

	var sigmaX, logLik [][]float64
	for _, t := range kept {
		sigmaX, logLik = append(sigmaX, t.sigmaX), append(logLik, t.logLik)
	}
	noise := posterior.Summarize(sigmaX)
	fmt.Printf("SigmaX: mean %.1f, 90%% of draws within 0.1 of it: %t\n", noise.Mean, noise.Q95-noise.Q5 < 0.2)
	fmt.Println("chains agree on SigmaX:", noise.RHat < 1.05)
	fmt.Println("chains agree on the log likelihood:", posterior.RHat(logLik) < 1.05)
	// Output:
	// SigmaX: mean 0.5, 90% of draws within 0.1 of it: true
	// chains agree on SigmaX: true
	// chains agree on the log likelihood: true
}
