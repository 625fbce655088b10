package fit_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"aibd/dataset"
	"aibd/draws"
	"aibd/fit"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// images returns the default posterior of the first rows of 10 images that are made of four features and noise of
// standard deviation 0.5, with the time between them as distance.
func images() *mcmc.Posterior {
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 10, 0.5)
	for i := range x {
		x[i] = x[i][:6]
	}
	when := make([]float64, len(x))
	for i := range when {
		when[i] = float64(i)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(when), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.1, prior.Identity(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	post, err := mcmc.NewPosterior(x, law)
	if err != nil {
		log.Fatal(err)
	}
	return post
}

// From a posterior to chains that agree, within a budget of time.
func ExampleFit() {
	result, err := fit.Fit(context.Background(), images(), fit.Options{
		Budget: fit.Budget{Time: 5 * time.Minute}, Clock: time.Now, Seed: 1,
		Store: fit.NewMemory(4, mcmc.Config{Warmup: 300, Draws: 1000, Thin: 1}), // four chains, and their first round
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("agreed:", result.Verdict.Agreed)
	for _, s := range result.Summary() {
		if s.Key == draws.KeySigmaX {
			fmt.Printf("%s: R-hat below 1.01: %t\n", s.Name, s.RHat <= 1.01)
		}
	}
	// Output:
	// agreed: true
	// SigmaX: R-hat below 1.01: true
}

// Near items share features, and their weights are alike.
func ExampleFit_near() {
	ctx, x, ages := context.Background(), [][]float64{{0.1, 1}, {0.3, 2}, {2.9, 8}, {3.1, 7}}, []float64{20, 25, 60, 70}

	affinity := prior.NewAffinity(similarity.AbsDifference(ages), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.4, prior.Identity(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	shared := law.ExpectedSharing()
	fmt.Println(shared)

	post, err := mcmc.NewPosterior(x, law)
	if err != nil {
		log.Fatal(err)
	}
	budget := fit.Budget{Time: time.Minute}
	result, err := fit.Fit(ctx, post, fit.Options{Budget: budget, Clock: time.Now, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Verdict)
}

// Draws that Fit has not made: here those of two chains that are too short.
func ExampleJudge() {
	post, length := images(), mcmc.Config{Warmup: 20, Draws: 10, Thin: 1}
	chains := make([][]*draws.Draw, 2)
	var into []draws.Recorder
	for c := range chains {
		into = append(into, draws.RecorderFunc(func(d *draws.Draw) error {
			chains[c] = append(chains[c], draws.Clone(d))
			return nil
		}))
	}
	if err := mcmc.Sample(context.Background(), post, mcmc.OptionsFor(post, length.Warmup), length, 1, into...); err != nil {
		log.Fatal(err)
	}
	verdict, err := fit.Judge(post, chains, fit.Names{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("agreed:", verdict.Agreed)
	// Output:
	// agreed: false
}
