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
	minSeen     = 0.05
	placeSweeps = 20 // updates of a row while the likelihood is annealed
)

// fillInit fills in the start of the chains and annealing.
func (o *Observed) fillInit(all *spec.Spec) error {
	s := &all.Sampler
	numbers := len(o.Bounds) == 0 && len(o.Ordinal) == 0
	switch {
	case s.Init == spec.InitSubsample && !numbers:
		return spec.Errorf("sampler.init", "found subsample and cells between bounds (limits, categories or counts), expected columns of numbers only")
	case s.Init != "":
	case numbers && len(o.X) > manyItems && !all.Likelihood.HasWeights():
		s.Init = spec.InitSubsample
	default:
		s.Init = string(mcmc.InitEmpty)
	}
	s.FillAnneal()
	return nil
}

// subsampleStart returns Z, mass and scales for the start of a chain of the given name. It runs a
// chain on a random subsample of the items under the IBP, with the priors of the problem. Then it
// draws the row of each other item given the mean loadings, the scales and the feature sizes of
// the last state of that chain, by Gibbs updates under annealing. If no column has enough observed
// cells, it returns a start without features.
func (p *Problem) subsampleStart(ctx context.Context, name string) (mcmc.Start, error) {
	rng := mcmc.NewStream(p.Spec.Sampler.Seed, name+"/subsample")
	n := len(p.X)
	order := rng.Rand.Perm(n)
	chosen, others := order[:min(subsampleItems, (n+1)/2)], order[min(subsampleItems, (n+1)/2):]
	slices.Sort(chosen)
	columns := p.subsampleColumns(chosen)
	if len(columns) == 0 {
		return p.given(), nil
	}
	x := lists.Of(chosen, func(i int) []float64 { return lists.Pick(p.X[i], columns) })
	d, data, err := p.fitSubsample(ctx, name, &Observed{X: x, MinNoise: lists.Pick(p.MinNoise, columns)})
	if err != nil {
		return mcmc.Start{}, err
	}
	loadings := lglfm.NewLoadings(data, x)
	if err := loadings.ResetDraw(d); err != nil {
		return mcmc.Start{}, err
	}
	z := make([][]int, n)
	for a, row := range d.Z.Rows() {
		z[chosen[a]] = row
	}
	place := newPlacement(loadings, d, len(columns), data.Intercept())
	for _, i := range others {
		z[i] = place.draw(rng, lists.Pick(p.X[i], columns), nil)
	}
	s := mcmc.Start{Mass: d.Mass, Scales: lglfm.ScalesOf(d)}
	if a, ok := p.Posterior.Law.(prior.Attraction); ok && p.Posterior.Permutation && len(p.Spec.Prior.Permutation.Order) == 0 {
		if edges := a.Affinity().Edges(); edges != nil {
			s.Permutation = spreadingOrder(rng.Rand, edges[0], z)
			law := a.With(a.Temperature(), s.Permutation)
			if place.conform(rng, law, z, func(i int) []float64 { return lists.Pick(p.X[i], columns) }) {
				// With the small SigmaX of the subsample, each of these rows would get features of its own.
				s.Scales = p.given().Scales
			}
		}
	}
	s.Z = feature.New(n)
	for k := range d.Z.K() {
		if column := columnOf(z, k); slices.Max(column) > 0 { // conform may leave none
			s.Z.AppendColumn(column)
		}
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
	post := &mcmc.Posterior{Data: data, Law: law, Mass: p.Posterior.Mass, SigmaX: p.Posterior.SigmaX, SigmaA: p.Posterior.SigmaA}
	stream := mcmc.NewStream(p.Spec.Sampler.Seed, name+"/subsample/chain")
	from, err := post.DrawStart(stream.Rand, p.given(), mcmc.InitEmpty)
	if err != nil {
		return nil, nil, err
	}
	o := options(p.Spec.Sampler)
	// Block flips pay with so few items, whether or not all items have them.
	o.Anneal, o.Truncation, o.Clusters = subsampleScans/2, 0, mcmc.DefaultOptions().Clusters
	chain, err := mcmc.NewChain(post, from, o, mcmc.Config{Warmup: subsampleScans - 1, Draws: 1, Thin: 1}, stream)
	if err != nil {
		return nil, nil, err
	}
	var last draws.Draw
	err = chain.Run(ctx, draws.RecorderFunc(func(d *draws.Draw) error {
		last = *d
		last.Z = d.Z.Clone()
		return nil
	}))
	return &last, data, err
}

// A placement draws rows of Z of further items given loadings, scales and feature sizes.
type placement struct {
	intercept []float64
	loadings  [][]float64 // by feature
	odds      []float64   // log prior odds, by feature
	precision []float64   // of the noise, by column
	residual  []float64
}

func newPlacement(l *lglfm.Loadings, d *draws.Draw, columns int, intercept bool) *placement {
	p := &placement{intercept: make([]float64, columns), precision: make([]float64, columns)}
	for j := range p.precision {
		noise := d.SigmaX * lglfm.NoiseScale(d, j)
		p.precision[j] = 1 / (noise * noise)
	}
	if intercept {
		copy(p.intercept, l.Intercept())
	}
	for k := range d.Z.K() {
		size := float64(d.Z.Size(k))
		p.loadings = append(p.loadings, slices.Clone(l.Mean(k)))
		p.odds = append(p.odds, math.Log(size/(float64(d.Z.N())+1-size)))
	}
	return p
}

// conform removes the entries of z that have probability 0 under a law with sparse distances, as
// supported does. It draws the rows of items that lost entries again, in the order of arrival. Such
// an item can take the features of earlier items that it attends to, and keep those that it has
// first. x returns the cells of an item. conform reports whether it drew any row.
func (p *placement) conform(rng *mcmc.Stream, law prior.Attraction, z [][]int, x func(i int) []float64) (drawn bool) {
	s := support{Attraction: law, group: make([]int, len(z))}
	lost := make([]bool, len(z))
	for k := range p.loadings {
		kept := s.largest(columnOf(z, k))
		for i, row := range z {
			if has := int(kept[i>>6] >> (uint(i) & 63) & 1); has != row[k] {
				row[k], lost[i] = has, true
			}
		}
	}
	arrived, born, allowed := make([]bool, len(z)), make([]bool, len(p.loadings)), make([]bool, len(p.loadings))
	for _, i := range law.Permutation() {
		for k, has := range z[i] {
			allowed[k] = has == 1 && !born[k]
		}
		s.attracting(i, nil, func(j int) {
			for k, has := range z[j] {
				allowed[k] = allowed[k] || arrived[j] && has == 1
			}
		})
		for k, has := range z[i] {
			lost[i] = lost[i] || has == 1 && !allowed[k]
		}
		if lost[i] {
			z[i], drawn = p.draw(rng, x(i), allowed), true
		}
		arrived[i] = true
		for k, has := range z[i] {
			born[k] = born[k] || has == 1
		}
	}
	return drawn
}

// draw draws the features of an item with the given cells, NaN where they are unknown. Features that
// are not allowed are left out. All are allowed if allowed is nil.
func (p *placement) draw(rng *mcmc.Stream, x []float64, allowed []bool) []int {
	z := make([]int, len(p.loadings))
	p.residual = p.residual[:0]
	energy := 1.0 // of the item without features, and 1
	for j, v := range x {
		e := v - p.intercept[j]
		p.residual = append(p.residual, e)
		if !math.IsNaN(e) {
			energy += e * e * p.precision[j] / 2
		}
	}
	for sweep := range placeSweeps {
		// From a power at which no feature matters.
		power := math.Pow(energy, float64(sweep+1)/placeSweeps-1)
		for k := range z {
			if allowed != nil && !allowed[k] {
				continue
			}
			if rng.Rand.Float64() < 1/(1+math.Exp(-p.logFlip(z, power, k))) {
				p.flip(z, k)
			}
		}
	}
	// Single flips cannot leave a wrong feature for the right one if both and neither fit worse.
	for k := range z {
		if z[k] == 0 {
			continue
		}
		without := p.logFlip(z, 1, k)
		p.flip(z, k)
		with := k
		for m := range z {
			if m != k && z[m] == 0 && (allowed == nil || allowed[m]) && rng.Rand.ExpFloat64()+without+p.logFlip(z, 1, m) > 0 {
				with = m
				break
			}
		}
		p.flip(z, with)
	}
	return z
}

// logFlip returns the change of the log density, with the likelihood to a power, if an entry is flipped.
func (p *placement) logFlip(z []int, power float64, k int) float64 {
	with, has := 0.0, float64(z[k])
	for j, e := range p.residual {
		if b := p.loadings[k][j]; !math.IsNaN(e) {
			with += b * (e + b*has - b/2) * p.precision[j] // e + b*has is the residual without the feature
		}
	}
	return (1 - 2*has) * (p.odds[k] + power*with)
}

// flip flips an entry.
func (p *placement) flip(z []int, k int) {
	sign := float64(1 - 2*z[k])
	z[k] = 1 - z[k]
	for j, b := range p.loadings[k] {
		p.residual[j] -= sign * b
	}
}
