package model

// Starts of chains of many items: a subsample is fitted first, and the others are placed.

import (
	"context"
	"math"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

const (
	// manyItems is the number of items above which chains of binary features start by a subsample by default.
	manyItems = 2000
	// subsampleItems is the max number of items of a subsample: few enough for fast scans with
	// block flips, and enough to find the features that matter.
	subsampleItems = 1000
	subsampleScans = 300 // half of them annealed
	// minSeen is the min share of observed cells of a column of the subsample. Other columns
	// are left out.
	minSeen = 0.05
)

// fillInit fills in the start of the chains and annealing.
func (o *Observed) fillInit(all *spec.Spec) error {
	s := &all.Sampler
	numbers, weights := len(o.Bounds) == 0 && len(o.Ordinal) == 0, all.Likelihood.HasWeights()
	switch {
	case s.Init == spec.InitSubsample && weights:
		return spec.Errorf("sampler.init", "found subsample and features with weights, expected binary ones")
	case (s.Init == string(mcmc.InitFactors) || s.Init == spec.InitMixed) && !weights:
		return spec.Errorf("sampler.init", "found %s and binary features, expected features with weights", s.Init)
	case s.Init == spec.InitSubsample && !numbers:
		return spec.Errorf("sampler.init", "found subsample and cells between bounds (limits, categories or counts), expected columns of numbers only")
	case s.Init != "":
	case weights:
		s.Init = spec.InitMixed
	case numbers && len(o.X) > manyItems:
		s.Init = spec.InitSubsample
	default:
		s.Init = string(mcmc.InitEmpty)
	}
	s.FillAnneal()
	return nil
}

// subsampleStart returns Z, mass and scales for the start of a chain of the given
// name. It runs a chain on a random subsample of the items under the IBP, with the priors
// of the problem. Then it draws the row of each other item given the mean loadings, the scales and the
// feature sizes of the last state of that chain by Gibbs updates. If no column has enough observed cells, it
// returns a start without features.
func (p *Problem) subsampleStart(ctx context.Context, name string) (mcmc.Start, error) {
	rng := mcmc.NewStream(p.Spec.Sampler.Seed, name+"/subsample")
	n := len(p.X)
	order := rng.Rand.Perm(n)
	chosen, remaining := order[:min(subsampleItems, (n+1)/2)], order[min(subsampleItems, (n+1)/2):]
	slices.Sort(chosen)
	columns := p.subsampleColumns(chosen)
	if len(columns) == 0 {
		return p.given(), nil
	}
	x := lists.Map(chosen, func(i int) []float64 { return lists.Pick(p.X[i], columns) })
	d, data, err := p.fitSubsample(ctx, name, &Observed{X: x, MinNoise: lists.Pick(p.MinNoise, columns)})
	if err != nil {
		return mcmc.Start{}, err
	}
	loadings := lglfm.NewLoadings(data)
	if err := loadings.ResetDraw(d); err != nil {
		return mcmc.Start{}, err
	}
	z := make([][]int, n)
	for a, row := range d.Z.Rows() {
		z[chosen[a]] = row
	}
	place := newPlacement(loadings, d, len(columns), data.Intercept())
	for _, i := range remaining {
		if err := ctx.Err(); err != nil {
			return mcmc.Start{}, err
		}
		z[i] = place.draw(rng, lists.Pick(p.X[i], columns))
	}
	s := mcmc.Start{Mass: d.Mass, Scales: lglfm.ScalesOf(d)}
	s.Z = feature.New(n)
	for k := range d.Z.K() {
		s.Z.AppendColumn(columnOf(z, k))
	}
	return s, nil
}

// columnOf returns the items with feature k.
func columnOf(z [][]int, k int) []uint64 {
	column := make([]uint64, (len(z)+63)/64)
	for i, row := range z {
		column[i>>6] |= uint64(row[k]) << (uint(i) & 63)
	}
	return column
}

// subsampleColumns returns the columns of X that have enough observed cells among the items.
func (p *Problem) subsampleColumns(items []int) (columns []int) {
	for j := range p.X[0] {
		observed := 0
		for _, i := range items {
			if !math.IsNaN(p.X[i][j]) {
				observed++
			}
		}
		if observed >= 2 && float64(observed) >= minSeen*float64(len(items)) {
			columns = append(columns, j)
		}
	}
	return columns
}

// fitSubsample returns the last draw of a chain on the subsample, and its data.
func (p *Problem) fitSubsample(ctx context.Context, name string, some *Observed) (*draws.Draw, *lglfm.Data, error) {
	data, err := some.Likelihood(p.Spec.Data)
	if err != nil {
		return nil, nil, err
	}
	law, err := prior.NewIBP(len(some.X), start(p.Spec.Prior.Mass))
	if err != nil {
		return nil, nil, err
	}
	post := &mcmc.Posterior{Data: data, Law: law, Mass: p.Posterior.Mass, SigmaX: p.Posterior.SigmaX, SigmaA: p.Posterior.SigmaA, Features: p.Posterior.Features}
	stream := mcmc.NewStream(p.Spec.Sampler.Seed, name+"/subsample/chain")
	origin, err := post.DrawStart(stream.Rand, p.given(), mcmc.InitEmpty)
	if err != nil {
		return nil, nil, err
	}
	o := p.Scan()
	// Block flips pay with so few items, whether or not all items have them.
	o.Anneal, o.Truncation, o.Clusters = subsampleScans/2, 0, mcmc.DefaultOptions().Clusters
	chain, err := mcmc.NewChain(post, origin, o, mcmc.Config{Warmup: subsampleScans - 1, Draws: 1, Thin: 1}, stream)
	if err != nil {
		return nil, nil, err
	}
	var last *draws.Draw
	err = chain.Run(ctx, draws.RecorderFunc(func(d *draws.Draw) error {
		last = draws.Clone(d)
		return nil
	}))
	return last, data, err
}
