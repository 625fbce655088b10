package mcmc_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"aibd/dataset"
	"aibd/draws"
	"aibd/feature"
	"aibd/mcmc"
	"aibd/prior"
)

// exchange proposes that two items exchange their features. The proposal is its own inverse, so
// that it is accepted with the ratio of densities.
func exchange(rng *rand.Rand, v *mcmc.View) mcmc.Info {
	p, log := v.Point(), rng.ExpFloat64()
	log += -v.LogDensity(p)
	i, j := rng.IntN(p.Z.N()), rng.IntN(p.Z.N())
	rows := p.Z.Rows()
	rows[i], rows[j] = rows[j], rows[i]
	z, err := feature.FromRows(rows)
	if err != nil {
		panic(err)
	}
	p.Z = z
	if !(log+v.LogDensity(p) > 0) {
		return mcmc.Info{Proposed: 1}
	}
	v.Move(p)
	return mcmc.Info{Proposed: 1, Accepted: 1}
}

// A user's move ends each scan.
func ExampleKernel() {
	x, _, _ := dataset.Bars(mcmc.NewStream(1, "bars").Rand, 10, 0.5)
	law, err := prior.NewIBP(len(x), 1)
	if err != nil {
		log.Fatal(err)
	}
	post, err := mcmc.NewPosterior(x, law)
	if err != nil {
		log.Fatal(err)
	}
	post.Features = mcmc.Binary // as kernels of a user expect
	length := mcmc.Config{Warmup: 50, Draws: 50, Thin: 1}
	options := mcmc.OptionsFor(post, length.Warmup)
	options.Kernels = []mcmc.Kernel{{Name: "exchange", Step: exchange}}
	start, err := post.DrawStart(mcmc.NewStream(1, "start").Rand, mcmc.Start{}, mcmc.InitEmpty)
	if err != nil {
		log.Fatal(err)
	}
	chain, err := mcmc.NewChain(post, start, options, length, mcmc.NewStream(1, "chain-1"))
	if err != nil {
		log.Fatal(err)
	}
	if err := chain.Run(context.Background(), draws.RecorderFunc(func(*draws.Draw) error { return nil })); err != nil {
		log.Fatal(err)
	}
	for _, total := range chain.Totals() {
		if total.Name == "exchange" {
			fmt.Println(total.Name, "proposed", total.Proposed, "times")
		}
	}
	// Output:
	// exchange proposed 50 times
}
